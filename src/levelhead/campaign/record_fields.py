"""The records of jobs as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError
from levelhead.scoring import Score
from levelhead.significance.units import SENTENCE, Units
from levelhead.treebank.contents import Contents

_MOST_FAULTS = 1000

GOLD = "{gold}"
"""The placeholder for the gold file in messages; its name does not affect results, and is inserted on reading."""


def json_of(record: dict[str, Any]) -> bytes:
    """Return a record as JSON, with the same bytes on every machine."""
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode()


def faults_of_error(error: InputError) -> list[list[Any]]:
    """Return the first thousand faults of an error."""
    return [_fault(fault) for fault in error.faults[:_MOST_FAULTS]]


def _fault(fault: Fault) -> list[Any]:
    """A fault without the name of its file, and whether it belongs to gold."""
    place = fault.place
    return [place.line, fault.slug, fault.message, fault.count, fault.severity, place.file == GOLD]


def contents_fields(contents: Contents) -> list[Any]:
    """Return the sizes of a treebank and the warnings about it."""
    warnings = [_fault(fault) for fault in contents.warnings]
    return [contents.sha256, contents.sentences, contents.words, contents.tokens, warnings]


def numbers_of(scores: Mapping[str, Score]) -> dict[str, list[Any]]:
    """Return the counts behind scores, by measure."""
    return {name: [s.correct, s.gold, s.system, s.aligned, s.reason] for name, s in scores.items()}


def units_fields(units: Units) -> dict[str, Any]:
    """Return the units of a gold treebank; for sentences, only their number."""
    of_sentence = len(units.of_sentence) if units.kind == SENTENCE else units.of_sentence.tolist()
    return {**units._asdict(), "of_sentence": of_sentence}


def small(parts: NDArray[Any]) -> NDArray[np.int32] | NDArray[np.float64]:
    """Return numbers as int32 if all are small whole numbers, to save memory; otherwise as float64."""
    with np.errstate(invalid="ignore"):  # sums of huge weights
        whole = parts.astype(np.int32)
    return whole if np.array_equal(whole, parts) else parts.astype(np.float64)
