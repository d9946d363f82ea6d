"""Results read from the records of jobs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.job import JobSetup
from levelhead.campaign.record_fields import GOLD, small
from levelhead.campaign.results import OutputResult
from levelhead.errors import Fault, InputError, Place, printable
from levelhead.evaluation.coverage import PartialCoverage
from levelhead.evaluation.setup import Setup
from levelhead.evaluation.valid_sentences import Coverage
from levelhead.scoring import Score
from levelhead.significance.units import Units
from levelhead.treebank.contents import Contents

_NOTHING = Fraction(0)
_MOST_REASONS = 20


def read_record(data: bytes, settings: JobSetup, gold: str | None, output: str | None) -> tuple[OutputResult, Contents]:
    """Return the result in a record of `count_output`."""
    record = json.loads(data)
    if "faults" in record:
        path = settings.files[record["faults_of"]].path if record["faults_of"] in settings.files else gold
        raise InputError(*_faults(record["faults"], path, path))
    setup = settings.setup
    scores, secondary = (_scores(record.get(kind, {}), setup) for kind in ("scores", "secondary"))
    result = OutputResult(
        state=record["state"],
        values=_values(scores, setup, record["undefined"]),
        status=record["status"],
        reasons=tuple(_reason(*fault) for fault in record["reasons"][:_MOST_REASONS]),
        scores=scores,
        secondary=secondary,
        coverage=Coverage(*record["coverage"]) if "coverage" in record else None,
        sentences=_parts(record.pop("sentences", {})),
        units=_units(record["units"]) if "units" in record else None,
        gold_hash=record.get("gold_hash", ""),
        faults=_faults(record["reasons"], output, gold),
        contents=contents_in(record["system"], output) if "system" in record else None,
        measures=record.get("measures", {}),
        notes=tuple(record.get("notes", ())),
        valid_trees=_scores(record.get("scores_valid_trees", {}), setup),
        partial_coverage=PartialCoverage(*record["partial_coverage"]) if "partial_coverage" in record else None,
        sentences_valid_trees=_parts(record.pop("sentences_valid_trees", {})),
    )
    return result, contents_in(record["gold"], gold)


def _parts(named: dict[str, list[list[float]]]) -> dict[str, NDArray[np.int32] | NDArray[np.float64]]:
    """The counts of sentences; lists are dropped one at a time, since there can be millions."""
    return {name: small(np.array(named.pop(name))) for name in tuple(named)}


def _units(fields: dict[str, Any]) -> Units:
    stored = fields["of_sentence"]  # for sentences, only their number
    of_sentence = _numbered(stored) if isinstance(stored, int) else np.array(stored, dtype=np.int64)
    return Units(**{**fields, "of_sentence": of_sentence})


@lru_cache(maxsize=1)
def _numbered(n_sentences: int) -> NDArray[np.int64]:
    """Units, shared by all outputs on a test set."""
    return np.arange(n_sentences, dtype=np.int64)


def contents_in(sizes: list[Any], path: str | None) -> Contents:
    """Return the sizes of a treebank and the warnings about it from a record, see `contents_fields`."""
    sha256, sentences, words, tokens, warnings = sizes
    return Contents(sha256, sentences, words, tokens, _faults(warnings, path, path), path)


def _values(scores: Mapping[str, Score], setup: Setup, undefined: list[str]) -> dict[str, Fraction | None]:
    """The value of each measure: 0 if only the system lacks annotation, None if gold lacks it."""
    values = {name: scores[name].exact if name in scores else None for name in setup.names}
    worst = {name: None if name in setup.perplexities else _NOTHING for name in values}  # no perplexity is a maximum
    return {n: None if n in undefined else worst[n] if value is None else value for n, value in values.items()}


def _scores(numbers: Mapping[str, list[Any]], setup: Setup) -> dict[str, Score]:
    scores = {}
    for measure, definition in setup.defined:
        if str(measure) in numbers:
            correct, gold, system, aligned, reason = numbers[str(measure)]
            undefined, perplexity = setup.rules.undefined, definition.lower_is_better
            score = Score(measure, correct, gold, system, aligned, undefined, reason, perplexity=perplexity)
            scores[str(measure)] = score
    return scores


def _faults(faults: list[list[Any]], path: str | None, gold: str | None = None) -> tuple[Fault, ...]:
    """Faults in a file, or in gold, with the names of the files."""
    name = printable(gold or "this")
    return tuple(
        Fault(slug, message.replace(GOLD, name), Place(gold if of_gold else path, line), severity, n)
        for line, slug, message, n, severity, of_gold in faults
    )


def _reason(line: int | None, slug: str, message: str, count: int, *_: object) -> str:
    text = str(Fault(slug, message.replace(GOLD, "this"), count=count))
    return text if line is None else f"line {line}: {text}"
