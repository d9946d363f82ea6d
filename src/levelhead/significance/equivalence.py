"""Equivalence: is a difference shown to be smaller than a margin?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from levelhead.errors import Fault, InputError

ALPHA = 0.05
"""The level of each of the two one-sided tests."""

IntervalAt = Callable[[float], tuple[float, float] | None]
"""Gives the confidence interval at a level between 0 and 1; None if there is no interval."""

_HALVINGS = 15


class Equivalence(NamedTuple):
    """Whether a difference is shown to be within a margin.

    Args:
        shown: "yes": it is smaller than the margin; "no": it is larger; "not shown": neither can be said.
        p: the p-value of the two one-sided tests.
    """

    shown: Literal["yes", "no", "not shown"]
    p: float


def equivalence(interval_at: IntervalAt, margin: float, resamples: int) -> Equivalence | None:
    """Return whether a difference is within a margin, by two one-sided tests (Schuirmann 1987).

    The tests read the confidence interval at all levels, so they agree with any way of making it: p < .05 if and only
    if the 90% interval is inside (-margin, margin). p > .95 if and only if that interval is outside the margin.

    Args:
        interval_at: the confidence interval of the difference at any level.
        margin: the largest difference that does not matter, in the unit of the interval.
        resamples: how many resamples the interval is from: p is at least 1 / (1 + resamples).

    Returns:
        None if there is no interval.
    """
    if interval_at(1 - 2 * ALPHA) is None:
        return None
    p = max(_share_below(-margin, at, resamples) for at in (interval_at, _mirrored(interval_at)))
    return Equivalence("yes" if p < ALPHA else "no" if p > 1 - ALPHA else "not shown", p)


def _mirrored(interval_at: IntervalAt) -> IntervalAt:
    """The intervals of the difference with the opposite sign."""

    def at(level: float) -> tuple[float, float] | None:
        found = interval_at(level)
        return found and (-found[1], -found[0])

    return at


def _share_below(value: float, interval_at: IntervalAt, resamples: int) -> float:
    """The one-sided p-value of the hypothesis that the difference is at most `value`, by halving."""
    low = 1 / (1 + resamples)
    high = 1 - low
    if _end(low, interval_at) >= value:
        return low
    if _end(high, interval_at) <= value:
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _end(middle, interval_at) < value else (low, middle)
    return (low + high) / 2


def _end(share: float, interval_at: IntervalAt) -> float:
    """The value that a share of the confidence distribution is below: an end of the interval that leaves it out."""
    found = interval_at(abs(1 - 2 * share))
    if found is None:
        return math.nan
    return found[0] if share < 0.5 else found[1]


def margin_of(margin: float, *, perplexity: bool) -> float:
    """Return a margin in the unit of differences: a share of 1, or the logarithm of a ratio of perplexities.

    Args:
        margin: in points (0.5 is half a percentage point); a ratio above 1 for perplexities.
        perplexity: whether the measure is a perplexity.
    """
    return math.log(margin) if perplexity else margin / 100


def check_margin(margin: float | None, n_systems: int, n_measures: int, n_perplexities: int) -> None:
    """Refuse a margin that cannot be tested.

    Args:
        margin: as in `margin_of`; None if there is none.
        n_systems: how many systems are compared.
        n_measures: how many measures there are.
        n_perplexities: how many of them are perplexities.

    Raises:
        InputError: the margin is not positive, or a ratio of at most 1, or there is no difference to test.
    """
    if margin is None:
        return
    if n_systems < 2:
        raise _refusal("needs at least two systems: with one system there is no difference to test")
    if not math.isfinite(margin) or margin <= 0:
        raise _refusal(f"must be a number above 0, not {margin:g}")
    if 0 < n_perplexities < n_measures:
        raise _refusal("is in points for scores, and a ratio for perplexities: compare them separately")
    if n_perplexities and margin <= 1:
        raise _refusal(f"is a ratio of perplexities and must be above 1, not {margin:g}: 1.05 allows 5%")


def _refusal(reason: str) -> InputError:
    return InputError(Fault("invalid-margin", f"the margin {reason}"))
