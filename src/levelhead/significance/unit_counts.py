"""Counts of units by group, and how many units have the same counts: intervals of large files need no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.units import document_starts
from levelhead.treebank.treebank import Treebank

Numbers = NDArray[np.int64]

WHOLE = -1
"""The group of all words of a unit."""


class Cells(NamedTuple):
    """The counts of units by group.

    Args:
        units: the number of the unit, int64, shape (cells,).
        groups: the number of the group, or `WHOLE`, same shape.
        counts: the counts, int64, shape (cells, kinds of counts).
    """

    units: Numbers
    groups: Numbers
    counts: Numbers

    def chosen(self, rows: NDArray[np.bool_]) -> Cells:
        """Return some of the cells.

        Args:
            rows: which, bool, shape (cells,).
        """
        return Cells(*(column[rows] for column in self))


def summed(cells: Iterable[Cells]) -> Cells:
    """Return cells joined, with one cell for each unit and group, in this order.

    Args:
        cells: any cells with the same kinds of counts; at least one.
    """
    units, groups, counts = (np.concatenate(columns) for columns in zip(*cells, strict=True))
    order = np.lexsort((groups, units))
    units, groups = units[order], groups[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (units[1:] != units[:-1]) | (groups[1:] != groups[:-1])
    starts = np.flatnonzero(first)
    sums = np.add.reduceat(counts[order], starts, axis=0) if len(starts) else counts
    return Cells(units[starts], groups[starts], sums)


class Histogram(NamedTuple):
    """How many units have the same counts in a group; rows are sorted by all columns.

    Args:
        groups: the number of the group, or `WHOLE`, int64, shape (rows,).
        counts: the counts in this group, int64, shape (rows, kinds of counts).
        wholes: if there are cells of `WHOLE`, their counts in the same units, same shape; otherwise zeros.
        n_units: the number of units, int64, shape (rows,).
    """

    groups: Numbers
    counts: Numbers
    wholes: Numbers
    n_units: Numbers


_Tally = Counter[tuple[int, ...]]
"""The number of units by the group, its counts, and the counts of the whole unit."""


def histogram_of(cells: Cells) -> Histogram:
    """Return how many units have the same counts.

    Args:
        cells: the counts of all units; each unit has a cell of `WHOLE`, or none has.
    """
    return _histogram(_tally(summed([cells])), cells.counts.shape[1])


def _tally(cells: Cells) -> _Tally:
    """Count summed cells."""
    whole = cells.groups == WHOLE
    wholes = np.zeros((int(cells.units.max(initial=-1)) + 1, cells.counts.shape[1]), dtype=np.int64)
    wholes[cells.units[whole]] = cells.counts[whole]
    return Counter(map(tuple, np.column_stack([cells.groups, cells.counts, wholes[cells.units]]).tolist()))


def _histogram(tally: _Tally, n_kinds: int) -> Histogram:
    rows = np.array([(*key, n) for key, n in sorted(tally.items())], dtype=np.int64).reshape(-1, 2 * n_kinds + 2)
    return Histogram(rows[:, 0], rows[:, 1 : n_kinds + 1], rows[:, n_kinds + 1 : -1], rows[:, -1])


class DocumentNumbers:
    """Numbers the documents of a gold treebank that is read in pieces."""

    def __init__(self) -> None:
        self._begun = False

    def of(self, piece: Treebank) -> Numbers:
        """Return the document of each sentence, int64: 0 for the last document of the previous piece, then 1, 2, ...

        Sentences before the first mark are a document.

        Args:
            piece: the next piece.
        """
        starts = document_starts(piece)
        if not self._begun:
            starts[:1] = False
        self._begun |= len(piece) > 0
        return np.cumsum(starts, dtype=np.int64)


class HistogramTally:
    """The histogram of a gold treebank that is read in pieces.

    The units are documents if gold marks two or more, otherwise sentences, as `units_of` finds them by `AUTO`. Memory
    grows with the number of different counts, not with that of units.

    Args:
        n_kinds: the number of kinds of counts.
    """

    def __init__(self, n_kinds: int) -> None:
        self._n_kinds = n_kinds
        self._several = False  # documents
        self._sentences, self._documents = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
        nothing = np.zeros(0, dtype=np.int64)
        self._last = Cells(nothing, nothing, np.zeros((0, n_kinds), dtype=np.int64))  # document, which may go on

    def add(self, cells: Cells, documents: Numbers) -> None:
        """Add a piece.

        Args:
            cells: the counts of its sentences.
            documents: the document of each sentence, see `DocumentNumbers`.
        """
        last = int(documents.max(initial=0))
        self._several |= last > 0
        if self._several:
            self._sentences.clear()
        else:
            self._sentences.update(_tally(summed([cells])))
        by_document = summed([self._last, cells._replace(units=documents[cells.units])])
        self._documents.update(_tally(by_document.chosen(by_document.units < last)))
        self._last = by_document.chosen(by_document.units == last)
        self._last = self._last._replace(units=np.zeros_like(self._last.units))

    def histogram(self) -> Histogram:
        """Return the histogram of all pieces."""
        tally = self._documents + _tally(self._last) if self._several else self._sentences
        return _histogram(tally, self._n_kinds)
