"""Standard errors from leaving out one unit at a time, with effective degrees of freedom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.system_counts import Sums, SystemCounts

OBSERVATION = 2.0
"""The contribution of one word or sentence to the numerator of an F1 score, which counts both sides.

For precision and recall it is only 1, so 2 makes their intervals wider than necessary.
"""


_AT_ONCE = 1 << 14


class Stratum(NamedTuple):
    """The effect of each unit of a test set on the values.

    Args:
        moves: the value without the unit minus the value, float64, shape (units, runs, measures).
        sizes: the denominators, float64, same shape.
        is_ratio: whether a measure is a ratio of counts (a perplexity is not), bool, shape (measures,).
        share: the weight of the test set in the value, or a weight for each run and measure, shape (runs, measures).
    """

    moves: Sums
    sizes: Sums
    is_ratio: NDArray[np.bool_]
    share: float | Sums = 1.0


class Spread(NamedTuple):
    """The error of an estimate.

    Args:
        variance: the variance of the estimate.
        freedom: the degrees of freedom of the variance.
        n_units: the number of units with counts; 0 if one of several strata has fewer than two.
        observation: the variance due to one additional observation with a different outcome.
    """

    variance: float
    freedom: float
    n_units: int
    observation: float

    def scaled(self, share: float) -> Spread:
        """Return the spread of the estimate multiplied by a number."""
        return self._replace(variance=share**2 * self.variance, observation=share**2 * self.observation)


def leave_out(table: SystemCounts, share: float = 1.0) -> Stratum:
    """Return the effect of each unit on the values on a test set."""
    total = table.parts.sum(axis=0)
    value = table.values(total)
    moves = np.empty(table.parts.shape[:-1])
    for first in range(0, len(moves), _AT_ONCE):  # millions of units are possible
        rows = slice(first, first + _AT_ONCE)
        moves[rows] = share * np.nan_to_num(table.values(total - table.parts[rows]) - value)
    return Stratum(moves, table.parts[..., 1], _ratios(table), share)


def leave_out_of(tables: Sequence[SystemCounts]) -> list[Stratum]:
    """Return the effect of each unit on the values of all test sets together, as one stratum per test set.

    A test set from which a unit is left out keeps its size: the other units with counts replace it.
    """
    totals = [table.parts.sum(axis=0) for table in tables]
    whole: Sums = np.sum(totals, axis=0)
    strata = []
    for table, total in zip(tables, totals, strict=True):
        sizes = table.parts[..., 1]
        n_units = np.count_nonzero(sizes, axis=0)[..., None]
        without = whole - total + (total - table.parts) * (n_units / np.maximum(1, n_units - 1))
        moves = np.where(sizes == 0, 0.0, np.nan_to_num(table.values(without) - table.values(whole)))
        share = total[..., 1] / np.maximum(1, whole[..., 1])
        strata.append(Stratum(moves, sizes, _ratios(table), share))
    return strata


def _ratios(table: SystemCounts) -> NDArray[np.bool_]:
    return np.array([number not in table.perplexities for number in range(len(table.measures))])


def spread_of(strata: Sequence[Stratum], contrast: Sums, measure: int) -> Spread:
    """Return the error of a linear combination of the runs' values.

    The variance is that of the delete-one-unit jackknife (Tukey 1958), without its factor (n - 1) / n: with few
    clusters, the jackknife is the most reliable cluster-robust variance (MacKinnon, Nielsen and Webb 2023). Its
    degrees of freedom are the effective number of units (Kish 1965) minus one, which is smaller where sizes are uneven.
    This choice is validated by simulations in docs/validation.md: the effective number of clusters of Carter,
    Schnepel and Steigerwald (2017) equals Kish's number only if errors within a unit are independent. The degrees of
    freedom of several strata are combined by Satterthwaite's (1946) formula.
    """
    return spread_of_sum([_spread_in(stratum, contrast, measure) for stratum in strata])


def spread_of_sum(each: Sequence[Spread]) -> Spread:
    """Return the error of the sum of independent estimates, see `spread_of`."""
    variance = math.fsum(spread.variance for spread in each)
    parts = math.fsum(spread.variance**2 / spread.freedom for spread in each)
    freedom = variance**2 / parts if parts > 0 else math.fsum(spread.freedom for spread in each)
    too_few = len(each) > 1 and min(spread.n_units for spread in each) < 2
    n_units = 0 if too_few else sum(spread.n_units for spread in each)
    return Spread(variance, freedom, n_units, max(spread.observation for spread in each))


def _spread_in(stratum: Stratum, contrast: Sums, measure: int) -> Spread:
    involved = contrast != 0
    sizes = stratum.sizes[:, involved, measure].mean(axis=1)
    moved = stratum.moves[:, involved, measure] @ contrast[involved]
    total = float(sizes.sum())
    effective = total**2 / float(sizes @ sizes) if total else 1.0
    share = float(np.broadcast_to(stratum.share, stratum.sizes.shape[1:])[involved, measure].mean())
    observation = share * OBSERVATION / total if total and stratum.is_ratio[measure] else 0.0
    return Spread(float(moved @ moved), max(effective - 1, 1.0), int(np.count_nonzero(sizes)), observation**2)


def disagreement_of(strata: Sequence[Stratum], runs: Sequence[int], measure: int) -> float:
    """Return the part of the variance of a mean of runs due to the interaction of units and runs."""
    if len(runs) == 1:
        return 0.0
    own = np.concatenate([stratum.moves[:, list(runs), measure] for stratum in strata])
    apart = own - own.mean(axis=1, keepdims=True)
    return float((apart**2).sum()) / (len(runs) - 1) / len(runs)
