"""Correlation coefficients of weighted samples: Pearson's and Spearman's, also as partial correlations.

A sample without some of its rows is the sample with weights of 0 and 1. So one vectorized function computes the
coefficients of the sample and those without a row or a family. Languages have one vote, and correlations are checked
without and within language families.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, zip_longest
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.measurements import NO_VALUE, Measurements, check_sizes
from levelhead.errors import Fault, InputError, listed, quoted
from levelhead.immutable import immutable
from levelhead.significance.resampling import Seed, random_orders_within
from levelhead.tables.data import MEASURE_COLUMN, NOT_A_COLUMN, TREEBANK_COLUMN, DataColumn, Layout, Probability
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance
from levelhead.typology.languages import LANGUAGE_COLUMNS, language_cells

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
    """Return the correlation matrix of each sample, shape (samples, columns - n_given, columns - n_given).

    If `n_given` is not 0, these are partial correlations, which control for the last `n_given` columns.
    """
    # Partial correlations are those of residuals, by the Schur complement of covariances; NaN if a column is constant.
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
"""The skewness, up or down, above which a column is skewed: Pearson's intervals do not hold (docs/significance.md)."""


def skewness(values: Numbers) -> Numbers:
    """Return the skewness of each column, the third moment of its standardized values; float64, shape (columns,)."""
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
        """Return both ends of a coefficient's confidence interval, and the p-value of the hypothesis that it is 0."""
        r, z, error = (float(matrix[i, j]) for matrix in self)
        if math.isnan(error):
            return None, None, None
        half = NormalDist().inv_cdf((1 + level) / 2) * error
        p = max(_SMALLEST_P, math.erfc(abs(z) / error / math.sqrt(2)))
        return min(r, math.tanh(z - half)), max(r, math.tanh(z + half)), p


def fisher_z(values: Numbers, method: Method, n_given: int = 0) -> FisherZ:
    """Return the correlations of columns with standard errors, from leaving out one row at a time."""
    # The error is the larger of the jackknife's and Bonett and Wright's (2000), right for ranks of normal columns and
    # too large for their values; docs/significance.md has the coverage. A given column counts as one row less.
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
    """The variance of a measure's k highest scores, for every k.

    Args:
        treebanks: the treebanks, from the highest to the lowest score.
        variances: the variance of the scores of the first 2, 3, ... treebanks; float64, shape (treebanks - 1,).
    """

    treebanks: tuple[str, ...]
    variances: NDArray[np.float64]


def cumulative_variance(treebanks: tuple[str, ...], scores: NDArray[np.float64]) -> CumulativeVariance:
    """Return the sample variance of the k highest scores, for every k (Callin, figure 5).

    Args:
        treebanks: the names of the treebanks.
        scores: the score on each treebank, shape (treebanks,); unknown scores are NaN and are left out.

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
    """The variance of each measure's k highest scores, for every k.

    Args:
        variances: the cumulative variance of each measure.
        provenance: the settings and files behind the numbers; its notes list what was left out.
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
        """Return the variance of the k highest scores, with a row for each k and a column for each measure."""
        columns = (Column("Treebanks", "number"), *(Column(name, "number") for name in self.variances))
        by_size = zip_longest(*(variance.variances.tolist() for variance in self.variances.values()), fillvalue="")
        rows = tuple((size, *cells) for size, cells in enumerate(by_size, 2))
        orders = tuple(f"{name}: {' '.join(variance.treebanks)}" for name, variance in self.variances.items())
        return Table(columns, rows, orders).signed(self.provenance)


def cumulative_variances(table: Measurements, columns: Sequence[str] = ()) -> CumulativeVariances:
    """Return the cumulative variance of each of these columns, by default of all columns of numbers."""
    chosen = columns or tuple(table.numbers)
    if not chosen:
        raise InputError(Fault("invalid-table", "no column has numbers"))
    check_sizes(table, chosen)
    variances = {name: cumulative_variance(table.treebanks, table.number(name)) for name in chosen}
    return CumulativeVariances(variances, table.provenance)


Votes = Literal["language", "treebank"]
"""What counts once in correlations: a language (the mean of its treebanks), or each treebank."""


def languages_of(table: Measurements) -> tuple[str, ...]:
    """Return the language of each treebank, from the column `language` or UD's code in its name, or else its name."""
    named = table.texts.get(LANGUAGE_COLUMNS[0], ("",) * len(table))
    return tuple(
        text if text.lower() not in NO_VALUE else language_cells(name)[0] or name
        for text, name in zip(named, table.treebanks)
    )


def counted_once(table: Measurements, columns: Sequence[str], votes: Votes, family: str | None = None) -> Measurements:
    """Return the treebanks with values in some columns of numbers; by language, the means of a language's treebanks."""
    known = np.logical_and.reduce([~np.isnan(table.numbers[name]) for name in columns])
    table = table.rows(np.flatnonzero(known).tolist())
    if votes == "treebank" or not len(table):
        return table
    rows_of: dict[str, list[int]] = {}
    for row, language in enumerate(languages_of(table)):
        rows_of.setdefault(language, []).append(row)
    for language, rows in rows_of.items():
        families = dict.fromkeys(table.texts[family][row] for row in rows) if family is not None else ()
        if len(families) > 1:
            found = f"treebanks of {language} have several values in the column {quoted(str(family))}"
            raise InputError(Fault("invalid-table", f"{found} ({listed([*families])}): use --votes treebank"))
    means = {
        name: np.array([table.numbers[name][rows].mean() for rows in rows_of.values()], dtype=np.float64)
        for name in columns
    }
    first = table.rows([rows[0] for rows in rows_of.values()])
    names = (language if len(rows) > 1 else table.treebanks[rows[0]] for language, rows in rows_of.items())
    return replace(first, treebanks=tuple(names), numbers=means)


