"""Random samples and orders, with seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.estimates import Sums

CELLS = 1 << 22
"""The number of effects or weights in memory at once (32 MB)."""


Seed = int | np.random.SeedSequence | np.random.Generator
"""The seed or generator of draws. A generator continues after its last draw."""


def spawned(seed: int, n_seeds: int) -> list[np.random.SeedSequence]:
    """Return independent seeds for independent draws."""
    return np.random.SeedSequence(seed).spawn(n_seeds)


def resampled_rows(n_rows: int, resamples: int, seed: Seed) -> NDArray[np.int64]:
    """Draw rows with replacement (Efron 1979), by number, int64, shape (resamples, rows)."""
    return np.random.default_rng(seed).integers(0, n_rows, size=(resamples, n_rows), dtype=np.int64)


def resampled(table: Sums, resamples: int, seed: Seed) -> Sums:
    """Return the sums of random samples of rows (with replacement); float64, shape (resamples, ...).

    Args:
        table: one row per sentence, float64, shape (sentences, ...).
        resamples: the number of samples, each with as many rows as the table.
        seed: the random seed.
    """
    rng, n_rows, cells = np.random.default_rng(seed), len(table), table.reshape(len(table), -1)
    sums = np.empty((resamples, cells.shape[1]))
    size = max(1, CELLS // max(1, n_rows))  # so batches depend only on the number of rows
    for first in range(0, resamples, size):
        last = min(first + size, resamples)
        drawn = resampled_rows(n_rows, last - first, rng)
        drawn += np.arange(last - first)[:, None] * n_rows
        weights = np.bincount(drawn.ravel(), minlength=(last - first) * n_rows)
        sums[first:last] = weights.reshape(-1, n_rows).astype(np.float64) @ cells
    return sums.reshape(resamples, *table.shape[1:])


def random_orders_within(
    groups: Sequence[NDArray[np.intp]], resamples: int, seed: Seed, at_once: int
) -> Iterator[NDArray[np.intp]]:
    """Draw random orders of rows within groups in blocks, each of shape (at most `at_once`, rows)."""
    rng = np.random.default_rng(seed)
    for at in range(0, resamples, at_once):
        orders = np.empty((min(at_once, resamples - at), sum(map(len, groups))), dtype=np.intp)
        for group in groups:
            orders[:, group] = rng.permuted(np.tile(group, (len(orders), 1)), axis=1)
        yield orders
