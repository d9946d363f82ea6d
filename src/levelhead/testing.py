"""For the tests of parsers and treebanks: assertions about scores."""

from __future__ import annotations

from levelhead.evaluation import Input, score


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


def assert_score(gold: Input, system: Input, measure: str, *, at_least: float) -> None:
    """Assert that a measure of a system is at least so high.

    Args:
        gold: a treebank or the path of one.
        system: likewise.
        measure: which measure, for example `CLAS` or `UPOS`.
        at_least: a percentage, compared unrounded.

    Raises:
        AssertionError: it is lower, or has no value.
    """
    result = score(gold, system, measures=[measure])[measure]
    if result.value is None:
        raise AssertionError(f"{measure} has no value: {result.reason or 'there is nothing to count'}")
    if 100 * result.value < at_least:
        counts = f"{result.correct:g} right of {result.gold:g} in gold and {result.system:g} in the system's output"
        raise AssertionError(f"{measure} is {100 * result.value:.4f}, under {at_least:g} ({counts})")
