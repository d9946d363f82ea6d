"""What depends on languages and families: one vote per language, correlations without and within families."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.coefficients import Method, Numbers, correlations, ranked
from levelhead.correlation.measurements import NO_VALUE, Measurements
from levelhead.errors import Fault, InputError, listed, quoted
from levelhead.significance.resampling import Seed, random_orders_within
from levelhead.tables.data import NOT_A_COLUMN, Probability
from levelhead.typology.languages import LANGUAGE_COLUMNS, language_cells

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
        without: the coefficient without each family; None if too few treebanks are left.
        within: the coefficient of values centered on the mean of their family; None if no family has variation, and for
            partial correlations.
        p: the two-sided p-value of a permutation test of independence within families.
        p_error: the Monte Carlo standard error of p; None if all orders were used.
    """

    without: Annotated[Mapping[str, float | None], NOT_A_COLUMN]
    within: float | None
    p: Probability | None
    p_error: float | None

    @property
    def extremes(self) -> tuple[tuple[float, str], tuple[float, str]] | None:
        """The lowest and the highest coefficient without a family, with the family; None if all are undefined."""
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
