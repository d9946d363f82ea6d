"""Correlation coefficients of weighted samples: Pearson's and Spearman's, also as partial correlations.

A bootstrap resample is the sample with weights, the number of times each row was drawn. So one vectorized function
computes the coefficients of the sample and of all resamples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.measurements import Measurements
from levelhead.errors import Fault, InputError
from levelhead.extras import missing_library
from levelhead.significance.resampling import Seed, random_orders, resampled_weights
from levelhead.tables.documents import header, signature_line
from levelhead.tables.table import Column, Table

Numbers = NDArray[np.float64]
Method = Literal["pearson", "spearman"]

CONSTANT = 1e-12  # of standardized columns: smaller variances are due to rounding
AT_ONCE = 2_000_000  # cells of resamples held in memory at a time


def _standardized(values: Numbers) -> Numbers:
    """Columns with mean 0 and standard deviation 1, float64, shape (rows, columns); constant columns are 0."""
    scale = np.abs(values).max(axis=0)
    scaled = values / np.where(scale > 0, scale, 1)  # squares must not overflow or underflow
    centered = scaled - scaled.mean(axis=0)
    deviation = np.sqrt((centered**2).mean(axis=0))
    varies = values.max(axis=0) > values.min(axis=0)
    return np.where(varies, centered / np.where(deviation > 0, deviation, 1), 0.0)


def midranks(column: Numbers, weights: Numbers) -> Numbers:
    """Return the rank of each row, with the mean rank for equal values, float64, shape (samples, rows)."""
    order = np.argsort(column, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(column[order]) != 0]))
    group = np.empty(len(column), dtype=np.int64)
    group[order] = np.repeat(np.arange(len(starts)), np.diff([*starts, len(column)]))
    sizes = np.add.reduceat(weights[:, order], starts, axis=1)
    return (np.cumsum(sizes, axis=1) - (sizes - 1) / 2)[:, group]


def ranked(values: Numbers) -> Numbers:
    """Return the midranks of each column, float64, shape (rows, columns)."""
    return np.stack([midranks(column, np.ones((1, len(values))))[0] for column in values.T], axis=1)


def correlations(values: Numbers, weights: Numbers, method: Method = "pearson", n_given: int = 0) -> Numbers:
    """Return the correlation matrices of samples, float64, shape (samples, columns - given, columns - given).

    Partial correlation is that of the residuals of linear regression on the given columns (with Spearman's, of
    ranks), computed as the Schur complement of their covariances. NaN if a column is constant.
    """
    if method == "spearman":
        columns = np.stack([midranks(column, weights) / len(values) for column in values.T], axis=2)
    else:
        columns = _standardized(values)[None]
    total = weights.sum(axis=1)[:, None]
    mean = np.einsum("sr,srk->sk", weights, np.broadcast_to(columns, (len(weights), *values.shape))) / total
    deviations = (columns - mean[:, None, :]) * np.sqrt(weights / total)[:, :, None]
    covariances = deviations.transpose(0, 2, 1) @ deviations
    if n_given:
        n = covariances.shape[1] - n_given
        between, given = covariances[:, :n, n:], covariances[:, n:, n:]
        explained = between @ np.linalg.pinv(given, hermitian=True) @ between.transpose(0, 2, 1)
        covariances = covariances[:, :n, :n] - explained
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    deviations = np.sqrt(np.where(variances > CONSTANT, variances, np.nan))
    return np.asarray(np.clip(covariances / (deviations[:, :, None] * deviations[:, None, :]), -1.0, 1.0))


def intervals(
    values: Numbers, method: Method, n_given: int, n_resamples: int, level: float, seed: Seed
) -> tuple[Numbers, Numbers]:
    """Return the lower and upper ends of the bootstrap intervals of all pairs, each float64, shape (columns, columns).

    NaN if no resample has a value. Only the tails needed for quantiles are kept, so that memory does not grow with the
    number of resamples times the number of pairs.
    """
    draws = resampled_weights(len(values), n_resamples, seed)
    n = values.shape[1] - n_given
    step = max(1, AT_ONCE // max(values.size, n * n))
    tail = (1 - level) / 2
    kept = min(n_resamples, math.floor(tail * (n_resamples - 1)) + 2)
    lowest, highest = np.empty((0, n, n)), np.empty((0, n, n))  # negated for the upper tail
    known = np.zeros((n, n), dtype=np.int64)
    for at in range(0, n_resamples, step):
        block = correlations(values, draws[at : at + step], method, n_given)
        known += (~np.isnan(block)).sum(axis=0)
        lowest, highest = _lowest(lowest, block, kept), _lowest(highest, -block, kept)
    return _quantile(lowest, known, tail), -_quantile(highest, known, tail)


def _lowest(known: Numbers, block: Numbers, n: int) -> Numbers:
    """The n lowest values of each pair among the known values and those of a block; NaN counts as the highest."""
    values = np.concatenate([known, block])
    return values if len(values) <= n else np.partition(values, n - 1, axis=0)[:n].copy()


def _quantile(lowest: Numbers, known: NDArray[np.int64], share: float) -> Numbers:
    """The quantile of each pair from its lowest values, which are sorted, interpolated as by `numpy.quantile`."""
    lowest.sort(axis=0)
    place = share * np.maximum(known - 1, 0)
    before = np.floor(place).astype(np.int64)
    after = np.minimum(before + 1, np.maximum(known - 1, 0))
    low, high = (np.take_along_axis(lowest, rows[None], axis=0)[0] for rows in (before, after))
    part = place - before
    return np.asarray(np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part)))


def interval(statistics: Numbers, level: float) -> tuple[float | None, float | None]:
    """Return the percentile interval of bootstrap statistics; resamples without a value are left out."""
    known = statistics[~np.isnan(statistics)]
    if not len(known):
        return None, None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def p_value(coefficient: float, n_rows: int, n_given: int = 0) -> float | None:
    """Return the two-sided p-value of a correlation by Student's t with n - 2 - given degrees of freedom.

    The t distribution is valid for normal variables. It has no lower limit, so p is limited to at least 1 / (n -
    given)!, the minimum of a permutation test of as many independent rows.
    """
    if (freedom := n_rows - 2 - n_given) < 1:
        return None
    try:
        from scipy.special import betainc
    except ImportError as error:
        raise InputError(missing_library("scipy", "p-values")) from error
    p = float(betainc(freedom / 2, 0.5, 1 - coefficient**2))  # = P(|t| > ...) of t = r sqrt(freedom / (1 - r^2))
    return max(p, math.exp(-math.lgamma(n_rows - n_given + 1)))


MOST_EXACT = 9  # the maximum number of rows for using all orders (362,880)

_TIED = 1e-9  # smaller differences are ties: sums in another order differ by rounding
_CELLS_AT_ONCE = 60_000  # cells computed at a time: fastest if they fit into the cache of a core


def permutation_p_values(values: Numbers, method: Method, n_resamples: int, seed: Seed) -> Numbers:
    """Return the two-sided p-value of the correlation of each pair of columns, float64, shape (columns, columns).

    It is the share of orders of one column with a coefficient at least as far from 0 as the observed one. Up
    to `MOST_EXACT` rows, all orders are used: p is exact and at least 1/n!. With more rows, the orders are random:
    p is (1 + reached) / (1 + resamples), so it is never 0 and at least 1 / (1 + resamples) (Phipson and Smyth 2010).
    Only the upper triangle is filled; the rest is NaN. A constant column has p = 1.
    """
    n_rows, n_columns = values.shape
    exact = n_rows <= MOST_EXACT
    columns = _standardized(ranked(values) if method == "spearman" else values)
    least = np.abs(columns.T @ columns) - _TIED * n_rows
    n_reached = np.zeros((n_columns, n_columns))
    step = max(1, _CELLS_AT_ONCE // max(n_rows, n_columns))
    every = _permutations(n_rows) if exact else np.empty((0, n_rows), dtype=np.int8)
    in_blocks = (every[at : at + step] for at in range(0, len(every), step))
    for orders in in_blocks if exact else random_orders(n_rows, n_resamples, seed, step):
        places = orders.T.astype(np.intp)
        for i in range(n_columns - 1):
            products = np.abs(columns[:, i + 1 :].T @ columns[:, i][places])
            n_reached[i, i + 1 :] += np.count_nonzero(products >= least[i, i + 1 :, None], axis=1)
    p = n_reached / len(every) if exact else (1 + n_reached) / (1 + n_resamples)
    return np.where(np.triu(np.ones_like(p), k=1) > 0, p, np.nan)


@lru_cache(maxsize=MOST_EXACT)
def _permutations(n: int) -> NDArray[np.int8]:
    """All orders of n rows, int8, shape (n!, n)."""
    orders = np.zeros((1, 0), dtype=np.int8)
    for size in range(n):  # the new row at each position of every shorter order
        new = np.full((len(orders), 1), size, dtype=np.int8)
        parts = [np.concatenate([orders[:, :at], new, orders[:, at:]], axis=1) for at in range(size + 1)]
        orders = np.concatenate(parts)
    return orders


class CumulativeVariance(NamedTuple):
    """The variance of a measure as treebanks are added in top-scoring order.

    Args:
        treebanks: the treebanks in the order in which they are added.
        variances: the variances of the first two, three, ... of them, float64, shape (treebanks - 1,).
    """

    treebanks: tuple[str, ...]
    variances: NDArray[np.float64]


def cumulative_variance(treebanks: tuple[str, ...], scores: NDArray[np.float64]) -> CumulativeVariance:
    """Return the variance of the best k scores for every k from 2 (Callin, figure 5).

    It is the sample variance (n - 1), as in his program. Each measure has its own order.

    Args:
        treebanks: their names.
        scores: the scores, shape (treebanks,); treebanks without one (NaN) are left out.

    Raises:
        InputError: fewer than two treebanks have a score.
    """
    known = np.flatnonzero(~np.isnan(scores))
    if len(known) < 2:
        raise InputError(Fault("too-few-treebanks", f"a variance requires at least two treebanks, not {len(known)}"))
    order = known[np.argsort(-scores[known], kind="stable")]
    best = scores[order]
    variances = np.array([best[:k].var(ddof=1) for k in range(2, len(best) + 1)])
    return CumulativeVariance(tuple(treebanks[i] for i in order), variances)


def variance_table(variances: Mapping[str, CumulativeVariance], table: Measurements) -> Table:
    """Return the variance of the best k scores, one row per k, one column per measure."""
    columns = (Column("Treebanks", "number"), *(Column(name, "number") for name in variances))
    by_size = zip_longest(*(variance.variances.tolist() for variance in variances.values()), fillvalue="")
    rows = tuple((size, *cells) for size, cells in enumerate(by_size, 2))
    orders = tuple(f"{name}: {' '.join(variance.treebanks)}" for name, variance in variances.items())
    return Table(columns, rows, (*orders, *table.notes, signature_line(table.signature())))


def variance_document(variances: Mapping[str, CumulativeVariance], table: Measurements) -> dict[str, Any]:
    return {
        **header("cumulative-variance"),
        "signature": table.signature(),
        "notes": list(table.notes),
        "measures": {
            name: {"treebanks": list(variance.treebanks), "variances": variance.variances.tolist()}
            for name, variance in variances.items()
        },
    }
