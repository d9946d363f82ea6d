"""Intervals and tests from their definitions, one unit at a time, in plain Python; Student's t is scipy's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from scipy.stats import t as student

Part = tuple[float, float]
"""Numerator and denominator of a measure in one unit."""

TestSet = Sequence[Sequence[Part]]
"""Of each unit the parts of each output."""

Weights = Mapping[int, float]
"""The factor of each output in what is estimated: {0: 1} is its score, {1: 1, 0: -1} a difference."""


class Estimate(NamedTuple):
    """A value, its variance over units, the degrees of freedom, and the number of units."""

    value: float
    variance: float
    freedom: float
    n_units: int


def score(test_set: TestSet, output: int, *, perplexity: bool = False) -> float:
    """Give the score of one output on the units."""
    ratio = sum(unit[output][0] for unit in test_set) / sum(unit[output][1] for unit in test_set)
    return 10**ratio if perplexity else ratio


def micro(test_sets: Sequence[TestSet], output: int, left_out: tuple[int, int] | None = None) -> float:
    """Give the micro-average; without a unit, the other units that count stand in for it."""
    above = below = 0.0
    for number, test_set in enumerate(test_sets):
        units = [unit[output] for unit in test_set if unit[output][1]]
        factor = 1.0
        if left_out is not None and left_out[0] == number and test_set[left_out[1]][output][1]:
            units.remove(test_set[left_out[1]][output])
            factor = (len(units) + 1) / len(units)
        above += factor * sum(unit[0] for unit in units)
        below += factor * sum(unit[1] for unit in units)
    return above / below


def combined(weights: Weights, values: Sequence[float]) -> float:
    return sum(weight * values[output] for output, weight in weights.items())


def sizes_of(test_set: TestSet, weights: Weights) -> list[float]:
    """Give the size of each unit, the mean denominator of the outputs."""
    return [sum(unit[output][1] for output in weights) / len(weights) for unit in test_set]


def freedom_of(test_set: TestSet, weights: Weights) -> float:
    """Give the effective number of units minus one, at least one."""
    sizes = sizes_of(test_set, weights)
    return max(1.0, sum(sizes) ** 2 / sum(size**2 for size in sizes) - 1)


def jackknife(test_set: TestSet, weights: Weights, *, perplexity: bool = False) -> float:
    """Give the sum of squares of what leaving out each unit does."""
    outputs = range(len(test_set[0]))
    whole = combined(weights, [score(test_set, output, perplexity=perplexity) for output in outputs])
    total = 0.0
    for unit in range(len(test_set)):
        rest = [one for number, one in enumerate(test_set) if number != unit]
        moved = combined(weights, [score(rest, output, perplexity=perplexity) for output in outputs])
        total += (moved - whole) ** 2
    return total


def satterthwaite(variances: Sequence[float], freedoms: Sequence[float]) -> float:
    if not any(variances):
        return sum(freedoms)
    return sum(variances) ** 2 / sum(v**2 / f for v, f in zip(variances, freedoms))


def observation(test_sets: Sequence[TestSet], weights: Weights, average: str) -> float:
    """Give the variance that one more word with another outcome makes: it counts twice in F1."""
    if len(weights) == 1:
        return 0.0
    totals = [sum(sizes_of(test_set, weights)) for test_set in test_sets]
    if average == "micro":
        return (2 / sum(totals)) ** 2
    return max((2 / total / len(test_sets)) ** 2 for total in totals)


def estimate(
    test_sets: Sequence[TestSet], weights: Weights, average: str = "macro", *, perplexity: bool = False
) -> Estimate:
    """Estimate a score or a difference on one test set, or its macro- or micro-average."""
    outputs = range(len(test_sets[0][0]))
    freedoms = [freedom_of(test_set, weights) for test_set in test_sets]
    n_units = [sum(size > 0 for size in sizes_of(test_set, weights)) for test_set in test_sets]
    n = 0 if len(n_units) > 1 and min(n_units) < 2 else sum(n_units)
    if average == "micro":
        value = combined(weights, [micro(test_sets, output) for output in outputs])
        variances = []
        for number, test_set in enumerate(test_sets):
            without = [
                combined(weights, [micro(test_sets, output, (number, unit)) for output in outputs])
                for unit in range(len(test_set))
            ]
            variances.append(sum((one - value) ** 2 for one in without))
    else:
        scores = [[score(one, output, perplexity=perplexity) for output in outputs] for one in test_sets]
        value = sum(combined(weights, row) for row in scores) / len(test_sets)
        variances = [jackknife(one, weights, perplexity=perplexity) / len(test_sets) ** 2 for one in test_sets]
    more = 0.0 if perplexity else observation(test_sets, weights, average)
    return Estimate(value, sum(variances) + more, satterthwaite(variances, freedoms), n)


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


def t_p(found: Estimate) -> float:
    return 2 * student.sf(abs(found.value) / math.sqrt(found.variance), found.freedom)


def of_runs(test_set: TestSet, runs: Sequence[int], baseline: Sequence[int], level: float) -> tuple[float, float]:
    """Give the difference of the means of runs, and half its interval: squares add up, each with its own quantile.

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
    parts.append((max(0.0, units.variance - shared), units.freedom))
    return units.value, math.sqrt(sum(v * student.ppf((1 + level) / 2, f) ** 2 for v, f in parts))


def swap_p(test_set: TestSet) -> float:
    """Give the share of all ways to swap the two outputs in units that leave them at least as far apart."""
    observed = abs(score(test_set, 1) - score(test_set, 0))
    found = []
    for swaps in product((False, True), repeat=len(test_set)):
        swapped = [unit[::-1] if swap else unit for swap, unit in zip(swaps, test_set)]
        found.append(abs(score(swapped, 1) - score(swapped, 0)) >= observed - 1e-12)
    return sum(found) / len(found)


def covariance(test_sets: Sequence[TestSet]) -> list[list[float]]:
    """Give the covariance of the macro-averages of all outputs: of sums and differences, as their variances tell."""
    n = len(test_sets[0][0])

    def variance(weights: Weights) -> float:
        return sum(jackknife(one, weights) for one in test_sets) / len(test_sets) ** 2

    return [[(variance({i: 1.0}) + variance({j: 1.0}) - variance({i: 1.0, j: -1.0})) / 2 if i != j
             else variance({i: 1.0}) for j in range(n)] for i in range(n)]  # fmt: skip
