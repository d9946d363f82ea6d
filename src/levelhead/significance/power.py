"""Power: the differences that a test can detect, and how often samples of sentences show a difference."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError
from levelhead.significance.estimates import FEWEST_RUNS, Estimate, enough_runs
from levelhead.significance.jackknife import SystemCounts, disagreement_of, leave_out, spread_of
from levelhead.significance.scopes import EQUAL
from levelhead.significance.units import FEWEST_UNITS
from levelhead.tables.data import Probability


class TypicalDeviation(NamedTuple):
    """The standard deviation of the difference between two systems for one unit, over test sets, as a ratio."""

    unit: str  # "sentence" or "document"
    measure: str
    n_test_sets: int  # on which it was measured
    low: float  # the lower quartile over test sets
    median: float
    high: float  # the upper quartile
    evenness: float  # the median of the effective number of units as a share of their number


def typical_deviations() -> tuple[TypicalDeviation, ...]:
    table = Path(__file__).with_name("typical_variances.tsv").read_text(encoding="utf-8")
    _, *rows = (line.split("\t") for line in table.splitlines())
    return tuple(
        TypicalDeviation(unit, measure, int(n), low / 100, median / 100, high / 100, evenness)
        for unit, measure, n, *numbers in rows
        for low, median, high, evenness in [map(float, numbers)]
    )


class Target(NamedTuple):
    """The planned two-sided test.

    Args:
        alpha: the significance level of the test.
        power: the statistical power of the test; above `alpha`.
    """

    alpha: Probability = 0.05
    power: Probability = 0.8


class Variances(NamedTuple):
    """The variance of the difference between two systems in one measure, by source."""

    units: float  # between units, for a test set of one unit: some units are harder for one system than for the other
    interaction: float = 0.0  # between runs in the same unit, for one unit and one run of each system; 0 if unknown
    runs: float | None = None  # between runs independently of units, for one run of each system; None if unknown
    evenness: float = 1.0  # the effective number of units as a share of their number; 1 if units have equal sizes
    observation: float = 0.0  # due to one additional observation in a test set of one unit, see `Spread`


_CLOSEST = 1e-12
"""The smallest distance of the level from 0 and of the power from 1: nearer, a search for them would not end."""


def checked_test(alpha: float, power: float) -> Target:
    message = f"the level must be at least {_CLOSEST:g}, and the power at most 1 - {_CLOSEST:g}"
    if not 0 < alpha < power < 1:
        message = f"the level {alpha:g} and the power {power:g} must satisfy 0 < level < power < 1"
    elif alpha >= _CLOSEST and 1 - power >= _CLOSEST:
        return Target(alpha, power)
    raise InputError(Fault("invalid-power", message))


def difference_variances(table: SystemCounts, baseline: str, system: str) -> tuple[Variances | None, ...]:
    """Return the variance of the difference between two systems by source, as in `compare`, for each measure."""
    # Runs are a random effect: their variance within units is part of that between units, and their interaction with
    # units is part of that between runs; both are subtracted.
    values, strata = table.values(table.parts.sum(axis=0)), [leave_out(table)]
    runs = [[run for run, name in enumerate(table.systems) if name == wanted] for wanted in (system, baseline)]
    n_units = len(table.parts)
    by_measure = list[Variances | None]()
    for m in range(len(table.measures)):
        spread = None if np.isnan(values[:, m]).any() else spread_of(strata, runs, m)
        if spread is None or spread.variance <= EQUAL**2 or spread.n_units < FEWEST_UNITS:
            by_measure.append(None)
            continue
        shared = [disagreement_of(strata, numbers, m) for numbers in runs]
        within = [value * len(numbers) for value, numbers in zip(shared, runs, strict=True)]
        of_runs = None
        if min(map(len, runs)) > 1:
            between = (float(values[numbers, m].var(ddof=1)) - value for numbers, value in zip(runs, within))
            of_runs = math.fsum(max(0.0, value) for value in between)
        of_units = max(0.0, spread.variance - math.fsum(shared))
        interaction = n_units * math.fsum(within)
        evenness = (spread.freedom + 1) / n_units
        observation = n_units**2 * spread.observation
        by_measure.append(Variances(n_units * of_units, interaction, of_runs, evenness, observation))
    return tuple(by_measure)


def detectable_difference(
    variances: Variances | Sequence[Variances], n_units: int, n_runs: int = 1, test: Target | None = None
) -> float | None:
    """Return the smallest true difference that `compare` detects with the requested power; None with too few units."""
    # The squared standard error is units / n + (interaction / n + runs) / k; Satterthwaite (1946) joins test sets. A
    # single run of each system tests only these outputs, so the variance of runs is left out.
    every = (variances,) if isinstance(variances, Variances) else variances
    squares = [(test_set.units + (test_set.interaction if n_runs == 1 else 0.0)) / n_units for test_set in every]
    freedoms = [max(test_set.evenness * n_units - 1, 1.0) for test_set in every]
    whole = math.fsum(squares)
    freedom = whole**2 / math.fsum(s**2 / f for s, f in zip(squares, freedoms)) if whole else freedoms[0]
    variance = whole + max(test_set.observation for test_set in every) / n_units**2
    between = 0.0  # the part of the squared standard error due to several runs
    if n_runs > 1:
        between = math.fsum((test_set.interaction / n_units + (test_set.runs or 0.0)) / n_runs for test_set in every)
    runs = ((between / len(every) ** 2, n_runs - 1),) if between else ()
    planned = Estimate(0.0, variance / len(every) ** 2, freedom, n_units, runs)
    return planned.detectable(*(test or Target())) if enough_runs(n_runs, n_runs) else None


MOST_RUNS = 1000
"""The largest number of runs that `runs_to_detect` considers."""


def runs_to_detect(
    difference: float, variances: Sequence[Variances], n_units: Sequence[int], test: Target | None = None
) -> int | None:
    """Return the smallest number of runs per system to detect a true difference with the requested power."""
    every = []  # rescaled to the number of units of the first test set, with the same error
    for test_set, n in zip(variances, n_units, strict=True):
        share = n / n_units[0]
        units, interaction = test_set.units / share, test_set.interaction / share
        evenness = test_set.evenness * share
        observation = test_set.observation / share**2
        every.append(Variances(units, interaction, test_set.runs, evenness, observation))

    def detected(n_runs: int) -> bool:
        smallest = detectable_difference(every, n_units[0], n_runs, test)
        return smallest is not None and smallest <= difference

    n_runs = bisect_left(range(MOST_RUNS + 1), True, lo=FEWEST_RUNS, key=detected)
    return n_runs if n_runs <= MOST_RUNS else None
