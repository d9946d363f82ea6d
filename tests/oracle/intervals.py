"""Intervals and tests from their definitions, one unit at a time, in plain Python; Student's t is scipy's."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from scipy.stats import t as student

Part = tuple[float, float]
"""Numerator and denominator of a measure in one unit."""

TestSet = Sequence[Sequence[Part]]
"""Of each unit the parts of each output."""

Weights = Mapping[int, float]
"""The factor of each output in what is estimated: {0: 1} is its score, {1: 1, 0: -1} a difference."""


class Estimate(NamedTuple):
    """A value, its variance over units, the degrees of freedom, the number of units, and how skewed their effects are."""

    value: float
    variance: float
    freedom: float
    n_units: int
    skewness: float = 0.0


def score(test_set: TestSet, output: int, *, perplexity: bool = False) -> float:
    """Give the score of one output on the units."""
    ratio = sum(unit[output][0] for unit in test_set) / sum(unit[output][1] for unit in test_set)
    return 10**ratio if perplexity else ratio


def micro(test_sets: Sequence[TestSet], output: int, left_out: Sequence[int] = ()) -> float:
    """Give the micro-average; without some units (by test set), the other units that count stand in for them."""
    above = below = 0.0
    for number, test_set in enumerate(test_sets):
        kept = [unit[output] for row, unit in enumerate(test_set) if not left_out or row != left_out[number]]
        units = [part for part in kept if part[1]]
        factor = sum(1 for unit in test_set if unit[output][1]) / len(units)
        above += factor * sum(unit[0] for unit in units)
        below += factor * sum(unit[1] for unit in units)
    return above / below


def combined(weights: Weights, values: Sequence[float]) -> float:
    return sum(weight * values[output] for output, weight in weights.items())


def sizes_of(test_set: TestSet, weights: Weights) -> list[float]:
    """Give the size of each unit, the mean denominator of the outputs."""
    return [sum(unit[output][1] for output in weights) / len(weights) for unit in test_set]


def satterthwaite(variances: Sequence[float], freedoms: Sequence[float]) -> float:
    if not any(variances):
        return sum(freedoms)
    return sum(variances) ** 2 / sum(v**2 / f for v, f in zip(variances, freedoms))


Names = Sequence[Sequence[Hashable]]
"""Of each test set the names of its units: what has one name is one unit, wherever it is."""


def average_of(
    test_sets: Sequence[TestSet], weights: Weights, average: str, left_out: Sequence[int] = (), *, perplexity: bool
) -> float:
    """Give what is estimated, without a unit of each test set (by number; -1: none)."""
    outputs = range(len(test_sets[0][0]))
    if average == "micro":
        return combined(weights, [micro(test_sets, output, left_out) for output in outputs])
    kept = [
        [unit for row, unit in enumerate(one) if not left_out or row != left_out[number]]
        for number, one in enumerate(test_sets)
    ]
    return sum(
        combined(weights, [score(one, output, perplexity=perplexity) for output in outputs]) for one in kept
    ) / len(test_sets)


def estimate(
    test_sets: Sequence[TestSet],
    weights: Weights,
    average: str = "macro",
    *,
    perplexity: bool = False,
    names: Names | None = None,
) -> Estimate:
    """Estimate a score or a difference on one test set, or its macro- or micro-average.

    Each unit is left out of all test sets that have it, and everything is computed anew. Test sets that share units are
    one stratum.
    """
    names = names or [[(number, row) for row in range(len(one))] for number, one in enumerate(test_sets)]
    value = average_of(test_sets, weights, average, perplexity=perplexity)
    totals = [sum(sizes_of(test_set, weights)) for test_set in test_sets]
    variances, freedoms, n_units, third, more = [], [], [], 0.0, 0.0
    for stratum in strata_of(names):
        sizes: dict[Hashable, float] = {}
        for number in stratum:
            for name, size in zip(names[number], sizes_of(test_sets[number], weights)):
                sizes[name] = sizes.get(name, 0.0) + size
        effects = []
        for name, size in sizes.items():
            rows = [list(own).index(name) if name in own else -1 for own in names]
            if size:
                effects.append(value - average_of(test_sets, weights, average, rows, perplexity=perplexity))
        variances.append(sum(effect**2 for effect in effects))
        third += sum(effect**3 for effect in effects)
        freedoms.append(max(1.0, sum(sizes.values()) ** 2 / sum(size**2 for size in sizes.values()) - 1))
        n_units.append(sum(size > 0 for size in sizes.values()))
        # one more word with another outcome in the stratum: it counts twice in F1
        whole = sum(totals[number] for number in stratum) * len(test_sets) / len(stratum)
        more = max(more, (2 / (sum(totals) if average == "micro" else whole)) ** 2)
    n = 0 if len(n_units) > 1 and min(n_units) < 2 else sum(n_units)
    variance = sum(variances) + (0.0 if perplexity or len(weights) == 1 else more)
    skewness = max(-1.0, min(1.0, third / variance**1.5)) if variance else 0.0
    return Estimate(value, variance, satterthwaite(variances, freedoms), n, skewness)


def strata_of(names: Names) -> list[list[int]]:
    """Give the test sets of each stratum, by number."""
    strata: list[list[int]] = []
    for number, own in enumerate(names):
        shared = next((one for one in strata if any(set(own) & set(names[other]) for other in one)), None)
        if shared is None:
            strata.append([number])
        else:
            shared.append(number)
    return strata


def hall(t: float, skewness: float) -> float:
    """Give Hall's (1992) transformation of the t statistic of skewed values."""
    near = sorted((-4, t, 4))[1]  # the correction is constant beyond four standard errors
    return t + skewness * near**2 / 3 + skewness**2 * near**3 / 27 + skewness / 6


