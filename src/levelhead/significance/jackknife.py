"""Standard errors of scores and of parts of a score, from leaving out one unit at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.scoring.counts import Counts
from levelhead.scoring.measure import Component
from levelhead.significance.estimates import Estimate, Sums, rescaled
from levelhead.significance.resampling import CELLS
from levelhead.significance.units import ENOUGH_UNITS, Units
from levelhead.tables.data import NOT_A_COLUMN, PercentInterval


class Run(NamedTuple):
    """One output of one system on one treebank.

    Args:
        system: the name of the system; several runs (seeds) can have the same name.
        counts: for each measure, the counts in every sentence, and the ratio to compute from these counts, such as
            "f1".
    """

    system: str
    counts: Mapping[str, tuple[Counts, Component]]


class SystemCounts(NamedTuple):
    """The counts of all runs and measures on one treebank.

    Args:
        systems: the name of each run's system.
        measures: the measures.
        parts: for every sentence, run and measure, the numerator and the denominator of the measure's value; float64,
            shape (sentences, runs, measures, 2).
        perplexities: the indices of the measures that are perplexities.
        counted: whether `parts` contains counts, such as numbers of correct words; False if only scores are known.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    parts: Sums
    perplexities: tuple[int, ...] = ()
    counted: bool = True

    @property
    def are_ratios(self) -> NDArray[np.bool_]:
        """For each measure, whether its value is a ratio of counts; bool, shape (measures,)."""
        return self.counted & ~np.isin(np.arange(len(self.measures)), self.perplexities)

    def values(self, sums: Sums) -> Sums:
        """Return the value of each measure from sums of `parts`; NaN if the denominator is 0.

        The value is the ratio of the sums; a perplexity is 10 to the power of this ratio.
        """
        values = ratios(sums)
        powers = list(self.perplexities)
        values[..., powers] = 10.0 ** values[..., powers]
        return values


def system_counts(runs: Sequence[Run]) -> SystemCounts:
    """Return the counts of runs on one treebank.

    Args:
        runs: the runs, which must have the same measures and sentences.
    """
    measures = tuple(runs[0].counts)
    parts = [np.stack([_parts(*run.counts[measure]) for measure in measures], axis=1) for run in runs]
    powers = tuple(i for i, name in enumerate(measures) if runs[0].counts[name][1] == "perplexity")
    return SystemCounts(tuple(run.system for run in runs), measures, np.stack(parts, axis=1), powers)


def _parts(counts: Counts, component: Component) -> Sums:
    """Numerator and denominator of a ratio, shape (sentences, 2); F1 = 2 correct / (system + gold)."""
    if component == "f1":
        return np.stack([2.0 * counts.correct, counts.system + counts.gold], axis=1).astype(np.float64)
    whole = {"precision": counts.system, "aligned_accuracy": counts.aligned}.get(component, counts.gold)
    return np.stack([counts.correct, counts.correct * 0 if whole is None else whole], axis=1).astype(np.float64)


def ratios(parts: Sums) -> Sums:
    """Return numerators divided by denominators, nan if there is nothing to count; shape without the last axis."""
    whole = parts[..., 1]
    return np.asarray(np.divide(parts[..., 0], whole, out=np.full(whole.shape, np.nan), where=whole != 0))


OBSERVATION = 2.0
"""What one word adds to the numerator of an F1 score: 1 for precision and recall, so their intervals are wider."""

_AT_ONCE = 1 << 14


class Stratum(NamedTuple):
    """The effect of each unit of a test set on the values."""

    moves: Sums  # the value without the unit minus the value, shape (units, runs, measures)
    sizes: Sums  # the denominators, same shape
    is_ratio: NDArray[np.bool_]  # whether a measure is a ratio of counts (a perplexity is not), shape (measures,)
    share: float | Sums = 1.0  # the weight of the test set in the value, or one for each (run, measure)

    def scaled(self, share: float) -> Stratum:
        return self._replace(moves=share * self.moves, share=share * self.share)


