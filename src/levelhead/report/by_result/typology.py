"""Profiles of treebanks, their similarity, and which to compare."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.report.by_result import View
from levelhead.report.profiles import (
    long_table,
    profiles_document,
    profiles_table,
    samples_document,
    samples_table,
    selection_document,
    selection_table,
    similarity_document,
    similarity_table,
)
from levelhead.tables.table import Table
from levelhead.typology.collection import Samples, SelectedTreebanks, Similarities, Survey


def _survey_table(survey: Survey, *, long: bool = False) -> Table:
    return (long_table if long else profiles_table)(survey)


VIEWS: Mapping[type, View] = {
    Survey: View(_survey_table, profiles_document),
    Similarities: View(similarity_table, similarity_document),
    SelectedTreebanks: View(selection_table, selection_document),
    Samples: View(samples_table, samples_document),
}
