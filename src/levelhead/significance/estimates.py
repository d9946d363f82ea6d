"""Estimates with standard errors: their settings, confidence intervals and tests by Student's t, and errors of runs."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from statistics import NormalDist
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import listed, quoted
from levelhead.significance.units import COMMENT, FEWEST_UNITS, Units, units_signature
from levelhead.tables.data import NOT_A_COLUMN

Sums = NDArray[np.float64]


class InferenceSettings(NamedTuple):
    """The settings of confidence intervals and tests.

    Args:
        level: the confidence level of intervals.
        margin: the largest difference that does not matter, in percentage points. For perplexities, it is the largest
            ratio that does not matter, such as 1.05. If None, equivalence is not tested.
        resample_by: the kind of sampling unit: "auto", "sentence", "document" or "comment:NAME"; see `units_of`.
    """

    level: float = 0.95
    margin: float | None = None
    resample_by: str = "auto"


STANDARD = InferenceSettings()
"""95% intervals, documents if gold marks them."""


def signature_of_tests(settings: InferenceSettings, units: Mapping[str, Units]) -> dict[str, str]:
    """Return the parts of a signature that determine intervals and tests."""
    by = {"resample-by": units_signature(units)} if units else {}  # scores alone have no units
    return {"level": f"{settings.level:g}", **by}


_NORMAL_FROM = 100_000
"""Degrees of freedom above which the expansion around the normal distribution is exact to six digits (to |t| = 6)."""

_STEPS = 50
_CLOSE = 1e-13
_TINY = 1e-300


@lru_cache(maxsize=4096)
def two_sided_p(t: float, freedom: float) -> float:
    """Return the probability that |T| is at least |t|."""
    if math.isinf(t):
        return 0.0
    if freedom >= _NORMAL_FROM:  # Abramowitz and Stegun 1964, 26.7.8
        return math.erfc(abs(t) * (1 - 1 / (4 * freedom)) / math.sqrt(2 + t**2 / freedom))
    return _incomplete_beta(freedom / 2, freedom / (freedom + t**2))


@lru_cache(maxsize=4096)
def quantile(tail: float, freedom: float) -> float:
    """Return the t that T exceeds with the probability `tail`, by Newton's method on logarithms."""
    if tail >= 0.5:
        return 0.0
    t = -NormalDist().inv_cdf(tail)  # not 1 - tail, which is 1 for a tiny tail
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    for _ in range(_STEPS):
        p = two_sided_p(t, freedom)
        density = math.exp(scale - (freedom + 1) / 2 * math.log1p(t**2 / freedom))
        step = math.log(p / (2 * tail)) * p / (2 * t * density)
        t *= math.exp(max(-1.0, min(1.0, step)))
        if abs(step) < _CLOSE:
            break
    return t


@lru_cache(maxsize=4096)
def noncentrality(freedom: float, alpha: float, power: float) -> float:
    """Return the number of standard errors from which a two-sided t-test detects a difference."""
    critical = quantile(alpha / 2, freedom)
    root = math.sqrt(2)
    # Estimated standard errors as shares of the true one, with their probabilities: sqrt(chi squared / freedom). The
    # logarithms of the shares are equally spaced.
    n_points = max(120, round(4000 / freedom))
    spread = 9 / math.sqrt(2 * freedom)
    low, high = -spread - 30 / freedom, spread
    logs = [low + (high - low) * i / n_points for i in range(n_points + 1)]
    weights = [math.exp(freedom * (log + (1 - math.exp(2 * log)) / 2)) for log in logs]
    whole = math.fsum(weights)
    scales = [(math.exp(log), weight / whole) for log, weight in zip(logs, weights, strict=True)]

    def lacking(shift: float) -> float:
        """Return the power minus the probability that |T| exceeds the critical value."""
        beyond = (
            math.erfc((critical * s - shift) / root) + math.erfc((critical * s + shift) / root) for s, _ in scales
        )
        return power - math.fsum(w * value / 2 for value, (_, w) in zip(beyond, scales, strict=True))

    # the zero of this decreasing function, by the Illinois variant of false position
    low = 0.0
    high = max(critical + NormalDist().inv_cdf(power), 1.0)
    above, below = lacking(low), lacking(high)
    while below > 0:
        low, above, high = high, below, 2 * high
        below = lacking(high)
    for _ in range(_STEPS):
        middle = (low * below - high * above) / (below - above)
        value = lacking(middle)
        if abs(value) < 1e-10:
            return middle
        if value > 0:
            low, above, below = middle, value, below / 2
        else:
            high, below, above = middle, value, above / 2
    return (low + high) / 2


