"""The difference between two means of runs by Banerjee's intervals, with scipy's quantiles."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance

from scipy.optimize import brentq
from scipy.stats import norm, t


def half_width(one: Sequence[float], other: Sequence[float], level: float, error: float = 0.0) -> float:
    """Give half the interval of a difference; `error` is the standard error that is known, that of sentences."""
    share = (1 + level) / 2
    of_runs = sum(variance(runs) / len(runs) * t(len(runs) - 1).ppf(share) ** 2 for runs in (one, other))
    return sqrt(of_runs + (error * norm.ppf(share)) ** 2)


def interval(one: Sequence[float], other: Sequence[float], level: float, error: float = 0.0) -> tuple[float, float]:
    """Give the interval of the difference, other minus one."""
    middle, half = fmean(other) - fmean(one), half_width(one, other, level, error)
    return middle - half, middle + half


def p(one: Sequence[float], other: Sequence[float]) -> float:
    """Give the two-sided p-value of no difference: 1 minus the level of the interval that just reaches 0."""
    difference = abs(fmean(other) - fmean(one))
    return 1 - brentq(lambda level: half_width(one, other, level) - difference, 1e-9, 1 - 1e-9)
