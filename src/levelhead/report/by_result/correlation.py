"""Correlations of columns, and tables of numbers by treebank."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.correlation.correlate import Correlation
from levelhead.correlation.measurements import Measurements
from levelhead.report.by_result import View
from levelhead.report.correlation import correlation_document, measurements_document, measurements_table, pairs_table

VIEWS: Mapping[type, View] = {
    Correlation: View(pairs_table, correlation_document, places=3),
    Measurements: View(measurements_table, measurements_document),
}
