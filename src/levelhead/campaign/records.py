"""The records of jobs: plain values, JSON with the same bytes on every machine for the store; and results read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.results import CANNOT_OPEN, OutputResult, exact_values
from levelhead.errors import Fault, InputError, Place, UnreadableFile, printable
from levelhead.evaluation.coverage import PartialCoverage
from levelhead.evaluation.partial import Coverage
from levelhead.evaluation.setup import Setup
from levelhead.scoring import Score
from levelhead.significance.units import SENTENCE, Units
from levelhead.treebank.official_reader import Crash, CycleRefused, RootsRefused
from levelhead.treebank.provenance import FileSummary

# The messages of conll17_tira_eval.py and conll18_tira_eval.py, exactly: other programs read them.
EMPTY = "Error: The system file is empty"
_CYCLE = "Error: There is a cycle in generated CoNLL-U file"
_ROOTS = "Error: There are multiple roots in a sentence in generated CoNLL-U file"
_FORMAT = "Error: There is a format error (tabs, ID values, etc) in generated CoNLL-U file"
_OF_ERROR = {CycleRefused: _CYCLE, RootsRefused: _ROOTS, Crash: CANNOT_OPEN, UnreadableFile: CANNOT_OPEN}
_OF_SLUG = {"cycle": _CYCLE, "no-root": _ROOTS, "several-roots": _ROOTS, "empty-file": EMPTY, "encoding": CANNOT_OPEN}
_SHOWN_2018 = ("LAS", "MLAS", "BLEX")


def status_of_refusal(error: InputError) -> str:
    return _OF_ERROR.get(type(error)) or _OF_SLUG.get(error.slug, _FORMAT)


def status_of_other_text(n_system: int, n_gold: int) -> str:
    """Return the status of an output whose characters differ from gold."""
    if n_system == 0:
        return EMPTY
    percent = int(100 * n_system / max(1, n_gold))
    return (
        "Error: The concatenation of tokens in gold file and in system file differ, system file has"
        f" {n_system} nonspace characters, which is approximately {percent}% of the gold file"
    )


def status_of_scores(scores: Mapping[str, Score], rules: str) -> str:
    """Return the status of a valid output: its nonzero LAS (2017), or its main scores rounded to 5% (since 2018)."""
    if rules == "conll17":
        is_zero = "LAS" in scores and not scores["LAS"].value
        return "Error: Evaluated zero LAS F1 score" if is_zero else "OK: Evaluated non-zero LAS F1 score"
    shown = [(name, float((scores[name].exact or 0) / 100)) for name in _SHOWN_2018 if name in scores]
    numbers = " ".join(f"{name}={100 * round(f1 * 20) / 20:.0f}%" for name, f1 in shown)
    return f"OK: Result F1 scores rounded to 5% are {numbers}" if shown else "OK"


GOLD = "{gold}"
"""The placeholder for the gold file in messages; its name does not affect results, and is inserted on reading."""


Record = dict[str, Any]
"""The result of a job: plain values and arrays."""


def json_of(record: Any) -> bytes:
    """Return a record as JSON, with the same bytes on every machine."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), default=_lists_of).encode()


def _lists_of(numbers: NDArray[Any]) -> Any:
    are_whole = numbers.dtype.kind in "iu" or np.array_equal(numbers, np.rint(numbers))
    return (numbers.astype(np.int64) if are_whole else numbers).tolist()


def record_in(data: bytes) -> Any:
    """Return the record in JSON; the counts of sentences become arrays one at a time, since there can be millions."""
    record = json.loads(data)
    for kind in ("sentences", "sentences_valid_trees"):
        if isinstance(record, dict) and kind in record:
            named = record[kind]
            record[kind] = {name: small(np.array(named.pop(name))) for name in tuple(named)}
    return record


def faults_of_error(error: InputError) -> list[list[Any]]:
    return [_fault(fault) for fault in error.faults[:1000]]


def _fault(fault: Fault) -> list[Any]:
    """A fault without the name of its file, and whether it belongs to gold."""
    place = fault.place
    return [place.line, fault.slug, fault.message, fault.count, fault.severity, place.file == GOLD]


def contents_fields(contents: FileSummary) -> list[Any]:
    warnings = [_fault(fault) for fault in contents.warnings]
    return [contents.sha256, contents.sentences, contents.words, contents.tokens, warnings]