def hall_inverse(transformed: float, skewness: float) -> float:
    """Give the t of a transformed one, by halving: the transformation never falls."""
    low, high = -1e6, 1e6
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (low, middle) if hall(middle, skewness) > transformed else (middle, high)
    return (low + high) / 2


def skewed_interval(found: Estimate, level: float) -> tuple[float, float]:
    """Give the true values between which the transformed t statistic is not beyond its quantiles."""
    quantile, error = student.ppf((1 + level) / 2, found.freedom), math.sqrt(found.variance)
    ends = [found.value - error * hall_inverse(sign * quantile, found.skewness) for sign in (1, -1)]
    return ends[0], ends[1]


def p_above(found: Estimate, limit: float) -> float:
    """Give the p-value of the test that the true value is above a limit."""
    return float(student.sf(hall((found.value - limit) / math.sqrt(found.variance), found.skewness), found.freedom))


def p_below(found: Estimate, limit: float) -> float:
    """Give the p-value of the test that the true value is below a limit."""
    return float(student.cdf(hall((found.value - limit) / math.sqrt(found.variance), found.skewness), found.freedom))


def skewed_p(found: Estimate, limit: float = 0.0) -> float:
    """Give twice the smaller of both."""
    return min(1.0, 2 * min(p_above(found, limit), p_below(found, limit)))


def sidak(p: float, n_tests: int) -> float:
    """Give the probability that one of so many independent tests has a p as small."""
    return 1 - (1 - p) ** n_tests


def with_influence(
    test_sets: Sequence[TestSet],
    weights: Weights,
    average: str = "macro",
    *,
    perplexity: bool = False,
    names: Names | None = None,
) -> list[Estimate]:
    """Give the estimate; and, if a unit makes more than a third of the variance, the one without this unit."""
    names = names or [[(number, row) for row in range(len(one))] for number, one in enumerate(test_sets)]
    whole = average_of(test_sets, weights, average, perplexity=perplexity)
    squares = {}
    for name in {name for own in names for name in own}:
        rows = [list(own).index(name) if name in own else -1 for own in names]
        if any(sum(part[1] for part in test_sets[i][row]) for i, row in enumerate(rows) if row >= 0):
            without = average_of(test_sets, weights, average, rows, perplexity=perplexity)
            squares[name] = (without - whole) ** 2
    every = [estimate(test_sets, weights, average, perplexity=perplexity, names=names)]
    most = max(squares, key=lambda name: squares[name])
    if squares[most] > max(sum(squares.values()) / 3, 1e-24):
        rest = [[unit for unit, name in zip(one, own) if name != most] for one, own in zip(test_sets, names)]
        left = [[name for name in own if name != most] for own in names]
        every.append(estimate(rest, weights, average, perplexity=perplexity, names=left))
    return every


