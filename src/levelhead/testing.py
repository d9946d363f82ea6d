"""For the tests of parsers and treebanks: assertions about scores."""

from __future__ import annotations

from levelhead.errors import MeasureError
from levelhead.evaluation import Input, score
from levelhead.measures import REGISTRY, parse_measure


def assert_las(gold: Input, system: Input, *, at_least: float) -> None:
    """Assert that a system's LAS is at least so high.

    Args:
        gold: a treebank or the path of one.
        system: likewise.
        at_least: a percentage, compared unrounded.

    Raises:
        AssertionError: it is lower.
    """
    assert_score(gold, system, "LAS", at_least=at_least)


def assert_score(
    gold: Input, system: Input, measure: str, *, at_least: float | None = None, at_most: float | None = None
) -> None:
    """Assert that a measure of a system is at least so high, or a perplexity at most so high.

    Args:
        gold: a treebank or the path of one.
        system: the system's treebank or its path.
        measure: which measure, for example `CLAS` or `UPOS`.
        at_least: a percentage, compared unrounded; for measures of which higher values are better.
        at_most: a perplexity, compared unrounded; for measures of which lower values are better.

    Raises:
        AssertionError: the value is on the wrong side of the bound, or there is no value.
        MeasureError: the measure is unknown, or the bound is not the one for its direction.
    """
    lower = REGISTRY[parse_measure(measure).name].lower_is_better
    bound, other = (at_most, at_least) if lower else (at_least, at_most)
    if bound is None or other is not None:
        better, wanted = ("lower", "at_most") if lower else ("higher", "at_least")
        raise MeasureError(f"{measure}: {better} values are better; give {wanted} alone", "invalid-gate")
    result = score(gold, system, measures=[measure])[measure]
    if result.value is None:
        raise AssertionError(f"{measure} has no value: {result.reason or 'there is nothing to count'}")
    if lower and result.value > bound:
        raise AssertionError(f"{measure} is {result.value:.4f}, over {bound:g}")
    if not lower and 100 * result.value < bound:
        counts = f"{result.correct:g} right of {result.gold:g} in gold and {result.system:g} in the system's output"
        raise AssertionError(f"{measure} is {100 * result.value:.4f}, under {bound:g} ({counts})")
