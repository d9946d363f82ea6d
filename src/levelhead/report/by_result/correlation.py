"""Correlations of columns."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.correlation.correlate import Correlation
from levelhead.report.by_result import View
from levelhead.report.correlation import correlation_document, pairs_table

VIEWS: Mapping[type, View] = {
    Correlation: View(pairs_table, correlation_document, places=3),
}