def _incomplete_beta(a: float, x: float) -> float:
    """The regularized incomplete beta function I_x(a, 1/2), by its continued fraction (DLMF 8.17.22)."""
    if x >= 1:
        return 1.0
    scale = math.lgamma(a + 0.5) - math.lgamma(a) - math.lgamma(0.5)
    swap = x > (a + 1) / (a + 2.5)
    a, b, x = (0.5, a, 1 - x) if swap else (a, 0.5, x)
    front = math.exp(scale + a * math.log(x) + b * math.log1p(-x))
    c, d = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 500):  # by Lentz's method
        even_term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd_term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even_term, odd_term):
            d, c = 1 / _off_zero(1 + term * d), _off_zero(1 + term / c)
            fraction *= d * c
        if abs(d * c - 1) < _CLOSE:
            break
    area = front * fraction / a
    return min(1.0, max(0.0, 1 - area if swap else area))


def _off_zero(value: float) -> float:
    return _TINY if abs(value) < _TINY else value


FEWEST_RUNS = 3
"""The minimum number of runs for significant differences, unless single outputs are compared."""


def enough_runs(n_system: int, n_baseline: int) -> bool:
    """Return whether there are enough runs for a significant difference: at least three each, or one output each."""
    return n_system == n_baseline == 1 or min(n_system, n_baseline) >= FEWEST_RUNS


def run_errors(runs: Sequence[Sums]) -> Iterator[tuple[float, int]]:
    """Yield the variance of each mean of runs with its degrees of freedom; a single run varies like the others."""
    several = [values for values in runs if len(values) > 1]
    n_single = len(runs) - len(several)
    for values in several:
        if not np.allclose(values, values[0], rtol=0, atol=1e-12):  # smaller differences are rounding
            yield float(values.var(ddof=1)) * (1 / len(values) + n_single), len(values) - 1


_SMALLEST_P = 1e-12

Interval = tuple[float, float]


def rescaled(interval: Interval | None, scale: float) -> Interval | None:
    """Return an interval in another unit; with 100, ratios become percentages."""
    return interval and (scale * interval[0], scale * interval[1])


class InfluentialUnit(NamedTuple):
    """A unit that causes more than a third of a variance.

    Args:
        unit: the kind of unit: "sentence", "document", "comment:NAME", or "unit" if unknown.
        unit_number: the number of the unit, from 1.
        unit_id: the id of the document, or the value of the comment; null for sentences.
        treebanks: the treebanks with this unit, in results on several treebanks.
    """

    unit: str
    unit_number: int
    unit_id: str | None = None
    treebanks: Annotated[tuple[str, ...], NOT_A_COLUMN] = ()

    def __str__(self) -> str:
        """Return the unit in words, such as `document "w01" of en_pud`."""
        name = str(self.unit_number) if self.unit_id is None else quoted(self.unit_id, sys.maxsize)
        where = f" of {listed(self.treebanks, 3)}" if self.treebanks else ""
        return f"{self.unit.removeprefix(COMMENT)} {name}{where}"


class Influence(NamedTuple):
    """The unit that causes more than a third of the variance of an estimate."""

    unit: InfluentialUnit
    share: float  # its share of the variance
    without: Estimate  # the estimate without this unit


MOST_INFLUENCE = 1 / 3
"""The share of the variance above which a unit is named, and nothing is significant that is not without it."""


