"""An estimate with its error: the confidence intervals and tests that follow from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from levelhead.significance.counted import Sums
from levelhead.significance.runs import draw_run_errors
from levelhead.significance.student import noncentrality, quantile, two_sided_p, upper_tail
from levelhead.significance.units import FEWEST_UNITS

Interval = tuple[float, float]


class Estimate(NamedTuple):
    """A value, or the difference between two, and how far it may be off.

    Args:
        value: the estimate.
        variance: its variance over units.
        freedom: the degrees of freedom of the variance.
        n_units: the number of units.
        errors: the absolute errors of the means of runs, ascending, float64, shape (draws,); None for single runs.
    """

    value: float
    variance: float
    freedom: float
    n_units: int
    errors: Sums | None = None

    @property
    def has_interval(self) -> bool:
        """Whether there are enough units for intervals and tests."""
        return self.n_units >= FEWEST_UNITS and not math.isnan(self.value)

    def with_runs(self, runs: Sequence[Sums], shared: float, n_draws: int, seed: np.random.SeedSequence) -> Estimate:
        """Return the estimate with the error of the means of runs.

        Args:
            runs: the values of the runs of one system, or of two.
            shared: the part of the variance over units that the variance of the runs contains, too.
            n_draws: the number of draws.
            seed: of the draws.
        """
        if max(map(len, runs)) == 1:
            return self
        of_units, of_runs = seed.spawn(2)
        left = max(0.0, self.variance - shared)
        drawn = math.sqrt(left) * np.random.default_rng(of_units).standard_t(self.freedom, n_draws)
        return self._replace(variance=left, errors=np.sort(np.abs(drawn + draw_run_errors(runs, n_draws, of_runs))))

    def half_width(self, level: float) -> float:
        """Return half the width of the symmetric confidence interval.

        Args:
            level: the confidence level.
        """
        if self.errors is not None:
            return float(np.quantile(self.errors, level))
        return quantile((1 - level) / 2, self.freedom) * math.sqrt(self.variance)

    def interval(self, level: float) -> Interval | None:
        """Return the symmetric confidence interval, None if there are too few units.

        Args:
            level: the confidence level.
        """
        half = self.half_width(level) if self.has_interval else 0.0
        return (self.value - half, self.value + half) if self.has_interval else None

    def score_interval(self, level: float) -> Interval | None:
        """Return the confidence interval of a score between 0 and 1; that of any other value is symmetric.

        Wilson's (1927) interval with the effective sample size, value * (1 - value) / variance, and Student's t
        instead of the normal distribution, as for proportions in clustered samples (Korn and Graubard 1998; Dean and
        Pagano 2015). For a score of 0 or 1 each unit counts as one observation.

        Args:
            level: the confidence level.
        """
        if not self.has_interval or not 0 <= self.value <= 1:
            return self.interval(level)
        t = quantile((1 - level) / 2, self.freedom)
        bounded, error = self.value * (1 - self.value), self.half_width(level) / t
        ratio = t**2 * (error**2 / bounded if bounded > 0 and error > 0 else 1 / self.n_units)
        middle, half = self.value + ratio / 2, math.sqrt(ratio * bounded + ratio**2 / 4)
        return (middle - half) / (1 + ratio), (middle + half) / (1 + ratio)

    def log_interval(self, level: float) -> Interval | None:
        """Return the confidence interval of a positive value, symmetric for its logarithm: for perplexities.

        Args:
            level: the confidence level.
        """
        if not self.has_interval:
            return None
        factor = math.exp(self.half_width(level) / self.value)
        return self.value / factor, self.value * factor

    def p(self) -> float | None:
        """Return the two-sided p-value of the hypothesis that the true value is 0, None with too few units."""
        if not self.has_interval:
            return None
        if self.errors is not None:
            return self._share_of_errors(abs(self.value))
        return two_sided_p(self._t(self.value), self.freedom)

    def p_within(self, margin: float) -> float | None:
        """Return the p-value of the two one-sided tests (Schuirmann 1987) that the true value is inside a margin.

        It is below .05 exactly if the 90% interval is inside (-margin, margin).

        Args:
            margin: the largest value that does not matter.
        """
        if not self.has_interval:
            return None
        beyond = margin - abs(self.value)
        if self.errors is None:
            return upper_tail(self._t(beyond), self.freedom)
        half = self._share_of_errors(abs(beyond)) / 2
        return half if beyond >= 0 else 1 - half

    def detectable(self, alpha: float = 0.05, power: float = 0.8) -> float | None:
        """Return the smallest true difference that a two-sided t-test detects, None if there are too few units.

        Args:
            alpha: the level of the test, between 0 and 1.
            power: the probability with which the test should detect the difference, above `alpha` and below 1.
        """
        if not self.has_interval:
            return None
        multiple = noncentrality(self.freedom, alpha, power)
        if self.errors is None:
            return multiple * math.sqrt(self.variance)
        return multiple * self.half_width(1 - alpha) / quantile(alpha / 2, self.freedom)

    def _t(self, value: float) -> float:
        error = math.sqrt(self.variance)
        return value / error if error > 0 else math.copysign(math.inf, value) if value else 0.0

    def _share_of_errors(self, size: float) -> float:
        errors = np.zeros(0) if self.errors is None else self.errors
        larger = len(errors) - int(np.searchsorted(errors, size - 1e-12))
        return (1 + larger) / (1 + len(errors))
