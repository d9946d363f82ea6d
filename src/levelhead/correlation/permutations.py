"""P-values of correlations by permutation: all orders of few rows, random orders of many rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.coefficients import Method, Numbers, ranked, standardized
from levelhead.significance.resampling import Seed, random_orders

MOST_EXACT = 9
"""The maximum number of rows for using all orders (362,880)."""

_TIED = 1e-9  # smaller differences are ties: sums in another order differ by rounding
_AT_ONCE = 60_000  # cells computed at a time: fastest if they fit into the cache of a core


def permutation_p_values(values: Numbers, method: Method, n_resamples: int, seed: Seed) -> Numbers:
    """Return the two-sided p-value of the correlation of each pair of columns, float64, shape (columns, columns).

    It is the share of orders of one column with a coefficient at least as far from 0 as the observed one. Up
    to `MOST_EXACT` rows, all orders are used: p is exact and at least 1/n!. With more rows, the orders are random:
    p is (1 + reached) / (1 + resamples), so it is never 0 and at least 1 / (1 + resamples) (Phipson and Smyth 2010).
    Only the upper triangle is filled; the rest is NaN. A constant column has p = 1.
    """
    n_rows, n_columns = values.shape
    exact = n_rows <= MOST_EXACT
    columns = standardized(ranked(values) if method == "spearman" else values)
    least = np.abs(columns.T @ columns) - _TIED * n_rows
    n_reached = np.zeros((n_columns, n_columns))
    step = max(1, _AT_ONCE // max(n_rows, n_columns))
    for orders in _all_orders(n_rows, step) if exact else random_orders(n_rows, n_resamples, seed, step):
        places = orders.T.astype(np.intp)
        for i in range(n_columns - 1):
            products = np.abs(columns[:, i + 1 :].T @ columns[:, i][places])
            n_reached[i, i + 1 :] += np.count_nonzero(products >= least[i, i + 1 :, None], axis=1)
    p = n_reached / len(_permutations(n_rows)) if exact else (1 + n_reached) / (1 + n_resamples)
    return np.where(np.triu(np.ones_like(p), k=1) > 0, p, np.nan)


def _all_orders(n_rows: int, step: int) -> Iterator[NDArray[np.int8]]:
    orders = _permutations(n_rows)
    for at in range(0, len(orders), step):
        yield orders[at : at + step]


@lru_cache(maxsize=MOST_EXACT)
def _permutations(n: int) -> NDArray[np.int8]:
    """All orders of n rows, int8, shape (n!, n)."""
    orders = np.zeros((1, 0), dtype=np.int8)
    for size in range(n):  # the new row at each position of every shorter order
        new = np.full((len(orders), 1), size, dtype=np.int8)
        parts = [np.concatenate([orders[:, :at], new, orders[:, at:]], axis=1) for at in range(size + 1)]
        orders = np.concatenate(parts)
    return orders
