"""Scores of one pair."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.evaluation.pair import Evaluation
from levelhead.report.by_result import View
from levelhead.report.scores import score_document, score_table

VIEWS: Mapping[type, View] = {Evaluation: View(score_table, score_document)}
