"""Correlations of columns, and agreement with people."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.correlation.correlate import Correlation
from levelhead.correlation.judgement import Judgement
from levelhead.report.by_result import View
from levelhead.report.correlation import correlation_document, pairs_table
from levelhead.report.judgement import judgement_document, judgement_table

VIEWS: Mapping[type, View] = {
    Correlation: View(pairs_table, correlation_document, places=3),
    Judgement: View(judgement_table, judgement_document, places=3),
}
