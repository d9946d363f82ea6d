"""Confidence sets of ranks, computed from the differences between all pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.differences import EQUAL
from levelhead.significance.failed_outputs import evidence

Sums = NDArray[np.float64]
Flags = NDArray[np.bool_]

_SMALLEST = 1e-300
"""Smaller p-values have no finite normal quantile."""


class PairDifferences(NamedTuple):
    """The differences of all pairs of systems, with their errors.

    Args:
        statistics: the evident difference of a system (row) from another (column) in standard errors, shape (systems,
            systems).
        errors: its standard error, 0 without variation; same shape.
        deviations: drawn errors of the averages, shape (draws, systems).
        freedom: the degrees of freedom of the errors.
    """

    statistics: Sums
    errors: Sums
    deviations: Sums
    freedom: float


def pair_differences(scores: Sums, failed: Flags, covariance: Sums, freedom: float, drawn: Sums) -> PairDifferences:
    """Return the studentized differences of the averages of all pairs of systems.

    If an output failed, the standard error is that of the difference including the zero, which is never smaller.
    """
    known, own = evidence(scores, failed), np.diag(covariance)
    variances = own[:, None] + own - 2 * covariance
    errors = np.where(variances > EQUAL**2, np.sqrt(np.maximum(variances, 0)), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.where(np.abs(known.differences) > EQUAL, known.differences / errors, 0.0)
    for place in zip(*np.nonzero(~np.isnan(known.failure_p)), strict=True):
        statistics[place] = math.copysign(_quantile(known.failure_p[place]), known.differences[place])
    return PairDifferences(statistics, errors, drawn, freedom)


def better(differences: PairDifferences, level: float) -> Flags:
    """Return which systems (rows) are significantly better than which (columns), corrected for all pairs.

    The family-wise error is at most 1 - level: Romano and Wolf's (2005) stepdown method for the one-sided hypotheses of
    all pairs, with the largest studentized difference of each draw.
    """
    return _rejected(differences, ~np.eye(len(differences.errors), dtype=bool), level)


def simultaneous_rank_sets(differences: PairDifferences, level: float) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system; all sets hold jointly at the confidence level.

    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for Ranks.
    """
    ahead = better(differences, level)
    return [_rank_set(ahead, system) for system in range(len(ahead))]


def marginal_rank_sets(differences: PairDifferences, level: float) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system; each set holds separately at the confidence level.

    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for Ranks.
    """
    return [
        _rank_set(_rejected(differences, pairs, level), number) for number, pairs in enumerate(_own_pairs(differences))
    ]


def critical_value(largest: Sums, level: float) -> float:
    """Return the number of standard errors above which a difference is significant, with all corrections."""
    place = math.ceil((len(largest) + 1) * level - EQUAL)
    return float(np.partition(largest, place - 1)[place - 1]) if place <= len(largest) else math.inf


def _own_pairs(differences: PairDifferences) -> Iterator[Flags]:
    """The pairs of each system with all others, in both directions."""
    for system in range(len(differences.errors)):
        pairs = np.zeros(differences.errors.shape, dtype=bool)
        pairs[system, :] = pairs[:, system] = True
        pairs[system, system] = False
        yield pairs


def _rank_set(ahead: Flags, system: int) -> tuple[int, int]:
    return 1 + int(ahead[:, system].sum()), len(ahead) - int(ahead[system].sum())


def _rejected(differences: PairDifferences, family: Flags, level: float) -> Flags:
    """Stepdown: rejected hypotheses leave the family, which lowers the critical value, until no more are rejected."""
    rejected = np.zeros_like(family)
    while (left := family & ~rejected).any():
        found = left & (differences.statistics > critical_value(_largest(differences, left), level))
        if not found.any():
            break
        rejected |= found
    return rejected


def _largest(differences: PairDifferences, left: Flags) -> Sums:
    """The largest studentized deviation of each draw, over the remaining pairs that vary."""
    largest = np.zeros(len(differences.deviations))
    varying = left & (differences.errors > 0)
    for number in np.flatnonzero(varying.any(axis=1)):
        others = varying[number]
        deviations = differences.deviations[:, number, None] - differences.deviations[:, others]
        np.maximum(largest, (deviations / differences.errors[number, others]).max(axis=1), out=largest)
    return largest


def _quantile(p: float) -> float:
    """The number of standard errors of a normal distribution with this two-sided p-value."""
    return -NormalDist().inv_cdf(max(_SMALLEST, p) / 2)
