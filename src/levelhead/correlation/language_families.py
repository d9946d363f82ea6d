"""Checks of correlations for dependence between languages of a family: without each family, and within families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.coefficients import Method, Numbers, correlations, ranked
from levelhead.significance.resampling import Seed, random_orders_within

_ROUNDING = 1e-12


class FamilyCheck(NamedTuple):
    """The check of a correlation by language families.

    Args:
        without: the coefficient without the treebanks of each family, by family; None if too few are left, or if a
            column is constant.
        within: the coefficient of values centered on the mean of their family; None if no family has variation.
        p: the p-value of `within` by shuffling values inside families; None if there is nothing to shuffle, or for
            partial correlations.
    """

    without: Mapping[str, float | None]
    within: float | None
    p: float | None

    def extreme(self, *, highest: bool) -> tuple[str, float] | None:
        """Return the family without which the coefficient is most extreme, and the coefficient."""
        known = [(value, family) for family, value in self.without.items() if value is not None]
        if not known:
            return None
        value, family = max(known) if highest else min(known)
        return family, value


def family_check(
    values: Numbers,
    families: Sequence[str],
    method: Method,
    n_given: int,
    n_permutations: int,
    seed: Seed,
) -> FamilyCheck:
    """Return the check of a correlation of two columns by language families."""
    family = np.array(families)
    without = {name: _without(values[family != name], method, n_given) for name in dict.fromkeys(families)}
    if n_given:
        return FamilyCheck(without, None, None)
    columns = values.T if method == "pearson" else ranked(values).T
    x, y = (_centered(column, family) for column in columns)
    within = _cosine(x, y)
    p = None if within is None else _shuffled_p(x, y, family, n_permutations, seed)
    return FamilyCheck(without, within, p)


def _without(values: Numbers, method: Method, n_given: int) -> float | None:
    if len(values) < 3 + n_given:
        return None
    coefficient = correlations(values, np.ones((1, len(values))), method, n_given)[0, 0, 1]
    return None if np.isnan(coefficient) else float(coefficient)


def _centered(column: Numbers, family: NDArray[Any]) -> Numbers:
    """The values minus the mean of their family; exactly 0 if a family has no variation."""
    centered = np.zeros(len(column))
    for name in np.unique(family):
        members = column[family == name]
        if members.max() > members.min():
            centered[family == name] = members - members.mean()
    return centered


def _cosine(x: Numbers, y: Numbers) -> float | None:
    scale = np.sqrt((x @ x) * (y @ y))
    return float(np.clip(x @ y / scale, -1, 1)) if scale > 0 else None


def _shuffled_p(x: Numbers, y: Numbers, family: NDArray[Any], n: int, seed: Seed) -> float:
    """P of |x . y| under permutations of `y` inside families: exact for at most n, otherwise sampled.

    Lengths do not change, so the products of the vectors have the same order as the coefficients.
    """
    groups = [np.flatnonzero(family == name) for name in np.unique(family)]
    observed = abs(x @ y) - _ROUNDING * np.sqrt((x @ x) * (y @ y))
    exact = prod(factorial(len(group)) for group in groups) <= n
    orders = _all_orders(groups, len(x)) if exact else random_orders_within(groups, n, seed)
    extreme = [abs(x @ y[order]) >= observed for order in orders]
    if exact:
        return float(np.mean(extreme))
    return (1 + sum(map(bool, extreme))) / (1 + n)  # the data are one of the permutations (Phipson and Smyth 2010)


def _all_orders(groups: Sequence[NDArray[Any]], n_rows: int) -> Iterator[NDArray[Any]]:
    for orders in product(*(permutations(group.tolist()) for group in groups)):
        whole = np.arange(n_rows)
        for group, order in zip(groups, orders):
            whole[group] = order
        yield whole
