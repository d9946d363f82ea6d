"""Estimates with standard errors, confidence intervals and tests."""

from __future__ import annotations

import math
from typing import NamedTuple

from levelhead.significance.student_t import noncentrality, quantile, two_sided_p
from levelhead.significance.units import FEWEST_UNITS

_SMALLEST_P = 1e-12
_HALVINGS = 50

_NO_ERROR = 1e-12
"""Smaller errors are due to rounding."""

Interval = tuple[float, float]


class Estimate(NamedTuple):
    """A value, or the difference between two values, with its variance.

    Args:
        value: the estimate.
        variance: its variance over units.
        freedom: the degrees of freedom of the variance.
        n_units: the number of units.
        runs: the variance of each mean of runs with its degrees of freedom; empty for single runs.
    """

    value: float
    variance: float
    freedom: float
    n_units: int
    runs: tuple[tuple[float, int], ...] = ()

    @property
    def has_interval(self) -> bool:
        """Whether there are enough units for intervals and tests."""
        return self.n_units >= FEWEST_UNITS and not math.isnan(self.value)

    def half_width(self, level: float) -> float:
        """Return half the width of the symmetric confidence interval.

        Each variance is multiplied by the square of its quantile of Student's t before they are added. If the estimates
        are normal and their variances independent, these intervals have at least the confidence level, even for two
        runs against ten (Banerjee 1961 for two variances, 1960 for more).

        Args:
            level: the confidence level.
        """
        parts = ((self.variance, self.freedom), *self.runs)
        return math.sqrt(math.fsum(variance * quantile((1 - level) / 2, freedom) ** 2 for variance, freedom in parts))

    def interval(self, level: float) -> Interval | None:
        """Return the symmetric confidence interval; None with too few units.

        Args:
            level: the confidence level.
        """
        half = self.half_width(level) if self.has_interval else 0.0
        return (self.value - half, self.value + half) if self.has_interval else None

    def score_interval(self, level: float) -> Interval | None:
        """Return the confidence interval of a score between 0 and 1; for other values, the symmetric interval.

        Wilson's (1927) interval with the effective sample size, value * (1 - value) / variance, and Student's t
        instead of the normal distribution. Korn and Graubard (1998) use this size with Clopper-Pearson intervals, Dean
        and Pagano (2015) and Franco et al. (2019) with Wilson's; the latter find undercoverage with strong clustering.
        For a score of 0 or 1, and if all units have the same score, each unit counts as one observation.

        Args:
            level: the confidence level.
        """
        if not self.has_interval or not 0 <= self.value <= 1:
            return self.interval(level)
        t, half = quantile((1 - level) / 2, self.freedom), self.half_width(level)
        bounded = self.value * (1 - self.value)
        ratio = half**2 / bounded if bounded > 0 and half > _NO_ERROR * t else t**2 / self.n_units
        middle, half = self.value + ratio / 2, math.sqrt(ratio * bounded + ratio**2 / 4)
        return max(0.0, (middle - half) / (1 + ratio)), min(1.0, (middle + half) / (1 + ratio))

    def log_interval(self, level: float) -> Interval | None:
        """Return the confidence interval of a perplexity, which is symmetric on the log scale.

        Args:
            level: the confidence level.
        """
        if not self.has_interval:
            return None
        factor = math.exp(self.half_width(level) / self.value)
        return self.value / factor, self.value * factor

    def p(self) -> float | None:
        """Return the two-sided p-value of the hypothesis that the true value is 0; None with too few units."""
        return self._p(abs(self.value)) if self.has_interval else None

    def p_within(self, margin: float) -> float | None:
        """Return the p-value of the two one-sided tests (Schuirmann 1987) that the true value is inside a margin.

        It is below .05 exactly if the 90% interval is inside (-margin, margin).

        Args:
            margin: the largest irrelevant value.
        """
        if not self.has_interval:
            return None
        beyond = margin - abs(self.value)
        half = self._p(abs(beyond)) / 2
        return half if beyond >= 0 else 1 - half

    def detectable(self, alpha: float = 0.05, power: float = 0.8) -> float | None:
        """Return the smallest true difference that a two-sided test detects; None with too few units.

        Each variance is multiplied by the square of its noncentrality, as in `half_width` with quantiles. For
        one variance this is exact; for several, the test has the requested power or slightly more: 80 to 82% instead
        of 80% at the level of 5% with three runs or more.

        Args:
            alpha: the level of the test, between 0 and 1.
            power: the probability with which the test should detect the difference, above `alpha` and below 1.
        """
        if not self.has_interval:
            return None
        parts = ((self.variance, self.freedom), *self.runs)
        return math.sqrt(math.fsum(variance * noncentrality(freedom, alpha, power) ** 2 for variance, freedom in parts))

    def _p(self, size: float) -> float:
        """The probability of an error this large: 1 minus the level of the interval that reaches it."""
        if not self.runs:
            beyond_all = math.inf if size else 0.0
            return max(
                _SMALLEST_P, two_sided_p(size / math.sqrt(self.variance) if self.variance else beyond_all, self.freedom)
            )
        low, high = _SMALLEST_P, 1.0
        for _ in range(_HALVINGS):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if self.half_width(1 - middle) > size else (low, middle)
        return high
