"""Counts that can be added: of tuples of strings, and of whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from levelhead.immutable import immutable
from levelhead.kernels import pools
from levelhead.treebank import StringColumn, Strings

Counts = NDArray[np.int64]

_ROWS_AT_ONCE = 1 << 20


class Sums:
    """A record that is added by field; 0 can be used for no counts."""

    def __add__(self, other: Self | int) -> Self:
        if isinstance(other, int):
            return self
        pairs = ((getattr(self, part.name), getattr(other, part.name)) for part in fields(self))  # type: ignore[arg-type]
        return type(self)(*(first + second for first, second in pairs))

    __radd__ = __add__


@immutable
class Tally:
    """The frequencies of tuples of strings."""

    axes: tuple[Strings, ...]  # the distinct strings at each position of the tuples
    keys: NDArray[np.int32]  # the codes of each distinct tuple, shape (positions, tuples)
    counts: Counts  # its frequency, shape (tuples,)

    @classmethod
    def of(cls, *columns: StringColumn, weights: Counts | None = None) -> Tally:
        """Return how often each row occurs in columns of equal length, or the sum of its weights."""
        compacted = [compact(column) for column in columns]
        keys = np.stack([column.codes for column in compacted])
        counts = np.ones(keys.shape[1], dtype=np.int64) if weights is None else weights
        return _summed(tuple(column.strings for column in compacted), keys, counts)

    def __len__(self) -> int:
        return self.counts.size

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def n_bytes(self) -> int:
        return sum(len(axis.pool) + axis.offsets.nbytes for axis in self.axes) + self.keys.nbytes + self.counts.nbytes

    def __add__(self, other: Tally) -> Tally:
        axes, codes = zip(*map(_joined_pools, self.axes, other.axes))
        most = len(self) + len(other)
        keys, counts, n = np.empty((len(axes), most), dtype=np.int32), np.empty(most, dtype=np.int64), 0
        for mine, theirs in zip(_parts(self.keys[-1], most), _parts(codes[-1][other.keys[-1]], most)):
            recoded = [code[row[theirs]] for code, row in zip(codes, other.keys)]
            both = np.concatenate([self.keys[:, mine], recoded], axis=1)
            part = _summed(axes, both, np.concatenate([self.counts[mine], other.counts[theirs]]))
            keys[:, n : n + len(part)], counts[n : n + len(part)] = part.keys, part.counts
            n += len(part)
        if n < 0.9 * most:  # the arrays are copied, so that memory is released
            return Tally(axes, keys[:, :n].copy(), counts[:n].copy())
        return Tally(axes, keys[:, :n], counts[:n])

    def marginal(self, *places: int) -> Tally:
        """Return the counts by these positions, summed over the others."""
        return _summed(tuple(self.axes[place] for place in places), self.keys[list(places)], self.counts)

    def totals_of(self, *places: int) -> Counts:
        """Return for each tuple the count of all tuples equal at these positions, int64, shape (tuples,)."""
        axes = tuple(self.axes[place] for place in places)
        totals = np.empty_like(self.counts)
        for rows in _parts(self.keys[places[-1]], len(self)):
            _, group = np.unique(_numbers(axes, self.keys[list(places)][:, rows]), return_inverse=True)
            totals[rows] = np.bincount(group, weights=self.counts[rows]).astype(np.int64)[group]
        return totals

    def where(self, wanted: NDArray[np.bool_]) -> Tally:
        return Tally(self.axes, self.keys[:, wanted], self.counts[wanted])

    def by(self, place: int, values: NDArray[Any] | None = None) -> dict[str, float]:
        """Return the sum of `values` (by default counts) over all tuples with the same string at a position."""
        keys, weights = self.keys[place], self.counts if values is None else values
        if values is not None:  # the order of tuples depends on how counts were added: it must not change the sums
            order = np.argsort(values)
            keys, weights = keys[order], weights[order]
        sums = np.bincount(keys, weights=weights, minlength=len(self.axes[place]))
        present = np.bincount(keys, minlength=len(self.axes[place]))
        return {text: float(total) for text, total, n in zip(self.axes[place].texts, sums, present) if n}

    def frequencies(self, place: int = 0) -> dict[str, int]:
        """Return the number of rows with each string at a position, most frequent first, then alphabetically."""
        counts = {text: int(n) for text, n in self.by(place).items()}
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def count_logs(self) -> NDArray[np.float64]:
        """Return n log2 n of each tuple's count n, float64, shape (tuples,): the summands of entropies."""
        return np.asarray(np.log2(self.counts) * self.counts)


