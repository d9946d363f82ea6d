"""Why official scorers disagree."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.analysis.rule_differences import Explanation
from levelhead.report.by_result import View
from levelhead.report.explanation import explanation_document, explanation_table

VIEWS: Mapping[type, View] = {Explanation: View(explanation_table, explanation_document)}
