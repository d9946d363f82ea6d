"""Results of `score` for several systems, as the results of a campaign: with scores, without counts of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from levelhead.arguments import refuse
from levelhead.campaign.plan import TestSet
from levelhead.campaign.results import CANNOT_OPEN, OutputResult, Results
from levelhead.errors import Fault, InputError, listed, quoted
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.provenance import joint_hash
from levelhead.measures.registry import lower_is_better
from levelhead.treebank.provenance import FileSummary
from levelhead.typology.languages import language_of

_ONE_TEST_SET = "gold"  # the code of the test set of a single evaluation
_OF_FILES = frozenset({"gold", "system", "gold-warnings", "system-warnings"})


def results_of_scores(systems: Mapping[str, Evaluation]) -> Results:
    """Return the results of systems that were scored one by one.

    A test set without an evaluation of a system is a missing output. Measures without a value in gold have none.
    """
    by_system = {name: own.parts or {_ONE_TEST_SET: own} for name, own in systems.items()}
    every = [(name, code, own) for name, some in by_system.items() for code, own in some.items()]
    if not every:
        refuse("scores", systems, "at least one result of levelhead.score")
    codes = tuple(dict.fromkeys(code for _, code, _ in every))
    first = every[0][2]
    gold: dict[str, FileSummary] = {}
    for name, code, own in every:
        where = f"{quoted(name)} on {code}"
        if gold.setdefault(code, own.gold).sha256 != own.gold.sha256:
            raise _refused(f"{where} was scored on another gold file than {quoted(every[0][0])}")
        if _settings(own) != _settings(first):
            raise _refused(f"{where} was scored with other settings than {quoted(every[0][0])}: score both alike")
        if list(own) != list(first):
            raise _refused(f"{where} was scored with the measures {listed([*own])}, others with {listed([*first])}")
    undefined = {
        (code, measure)
        for code in codes
        for measure in first
        if any((score := own[measure]).value is None and _of_gold(score.reason) for _, at, own in every if at == code)
    }
    results = {}
    for name, some in by_system.items():
        for code in codes:
            without = {measure for at, measure in undefined if at == code}
            results[name, code] = _result(some.get(code), tuple(first), without)
    last = {key: first.signature[key] for key in ("unicode", "version")}
    signature = {key: value for key, value in _settings(first).items() if key not in last}
    signature |= {
        "gold": joint_hash(gold[code].id for code in codes),
        "systems": joint_hash(own.system.id for _, _, own in every),
    }
    test_sets = tuple(TestSet(code, language=language_of(code)) for code in codes)
    return Results(test_sets, tuple(by_system), tuple(first), results, gold, signature | last)


def _refused(message: str) -> InputError:
    return InputError(Fault("invalid-argument", message))


def _settings(evaluation: Evaluation) -> dict[str, str]:
    return {key: value for key, value in evaluation.signature.items() if key not in _OF_FILES}


def _of_gold(reason: str | None) -> bool:
    """Whether a measure has no value because of gold, not of the system's output."""
    return reason is None or "in gold" in reason


def _result(evaluation: Evaluation | None, measures: Iterable[str], undefined: set[str]) -> OutputResult:
    values: dict[str, Fraction | None] = {}
    for name in measures:
        value = None if evaluation is None or name in undefined else evaluation[name].exact
        lacks_value = name in undefined or lower_is_better(name)  # no perplexity is a maximum
        values[name] = Fraction(0) if value is None and not lacks_value else value
    if evaluation is None:
        return OutputResult("missing", values, CANNOT_OPEN, ("no evaluation was given",))
    return OutputResult(
        "valid",
        values,
        "OK",
        scores=evaluation.scores,
        contents=evaluation.system,
        notes=evaluation.notes,
        valid_trees=evaluation.valid_trees,
        partial_coverage=evaluation.coverage,
    )