def hull(every: Sequence[Estimate], level: float) -> tuple[float, float]:
    """Give the interval that has all intervals of estimates with ten units or more in it."""
    ends = [skewed_interval(one, level) for one in every if one.n_units >= 10]
    return min(low for low, _ in ends), max(high for _, high in ends)


def p_of_all(every: Sequence[Estimate]) -> float | None:
    """Give the two-sided p-value with and without a unit; none with fewer than ten units, also without it."""
    if min(one.n_units for one in every) < 10:
        return None
    return min(1.0, 2 * min(max(p_above(one, 0) for one in every), max(p_below(one, 0) for one in every)))


def difference_interval(found: Estimate, level: float) -> tuple[float, float]:
    half = student.ppf((1 + level) / 2, found.freedom) * math.sqrt(found.variance)
    return found.value - half, found.value + half


def wilson(found: Estimate, level: float) -> tuple[float, float]:
    """Give the two shares p with |value - p| = t * sqrt(p (1 - p) / n), n the effective number of observations."""
    p, t = found.value, student.ppf((1 + level) / 2, found.freedom)
    known = 0 < p < 1 and found.variance > 0
    n = p * (1 - p) / found.variance if known else found.n_units
    a, b, c = 1 + t**2 / n, -(2 * p + t**2 / n), p**2
    root = math.sqrt(max(0.0, b**2 - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def unpaired_interval(one: Estimate, other: Estimate, level: float) -> tuple[float, float]:
    """Give Newcombe's interval of the difference of two independent shares (1998, method 10), from Wilson's of each."""
    (low, high), (other_low, other_high) = wilson(one, level), wilson(other, level)
    difference = one.value - other.value
    below = math.sqrt((one.value - low) ** 2 + (other_high - other.value) ** 2)
    above = math.sqrt((high - one.value) ** 2 + (other.value - other_low) ** 2)
    return difference - below, difference + above


def unpaired_p(one: Estimate, other: Estimate) -> float:
    """Give 1 minus the level at which the interval begins or ends at 0, by search in steps of 1%."""
    p = 1.0
    while p > 1e-6:
        low, high = unpaired_interval(one, other, 1 - p)
        if low <= 0 <= high:
            return p
        p *= 0.99
    return p


def t_p(found: Estimate) -> float:
    return 2 * student.sf(abs(found.value) / math.sqrt(found.variance), found.freedom)


def of_runs(
    test_set: TestSet, runs: Sequence[int], baseline: Sequence[int], level: float
) -> tuple[float, tuple[float, float]]:
    """Give the difference of the means of runs, and its interval: squares add up, each with its own quantile.

    A single run is assumed to vary as much as those of the other system. Where a system has several runs, leaving out
    a unit moves them differently; the variance of these moves, as that of a mean, is in the variance of runs already.
    """
    weights = {**{one: 1 / len(runs) for one in runs}, **{one: -1 / len(baseline) for one in baseline}}
    units = estimate([test_set], weights)
    both, parts, shared = (runs, baseline), [], 0.0
    for own, other in (both, both[::-1]):
        scores = [score(test_set, output) for output in own]
        if len(own) > 1:
            mean = sum(scores) / len(own)
            variance = sum((one - mean) ** 2 for one in scores) / (len(own) - 1)
            parts.append((variance * (1 / len(own) + (len(other) == 1)), len(own) - 1))
        for unit in range(len(test_set)) if len(own) > 1 else ():
            rest = [one for number, one in enumerate(test_set) if number != unit]
            moved = [score(rest, output) - one for output, one in zip(own, scores)]
            mean = sum(moved) / len(own)
            shared += sum((one - mean) ** 2 for one in moved) / (len(own) - 1) / len(own)
    left = max(0.0, units.variance - shared)
    skewness = max(-1.0, min(1.0, units.skewness * (units.variance / left) ** 1.5)) if left else 0.0
    low, high = skewed_interval(units._replace(variance=left, skewness=skewness), level)
    of_all_runs = sum(variance * student.ppf((1 + level) / 2, freedom) ** 2 for variance, freedom in parts)
    below, above = (math.sqrt(side**2 + of_all_runs) for side in (units.value - low, high - units.value))
    return units.value, (units.value - below, units.value + above)
