"""Checks of the arguments of kernels, whose loops do not check bounds."""

from __future__ import annotations

import numpy as np


def check_starts(starts, n_words: int) -> int:
    """Raise an error unless sentences are consecutive and contain all words; return the size of the longest."""
    array = np.asarray(starts)
    if len(array) == 0 or array[0] != 0 or array[-1] != n_words or (array[1:] < array[:-1]).any():
        raise ValueError("the starts of sentences do not ascend from 0 to the number of words")
    return int(np.diff(array).max(initial=0))


def check_range(name: str, values, low: int, high: int) -> None:
    """Raise an error unless numbers are in a range."""
    array = np.asarray(values)
    if array.size and (array.min() < low or array.max() > high):
        raise ValueError(f"{name} must be from {low} to {high}")


def check_sizes(**arrays) -> None:
    """Raise an error unless arrays have the same number of rows."""
    sizes = {name: np.asarray(array).shape[0] for name, array in arrays.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"sizes differ: {', '.join(f'{name} {size}' for name, size in sizes.items())}")


def check_shape(name: str, array, shape) -> None:
    """Raise an error unless an array has a shape."""
    if np.shape(array) != tuple(shape):
        raise ValueError(f"{name} must have the shape {tuple(shape)}, not {np.shape(array)}")


def bits_of(name: str, table) -> int:
    """Return the number of bits of the row numbers of a table, which are the top bits of 64-bit hashes."""
    rows = len(table)
    if rows < 2 or rows & (rows - 1):
        raise ValueError(f"{name} must have a power of two of rows, at least 2, not {rows}")
    return rows.bit_length() - 1