class Spread(NamedTuple):
    """The error of an estimate."""

    variance: float
    freedom: float  # the degrees of freedom of the variance
    n_units: int  # units with counts; 0 if one of several strata has fewer than two
    observation: float  # the variance due to one additional observation with a different outcome
    third: float = 0.0  # the sum of the cubed effects of units
    largest: float = 0.0  # the largest squared effect of a unit
    unit: tuple[int, int] = (0, 0)  # the stratum and the number of the unit with the largest effect

    def scaled(self, share: float) -> Spread:
        return self._replace(
            variance=share**2 * self.variance,
            observation=share**2 * self.observation,
            third=share**3 * self.third,
            largest=share**2 * self.largest,
        )

    def estimate(
        self, value: float, *, difference: bool, runs: Sequence[tuple[float, int]] = (), disagreement: float = 0.0
    ) -> Estimate:
        """Return an estimate with this error and the errors of `runs`; a `difference` gets one more observation."""
        variance = max(0.0, self.variance + (self.observation if difference else 0.0) - disagreement)
        skewness = max(-1.0, min(1.0, self.third / variance**1.5)) if variance else 0.0
        return Estimate(value, variance, self.freedom, self.n_units, tuple(runs), skewness)


def leave_out(table: SystemCounts) -> Stratum:
    """Return the effect of each unit on the values on a test set."""
    total = table.parts.sum(axis=0)
    value = table.values(total)
    moves = np.empty(table.parts.shape[:-1])
    for first in range(0, len(moves), _AT_ONCE):  # millions of units are possible
        rows = slice(first, first + _AT_ONCE)
        moves[rows] = np.nan_to_num(table.values(total - table.parts[rows]) - value)
    return Stratum(moves, table.parts[..., 1], table.are_ratios)


def leave_out_of(tables: Sequence[SystemCounts]) -> list[Stratum]:
    """Return the effect of each unit on the values of all test sets together, whose sizes stay the same."""
    totals = [table.parts.sum(axis=0) for table in tables]
    whole: Sums = np.sum(totals, axis=0)
    strata = []
    for table, total in zip(tables, totals, strict=True):
        sizes = table.parts[..., 1]
        n_units = np.count_nonzero(sizes, axis=0)[..., None]
        without = whole - total + (total - table.parts) * (n_units / np.maximum(1, n_units - 1))
        moves = np.where(sizes == 0, 0.0, np.nan_to_num(table.values(without) - table.values(whole)))
        strata.append(Stratum(moves, sizes, table.are_ratios, total[..., 1] / np.maximum(1, whole[..., 1])))
    return strata


def joined(strata: Sequence[Stratum], units: Sequence[NDArray[np.int64]]) -> Stratum:
    """Return test sets that share units as one stratum: the effects of a unit on all of them add up."""
    n_units = 1 + max(int(numbers.max(initial=-1)) for numbers in units)
    moves, sizes = np.zeros((2, n_units, *strata[0].moves.shape[1:]))
    for stratum, numbers in zip(strata, units, strict=True):
        np.add.at(moves, numbers, stratum.moves)
        np.add.at(sizes, numbers, stratum.sizes)
    return Stratum(moves, sizes, strata[0].is_ratio, sum(stratum.share for stratum in strata))


Contrast = Sequence[Sequence[int]]
"""The runs of a system, whose mean is estimated; or those of two systems, whose means are subtracted."""


def spread_of(strata: Sequence[Stratum], contrast: Contrast, measure: int) -> Spread:
    """Return the error of one contrast, see `spreads_of`."""
    (spread,) = spreads_of(strata, [contrast], measure)
    return spread


def spreads_of(strata: Sequence[Stratum], contrasts: Sequence[Contrast], measure: int) -> list[Spread]:
    """Return the error of the mean of some runs, or of its difference from that of others, for each contrast."""
    # The delete-one-unit jackknife (Tukey 1958) without its factor (n - 1) / n, the most reliable with few clusters
    # (MacKinnon, Nielsen and Webb 2023). Its degrees of freedom are the effective number of units (Kish 1965) minus
    # one, as simulations in docs/significance.md justify; those of several strata are combined by Satterthwaite (1946).
    if not contrasts:
        return []
    weights = np.zeros((strata[0].moves.shape[1], len(contrasts)))
    for number, contrast in enumerate(contrasts):
        for sign, runs in zip((1, -1), contrast, strict=False):
            weights[list(runs), number] += sign / len(runs)
    each = [_spreads(number, stratum, weights, measure) for number, stratum in enumerate(strata)]
    return [spread_of_sum(of_contrast) for of_contrast in zip(*each, strict=True)]