@immutable
class Histogram:
    """The frequencies of whole numbers."""

    values: NDArray[np.int64]  # distinct, ascending
    counts: Counts  # of each

    @classmethod
    def of(cls, numbers: NDArray[Any]) -> Histogram:
        values, counts = np.unique(np.asarray(numbers, dtype=np.int64), return_counts=True)
        return cls(values, counts.astype(np.int64))

    def __add__(self, other: Histogram) -> Histogram:
        values, place = np.unique(np.concatenate([self.values, other.values]), return_inverse=True)
        counts = np.zeros(values.size, dtype=np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return Histogram(values, counts)

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def sum(self) -> int:
        return int((self.values * self.counts).sum())

    @property
    def mean(self) -> float | None:
        return self.sum / self.total if self.total else None

    @property
    def max(self) -> int | None:
        return int(self.values[-1]) if self.total else None

    def share(self, wanted: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> float | None:
        return 100 * int(self.counts[wanted(self.values)].sum()) / self.total if self.total else None


def sum_of(values: NDArray[np.float64]) -> float:
    """Return the sum of numbers, the same to the last digit in any order."""
    return float(np.sort(values).sum())


def compact(column: StringColumn) -> StringColumn:
    """Return a column whose pool has only the strings of the column."""
    used = column.distinct
    if used.size == len(column.strings):
        return column
    codes = np.zeros(len(column.strings), dtype=np.int32)
    codes[used] = np.arange(used.size, dtype=np.int32)
    return StringColumn(codes[column.codes], _chosen(column.strings, used))


def joined(columns: Sequence[StringColumn]) -> StringColumn:
    if len(columns) < 2:
        return columns[0] if columns else StringColumn(np.zeros(0, dtype=np.int32), Strings.of(()))
    one, other = joined(columns[: len(columns) // 2]), joined(columns[len(columns) // 2 :])
    strings, codes = _joined_pools(one.strings, other.strings)
    return StringColumn(np.concatenate([one.codes, codes[other.codes]]), strings)


def mapped(column: StringColumn, function: Callable[[str], str]) -> StringColumn:
    """Return a column with a function applied to its strings, called once for each distinct string."""
    known: dict[str, int] = {}
    codes = column.mapped(lambda text: known.setdefault(function(text), len(known)), np.int32)
    return StringColumn(codes, Strings.of(known))


def _chosen(strings: Strings, codes: NDArray[np.int32]) -> Strings:
    """Return a pool of some strings of another pool, given by ascending codes."""
    sizes = np.diff(strings.offsets)
    wanted = np.zeros(len(strings), dtype=bool)
    wanted[codes] = True
    pool = np.frombuffer(strings.pool, dtype=np.uint8)[np.repeat(wanted, sizes)].tobytes()
    return Strings(pool, np.concatenate([[0], np.cumsum(sizes[codes])]).astype(np.int64))


def _joined_pools(one: Strings, other: Strings) -> tuple[Strings, NDArray[np.int32]]:
    """Return a pool with the strings of both, the first's codes unchanged, and the codes of the second's."""
    codes = pools.translate(one.pool, one.offsets, other.pool, other.offsets)
    new = np.flatnonzero(codes < 0).astype(np.int32)
    codes[new] = np.arange(len(one), len(one) + new.size, dtype=np.int32)
    added = _chosen(other, new)
    return Strings(one.pool + added.pool, np.concatenate([one.offsets, added.offsets[1:] + one.offsets[-1]])), codes


def _parts(codes: NDArray[np.int32], n_rows: int) -> Iterator[NDArray[np.intp]]:
    """Yield the rows in parts, to save memory; rows with equal codes are in the same part."""
    n_parts = n_rows // _ROWS_AT_ONCE + 1
    part = codes % n_parts
    return (np.flatnonzero(part == number) for number in range(n_parts))


def _summed(axes: tuple[Strings, ...], keys: NDArray[np.int32], counts: Counts) -> Tally:
    """Add up the counts of equal tuples."""
    if not counts.size:
        return Tally(axes, keys, counts)
    numbers = _numbers(axes, keys)
    order = np.argsort(numbers)
    ordered = numbers[order]
    firsts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return Tally(axes, np.ascontiguousarray(keys[:, order[firsts]]), np.add.reduceat(counts[order], firsts))


def _numbers(axes: tuple[Strings, ...], keys: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the number of each tuple, equal for equal tuples; int64, shape (rows,)."""
    numbers: NDArray[np.int64] = keys[0].astype(np.int64)
    size = max(1, len(axes[0]))
    for axis, codes in zip(axes[1:], keys[1:]):
        if size * max(1, len(axis)) > 2**62:
            distinct, numbers = np.unique(numbers, return_inverse=True)
            size = distinct.size
        numbers = numbers * len(axis) + codes
        size *= max(1, len(axis))
    return numbers
