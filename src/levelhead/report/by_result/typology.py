"""Profiles of treebanks, their similarity, and which to compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from levelhead.report.table import Table
from levelhead.typology.collection import Neighbours, Samples, SelectedTreebanks, Survey


def _survey_table(survey: Survey, *, long: bool = False) -> Table:
    return (long_table if long else profiles_table)(survey.profiles, survey.files)


def _selection_table(selection: SelectedTreebanks) -> Table:
    return selection_table(selection.decisions, selection.criteria, selection.files)


def _selection_document(selection: SelectedTreebanks) -> dict[str, Any]:
    return selection_document(selection.decisions, selection.criteria, selection.files)


VIEWS: Mapping[type, View] = {
    Survey: View(_survey_table, profiles_document),
    Neighbours: View(similarity_table, similarity_document),
    SelectedTreebanks: View(_selection_table, _selection_document),
    Samples: View(samples_table, samples_document),
}