def _spreads(number: int, stratum: Stratum, weights: Sums, measure: int) -> list[Spread]:
    """The error of each contrast on one stratum, by its weights, shape (runs, contrasts)."""
    involved = (weights != 0) / np.count_nonzero(weights, axis=0)
    n = weights.shape[1]
    sums = np.zeros((5, n))  # of squared and cubed effects, of sizes and their squares, and of units with counts
    largest, unit = np.zeros(n), np.zeros(n, dtype=np.int64)
    step = max(1, CELLS // n)
    for first in range(0, len(stratum.moves), step):
        rows = slice(first, first + step)
        moved, sizes = stratum.moves[rows, :, measure] @ weights, stratum.sizes[rows, :, measure] @ involved
        squares = moved**2
        sums += [
            squares.sum(axis=0),
            -(squares * moved).sum(axis=0),
            sizes.sum(axis=0),
            (sizes**2).sum(axis=0),
            np.count_nonzero(sizes, axis=0),
        ]
        row = squares.argmax(axis=0)
        most = squares[row, np.arange(n)]
        unit = np.where(most > largest, first + row, unit)
        largest = np.maximum(largest, most)
    shares = np.broadcast_to(stratum.share, stratum.sizes.shape[1:])[:, measure] @ involved
    spreads = []
    columns = zip(*sums.tolist(), shares.tolist(), largest.tolist(), unit.tolist(), strict=True)
    for variance, third, total, squared, n_units, share, most_moved, row in columns:
        effective = total**2 / squared if total else 1.0
        observation = share * OBSERVATION / total if total and stratum.is_ratio[measure] else 0.0
        freedom = max(effective - 1, 1.0)
        spreads.append(Spread(variance, freedom, int(n_units), observation**2, third, most_moved, (number, row)))
    return spreads


def spread_of_sum(each: Sequence[Spread]) -> Spread:
    """Return the error of the sum of independent estimates, see `spreads_of`."""
    if len(each) == 1:
        return each[0]
    variance = math.fsum(spread.variance for spread in each)
    parts = math.fsum(spread.variance**2 / spread.freedom for spread in each)
    freedom = variance**2 / parts if parts > 0 else math.fsum(spread.freedom for spread in each)
    too_few = min(spread.n_units for spread in each) < 2
    n_units = 0 if too_few else sum(spread.n_units for spread in each)
    most = max(each, key=lambda spread: spread.largest)
    return Spread(
        variance,
        freedom,
        n_units,
        max(spread.observation for spread in each),
        math.fsum(spread.third for spread in each),
        most.largest,
        most.unit,
    )


def disagreement_of(strata: Sequence[Stratum], runs: Sequence[int], measure: int) -> float:
    """Return the part of the variance of a mean of runs due to the interaction of units and runs."""
    if len(runs) == 1:
        return 0.0
    moves = np.concatenate([stratum.moves[:, list(runs), measure] for stratum in strata])
    apart = moves - moves.mean(axis=1, keepdims=True)
    return float((apart**2).sum()) / (len(runs) - 1) / len(runs)


class IntervalSettings(NamedTuple):
    """The settings of intervals of parts of a score."""

    units: Units  # of the gold treebank
    level: float = 0.95


class BucketEstimate(NamedTuple):
    """The estimate of the value of a bucket, with its confidence interval.

    Args:
        interval: its confidence interval; None with fewer than 10 units.
        n_units: the number of units with counts in the bucket.
        uncertain: whether the interval is based on fewer than 20 units, or on very uneven ones.
        jackknife: the value as a ratio, with its error.
        observation: for differences, the part of the variance due to one additional observation.
    """

    interval: PercentInterval | None
    n_units: int
    uncertain: bool
    jackknife: Annotated[Estimate, NOT_A_COLUMN]
    observation: Annotated[float, NOT_A_COLUMN] = 0.0


class UnitParts(NamedTuple):
    """Numerators and denominators by unit and bucket, except where both are 0."""

    buckets: NDArray[np.int64]  # of each row
    parts: Sums  # shape (rows, systems, 2)
    n_units: NDArray[np.int64]  # with these parts
    n_buckets: int


def bucket_estimates(found: UnitParts, level: float) -> list[BucketEstimate]:
    """Return the estimate of each bucket; for two systems, of the difference (second minus first)."""
    n, buckets, n_units = found.n_buckets, found.buckets, found.n_units
    totals = np.zeros((n, *found.parts.shape[1:]))
    np.add.at(totals, buckets, found.parts * n_units[:, None, None])
    sign = np.array([1.0] if found.parts.shape[1] == 1 else [-1.0, 1.0])
    sums = [np.bincount(buckets, n_units * each, n) for each in _terms(found.parts, totals[buckets], sign)]
    columns = zip(*(numbers.tolist() for numbers in (ratios(totals) @ sign, *sums)), strict=True)
    return [_estimate(column, level, difference=len(sign) == 2) for column in columns]


def gain_estimate(before: Sums, after: Sums, n_units: NDArray[np.int64], affected: int, level: float) -> BucketEstimate:
    """Return the estimate of the gain of a repair: the value after it minus the value before."""
    both = np.stack([before, after], axis=1)
    whole = np.tensordot(n_units, both, axes=1)
    sign = np.array([-1.0, 1.0])
    sums = [float(n_units @ each) for each in _terms(both, whole, sign)]
    return _gain(_estimate([float(ratios(whole) @ sign), *sums], level, difference=True), affected)


def _terms(parts: Sums, whole: Sums, sign: Sums) -> tuple[Sums, ...]:
    """The squared effect of each unit, its size, its squared size, and whether it has counts, for `_estimate`."""
    moved = np.nan_to_num(ratios(whole - parts) - ratios(whole)) @ sign
    sizes = parts[..., 1].mean(axis=1)
    return moved**2, sizes, sizes**2, sizes > 0


def _estimate(sums: Sequence[float], level: float, *, difference: bool) -> BucketEstimate:
    """Return an estimate from its value and the sums of `_terms` over units."""
    value, variance, size, squares, n_units = sums
    effective = size**2 / squares if squares else 1.0
    more = (OBSERVATION / size) ** 2 if difference and size else 0.0
    estimate = Estimate(value, variance + more, max(effective - 1, 1.0), int(n_units))
    interval = (estimate.difference_interval if difference else estimate.score_interval)(level)
    return BucketEstimate(rescaled(interval, 100), int(n_units), effective < ENOUGH_UNITS, estimate, more)


def mean_estimate(some: Sequence[BucketEstimate], level: float, *, difference: bool = False) -> BucketEstimate:
    """Return the estimate of a bucket's mean over test sets: variances add up, with one additional observation."""
    each = [bucket.jackknife for bucket in some]
    more = [bucket.observation for bucket in some]
    n = len(some)
    spread = spread_of_sum([Spread(e.variance - extra, e.freedom, e.n_units, extra) for e, extra in zip(each, more)])
    value, variance = math.fsum(estimate.value for estimate in each) / n, (spread.variance + spread.observation) / n**2
    mean = Estimate(value, variance, spread.freedom, spread.n_units)
    interval = (mean.difference_interval if difference else mean.score_interval)(level)
    uncertain = min(spread.freedom + 1, spread.n_units) < ENOUGH_UNITS
    return BucketEstimate(rescaled(interval, 100), spread.n_units, uncertain, mean, spread.observation / n**2)


def mean_gain_estimate(some: Sequence[BucketEstimate], level: float) -> BucketEstimate:
    """Return the estimate of the mean gain of a repair over test sets."""
    return _gain(mean_estimate(some, level, difference=True), sum(estimate.n_units for estimate in some))


def _gain(estimate: BucketEstimate, affected: int) -> BucketEstimate:
    """Return the estimate of a gain, which is never a loss, with the number of affected units."""
    interval = estimate.interval and (max(0.0, estimate.interval[0]), estimate.interval[1])
    uncertain = min(estimate.jackknife.freedom + 1, affected) < ENOUGH_UNITS
    return estimate._replace(interval=interval, n_units=affected, uncertain=uncertain)
