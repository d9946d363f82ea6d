"""Counts of units by group, and how many units have the same counts: enough for intervals of files of any size."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.units import document_starts
from levelhead.treebank.treebank import Treebank

Numbers = NDArray[np.int64]

_MOST_ROWS = 1 << 16


class Cells(NamedTuple):
    """The counts of units by group.

    Args:
        units: the number of the unit, int64, shape (cells,).
        groups: the number of the group, same shape.
        counts: the counts, int64, shape (cells, kinds of counts).
    """

    units: Numbers
    groups: Numbers
    counts: Numbers

    def chosen(self, rows: NDArray[np.bool_]) -> Cells:
        """Return some of the cells."""
        return Cells(*(column[rows] for column in self))

    def joined(self, units: Numbers) -> Cells:
        """Return the cells as parts of larger units, which `summed` adds up."""
        return self._replace(units=units[self.units])


def summed(cells: Iterable[Cells]) -> Cells:
    """Return cells joined, with one cell for each unit and group, in this order."""
    units, groups, counts = (np.concatenate(columns) for columns in zip(*cells, strict=True))
    order = np.lexsort((groups, units))
    units, groups = units[order], groups[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (units[1:] != units[:-1]) | (groups[1:] != groups[:-1])
    starts = np.flatnonzero(first)
    sums = np.add.reduceat(counts[order], starts, axis=0) if len(starts) else counts
    return Cells(units[starts], groups[starts], sums)


class UnitHistogram(NamedTuple):
    """How many units have the same numerators and denominators in a group; rows are sorted by group and parts.

    Args:
        groups: the number of the group, int64, shape (rows,).
        parts: numerators and denominators, float64, shape (rows, 2 or more).
        n_units: the number of units, int64, shape (rows,).
        totals: the sum of the counts of all units in each group, with unit 0.
    """

    groups: Numbers
    parts: NDArray[np.float64]
    n_units: Numbers
    totals: Cells

    def of_group(self, number: int) -> tuple[NDArray[np.float64], Numbers]:
        """Return the rows of a group: parts and numbers of units."""
        rows = slice(*np.searchsorted(self.groups, [number, number + 1]))
        return self.parts[rows], self.n_units[rows]


Parts = Callable[[Cells], NDArray[np.float64]]
"""A function that returns whole numerators and denominators of summed cells, shape (cells, 2 or more)."""


def histogram_of(cells: Cells, parts: Parts) -> UnitHistogram:
    """Return how many units have the same numerators and denominators."""
    tally = HistogramTally(parts)
    tally.add(cells, np.arange(int(cells.units.max(initial=-1)) + 1))
    return tally.histogram()


class DocumentNumbers:
    """Numbers the documents of a gold treebank that is read in pieces."""

    def __init__(self) -> None:
        self._begun = False

    def of(self, piece: Treebank) -> Numbers:
        """Return the document of each sentence, int64: 0 for the last document of the previous piece, then 1, 2, ...

        Sentences before the first mark are a document.
        """
        starts = document_starts(piece)
        if not self._begun:
            starts[:1] = False
        self._begun |= len(piece) > 0
        return np.cumsum(starts, dtype=np.int64)


class HistogramTally:
    """The histogram of a gold treebank that is read in pieces.

    The units are documents if gold marks two or more, otherwise sentences, as `units_of` finds them by `AUTO`. Memory
    grows with the number of different counts: hardly with sentences, by about a kilobyte for each document.

    Args:
        parts: the function that returns numerators and denominators.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._several = False  # documents
        self._sentences, self._documents = _Rows(), _Rows()
        self._last: tuple[Cells, ...] = ()  # the last document, which may go on
        self._totals: tuple[Cells, ...] = ()

    def add(self, cells: Cells, documents: Numbers) -> None:
        """Add a piece."""
        self._totals = (summed([*self._totals, cells.joined(np.zeros_like(documents))]),)
        by_document, last = summed([*self._last, cells.joined(documents)]), int(documents.max(initial=0))
        self._add(by_document.chosen(by_document.units < last), self._documents)
        of_last = by_document.chosen(by_document.units == last)
        self._last = (of_last.joined(np.zeros(last + 1, dtype=np.int64)),)
        self._several |= last > 0
        if self._several:
            self._sentences = _Rows()
        else:
            self._add(summed([cells]), self._sentences)

    def _add(self, cells: Cells, rows: _Rows) -> None:
        rows.add(np.column_stack([cells.groups, self._parts(cells)]).astype(np.int32))

    @property
    def has_counts(self) -> bool:
        """Whether a piece was added."""
        return bool(self._totals)

    def histogram(self) -> UnitHistogram:
        """Return the histogram of all pieces; to be called once, after at least one piece."""
        (last,), (totals,) = self._last, self._totals
        if self._several:
            self._add(last, self._documents)
        rows, n_units = (self._documents if self._several else self._sentences).merged()
        return UnitHistogram(rows[:, 0].astype(np.int64), rows[:, 1:].astype(np.float64), n_units, totals)


class _Rows:
    """Counts equal rows."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.int32]] = []
        self._n: list[Numbers] = []
        self._n_merged = 0

    def add(self, rows: NDArray[np.int32]) -> None:
        """Add rows; equal ones are counted when they have become many."""
        self._rows.append(rows)
        self._n.append(np.ones(len(rows), dtype=np.int64))
        if sum(map(len, self._n[1:])) > max(self._n_merged, _MOST_ROWS):
            self.merged()

    def merged(self) -> tuple[NDArray[np.int32], Numbers]:
        """Return the distinct rows in ascending order, and how often each was added."""
        rows, n = np.concatenate(self._rows), np.concatenate(self._n)
        order = np.lexsort(rows.T[::-1])
        rows = rows[order]
        starts = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1))[: len(rows)])
        n = np.add.reduceat(n[order], starts) if len(starts) else n
        self._rows, self._n, self._n_merged = [rows[starts]], [n], len(n)
        return rows[starts], n
