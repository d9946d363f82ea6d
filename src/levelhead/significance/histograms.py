"""How many units of a gold treebank have the same counts, in each of many groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.units import FEWEST_UNITS

Numbers = NDArray[np.int64]

_MOST_ROWS = 1 << 16


class Cells(NamedTuple):
    """The counts of units by group; int64, one row per cell."""

    units: Numbers
    groups: Numbers
    counts: Numbers  # shape (cells, kinds of counts)

    def joined(self, units: Numbers) -> Cells:
        """Return the cells as parts of larger units, which `summed` adds up."""
        return self._replace(units=units[self.units])


def summed(cells: Iterable[Cells]) -> Cells:
    """Return cells joined, with one cell for each unit and group, in this order."""
    units, groups, counts = (np.concatenate(columns) for columns in zip(*cells, strict=True))
    keys, sums = _merged(np.column_stack([units, groups]), counts)
    return Cells(keys[:, 0], keys[:, 1], sums)


def _merged(rows: NDArray[Any], counts: Numbers) -> tuple[NDArray[Any], Numbers]:
    """The distinct rows in ascending order, and the sum of the counts of each."""
    order = np.lexsort(rows.T[::-1])
    rows = rows[order]
    starts = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1))[: len(rows)])
    return rows[starts], np.add.reduceat(counts[order], starts, axis=0) if len(starts) else counts


class UnitHistogram(NamedTuple):
    """How many units have the same numerators and denominators in a group; rows are sorted by group and parts."""

    groups: Numbers  # of each row
    parts: NDArray[np.float64]  # numerators and denominators, shape (rows, 2 or more)
    n_units: Numbers  # with these parts
    totals: Cells  # the sum of the counts of all units in each group, with unit 0

    def of_group(self, number: int) -> tuple[NDArray[np.float64], Numbers]:
        rows = slice(*np.searchsorted(self.groups, [number, number + 1]))
        return self.parts[rows], self.n_units[rows]


Parts = Callable[[Cells], NDArray[np.float64]]
"""A function that returns whole numerators and denominators of summed cells, shape (cells, 2 or more)."""


def histogram_of(cells: Cells, parts: Parts) -> UnitHistogram:
    cells = summed([cells])
    rows, n_units = _merged(np.column_stack([cells.groups, parts(cells)]), np.ones(len(cells.units), dtype=np.int64))
    totals = summed([cells._replace(units=np.zeros_like(cells.units))])
    return UnitHistogram(rows[:, 0].astype(np.int64), rows[:, 1:], n_units, totals)


class HistogramTally:
    """The histogram of a gold treebank read in pieces, by document if gold marks 10 or more, otherwise by sentence."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._sentences: _Rows | None = _Rows()
        self._documents: list[Cells] = []  # the first without repeated documents
        self._totals: tuple[Cells, ...] = ()
        self._n_documents = 0

    def add(self, cells: Cells, documents: Numbers) -> None:
        """Add a piece; `documents` are the numbers of the documents of its units."""
        self._totals = (summed([*self._totals, cells.joined(np.zeros_like(documents))]),)
        self._documents.append(summed([cells.joined(documents)]))
        if sum(len(added.units) for added in self._documents[1:]) > max(len(self._documents[0].units), _MOST_ROWS):
            self._documents = [summed(self._documents)]
        self._n_documents = max(self._n_documents, int(documents.max(initial=-1)) + 1)
        if self._n_documents >= FEWEST_UNITS:
            self._sentences = None
        if self._sentences is not None:
            self._sentences.add(self._rows(summed([cells])))

    def _rows(self, cells: Cells) -> NDArray[np.int32]:
        return np.column_stack([cells.groups, self._parts(cells)]).astype(np.int32)

    @property
    def has_counts(self) -> bool:
        return bool(self._totals)

    def histogram(self) -> UnitHistogram:
        """Return the histogram of all pieces; to be called after at least one piece."""
        if self._sentences is None:
            return self._by_document()
        distinct, n_units = self._sentences.merged()
        parts = distinct[:, 1:].astype(np.float64)
        return UnitHistogram(distinct[:, 0].astype(np.int64), parts, n_units, *self._totals)

    def few_documents(self) -> UnitHistogram | None:
        """Return the histogram of 2 to 9 documents, whose own histogram is that of the sentences; otherwise None."""
        return self._by_document() if self._sentences is not None and self._n_documents > 1 else None

    def _by_document(self) -> UnitHistogram:
        return histogram_of(summed(self._documents), self._parts)


class _Rows:
    """Counts equal rows."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.int32]] = []
        self._n: list[Numbers] = []

    def add(self, rows: NDArray[np.int32]) -> None:
        """Add rows; equal ones are counted when they have become many."""
        self._rows.append(rows)
        self._n.append(np.ones(len(rows), dtype=np.int64))
        if sum(map(len, self._n[1:])) > max(len(self._n[0]), _MOST_ROWS):
            self.merged()

    def merged(self) -> tuple[NDArray[np.int32], Numbers]:
        """Return the distinct rows in ascending order, and how often each was added."""
        rows, n = _merged(np.concatenate(self._rows), np.concatenate(self._n))
        self._rows, self._n = [rows], [n]
        return rows, n
