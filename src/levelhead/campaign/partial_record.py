"""The records of jobs with partial scores."""

from __future__ import annotations

from typing import Any

from levelhead.campaign.evaluator_status import status_of_refusal
from levelhead.campaign.job import lists_of, sentence_parts, valid_fields
from levelhead.campaign.record_fields import faults_of_error, numbers_of
from levelhead.errors import InputError
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.partial import PartialOutput, match_output, partial_evaluation
from levelhead.evaluation.setup import Setup
from levelhead.treebank import Treebank

PARTIAL_COUNTS = ("sentences", "sentences_valid_trees")
"""The counts of every gold sentence in a record: of all readable rows, and of valid trees only."""

Scored = tuple[dict[str, Any], PartialOutput | None]


def partial_fields(evaluation: Evaluation) -> dict[str, Any]:
    """Return the fields that only records of partial scores have."""
    return {"scores_valid_trees": numbers_of(evaluation.valid_trees), "partial_coverage": evaluation.coverage}


def partial_record(gold: Treebank, output: Treebank | bytes, setup: Setup, *, by_sentence: bool) -> Scored:
    """Return the record and aligned words of an output, without fields that depend only on gold; None if invalid."""
    try:
        matched = match_output(gold, output, None, setup)
        evaluation, counted = partial_evaluation(matched, setup)
    except InputError as error:
        return {"state": "invalid", "status": status_of_refusal(error), "reasons": faults_of_error(error)}, None
    record = valid_fields(evaluation, setup) | partial_fields(evaluation)
    if by_sentence:
        measures = [measure for measure in setup.measures if str(measure) in counted]
        for key in PARTIAL_COUNTS:
            parts = {str(measure): sentence_parts(getattr(counted[str(measure)], key), measure) for measure in measures}
            record[key] = {name: lists_of(numbers) for name, numbers in parts.items()}
    return record, matched