class Estimate(NamedTuple):
    """A value, or the difference between two values, with its variance.

    Args:
        value: the value or difference.
        variance: the variance of the value, from sampling units (sentences or documents).
        freedom: the degrees of freedom of the variance.
        n_units: the number of sampling units.
        runs: for each system with several runs, the variance over its runs, and the degrees of freedom of this
            variance.
        skewness: the skewness of the value. It is the sum of the cubed effects of sampling units, divided by the
            variance to the power of 1.5.
        influence: the sampling unit that causes more than a third of the variance; None if there is no such unit.
        is_tested: whether p-values are allowed; if False, there are only confidence intervals, even with many units.
    """

    value: float
    variance: float
    freedom: float
    n_units: int
    runs: tuple[tuple[float, int], ...] = ()
    skewness: float = 0.0
    influence: Influence | None = None
    is_tested: bool = True

    @property
    def has_interval(self) -> bool:
        """Whether there are enough sampling units for confidence intervals."""
        return self.n_units >= FEWEST_UNITS and not math.isnan(self.value)

    @property
    def has_tests(self) -> bool:
        """Whether p-values can be computed: `is_tested` is true, and each estimate in `every` has enough units."""
        return self.is_tested and all(estimate.has_interval for estimate in self.every)

    @property
    def every(self) -> tuple[Estimate, ...]:
        """This estimate, followed by the estimate without the influential sampling unit, if there is one."""
        return (self, self.influence.without) if self.influence else (self,)

    def half_width(self, level: float) -> float:
        """Return half the width of the symmetric confidence interval.

        There is one variance over sampling units and, for each system with several runs, one variance over its runs.
        Each variance is multiplied by the squared quantile of Student's t for its degrees of freedom. Half the width is
        the square root of the sum of these products. If estimates are normal and variances are independent, the
        interval contains the true value with at least the probability `level` (Banerjee 1960, 1961), even if one system
        has far fewer runs than the other.
        """
        parts = ((self.variance, self.freedom), *self.runs)
        return math.sqrt(math.fsum(variance * quantile((1 - level) / 2, freedom) ** 2 for variance, freedom in parts))

    def distance(self, tail: float, sign: int) -> float:
        """Return the distance from the value to one end of its confidence interval.

        `sign` is 1 for the lower end and -1 for the upper end; `tail` is the error rate of this end. The distance is
        negative if the lower end is above the value, or the upper end is below it. Skewness can cause this at low
        confidence levels.
        """
        skewed = _unskewed(quantile(tail, self.freedom), sign * self.skewness) * math.sqrt(self.variance)
        runs = math.fsum(variance * quantile(tail, freedom) ** 2 for variance, freedom in self.runs)
        square = skewed * abs(skewed) + runs  # skewed ends may be on the other side of the value at low levels
        return math.copysign(math.sqrt(abs(square)), square) if runs else skewed

    def interval(self, level: float) -> Interval | None:
        """Return the confidence interval; None with fewer than 10 sampling units.

        Student's t is transformed to allow for the skewness of sampling units (Hall 1992). If a unit causes more than a
        third of the variance, a second interval leaves out this unit, and the returned interval contains both
        intervals.
        """
        if not self.has_interval:
            return None
        tail = (1 - level) / 2
        every = [estimate for estimate in self.every if estimate.has_interval]
        return (
            min(estimate.value - estimate.distance(tail, 1) for estimate in every),
            max(estimate.value + estimate.distance(tail, -1) for estimate in every),
        )

    def score_interval(self, level: float) -> Interval | None:
        """Return the confidence interval of a score from 0 to 1; None with fewer than 10 sampling units.

        The interval is Wilson's (1927), with two changes: Student's t replaces the normal distribution, and the sample
        size is the effective sample size, which is value * (1 - value) / variance. Korn and Graubard (1998) use this
        size with Clopper-Pearson intervals; Dean and Pagano (2015) and Franco et al. (2019) use it with Wilson's
        intervals. Franco et al. find that coverage is too low with strong clustering. If the score is 0 or 1, or all
        sampling units have the same score, each unit counts as one observation. For values below 0 or above 1,
        `interval` is used.
        """
        if not self.has_interval or not 0 <= self.value <= 1:
            return self.interval(level)
        t, half = quantile((1 - level) / 2, self.freedom), self.half_width(level)
        bounded = self.value * (1 - self.value)
        # smaller errors are due to rounding
        ratio = half**2 / bounded if bounded > 0 and half > 1e-12 * t else t**2 / self.n_units
        middle, half = self.value + ratio / 2, math.sqrt(ratio * bounded + ratio**2 / 4)
        return max(0.0, (middle - half) / (1 + ratio)), min(1.0, (middle + half) / (1 + ratio))

    def difference_interval(self, level: float) -> Interval | None:
        """Return the confidence interval of a difference between scores, limited to the range from -1 to 1."""
        interval = self.interval(level)
        return interval and (max(-1.0, interval[0]), min(1.0, interval[1]))

    def log_interval(self, level: float) -> Interval | None:
        """Return the confidence interval of a perplexity, which is symmetric on the log scale."""
        if not self.has_interval:
            return None
        factor = math.exp(self.half_width(level) / self.value)
        return self.value / factor, self.value * factor

    def p(self) -> float | None:
        """Return the two-sided p-value of the null hypothesis that the true value is 0; None with too few units.

        The p-value is below .05 if and only if the 95% interval does not include 0.
        """
        above, below = self.p_above(0), self.p_below(0)
        return None if above is None or below is None else min(1.0, 2 * min(above, below))

    def p_above(self, limit: float) -> float | None:
        """Return the p-value of the null hypothesis that the true value is `limit` or less; None with too few units."""
        return max(estimate.tail(limit, 1) for estimate in self.every) if self.has_tests else None

    def p_below(self, limit: float) -> float | None:
        """Return the p-value of the null hypothesis that the true value is `limit` or more; None with too few units."""
        return max(estimate.tail(limit, -1) for estimate in self.every) if self.has_tests else None

    def p_within(self, margin: float) -> float | None:
        """Return the p-value of the null hypothesis that the true value is not between -margin and margin.

        It is the higher p-value of two one-sided tests (Schuirmann 1987) and is not doubled. Therefore, it is below
        .025 (not .05) if and only if the 95% interval is between -margin and margin.
        """
        above, below = self.p_above(-margin), self.p_below(margin)
        return None if above is None or below is None else max(above, below)

    def detectable(self, alpha: float = 0.05, power: float = 0.8) -> float | None:
        """Return the smallest true difference that a test detects with this `power`; None with too few sampling units.

        The test is two-sided, with the significance level `alpha`. Variances are added as in `half_width`, but with
        noncentrality parameters instead of quantiles. With a single variance, the power is exact. With several
        variances, the actual power can be slightly higher than `power`. For example, it is at most .82 if `power` is .8
        and each system has three runs or more.
        """
        if not self.has_tests:
            return None
        parts = ((self.variance, self.freedom), *self.runs)
        return math.sqrt(math.fsum(variance * noncentrality(freedom, alpha, power) ** 2 for variance, freedom in parts))

    def tail(self, limit: float, sign: int) -> float:
        """Return the one-sided p-value of the null hypothesis that the true value is `limit`.

        If `sign` is 1, it is the probability that an estimate is at least as high as this estimate. If `sign` is -1, it
        is the probability that an estimate is at least as low.
        """
        size = sign * (self.value - limit)
        if self.runs:
            if size < 0:
                return 1 - self.tail(limit, -sign)
            return _p_reached(lambda level: self.distance((1 - level) / 2, sign) > size, 50) / 2
        t = size / math.sqrt(self.variance) if self.variance else math.copysign(math.inf, size) if size else 0.0
        skewed = _skewed(t, sign * self.skewness) if math.isfinite(t) else t
        p = two_sided_p(skewed, self.freedom) / 2
        return max(_SMALLEST_P, p if skewed >= 0 else 1 - p)


