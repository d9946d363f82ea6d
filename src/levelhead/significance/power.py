"""Power: the smallest difference between two systems that a test with n units and k runs can detect.

Source: Card, Henderson, Khandelwal, Jia, Mahowald and Jurafsky (2020), "With Little Power Comes Great Responsibility",
which recommends planning test sets this way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError
from levelhead.significance.differences import EQUAL
from levelhead.significance.estimates import Estimate
from levelhead.significance.jackknife import Stratum, disagreement_of, leave_out, spread_of
from levelhead.significance.runs import FEWEST_RUNS, enough_runs
from levelhead.significance.system_counts import SystemCounts
from levelhead.significance.units import FEWEST_UNITS


class Target(NamedTuple):
    """The planned two-sided test.

    Args:
        alpha: its level, between 0 and 1.
        power: the probability with which it should detect the difference, above `alpha` and below 1.
    """

    alpha: float = 0.05
    power: float = 0.8


class Variances(NamedTuple):
    """The variance of the difference between two systems in one measure, by source.

    Args:
        units: between units, for a test set of one unit: some units are harder for one system than for the other.
        interaction: between runs in the same unit, for one unit and one run of each system; 0 if unknown.
        runs: between runs independently of units, for one run of each system; None if unknown.
        evenness: the effective number of units as a share of their number, from 0 to 1; 1 if units have equal sizes.
        observation: the variance due to one additional observation in a test set of one unit, see `Spread`.
    """

    units: float
    interaction: float = 0.0
    runs: float | None = None
    evenness: float = 1.0
    observation: float = 0.0


_CLOSEST = 1e-12
"""The smallest distance of the level from 0 and of the power from 1: nearer, a search for them would not end."""


def checked_test(alpha: float, power: float) -> Target:
    """Return the test of a level and a power."""
    if not 0 < alpha < power < 1:
        message = f"the level {alpha:g} and the power {power:g} must satisfy 0 < level < power < 1"
        raise InputError(Fault("invalid-power", message))
    if alpha < _CLOSEST or 1 - power < _CLOSEST:
        message = f"the level must be at least {_CLOSEST:g}, and the power at most 1 - {_CLOSEST:g}"
        raise InputError(Fault("invalid-power", message))
    return Target(alpha, power)


def difference_variances(table: SystemCounts, baseline: str, system: str) -> tuple[Variances | None, ...]:
    """Return the variance of the difference between two systems by source, for each measure.

    The variance between units is the same as in `compare`: the delete-one-unit jackknife variance (`spread_of`) times
    the number of units. Runs are a random effect: their variance within units is subtracted from the variance between
    units, and their interaction with units from the variance between runs.
    """
    values, strata = table.values(table.parts.sum(axis=0)), [leave_out(table)]
    runs = [[run for run, name in enumerate(table.systems) if name == own] for own in (baseline, system)]
    known = [not np.isnan(values[:, m]).any() for m in range(len(table.measures))]
    each = [[values[own, m] for own in runs] for m in range(len(table.measures))]
    return tuple(_variances(strata, runs, each[m], m) if known[m] else None for m in range(len(table.measures)))


def _variances(
    strata: list[Stratum], runs: list[list[int]], values: Sequence[np.ndarray], measure: int
) -> Variances | None:
    """The variances of one measure; `runs` and `values` include both systems."""
    contrast = np.zeros(strata[0].moves.shape[1])
    for sign, own in zip((-1, 1), runs, strict=True):
        contrast[own] += sign / len(own)
    spread = spread_of(strata, contrast, measure)
    if spread.variance <= EQUAL**2 or spread.n_units < FEWEST_UNITS:
        return None
    n_units = len(strata[0].moves)
    shared = [disagreement_of(strata, own, measure) for own in runs]
    within = [value * len(own) for value, own in zip(shared, runs, strict=True)]
    between = [max(0.0, float(own.var(ddof=1)) - value) if len(own) > 1 else None for own, value in zip(values, within)]
    return Variances(
        n_units * max(0.0, spread.variance - math.fsum(shared)),
        n_units * math.fsum(within),
        None if None in between else math.fsum(value or 0.0 for value in between),
        (spread.freedom + 1) / n_units,
        n_units**2 * spread.observation,
    )


def detectable_difference(
    variances: Variances | Sequence[Variances], n_units: int, n_runs: int = 1, test: Target | None = None
) -> float | None:
    """Return the smallest true difference that `compare` detects with the requested power; None with too few runs.

    The squared standard error of a difference is units / n + (interaction / n + runs) / k. The variance of units has
    the effective number of units minus one as its degrees of freedom (those of several test sets are combined by
    Satterthwaite's formula of 1946), that of runs has k - 1: see `Estimate.detectable`. A single run of each system
    only tests these two outputs, not other runs, so the variance of runs is left out. Two runs are too few, see
    `enough_runs`. For the actual numbers of units and runs, the result is the same as that of `compare` for the same
    outputs.
    """
    every = (variances,) if isinstance(variances, Variances) else variances
    if n_units < FEWEST_UNITS or n_runs < 1:
        message = f"{n_units} units and {n_runs} runs: give at least {FEWEST_UNITS} units and 1 run"
        raise InputError(Fault("invalid-power", message))
    within = [_within(test_set, n_units, n_runs) for test_set in every]
    whole = math.fsum(square for square, _ in within)
    freedom = whole**2 / math.fsum(square**2 / freedom for square, freedom in within) if whole else within[0][1]
    variance = whole + max(test_set.observation for test_set in every) / n_units**2
    between = math.fsum(_between(test_set, n_units, n_runs) for test_set in every) if n_runs > 1 else 0.0
    runs = ((between / len(every) ** 2, n_runs - 1),) if between else ()
    planned = Estimate(0.0, variance / len(every) ** 2, freedom, n_units, runs)
    return planned.detectable(*(test or Target())) if enough_runs(n_runs, n_runs) else None


MOST_RUNS = 1000
"""The largest number of runs that `runs_to_detect` considers."""


def runs_to_detect(
    difference: float, variances: Sequence[Variances], n_units: Sequence[int], test: Target | None = None
) -> int | None:
    """Return the smallest number of runs per system to detect a true difference with the requested power."""
    every = [_in_units_of_first(test_set, n / n_units[0]) for test_set, n in zip(variances, n_units, strict=True)]

    def detected(n_runs: int) -> bool:
        """Return whether this number of runs is enough."""
        found = detectable_difference(every, n_units[0], n_runs, test)
        return found is not None and found <= difference

    low, high = FEWEST_RUNS - 1, MOST_RUNS
    if not detected(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if detected(middle) else (middle, high)
    return high


def _in_units_of_first(variances: Variances, share: float) -> Variances:
    """Variances rescaled to the number of units of the first test set, with the same error."""
    return variances._replace(
        units=variances.units / share,
        interaction=variances.interaction / share,
        evenness=variances.evenness * share,
        observation=variances.observation / share**2,
    )


def _within(variances: Variances, n_units: int, n_runs: int) -> tuple[float, float]:
    """The part of the squared standard error due to units, with its degrees of freedom."""
    interaction = variances.interaction if n_runs == 1 else 0.0
    return (variances.units + interaction) / n_units, max(variances.evenness * n_units - 1, 1.0)


def _between(variances: Variances, n_units: int, n_runs: int) -> float:
    """The part due to several runs."""
    if variances.runs is None:
        message = f"{n_runs} runs: the standard deviation between runs is unknown"
        raise InputError(Fault("invalid-power", message))
    return (variances.interaction / n_units + variances.runs) / n_runs
