"""Estimates for parts of a score: the words of each bucket, or a score after a repair, with errors over units.

The errors are those of `spread_of`: the delete-one-unit jackknife, without a table of all units by all buckets, which
would be large and almost empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.estimates import Estimate, Interval
from levelhead.significance.jackknife import OBSERVATION
from levelhead.significance.system_counts import Sums, ratios
from levelhead.significance.units import ENOUGH_UNITS, Units


class IntervalSettings(NamedTuple):
    """How intervals of parts of a score are computed.

    Args:
        units: the units of the gold treebank.
        level: the confidence level.
    """

    units: Units
    level: float = 0.95


class Certainty(NamedTuple):
    """How certain the value of a bucket is.

    Args:
        interval: the confidence interval; None with fewer than 10 units.
        n_units: the number of units that have something to count in the bucket.
        uncertain: whether there are fewer than 20, or units so uneven that they count as fewer.
        estimate: the value with its error.
        observation: the part of its variance that one more observation makes; 0 unless it is a difference.
    """

    interval: Interval | None
    n_units: int
    uncertain: bool
    estimate: Estimate
    observation: float = 0.0


class UnitParts(NamedTuple):
    """Numerators and denominators in each unit and bucket in which one of them is not 0.

    Args:
        keys: the number of the bucket times the number of units, plus the number of the unit; ascending, int64,
            shape (cells,).
        parts: float64, shape (cells, systems, 2).
        n_units: how many units there are.
        n_buckets: how many buckets there are.
    """

    keys: NDArray[np.int64]
    parts: Sums
    n_units: int
    n_buckets: int


def unit_parts(
    words: Sequence[tuple[int, int, float, NDArray[np.int64], NDArray[np.int64]]],
    n_systems: int,
    n_units: int,
    n_buckets: int,
) -> UnitParts:
    """Count words by unit and bucket.

    Args:
        words: for each kind of words: the system, 0 for numerators and 1 for denominators, how much a word counts, the
            units, and the buckets of the words, each shape (words,).
        n_systems: how many systems there are.
        n_units: how many units there are.
        n_buckets: how many buckets there are.
    """
    own = [buckets * n_units + units for _, _, _, units, buckets in words]
    keys, inverse = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *own]), return_inverse=True)
    parts = np.zeros((len(keys), n_systems, 2))
    start = 0
    for (system, place, weight, _, _), some in zip(words, own, strict=True):
        parts[:, system, place] += weight * np.bincount(inverse[start : start + len(some)], minlength=len(keys))
        start += len(some)
    return UnitParts(keys, parts, n_units, n_buckets)


def bucket_certainties(found: UnitParts, level: float) -> list[Certainty]:
    """Return how certain the value of each bucket is; of two systems, the difference of the second to the first.

    Args:
        found: the counts of one system or of two.
        level: the confidence level.
    """
    n, buckets = found.n_buckets, found.keys // found.n_units
    totals = np.zeros((n, *found.parts.shape[1:]))
    np.add.at(totals, buckets, found.parts)
    whole = totals[buckets]
    sign = np.array([1.0] if found.parts.shape[1] == 1 else [-1.0, 1.0])
    moved = np.nan_to_num(ratios(whole - found.parts) - ratios(whole)) @ sign
    sizes = found.parts[..., 1].mean(axis=1)
    sums = [np.bincount(buckets, one, n) for one in (moved**2, sizes, sizes**2, sizes > 0)]
    values = ratios(totals) @ sign
    columns = zip(values.tolist(), *(one.tolist() for one in sums), strict=True)
    return [_certainty(_Sums(*one), level, difference=len(sign) == 2) for one in columns]


def gain_certainty(before: Sums, after: Sums, affected: int, level: float) -> Certainty:
    """Return how certain the gain of a repair is: the value after it minus the value before.

    Args:
        before: numerator and denominator in each unit, shape (units, 2).
        after: the same after the repair.
        affected: the number of units that have something to repair.
        level: the confidence level.
    """
    both = np.stack([before, after], axis=1)
    whole = both.sum(axis=0)
    sign = np.array([-1.0, 1.0])
    moved = np.nan_to_num(ratios(whole - both) - ratios(whole)) @ sign
    sizes = both[..., 1].mean(axis=1)
    sums = (float(moved @ moved), float(sizes.sum()), float(sizes @ sizes), float(np.count_nonzero(sizes)))
    found = _certainty(_Sums(float(ratios(whole) @ sign), *sums), level, difference=True)
    interval = None if found.interval is None else (max(0.0, found.interval[0]), found.interval[1])  # no repair costs
    return found._replace(interval=interval, n_units=affected, uncertain=found.uncertain or affected < ENOUGH_UNITS)


class _Sums(NamedTuple):
    """What the units add up to: of a value, its variance, the sizes of units, their squares, and their number."""

    value: float
    variance: float
    size: float
    squares: float
    n_units: float


def _certainty(one: _Sums, level: float, *, difference: bool) -> Certainty:
    effective = one.size**2 / one.squares if one.squares else 1.0
    estimate = Estimate(one.value, one.variance, max(effective - 1, 1.0), int(one.n_units))
    more = (OBSERVATION / one.size) ** 2 if difference and one.size else 0.0
    estimate = estimate._replace(variance=one.variance + more)
    interval = _interval_of(estimate, level, difference=difference)
    return Certainty(interval, int(one.n_units), effective < ENOUGH_UNITS, estimate, more)


def _interval_of(estimate: Estimate, level: float, *, difference: bool) -> Interval | None:
    if not difference:
        return estimate.score_interval(level)
    interval = estimate.interval(level)
    return None if interval is None else (max(-1.0, interval[0]), min(1.0, interval[1]))


def mean_certainty(some: Sequence[Certainty], level: float, *, difference: bool = False) -> Certainty:
    """Return how certain the mean of the values of one bucket on several test sets is.

    Args:
        some: that of each test set that has the bucket.
        level: the confidence level.
        difference: whether the values are differences.
    """
    found = _mean(some, level, difference=difference)
    return found._replace(uncertain=found.uncertain or found.n_units < ENOUGH_UNITS)


def mean_gain_certainty(some: Sequence[Certainty], level: float) -> Certainty:
    """Return how certain the mean gain of a repair over test sets is.

    Args:
        some: that of the gain on each test set; where there is nothing to repair, that of a gain of 0, with no units.
        level: the confidence level.
    """
    found, affected = _mean(some, level, difference=True), sum(one.n_units for one in some)
    interval = None if found.interval is None else (max(0.0, found.interval[0]), found.interval[1])  # no repair costs
    return found._replace(interval=interval, n_units=affected, uncertain=found.uncertain or affected < ENOUGH_UNITS)


def _mean(some: Sequence[Certainty], level: float, *, difference: bool) -> Certainty:
    """The mean of values on several test sets; variances add up, and one test set has the one more observation."""
    each, n = [one.estimate for one in some], len(some)
    variances = [one.estimate.variance - one.observation for one in some]
    parts = sum(variance**2 / one.freedom for variance, one in zip(variances, each, strict=True))
    freedom = sum(variances) ** 2 / parts if parts else sum(one.freedom for one in each)
    n_units = 0 if min(one.n_units for one in each) < 2 and n > 1 else sum(one.n_units for one in each)
    more = max(one.observation for one in some)
    mean = Estimate(sum(one.value for one in each) / n, (sum(variances) + more) / n**2, freedom, n_units)
    interval = _interval_of(mean, level, difference=difference)
    return Certainty(interval, n_units, freedom + 1 < ENOUGH_UNITS, mean, more / n**2)
