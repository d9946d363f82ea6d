"""Languages of one family are not independent: what is left of a correlation without each family, and within them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.coefficients import Method, Numbers, correlations, midranks
from levelhead.significance.resampling import Seed, random_orders_within

_ROUNDING = 1e-12


class FamilyCheck(NamedTuple):
    """A correlation as the families of languages let it look.

    Args:
        without: the coefficient without the treebanks of each family, by family; None where too few are left, or
            where a column does not vary.
        within: the coefficient of values centered on the mean of their family; None if no family varies within.
        p: how often a coefficient as far from 0 as `within` comes from shuffling values inside each family; None
            where there is nothing to shuffle, or other columns were held fixed.
    """

    without: Mapping[str, float | None]
    within: float | None
    p: float | None

    def extreme(self, *, highest: bool) -> tuple[str, float] | None:
        """Return the family whose absence gives the lowest or highest coefficient, and that coefficient."""
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
    """Check a correlation of two columns against the families.

    Args:
        values: the two columns and then those held fixed, shape (treebanks, 2 + given).
        families: the family of each treebank.
        method: which coefficient.
        n_given: how many columns are held fixed.
        n_permutations: how many shuffles; all there are, if there are not more.
        seed: the seed of the shuffles.
    """
    family = np.array(families)
    without = {name: _without(values[family != name], method, n_given) for name in dict.fromkeys(families)}
    if n_given:
        return FamilyCheck(without, None, None)
    columns = values.T if method == "pearson" else [midranks(c, np.ones((1, len(values))))[0] for c in values.T]
    one, other = (_centered(column, family) for column in columns)
    within = _cosine(one, other)
    p = None if within is None else _shuffled_p(one, other, family, n_permutations, seed)
    return FamilyCheck(without, within, p)


def _without(values: Numbers, method: Method, n_given: int) -> float | None:
    if len(values) < 3 + n_given:
        return None
    coefficient = correlations(values, np.ones((1, len(values))), method, n_given)[0, 0, 1]
    return None if np.isnan(coefficient) else float(coefficient)


def _centered(column: Numbers, family: NDArray[Any]) -> Numbers:
    """The values minus the mean of their family; 0 where a family does not vary, without rounding."""
    centered = np.zeros(len(column))
    for name in np.unique(family):
        members = column[family == name]
        if members.max() > members.min():
            centered[family == name] = members - members.mean()
    return centered


def _cosine(one: Numbers, other: Numbers) -> float | None:
    scale = np.sqrt((one @ one) * (other @ other))
    return float(np.clip(one @ other / scale, -1, 1)) if scale > 0 else None


def _shuffled_p(one: Numbers, other: Numbers, family: NDArray[Any], n: int, seed: Seed) -> float:
    """P of |one . other| under permutations of `other` inside families: exact if there are at most n, else sampled.

    Lengths stay as they are, so the products of the vectors are in the order of the coefficients.
    """
    groups = [np.flatnonzero(family == name) for name in np.unique(family)]
    reached = (abs(one @ other)) - _ROUNDING * np.sqrt((one @ one) * (other @ other))
    exact = prod(factorial(len(group)) for group in groups) <= n
    orders = _every_order(groups, len(one)) if exact else random_orders_within(groups, n, seed)
    extreme = [abs(one @ other[order]) >= reached for order in orders]
    if exact:
        return float(np.mean(extreme))
    return (1 + sum(map(bool, extreme))) / (1 + n)  # the data are one of the permutations (Phipson and Smyth 2010)


def _every_order(groups: Sequence[NDArray[Any]], n_rows: int) -> Iterator[NDArray[Any]]:
    for orders in product(*(permutations(group.tolist()) for group in groups)):
        whole = np.arange(n_rows)
        for group, order in zip(groups, orders):
            whole[group] = order
        yield whole