def numbers_of(scores: Mapping[str, Score]) -> dict[str, list[Any]]:
    return {name: [s.correct, s.gold, s.system, s.aligned, s.reason] for name, s in scores.items()}


def units_fields(units: Units) -> Record:
    """Return the units of a gold treebank; for sentences, only their number."""
    documents = None if units.documents is None else units_fields(units.documents)
    return (
        units._asdict()
        | {"documents": documents}
        | ({"of_sentence": len(units.of_sentence)} if units.kind == SENTENCE else {})
    )


def small(parts: NDArray[Any]) -> NDArray[np.int32] | NDArray[np.float64]:
    """Return numbers as int32 if all are small whole numbers, to save memory; otherwise as float64."""
    with np.errstate(invalid="ignore"):  # sums of huge weights
        whole = parts.astype(np.int32)
    return whole if np.array_equal(whole, parts) else parts.astype(np.float64)


def read_record(
    record: Record, setup: Setup, files: Mapping[str, str], gold: str | None, output: str | None
) -> tuple[OutputResult, FileSummary]:
    """Return the result in a record of `count_output`; `files` are the paths of the files that measures name."""
    if "faults" in record:
        path = files.get(record["faults_of"], gold)
        raise InputError(*_faults(record["faults"], path, path))
    scores, secondary = (_scores(record.get(kind, {}), setup) for kind in ("scores", "secondary"))
    result = OutputResult(
        state=record["state"],
        values=exact_values(scores, setup.names, record["undefined"], setup.perplexities),
        status=record["status"],
        reasons=tuple(_reason(*fault) for fault in record["reasons"][:20]),
        scores=scores,
        secondary=secondary,
        coverage=Coverage(*record["coverage"]) if "coverage" in record else None,
        sentences=_in_order(record.get("sentences")),
        units=units_in(record["units"]) if "units" in record else None,
        gold_hash=record.get("gold_hash", ""),
        faults=_faults(record["reasons"], output, gold),
        contents=contents_in(record["system"], output) if "system" in record else None,
        measures=_in_order(record.get("measures")),
        notes=tuple(record.get("notes", ())),
        valid_trees=_scores(record.get("scores_valid_trees", {}), setup),
        partial_coverage=PartialCoverage(*record["partial_coverage"]) if "partial_coverage" in record else None,
        sentences_valid_trees=_in_order(record.get("sentences_valid_trees")),
    )
    return result, contents_in(record["gold"], gold)


def _in_order(fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """Fields in the order of their names, as in a store."""
    return dict(sorted((fields or {}).items()))


def units_in(fields: dict[str, Any]) -> Units:
    stored, documents = fields["of_sentence"], fields["documents"]  # of sentences, only their number
    of_sentence = _numbered(stored) if isinstance(stored, int) else np.array(stored, dtype=np.int64)
    documents = None if documents is None else units_in(documents)
    return Units(**{**fields, "of_sentence": of_sentence, "ids": tuple(fields["ids"]), "documents": documents})


@lru_cache(maxsize=1)
def _numbered(n_sentences: int) -> NDArray[np.int64]:
    """Units, shared by all outputs on a test set."""
    return np.arange(n_sentences, dtype=np.int64)


def contents_in(sizes: list[Any], path: str | None) -> FileSummary:
    sha256, sentences, words, tokens, warnings = sizes
    return FileSummary(sha256, sentences, words, tokens, _faults(warnings, path, path), path)


def _scores(numbers: Mapping[str, list[Any]], setup: Setup) -> dict[str, Score]:
    scores = {}
    undefined = setup.rules.undefined
    for measure, definition in setup.defined:
        if str(measure) in numbers:
            correct, gold, system, aligned, reason = numbers[str(measure)]
            perplexity = definition.lower_is_better
            score = Score(measure, correct, gold, system, aligned, undefined, reason, perplexity=perplexity)
            scores[str(measure)] = score
    return scores


def _faults(faults: list[list[Any]], path: str | None, gold: str | None = None) -> tuple[Fault, ...]:
    name = printable(gold or "this")
    return tuple(
        Fault(slug, message.replace(GOLD, name), Place(gold if of_gold else path, line), severity, n)
        for line, slug, message, n, severity, of_gold in faults
    )


def _reason(line: int | None, slug: str, message: str, count: int, *_: object) -> str:
    text = str(Fault(slug, message.replace(GOLD, "this"), count=count))
    return text if line is None else f"line {line}: {text}"
