"""Sums over resampled sentences, in batches: what every bootstrap and every permutation test is made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Sums = NDArray[np.float64]

_CELLS = 1 << 22
"""How many weights are held in memory at once (32 MB)."""


def resampled(table: Sums, resamples: int, rng: np.random.Generator) -> Sums:
    """Sum the rows of a table over samples of rows drawn with replacement (Efron 1979).

    Args:
        table: one row a sentence, float64, shape (sentences, columns).
        resamples: how many samples of as many rows.
        rng: where the draws come from.

    Returns:
        The sums, float64, shape (resamples, columns).
    """
    n_rows = len(table)
    sums = np.empty((resamples, table.shape[1]))
    for first, last in _batches(resamples, n_rows):
        drawn = rng.integers(0, n_rows, size=(last - first, n_rows), dtype=np.int64)
        drawn += np.arange(last - first)[:, None] * n_rows
        weights = np.bincount(drawn.ravel(), minlength=(last - first) * n_rows)
        sums[first:last] = weights.reshape(-1, n_rows).astype(np.float64) @ table
    return sums


def swapped(table: Sums, resamples: int, rng: np.random.Generator) -> Sums:
    """Sum the rows of a table over random halves: each row is in a half with probability 1/2.

    The halves depend on the number of rows alone: other columns beside change nothing.

    Args:
        table: one row a sentence, float64, shape (sentences, columns).
        resamples: how many halves.
        rng: where the draws come from.

    Returns:
        The sums, float64, shape (resamples, columns).
    """
    changing = np.flatnonzero(table.any(axis=1))  # swapping equal rows changes nothing
    rows, n_rows = table[changing], len(table)
    sums = np.zeros((resamples, table.shape[1]))
    for first, last in _batches(resamples, n_rows):
        bits = rng.integers(0, 256, size=(last - first, -(-n_rows // 8)), dtype=np.uint8)
        halves = np.unpackbits(bits, axis=1, count=n_rows)[:, changing]
        sums[first:last] = halves.astype(np.float64) @ rows
    return sums


def _batches(resamples: int, n_rows: int) -> Iterator[tuple[int, int]]:
    """Cut resamples into batches that fit into memory, by the number of rows alone: the same seed gives the same."""
    size = max(1, _CELLS // max(1, n_rows))
    for first in range(0, resamples, size):
        yield first, min(first + size, resamples)
