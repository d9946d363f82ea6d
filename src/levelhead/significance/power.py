"""Power: the smallest difference between two systems that a test of n units and k runs can detect.

Source: Card, Henderson, Khandelwal, Jia, Mahowald and Jurafsky (2020), "With Little Power Comes Great Responsibility",
who ask NLP to plan test sets this way; the variance of a ratio by linearization is that of Cochran (1977), chapter 6.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError
from levelhead.significance.counted import Counted, Sums
from levelhead.significance.differences import EQUAL

FEWEST_UNITS = 10
"""From fewer sentences or documents no variance is estimated."""

_POINTS = 400  # of the quadrature over the estimated standard error; doubling them changes nothing above 1e-9
_WIDTH = 9.0  # its reach in standard deviations
_LN10 = math.log(10.0)


class Target(NamedTuple):
    """The test that is planned for: two-sided.

    Args:
        alpha: its level, between 0 and 1.
        power: the probability with which it should detect the difference, above `alpha` and below 1.
    """

    alpha: float = 0.05
    power: float = 0.8


class Variances(NamedTuple):
    """The variance of the difference between two systems in one measure, by source.

    Args:
        units: between units, for a test set of one unit: the units are difficult for one system and not for the other.
        interaction: between runs in the same unit, for one unit and one run of each system; 0 if it is unknown.
        runs: between runs whatever the units, for one run of each system; None if it is unknown.
    """

    units: float
    interaction: float = 0.0
    runs: float | None = None


def checked_test(alpha: float, power: float) -> Target:
    """Return the test of a level and a power.

    Args:
        alpha: the level.
        power: the power.

    Raises:
        InputError: they are not between 0 and 1, or the power is not above the level, so that any difference would do.
    """
    if not 0 < alpha < power < 1:
        message = f"the level {alpha:g} and the power {power:g} must satisfy 0 < level < power < 1"
        raise InputError(Fault("invalid-power", message))
    return Target(alpha, power)


def difference_variances(table: Counted, baseline: str, system: str) -> tuple[Variances | None, ...]:
    """Return the variance of the difference between two systems by source, for each measure.

    A ratio of sums is linearized: unit u adds n (x_u - R y_u) / sum(y) to the ratio R, and the variance of these terms
    over n is that of the ratio. Runs are a random effect: their variance within units is taken out of that between
    units, and their interaction with units out of the variance between runs.

    Args:
        table: the counts, one row per unit.
        baseline: the first system.
        system: the other system.

    Returns:
        One value per measure; None where a system has no value, where the systems never differ, or with fewer than
        `FEWEST_UNITS` units.
    """
    if len(table.parts) < FEWEST_UNITS:
        return (None,) * len(table.measures)
    values = table.values(table.parts.sum(axis=0))
    terms = _linearized(table, values)
    chosen = [[run for run, name in enumerate(table.systems) if name == own] for own in (baseline, system)]
    return tuple(
        _variances([terms[:, runs, m] for runs in chosen], [values[runs, m] for runs in chosen])
        for m in range(len(table.measures))
    )


def _linearized(table: Counted, values: Sums) -> Sums:
    """The term that each unit adds to each value, shape (units, runs, measures)."""
    above, below = table.parts[..., 0], table.parts[..., 1]
    whole = below.sum(axis=0)
    known = np.where(whole == 0, np.nan, whole)
    terms: Sums = len(table.parts) * (above - above.sum(axis=0) / known * below) / known
    powers = list(table.perplexities)
    terms[..., powers] *= _LN10 * values[:, powers]
    return terms


def _variances(terms: list[Sums], values: list[Sums]) -> Variances | None:
    """The variances of one measure.

    Args:
        terms: of both systems, shape (units, runs).
        values: of both systems, shape (runs,).
    """
    means = terms[1].mean(axis=1) - terms[0].mean(axis=1)
    between = float(means.var(ddof=1))
    if not between > EQUAL**2:  # nan as well
        return None
    n_units = len(means)
    within = [float(own.var(axis=1, ddof=1).mean()) if own.shape[1] > 1 else 0.0 for own in terms]
    units = between - sum(one / own.shape[1] for one, own in zip(within, terms))
    if any(len(own) < 2 for own in values):
        return Variances(max(0.0, units), sum(within))
    runs = sum(max(0.0, float(own.var(ddof=1)) - one / n_units) for one, own in zip(within, values))
    return Variances(max(0.0, units), sum(within), runs)


def detectable_difference(
    variances: Variances | tuple[Variances, ...], n_units: int, n_runs: int = 1, test: Target | None = None
) -> float:
    """Return the smallest true difference that a two-sided t-test detects with the requested power.

    The squared standard error of a difference is units / n + (interaction / n + runs) / k, with the degrees of freedom
    of Satterthwaite (1946) from n - 1 and 2 (k - 1). One run of each system tests these two outputs and says nothing
    about other runs: their variance is left out. The multiple of the standard error comes from the noncentral t.

    Args:
        variances: of the difference; of several test sets with n units each, for the mean of their differences.
        n_units: how many units the test set has, at least 2.
        n_runs: how many runs each system has.
        test: its level and power; 5% and 80% by default.

    Returns:
        The difference in the unit of the measure: .01 is one point of LAS.

    Raises:
        InputError: there are fewer than two units or no run, or the variance between several runs is unknown.
    """
    every = (variances,) if isinstance(variances, Variances) else variances
    if n_units < 2 or n_runs < 1:
        raise InputError(Fault("invalid-power", f"{n_units} units and {n_runs} runs: give 2 units and 1 run or more"))
    parts = [part for one in every for part in _parts(one, n_units, n_runs)]
    whole = sum(square for square, _ in parts)
    freedom = whole**2 / sum(square**2 / n for square, n in parts)
    multiple = noncentrality(freedom, test or Target())
    return multiple * math.sqrt(whole) / len(every)


def _parts(variances: Variances, n_units: int, n_runs: int) -> list[tuple[float, float]]:
    """The parts of the squared standard error, with their degrees of freedom."""
    if n_runs == 1:
        return [((variances.units + variances.interaction) / n_units, n_units - 1)]
    if variances.runs is None:
        message = f"{n_runs} runs: the standard deviation between runs is unknown"
        raise InputError(Fault("invalid-power", message))
    between = (variances.interaction / n_units + variances.runs) / n_runs
    return [(variances.units / n_units, n_units - 1), (between, 2 * (n_runs - 1))]


@functools.lru_cache(maxsize=1024)
def noncentrality(freedom: float, test: Target) -> float:
    """Return how many standard errors a difference must have for a two-sided t-test to detect it.

    Args:
        freedom: the degrees of freedom, at least 1.
        test: the level and the power.
    """
    shares = _scales(freedom)
    normal = NormalDist().cdf

    def beyond(critical: float, shift: float) -> float:
        """How often |t| is beyond a critical value."""
        return sum(w * (normal(shift - critical * s) + normal(-shift - critical * s)) for s, w in shares)

    critical = _where(lambda at: test.alpha - beyond(at, 0.0))
    return _where(lambda at: beyond(critical, at) - test.power)


def _scales(freedom: float) -> list[tuple[float, float]]:
    """Estimated standard errors as shares of the true one, with their probabilities: sqrt(chi squared / freedom)."""
    reach = _WIDTH / math.sqrt(2 * freedom)
    edges = np.linspace(max(0.0, 1 - reach), 1 + reach, _POINTS + 1)
    scales = (edges[1:] + edges[:-1]) / 2
    logs = (freedom - 1) * np.log(scales) - freedom * scales**2 / 2
    weights = np.exp(logs - logs.max())
    return list(zip(scales.tolist(), (weights / weights.sum()).tolist()))


def _where(rising: Callable[[float], float]) -> float:
    """Where a rising function of positive numbers is 0, by bisection."""
    low, high = 0.0, 1.0
    while rising(high) < 0:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2
