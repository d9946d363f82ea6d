"""The job of a campaign: one system's output on one test set, from bytes to counts."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from levelhead._version import VERSION
from levelhead.campaign.results import Gold, Result
from levelhead.campaign.status import CANNOT_OPEN, status_of_other_text, status_of_refusal, status_of_scores
from levelhead.errors import Fault, InputError, Place, TextMismatch
from levelhead.evaluation import Evaluation, parse_as, score_treebanks, weights_for
from levelhead.jobs import StaleInput
from levelhead.measures import STANDARD, Registry, lower_is_better, parse_measure
from levelhead.scoring import Rules, Score
from levelhead.scoring.matches import match
from levelhead.scoring.measure import Measure
from levelhead.scoring.rules import rules_named
from levelhead.scoring.score import count
from levelhead.scoring.spans import spans_of
from levelhead.scoring.weights import TEMPLATE, Weights, values_of
from levelhead.secondary import Coverage, SecondaryEvaluation, score_valid_sentences, valid_sentences
from levelhead.significance import Run, counted
from levelhead.treebank import Treebank
from levelhead.treebank.source import decompressed
from levelhead.user_definitions import read_definitions

_NOTHING = Fraction(0)
_MOST_REASONS = 20
_GOLDS_AT_ONCE = 2  # jobs come test set by test set: a worker reads each gold file once
_FILES_AT_ONCE = 8


class File(NamedTuple):
    """A file, and what was in it when the campaign was planned.

    Args:
        path: where it is.
        sha256: the hash of its bytes as they are on the disk.
    """

    path: str
    sha256: str


class Settings(NamedTuple):
    """What decides the numbers beside the files.

    Args:
        rules: the name of the rules.
        measures: the texts of the measures.
        files: weights and training treebanks, by the measure that names them.
        treebank: the code of the test set, for measures that name a file for each.
        by_sentence: whether the counts of every sentence are kept, for tests of significance.
        definitions: files of a user's own measures and schemes.
        folder: where relative paths in measures start; the current folder if empty.
    """

    rules: str
    measures: tuple[str, ...]
    files: Mapping[str, File]
    treebank: str = ""
    by_sentence: bool = False
    definitions: tuple[File, ...] = ()
    folder: str = ""

    @property
    def registry(self) -> Registry:
        """The measures and schemes that there are."""
        return _registry(self.definitions) if self.definitions else STANDARD

    @property
    def asked(self) -> list[Measure]:
        """The measures."""
        registry = self.registry
        return [parse_measure(name, registry) for name in self.measures]


def key_of(gold: File, system: File | None, settings: Settings) -> str:
    """Return the key of a result: a hash of all that decides it.

    Args:
        gold: the gold file.
        system: the system's output, or None if there is none.
        settings: what else decides.
    """
    files = {name: file.sha256 for name, file in settings.files.items()}
    parts: list[Any] = [
        "pair by sentence" if settings.by_sentence else "pair",
        VERSION,
        unicodedata.unidata_version,
        settings.rules,
        settings.measures,
        files,
        [file.sha256 for file in settings.definitions],
        gold.sha256,
    ]
    parts.append(None if system is None else system.sha256)
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def score_pair(gold: File, system: File | None, settings: Settings) -> bytes:
    """Score an output, if there is one; the result is JSON, the same bytes wherever it is made.

    Args:
        gold: the gold file.
        system: the system's output, or None if there is none.
        settings: rules and measures.

    Raises:
        StaleInput: a file is not what it was when the campaign was planned.
    """
    try:
        weights = _weights(settings)
    except _Unusable as error:
        return _json({"faults_of": error.measure, "faults": _faults(error.reason)})
    reference = _gold(gold, settings.rules)
    if not isinstance(reference, Treebank):
        return _json({"faults_of": "gold", "faults": _faults(reference)})
    if system is None:
        record: dict[str, Any] = {"state": "missing", "status": CANNOT_OPEN, "reasons": []}
    else:
        record = _scored(reference, _contents(system), settings, weights)
    record["gold"] = Gold(reference.source.sha256 or "", len(reference), reference.n_words)
    record["undefined"] = _undefined(gold, settings, record)
    return _json(record)


def _json(record: dict[str, Any]) -> bytes:
    return json.dumps(record, sort_keys=True, separators=(",", ":")).encode()


def _contents(file: File) -> bytes:
    """The bytes of a file, if they are still those that its hash was made of."""
    try:
        data = Path(file.path).read_bytes()
    except OSError as error:
        raise StaleInput(error.strerror or str(error), "changing-file", Place(file.path)) from error
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise StaleInput("it was written to while it was read", "changing-file", Place(file.path))
    return data


class _Unusable(Exception):
    """A file that a measure names cannot be used."""

    def __init__(self, measure: str, reason: InputError) -> None:
        super().__init__(measure)
        self.measure, self.reason = measure, reason


def _weights(settings: Settings) -> dict[str, Weights]:
    """What the measures need, each read once by a worker for as long as it is asked for."""
    read: dict[str, Weights] = {}
    for name, file in settings.files.items():
        try:
            treebank = settings.treebank if TEMPLATE in name else ""
            read |= _weights_in(name, file, treebank, settings.definitions, settings.folder)
        except InputError as error:
            raise _Unusable(name, error) from error
    return read


@lru_cache(maxsize=_FILES_AT_ONCE)
def _weights_in(
    measure: str, file: File, treebank: str, definitions: tuple[File, ...], folder: str
) -> Mapping[str, Weights]:
    _contents(file)  # is what it was
    registry = _registry(definitions)
    return weights_for([parse_measure(measure, registry)], registry, treebank=treebank, folder=folder)


@lru_cache(maxsize=_FILES_AT_ONCE)
def _registry(definitions: tuple[File, ...]) -> Registry:
    registry = STANDARD
    for file in definitions:
        _contents(file)  # is what it was
        registry = read_definitions(file.path, registry)
    return registry


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _gold(file: File, rules: str) -> Treebank | InputError:
    try:
        return parse_as(decompressed(_contents(file), ""), None, rules_named(rules))
    except InputError as error:
        return error


def _undefined(gold: File, settings: Settings, record: dict[str, Any]) -> list[str]:
    """The measures for which gold has nothing to measure: they have no value for gold itself either."""
    scores = _scores(record, "scores", settings)
    valueless = [name for name, score in scores.items() if score.value is None]
    if record["state"] != "valid" and rules_named(settings.rules).undefined is None:
        valueless = list(settings.measures)
    perfect = _of_gold(gold, settings.rules, tuple(valueless), settings.definitions) if valueless else {}
    return [name for name, value in perfect.items() if value is None]


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _of_gold(
    file: File, rules: str, measures: tuple[str, ...], definitions: tuple[File, ...]
) -> Mapping[str, float | None]:
    """The values of measures for gold against itself; those with weights or models always have one."""
    gold = _gold(file, rules)
    if not isinstance(gold, Treebank):
        return {}
    registry = _registry(definitions)
    asked = [parse_measure(name, registry) for name in measures]
    asked = [measure for measure in asked if not registry.measures[measure.name].needs_file]
    evaluation = score_treebanks(gold, gold, asked, rules_named(rules), registry=registry)
    return {name: score.value for name, score in evaluation.items()}


def _scored(gold: Treebank, raw: bytes, settings: Settings, weights: Mapping[str, Weights]) -> dict[str, Any]:
    """Score an output; an invalid one gets a status, reasons, and the scores of its valid sentences."""
    rules = rules_named(settings.rules)
    data = b""
    try:
        data = decompressed(raw, "")
        system = parse_as(data, None, rules)
        evaluation = score_treebanks(gold, system, settings.asked, rules, weights, settings.registry)
    except TextMismatch as error:
        status = status_of_other_text(_n_characters(system, rules), _n_characters(gold, rules))
        return _refused(error, status, _salvaged(gold, data, settings, weights))
    except InputError as error:
        return _refused(error, status_of_refusal(error), _salvaged(gold, data, settings, weights))
    return {
        "state": "valid",
        "status": status_of_scores(evaluation.scores, rules.name),
        "reasons": [],
        "scores": _numbers(evaluation),
        "notes": evaluation.notes,
        **({"sentences": _sentences(evaluation, settings, weights)} if settings.by_sentence else {}),
    }


def _sentences(
    evaluation: Evaluation, settings: Settings, weights: Mapping[str, Weights]
) -> dict[str, list[list[float]]]:
    """The numerators and the denominators of each measure that has a value, a number for each gold sentence."""
    matches = match(evaluation.gold, evaluation.system, rules_named(settings.rules))
    registry = settings.registry
    found = {}
    for measure in settings.asked:
        if evaluation[str(measure)].reason is None:
            definition = registry.measures[measure.name]
            values = values_of(measure, definition, weights)
            counts = count(matches, measure, definition, schemes=registry.schemes, weights=values, by_sentence=True)
            parts = counted([Run("", {str(measure): (counts, measure.component or "f1")})], "").parts[:, 0, 0].T
            whole = np.array_equal(parts, np.rint(parts))
            found[str(measure)] = parts.astype(np.int64).tolist() if whole else parts.tolist()
    return found


def _n_characters(treebank: Treebank, rules: Rules) -> int:
    return len(spans_of(treebank, unicode_spaces=rules.unicode_spaces).text.tobytes().decode())


def _refused(error: InputError, status: str, secondary: SecondaryEvaluation | None) -> dict[str, Any]:
    record: dict[str, Any] = {"state": "invalid", "status": status, "reasons": _faults(error)}
    if secondary is not None:
        record |= {"secondary": _numbers(secondary.evaluation), "coverage": secondary.coverage}
    return record


def _salvaged(
    gold: Treebank, data: bytes, settings: Settings, weights: Mapping[str, Weights]
) -> SecondaryEvaluation | None:
    """The scores of the sentences of an invalid output that can be compared, if there are any."""
    rules = rules_named(settings.rules)
    try:
        return score_valid_sentences(
            gold, *valid_sentences(data), settings.asked, rules, weights, registry=settings.registry
        )
    except InputError:
        return None


def _faults(error: InputError) -> list[list[Any]]:
    """Faults without the name of the file, which is no part of what decides the result."""
    return [[fault.place.line, fault.slug, fault.message, fault.count] for fault in error.faults[:_MOST_REASONS]]


def _numbers(evaluation: Evaluation) -> dict[str, list[Any]]:
    return {name: [s.correct, s.gold, s.system, s.aligned, s.reason] for name, s in evaluation.items()}


def _scores(record: dict[str, Any], what: str, settings: Settings) -> dict[str, Score]:
    """The scores of a record, or those of its valid sentences."""
    undefined, registry = rules_named(settings.rules).undefined, settings.registry
    found = {}
    for name, (correct, gold, system, aligned, reason) in record.get(what, {}).items():
        measure, perplexity = parse_measure(name, registry), lower_is_better(name, registry)
        found[name] = Score(measure, correct, gold, system, aligned, undefined, reason, perplexity=perplexity)
    return found


def read_record(data: bytes, settings: Settings, path: str) -> tuple[Result, Gold]:
    """Read what `score_pair` wrote.

    Args:
        data: its result.
        settings: what it was given.
        path: the gold file, for messages.

    Raises:
        InputError: gold was not valid, or a file that a measure names.
    """
    record = json.loads(data)
    if "faults" in record:
        file = settings.files[record["faults_of"]].path if record["faults_of"] in settings.files else path
        raise InputError(*(Fault(slug, m, Place(file, line), "error", n) for line, slug, m, n in record["faults"]))
    scores, secondary = (_scores(record, what, settings) for what in ("scores", "secondary"))
    values = {name: scores[name].exact if name in scores else None for name in settings.measures}
    worst = {name: None if lower_is_better(name) else _NOTHING for name in values}  # there is no worst perplexity
    result = Result(
        state=record["state"],
        values={n: None if n in record["undefined"] else v if v is not None else worst[n] for n, v in values.items()},
        status=record["status"],
        reasons=tuple(_reason(*fault) for fault in record["reasons"]),
        scores=scores,
        secondary=secondary,
        coverage=Coverage(*record["coverage"]) if "coverage" in record else None,
        sentences={name: np.array(parts, dtype=np.float64) for name, parts in record.get("sentences", {}).items()},
        notes=tuple(record.get("notes", ())),
    )
    return result, Gold(*record["gold"])


def _reason(line: int | None, slug: str, message: str, count: int) -> str:
    return (
        str(Fault(slug, message, count=count)) if line is None else f"line {line}: {Fault(slug, message, count=count)}"
    )
