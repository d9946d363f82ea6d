"""The difference between two means of runs, by numerical integration instead of draws."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev

import numpy as np
from scipy.optimize import brentq
from scipy.stats import t

_POINTS = 20_000


def below(value: float, one: Sequence[float], other: Sequence[float]) -> float:
    """Give the probability that the true difference, other minus one, is below a value (Behrens and Fisher)."""
    middle = fmean(other) - fmean(one)
    first, second = (stdev(runs) / sqrt(len(runs)) for runs in (one, other))
    inner, outer = t(len(one) - 1), t(len(other) - 1)
    shares = (np.arange(_POINTS) + 0.5) / _POINTS
    return float(inner.cdf((value - middle - second * outer.ppf(shares)) / first).mean())


def p(one: Sequence[float], other: Sequence[float]) -> float:
    """Give the two-sided p-value of no difference."""
    share = below(0.0, one, other)
    return 2 * min(share, 1 - share)


def interval(one: Sequence[float], other: Sequence[float], level: float) -> tuple[float, float]:
    """Give the equal-tailed interval of the difference."""
    middle, far = fmean(other) - fmean(one), 100 * (stdev(one) + stdev(other))

    def end(share: float) -> float:
        return brentq(lambda value: below(value, one, other) - share, middle - far, middle + far)

    return end((1 - level) / 2), end((1 + level) / 2)
