"""Checks of correlations by language families: without each family, and within families."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.coefficients import Method, Numbers, correlations, ranked
from levelhead.significance.resampling import Seed, random_orders_within
from levelhead.tables.data import NOT_A_COLUMN, Probability

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