def _skewed(t: float, skewness: float) -> float:
    """Hall's (1992) transformation, after which the t statistic of a mean of skewed values has Student's t."""
    # the correction stays the same beyond four standard errors: the cubic would make large differences less certain
    at = max(-_FARTHEST, min(_FARTHEST, t))
    return t + skewness * at**2 / 3 + skewness**2 * at**3 / 27 + skewness / 6


def _unskewed(t: float, skewness: float) -> float:
    """The inverse of `_skewed`."""
    if abs(skewness) < _LEAST_SKEWNESS:
        return t
    for end in (-_FARTHEST, _FARTHEST):
        limit = _skewed(end, skewness)
        if (t - limit) * end > 0:
            return t - limit + end
    return 3 / skewness * (math.cbrt(1 + skewness * (t - skewness / 6)) - 1)


_FARTHEST = 4.0
_LEAST_SKEWNESS = 1e-6  # below it, the inverse loses more by rounding than the transformation changes


def _p_reached(reaches: Callable[[float], bool], halvings: int) -> float:
    """1 minus the lowest level whose interval reaches a value."""
    low, high = _SMALLEST_P, 1.0
    for _ in range(halvings):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if reaches(1 - middle) else (low, middle)
    return high


class UnpairedDifference(NamedTuple):
    """The difference of independent estimates; intervals keep their skewness (Newcombe 1998; Zou and Donner 2008)."""

    one: Estimate
    other: Estimate
    perplexity: bool = False

    @property
    def value(self) -> float:
        return self.one.value - self.other.value

    def interval(self, level: float) -> Interval | None:
        """Return the confidence interval of the difference; None if either estimate has too few sampling units."""
        kind = Estimate.log_interval if self.perplexity else Estimate.score_interval
        # with and without units that cause more than a third of a variance
        sides = [
            [(estimate.value, ends) for estimate in side.every if (ends := kind(estimate, level))]
            for side in (self.one, self.other)
        ]
        intervals = [
            (
                value - other_value - math.hypot(value - low, other_high - other_value),
                value - other_value + math.hypot(high - value, other_value - other_low),
            )
            for (value, (low, high)), (other_value, (other_low, other_high)) in product(*sides)
        ]
        return (min(low for low, _ in intervals), max(high for _, high in intervals)) if intervals else None

    def p(self) -> float | None:
        """Return the two-sided p-value of no difference: 1 minus the lowest level whose interval contains 0."""

        def reaches_zero(level: float) -> bool:
            low, high = self.interval(level) or (math.inf, math.inf)
            return low <= 0 <= high

        return _p_reached(reaches_zero, 40) if self.one.has_tests and self.other.has_tests else None