def notes_on_votes(table: Measurements, votes: Votes) -> list[str]:
    """Return a note that names the languages with several treebanks, if they count once."""
    treebanks_of: dict[str, list[str]] = {}
    for name, language in zip(table.treebanks, languages_of(table)):
        treebanks_of.setdefault(language, []).append(name)
    several = [f"{language} ({', '.join(names)})" for language, names in treebanks_of.items() if len(names) > 1]
    if votes == "treebank" or not several:
        return []
    return [f"one vote per language, the mean of its treebanks: {'; '.join(several)}"]


_TIED = 1e-9  # smaller differences are ties: sums in another order differ by rounding
_CELLS_AT_ONCE = 60_000  # cells computed at a time: fastest if they fit into the cache of a core

Orders = NDArray[np.intp]


class FamilyCheck(NamedTuple):
    """The check of a correlation by language families.

    Args:
        without: the coefficient if a family is left out, by family; None if too few treebanks remain.
        within: the coefficient of values minus their family's mean; None for partial correlations,
            or if values do not vary within any family.
        p: the two-sided p-value of a permutation test of independence within families.
        p_error: the Monte Carlo standard error of p; None if all orders were used.
    """

    without: Annotated[Mapping[str, float | None], NOT_A_COLUMN]
    within: float | None
    p: Probability | None
    p_error: float | None

    @property
    def extremes(self) -> tuple[tuple[float, str], tuple[float, str]] | None:
        """The lowest and the highest coefficient if one family is left out, each with the family."""
        known = [(value, family) for family, value in self.without.items() if value is not None]
        return (min(known), max(known)) if known else None


class FamilyChecks:
    """The checks of all pairs of columns, which share their random orders."""

    def __init__(
        self, values: Numbers, families: Sequence[str], method: Method, n_given: int, n_permutations: int, seed: Seed
    ) -> None:
        family = np.array(families)
        self._names = list(dict.fromkeys(families))
        kept = np.array([family != name for name in self._names])
        n_columns = values.shape[1] - n_given
        enough = kept.sum(axis=1) >= 3 + n_given
        self._without = np.full((len(kept), n_columns, n_columns), np.nan)
        self._without[enough] = correlations(values, kept[enough].astype(np.float64), method, n_given)
        self._within = self._p = np.full((n_columns, n_columns), np.nan)
        self._n_random: int | None = None
        if n_given:  # residuals are not exchangeable
            return
        groups = [np.flatnonzero(family == name) for name in self._names]
        columns = _centered(ranked(values) if method == "spearman" else values, groups)
        self._within = np.clip(columns.T @ columns, -1, 1)
        n_orders = math.prod(math.factorial(len(group)) for group in groups)
        step = max(1, _CELLS_AT_ONCE // len(values))  # the orders do not depend on the columns
        if n_orders <= n_permutations:
            self._p = _n_reached(columns, _all_orders(groups, n_orders, step)) / n_orders
        else:  # the data are one of the orders (Phipson and Smyth 2010)
            reached = _n_reached(columns, random_orders_within(groups, n_permutations, seed, step))
            self._p = (1 + reached) / (1 + n_permutations)
            self._n_random = n_permutations

    def __getitem__(self, pair: tuple[int, int]) -> FamilyCheck:
        """Return the check of two columns, the one with the lower number first."""
        without = {name: _known(r) for name, r in zip(self._names, self._without[:, *pair])}
        within = _known(self._within[pair])
        p = None if within is None else _known(self._p[pair])
        error = None if p is None or self._n_random is None else math.sqrt(p * (1 - p) / self._n_random)
        return FamilyCheck(without, within, p, error)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _centered(values: Numbers, groups: Sequence[Orders]) -> Numbers:
    """Columns centered within each group, with length 1; NaN for columns without variation in any group."""
    scale = np.abs(values).max(axis=0)
    columns = values / np.where(scale > 0, scale, 1)  # squares must not overflow or underflow
    for group in groups:
        members = columns[group]
        columns[group] = np.where(np.ptp(members, axis=0) > 0, members - members.mean(axis=0), 0.0)  # exactly 0
    lengths = np.sqrt((columns**2).sum(axis=0))
    return np.asarray(columns / np.where(lengths > 0, lengths, np.nan))


def _n_reached(columns: Numbers, blocks: Iterator[Orders]) -> Numbers:
    """How many orders of one column give each pair a coefficient as far from 0 as the observed one."""
    n_columns = columns.shape[1]
    least = np.abs(columns.T @ columns) - _TIED
    n_reached = np.zeros((n_columns, n_columns))
    for orders in blocks:
        places = np.ascontiguousarray(orders.T)
        for i in range(n_columns - 1):
            products = np.abs(columns[:, i + 1 :].T @ columns[:, i][places])
            n_reached[i, i + 1 :] += np.count_nonzero(products >= least[i, i + 1 :, None], axis=1)
    return n_reached


def _all_orders(groups: Sequence[Orders], n_orders: int, at_once: int) -> Iterator[Orders]:
    """All orders of rows within groups in blocks."""
    of_groups = [group[np.array([*permutations(range(len(group)))])] for group in groups]
    sizes = [len(orders) for orders in of_groups]
    for at in range(0, n_orders, at_once):
        chosen = np.unravel_index(np.arange(at, min(at + at_once, n_orders)), sizes)
        block = np.empty((len(chosen[0]), sum(map(len, groups))), dtype=np.intp)
        for group, orders, rows in zip(groups, of_groups, chosen):
            block[:, group] = orders[rows]
        yield block
