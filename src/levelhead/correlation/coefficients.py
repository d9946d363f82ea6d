"""Correlation coefficients of weighted samples: Pearson's and Spearman's, also as partial correlations.

A sample without some of its rows is the sample with weights of 0 and 1. So one vectorized function computes the
coefficients of the sample and those without a row or a family.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from statistics import NormalDist
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.measurements import Measurements, check_sizes
from levelhead.errors import Fault, InputError
from levelhead.immutable import immutable
from levelhead.tables.data import MEASURE_COLUMN, TREEBANK_COLUMN, DataColumn, Layout
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance

Numbers = NDArray[np.float64]
Method = Literal["pearson", "spearman"]

CONSTANT = 1e-12  # of standardized columns: smaller variances are due to rounding
AT_ONCE = 2_000_000  # cells of samples held in memory at a time


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


SKEWED = 1.0
"""The skewness, up or down, above which a column is skewed: Pearson's intervals do not hold (docs/validation.md)."""


def skewness(values: Numbers) -> Numbers:
    """Return the skewness of each column (the third moment of its standardized values), float64, shape (columns,)."""
    return np.asarray((_standardized(values) ** 3).mean(axis=0))


FEWEST_ROWS = 4  # for an interval, plus the number of given columns
_MOST = 1 - 1e-12  # Pearson's coefficients nearer to 1 differ from it by rounding
_SMALLEST_P = 1e-12


class FisherZ(NamedTuple):
    """The correlations of all pairs of columns on Fisher's scale."""

    r: Numbers  # the coefficients, float64, shape (columns, columns)
    z: Numbers  # their transformation atanh(r), in the same shape
    # the standard errors of z; NaN with too few rows, or if a column is constant without one of the rows
    errors: Numbers

    def test(self, i: int, j: int, level: float) -> tuple[float | None, float | None, float | None]:
        """Return the confidence interval of a coefficient and its two-sided p-value, both from the same statistic.

        p is below 1 - level exactly if the interval excludes 0; it tests whether the coefficient is 0, not whether the
        columns are independent.
        """
        r, z, error = (float(matrix[i, j]) for matrix in self)
        if math.isnan(error):
            return None, None, None
        half = NormalDist().inv_cdf((1 + level) / 2) * error
        p = max(_SMALLEST_P, math.erfc(abs(z) / error / math.sqrt(2)))
        return min(r, math.tanh(z - half)), max(r, math.tanh(z + half)), p


def fisher_z(values: Numbers, method: Method, n_given: int = 0) -> FisherZ:
    """Return the correlations of columns with standard errors, from leaving out one row at a time.

    The standard error is the larger of the jackknife's and Bonett and Wright's (2000), sqrt((1 + r^2 / 2) / (n - 3)),
    which is right for ranks of normal columns, and too large for their values; docs/validation.md has the coverage. A
    given column counts as one row less.
    """
    n_rows = len(values)
    n = n_rows - n_given
    r = correlations(values, np.ones((1, n_rows)), method, n_given)[0]
    # the limit is halfway between 1 and the next value of Spearman's coefficient without ties
    most = 1 - 6 / (n * (n**2 - 1)) if method == "spearman" else _MOST
    limited = np.clip(r, -most, most)
    if n < FEWEST_ROWS:
        return FisherZ(r, np.arctanh(limited), np.full_like(r, np.nan))
    moved, squared = np.zeros_like(r), np.zeros_like(r)
    step = max(1, AT_ONCE // max(values.size, r.size))
    for at in range(0, n_rows, step):
        others = 1.0 - np.eye(min(step, n_rows - at), n_rows, at)
        moves = correlations(values, others, method, n_given) - r
        moved += moves.sum(axis=0)
        squared += (moves**2).sum(axis=0)
    variances = (n_rows - 1) / n_rows * np.maximum(squared - moved**2 / n_rows, 0.0)
    errors = np.maximum(np.sqrt(variances) / (1 - limited**2), np.sqrt((1 + limited**2 / 2) / (n - 3)))
    return FisherZ(r, np.arctanh(limited), errors)


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


@immutable
class CumulativeVariances(Tabular):
    """The variances of measures as treebanks are added in top-scoring order.

    Args:
        variances: the variances of each measure.
        provenance: the provenance of the numbers; its notes list what was left out.
    """

    KIND: ClassVar[str] = "cumulative-variance"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "variances": (
            MEASURE_COLUMN, DataColumn("n_treebanks", "integer", "The number of the best treebanks", limits=(0,)),
            TREEBANK_COLUMN._replace(about="The last of them"),
            DataColumn(
                *("variance", "number"),
                "The sample variance, in squared units of the measure; null for a single treebank",
                optional=True,
            ),
        )
    }  # fmt: skip
    PLACES = 6

    variances: Mapping[str, CumulativeVariance]
    provenance: Provenance

    def _variances_rows(self) -> Iterator[tuple[Any, ...]]:
        for measure, (treebanks, variances) in self.variances.items():
            for n, (treebank, variance) in enumerate(zip(treebanks, (None, *variances.tolist()), strict=True), 1):
                yield measure, n, treebank, variance

    def table(self) -> Table:
        """Return the variance of the best k scores, one row per k, one column per measure."""
        columns = (Column("Treebanks", "number"), *(Column(name, "number") for name in self.variances))
        by_size = zip_longest(*(variance.variances.tolist() for variance in self.variances.values()), fillvalue="")
        rows = tuple((size, *cells) for size, cells in enumerate(by_size, 2))
        orders = tuple(f"{name}: {' '.join(variance.treebanks)}" for name, variance in self.variances.items())
        return Table(columns, rows, orders).signed(self.provenance)


def cumulative_variances(table: Measurements, columns: Sequence[str] = ()) -> CumulativeVariances:
    """Return the cumulative variance of columns of numbers, by default of all."""
    chosen = columns or tuple(table.numbers)
    if not chosen:
        raise InputError(Fault("invalid-table", "no column has numbers"))
    check_sizes(table, chosen)
    variances = {name: cumulative_variance(table.treebanks, table.number(name)) for name in chosen}
    return CumulativeVariances(variances, table.provenance)
