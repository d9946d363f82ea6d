"""The difference between two values from different units, computed from their confidence intervals."""

from __future__ import annotations

import math
from typing import NamedTuple

from levelhead.significance.estimates import Estimate, Interval

_HALVINGS = 40
_SMALLEST_P = 1e-12


class UnpairedDifference(NamedTuple):
    """The difference between two independent estimates.

    Unlike a symmetric interval, the interval keeps the skewness of the intervals of the two values (Newcombe 1998; Zou
    and Donner 2008). docs/validation.md shows its coverage.

    Args:
        one: an estimate.
        other: the estimate that is subtracted from it.
        perplexity: whether the values are perplexities, not scores.
    """

    one: Estimate
    other: Estimate
    perplexity: bool = False

    @property
    def value(self) -> float:
        """The difference."""
        return self.one.value - self.other.value

    def interval(self, level: float) -> Interval | None:
        """Return the confidence interval of the difference; None with too few units on a side."""
        own, others = (self._interval_of(estimate, level) for estimate in (self.one, self.other))
        if own is None or others is None:
            return None
        (low, high), (other_low, other_high) = own, others
        below = math.hypot(self.one.value - low, other_high - self.other.value)
        above = math.hypot(high - self.one.value, self.other.value - other_low)
        return self.value - below, self.value + above

    def p(self) -> float | None:
        """Return the two-sided p-value of no difference: 1 minus the level of the interval that just reaches 0."""
        if self.interval(0.5) is None:
            return None
        low, high = _SMALLEST_P, 1.0
        for _ in range(_HALVINGS):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if self._holds_zero(1 - middle) else (low, middle)
        return high

    def _interval_of(self, estimate: Estimate, level: float) -> Interval | None:
        return estimate.log_interval(level) if self.perplexity else estimate.score_interval(level)

    def _holds_zero(self, level: float) -> bool:
        interval = self.interval(level)
        return interval is not None and interval[0] <= 0 <= interval[1]
