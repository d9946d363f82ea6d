"""Scores of one pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.partial_scores import PartialEvaluation
from levelhead.report.by_result import View
from levelhead.report.scores import score_document, score_table
from levelhead.report.table import Table


def _secondary_table(result: PartialEvaluation, *, counts: bool = False) -> Table:
    return score_table(result.evaluation, result.coverage, counts=counts)


def _secondary_document(result: PartialEvaluation) -> dict[str, Any]:
    return score_document(result.evaluation, result.coverage)


VIEWS: Mapping[type, View] = {
    Evaluation: View(score_table, score_document),
    PartialEvaluation: View(_secondary_table, _secondary_document),
}
