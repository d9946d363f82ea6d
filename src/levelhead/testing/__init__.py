"""Assertions about scores, for tests of parsers and treebanks."""

from __future__ import annotations

import warnings

from levelhead.errors import MeasureError
from levelhead.evaluation.files import score_files
from levelhead.evaluation.gates import Gate, bound_of, percentage_warning
from levelhead.evaluation.pair import Input
from levelhead.evaluation.setup import setup_of
from levelhead.scoring.measure import Measure
from levelhead.treebank.releases import path_of


def assert_las(gold: Input, system: Input, *, at_least: float) -> None:
    """Assert a lower bound for a system's LAS.

    Args:
        gold: the gold treebank or its path.
        system: the system's treebank or its path.
        at_least: the lowest allowed LAS in percent, compared without rounding.

    Raises:
        AssertionError: the LAS is lower than `at_least`.
        MeasureError: the bound is not a finite number.
    """
    assert_score(gold, system, "LAS", at_least=at_least)


def assert_score(
    gold: Input, system: Input, measure: str | Measure, *, at_least: float | None = None, at_most: float | None = None
) -> None:
    """Assert a lower bound for a system's score, or an upper bound for its perplexity.

    Args:
        gold: the gold treebank or its path.
        system: the system's treebank or its path.
        measure: the measure, for example `CLAS` or `UPOS`, or a custom measure.
        at_least: for measures in percent, the lowest allowed score, compared without rounding.
        at_most: for perplexities, the highest allowed value, compared without rounding.

    Raises:
        AssertionError: the value violates the bound, or the measure has no value.
        MeasureError: the measure is unknown, the bound is not finite, both bounds or no bound are given, or the bound
            is not for this kind of measure (such as `at_most` for LAS).
    """
    setup = setup_of([measure])
    (name,), lower = setup.names, bool(setup.perplexities)
    given, other = (at_most, at_least) if lower else (at_least, at_most)
    better, wanted = ("lower", "at_most") if lower else ("higher", "at_least")
    if given is None or other is not None:
        raise MeasureError(f"{better} values of {measure} are better: give only {wanted}", "invalid-gate")
    bound = bound_of(given)
    if bound is None:
        raise MeasureError(f"{measure}: {wanted}={given} is not a valid bound", "invalid-gate")
    if doubtful := percentage_warning(wanted, bound, highest=lower):
        warnings.warn(f"{measure}: {wanted}={given}: {doubtful}", stacklevel=2)
    gate = Gate(name, bound, lower)
    gold, system = (path_of(source) if isinstance(source, str) else source for source in (gold, system))
    result = score_files(gold, system, setup)[name]
    if broken := gate.broken(result):
        if gate.highest or result.value is None:
            raise AssertionError(broken)
        counts = f"{result.correct:g} correct of {result.gold:g} in gold and {result.system:g} in the system's output"
        raise AssertionError(f"{broken} ({counts})")
