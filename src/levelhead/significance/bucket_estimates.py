"""Estimates with standard errors for parts of a score: the words of each bucket, or the score after a repair.

The errors are the delete-one-unit jackknife errors of `spread_of`, computed without a table of all units by all
buckets, which would be large and sparse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.estimates import Estimate, Interval
from levelhead.significance.jackknife import OBSERVATION
from levelhead.significance.system_counts import Sums, ratios
from levelhead.significance.units import ENOUGH_UNITS, Units


class IntervalSettings(NamedTuple):
    """The settings of intervals of parts of a score.

    Args:
        units: the units of the gold treebank.
        level: the confidence level.
    """

    units: Units
    level: float = 0.95


class BucketEstimate(NamedTuple):
    """The estimate of the value of a bucket, with its confidence interval.

    Args:
        interval: the confidence interval; None with fewer than 10 units.
        n_units: the number of units with counts in the bucket.
        uncertain: whether the (effective) number of units is less than 20.
        jackknife: the value with its error.
        observation: the part of its variance due to one additional observation; 0 unless it is a difference.
    """

    interval: Interval | None
    n_units: int
    uncertain: bool
    jackknife: Estimate
    observation: float = 0.0


class UnitParts(NamedTuple):
    """Numerators and denominators by unit and bucket, except where both are 0.

    Args:
        buckets: the bucket of each row, int64, shape (rows,).
        parts: float64, shape (rows, systems, 2).
        n_units: the number of units with these parts, int64, shape (rows,).
        n_buckets: the number of buckets.
    """

    buckets: NDArray[np.int64]
    parts: Sums
    n_units: NDArray[np.int64]
    n_buckets: int


def bucket_estimates(found: UnitParts, level: float) -> list[BucketEstimate]:
    """Return the estimate of each bucket; for two systems, of the difference (second minus first)."""
    n, buckets, n_units = found.n_buckets, found.buckets, found.n_units
    totals = np.zeros((n, *found.parts.shape[1:]))
    np.add.at(totals, buckets, found.parts * n_units[:, None, None])
    whole = totals[buckets]
    sign = np.array([1.0] if found.parts.shape[1] == 1 else [-1.0, 1.0])
    moved = np.nan_to_num(ratios(whole - found.parts) - ratios(whole)) @ sign
    sizes = found.parts[..., 1].mean(axis=1)
    sums = [np.bincount(buckets, n_units * each, n) for each in (moved**2, sizes, sizes**2, sizes > 0)]
    values = ratios(totals) @ sign
    columns = zip(values.tolist(), *(numbers.tolist() for numbers in sums), strict=True)
    return [_estimate(_Sums(*column), level, difference=len(sign) == 2) for column in columns]


def gain_estimate(before: Sums, after: Sums, n_units: NDArray[np.int64], affected: int, level: float) -> BucketEstimate:
    """Return the estimate of the gain of a repair: the value after it minus the value before."""
    both = np.stack([before, after], axis=1)
    whole = np.tensordot(n_units, both, axes=1)
    sign = np.array([-1.0, 1.0])
    moved = np.nan_to_num(ratios(whole - both) - ratios(whole)) @ sign
    sizes = both[..., 1].mean(axis=1)
    sums = [float(n_units @ each) for each in (moved**2, sizes, sizes**2, sizes > 0)]
    estimate = _estimate(_Sums(float(ratios(whole) @ sign), *sums), level, difference=True)
    interval = (
        None if estimate.interval is None else (max(0.0, estimate.interval[0]), estimate.interval[1])
    )  # never a loss
    return estimate._replace(
        interval=interval, n_units=affected, uncertain=estimate.uncertain or affected < ENOUGH_UNITS
    )


class _Sums(NamedTuple):
    """Sums over units: the value, its variance, the sizes of units, their squares, and their number."""

    value: float
    variance: float
    size: float
    squares: float
    n_units: float


def _estimate(sums: _Sums, level: float, *, difference: bool) -> BucketEstimate:
    effective = sums.size**2 / sums.squares if sums.squares else 1.0
    estimate = Estimate(sums.value, sums.variance, max(effective - 1, 1.0), int(sums.n_units))
    more = (OBSERVATION / sums.size) ** 2 if difference and sums.size else 0.0
    estimate = estimate._replace(variance=sums.variance + more)
    interval = _interval_of(estimate, level, difference=difference)
    return BucketEstimate(interval, int(sums.n_units), effective < ENOUGH_UNITS, estimate, more)


def _interval_of(estimate: Estimate, level: float, *, difference: bool) -> Interval | None:
    if not difference:
        return estimate.score_interval(level)
    interval = estimate.interval(level)
    return None if interval is None else (max(-1.0, interval[0]), min(1.0, interval[1]))


def mean_estimate(some: Sequence[BucketEstimate], level: float, *, difference: bool = False) -> BucketEstimate:
    """Return the estimate of the mean of a bucket's values on several test sets."""
    estimate = _mean(some, level, difference=difference)
    return estimate._replace(uncertain=estimate.uncertain or estimate.n_units < ENOUGH_UNITS)


def mean_gain_estimate(some: Sequence[BucketEstimate], level: float) -> BucketEstimate:
    """Return the estimate of the mean gain of a repair over test sets."""
    mean, affected = _mean(some, level, difference=True), sum(estimate.n_units for estimate in some)
    interval = None if mean.interval is None else (max(0.0, mean.interval[0]), mean.interval[1])  # never a loss
    return mean._replace(interval=interval, n_units=affected, uncertain=mean.uncertain or affected < ENOUGH_UNITS)


def _mean(some: Sequence[BucketEstimate], level: float, *, difference: bool) -> BucketEstimate:
    """The mean of values on several test sets; variances add up, and one test set has the additional observation."""
    each, n = [estimate.jackknife for estimate in some], len(some)
    variances = [estimate.jackknife.variance - estimate.observation for estimate in some]
    parts = math.fsum(variance**2 / estimate.freedom for variance, estimate in zip(variances, each, strict=True))
    freedom = math.fsum(variances) ** 2 / parts if parts else math.fsum(estimate.freedom for estimate in each)
    n_units = (
        0 if min(estimate.n_units for estimate in each) < 2 and n > 1 else sum(estimate.n_units for estimate in each)
    )
    more = max(estimate.observation for estimate in some)
    mean = Estimate(
        math.fsum(estimate.value for estimate in each) / n, (math.fsum(variances) + more) / n**2, freedom, n_units
    )
    interval = _interval_of(mean, level, difference=difference)
    return BucketEstimate(interval, n_units, freedom + 1 < ENOUGH_UNITS, mean, more / n**2)
