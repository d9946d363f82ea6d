"""The independent units of intervals and tests: sentences, documents, or sentences with the same comment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, Place, count_text, listed, number_of, quoted
from levelhead.treebank.treebank import Treebank

AUTO, SENTENCE, DOCUMENT, COMMENT = "auto", "sentence", "document", "comment:"

FEWEST_UNITS = 10
"""The minimum number of units for intervals and p-values."""

ENOUGH_UNITS = 20
"""With fewer units, intervals and p-values are rough."""


class Units(NamedTuple):
    """The units of a gold treebank.

    Args:
        kind: "sentence", "document" or "comment:NAME".
        of_sentence: the unit of each sentence, from 0, int64, shape (sentences,).
        largest: the share of the words in the largest unit.
        effective: the effective number of units, which is lower for uneven sizes: the squared sum of sizes divided by
            the sum of squares; 0 for sentences.
        marked: whether gold marks documents.
    """

    kind: str
    of_sentence: NDArray[np.int64]
    largest: float = 0.0
    effective: float = 0.0
    marked: bool = True
    ids: tuple[str, ...] = ()

    @property
    def few(self) -> bool:
        return False

    def own(self) -> Units:
        return self

    @property
    def n_units(self) -> int:
        """The number of units."""
        return int(self.of_sentence.max(initial=-1)) + 1

    def sums(self, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the rows of a table with one row per sentence over the sentences of each unit; shape (units, ...)."""
        if self.kind == SENTENCE:
            return parts
        summed = np.zeros((self.n_units, *parts.shape[1:]))
        np.add.at(summed, self.of_sentence, parts)
        return summed


def units_of(gold: Treebank, resample_by: str) -> Units:
    """Return the units of a gold treebank.

    `auto` means documents if gold marks two or more (`# newdoc`), otherwise sentences. Sentences before the first mark
    are a document. A comment applies to its sentence and the following sentences, up to the next document or comment
    with the same name. Sentences with equal values are one unit, and sentences without a value are another.

    Args:
        gold: the gold treebank.
        resample_by: "auto", "sentence", "document" or "comment:NAME".

    Raises:
        InputError: gold does not mark two documents, or no sentence has the comment.
    """
    tally = UnitTally(resample_by)
    tally.add(gold)
    return tally.units(gold.source.path)


class UnitTally:
    """Finds the units of a gold treebank that is read in pieces, see `units_of`."""

    def __init__(self, resample_by: str) -> None:
        self._resample_by = resample_by
        self._lengths: list[NDArray[np.int32]] = []  # words in each sentence
        self._marks: list[NDArray[Any]] = []  # whether each sentence starts a document, or the number of its value
        self._numbers: dict[str | None, int] = {}  # of the values of the comment
        self._value: str | None = None  # of the last sentence

    def add(self, piece: Treebank) -> None:
        self._lengths.append(np.diff(piece.sentence_starts).astype(np.int32))
        if self._resample_by in {AUTO, DOCUMENT}:
            self._marks.append(document_starts(piece))
        elif self._resample_by != SENTENCE:
            name = self._resample_by.removeprefix(COMMENT)
            numbers = []
            for sentence, comments in zip(piece, piece.comments, strict=True):
                self._value = sentence.metadata.get(name, None if _starts_document(comments) else self._value)
                numbers.append(self._numbers.setdefault(self._value, len(self._numbers)))
            self._marks.append(np.array(numbers, dtype=np.int32))

    def units(self, path: str | None) -> Units:
        kind = self._resample_by
        lengths = _joined(self._lengths)
        of_sentence = _joined(self._marks)
        if kind in {AUTO, DOCUMENT}:
            of_sentence = np.cumsum(of_sentence) - of_sentence[:1]
            if kind == DOCUMENT and of_sentence.max(initial=0) == 0:
                message = (
                    "the gold treebank does not mark two or more documents (# newdoc):"
                    " use --resample-by sentence or auto"
                )
                raise InputError(Fault("no-documents", message, Place(path)))
            kind = DOCUMENT if of_sentence.max(initial=0) > 0 else SENTENCE
        elif kind != SENTENCE and not self._numbers.keys() - {None}:
            message = f"no sentence has the comment {quoted(kind.removeprefix(COMMENT))} of --resample-by"
            raise InputError(Fault("no-documents", message, Place(path)))
        if kind == SENTENCE:
            return Units(SENTENCE, np.arange(len(lengths), dtype=np.int64), marked=self._resample_by == SENTENCE)
        words = np.bincount(of_sentence, weights=lengths)
        total = max(1.0, float(words.sum()))
        return Units(kind, of_sentence, float(words.max()) / total, total**2 / max(1.0, float(words @ words)))


def _joined(pieces: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, dtype=np.int64), *pieces], dtype=np.int64)


def document_starts(piece: Treebank) -> NDArray[np.bool_]:
    """Return for each sentence whether it starts a document, bool, shape (sentences,)."""
    if b"newdoc" not in piece.comments.text:
        return np.zeros(len(piece), dtype=bool)
    return np.array([_starts_document(text) for text in piece.comments], dtype=bool)


def unit_line(units: Mapping[str, Units], results: str = "confidence intervals and p-values") -> str:
    """Return a sentence with the kinds and numbers of units.

    Args:
        units: the units of each test set by its code.
        results: the results that were computed from them.
    """
    kinds = dict.fromkeys(unit.kind for unit in units.values())
    return f"{results} by {' or '.join(kind.removeprefix(COMMENT) for kind in kinds)}: {units_counted(units)}"


def units_counted(units: Mapping[str, Units]) -> str:
    """Return the numbers of units of each kind, such as `20 documents and 300 sentences`."""
    kinds: dict[str, int] = {}
    for unit in units.values():
        kinds[unit.kind] = kinds.get(unit.kind, 0) + unit.n_units
    return " and ".join(_plural(kind, n_units) for kind, n_units in kinds.items())


def unit_notes(
    units: Mapping[str, Units],
    results: str = "intervals and p-values",
    *,
    averaged: bool = False,
    marked_by: str = "gold",
) -> Iterator[str]:
    """Return notes on missing, rough or too optimistic intervals and p-values.

    Args:
        units: the units of each test set by its code.
        results: the results that are computed from them.
        averaged: whether several test sets are averaged; averages have results even if a test set has none.
        marked_by: the file that marks documents.
    """
    of_their_own = " of their own" if averaged and len(units) > 1 else ""
    notes = {
        f"{marked_by} marks no documents, so sentences are resampled as if they were independent": [
            name for name, unit in units.items() if not unit.marked
        ],
        f"fewer than {FEWEST_UNITS} units to resample, so no {results}{of_their_own}": [
            name for name, unit in units.items() if unit.n_units < FEWEST_UNITS
        ],
        f"fewer than {ENOUGH_UNITS} units to resample, so {results} are rough": [
            name for name, unit in units.items() if FEWEST_UNITS <= unit.n_units < ENOUGH_UNITS
        ],
    }
    yield from (f"{note}: {listed(names, 5)}" for note, names in notes.items() if names)
    for name, unit in units.items():
        if unit.n_units >= ENOUGH_UNITS and 0 < unit.effective < ENOUGH_UNITS:
            uneven = f"{_plural(unit.kind, unit.n_units)} of uneven size count as {unit.effective:.0f}"
            yield f"{name}: {uneven}, so {results} are rough"
        if unit.largest > 1 / 3:
            share = f"one {unit.kind.removeprefix(COMMENT)} has {unit.largest:.0%} of the words"
            yield f"{name}: {share}, so {results} depend on it"


def _plural(kind: str, n_units: int) -> str:
    name = f"value of {kind.removeprefix(COMMENT)}" if kind.startswith(COMMENT) else kind
    if " " not in name:
        return number_of(n_units, name)
    return f"{count_text(n_units)} {name if n_units == 1 else name.replace('value', 'values')}"


def _starts_document(comments: str) -> bool:
    return any(line.removeprefix("#").split()[:1] == ["newdoc"] for line in comments.split("\n") if line)


Numbers = NDArray[np.int64]

_MOST_ROWS = 1 << 16


class Cells(NamedTuple):
    """The counts of units by group; int64, one row per cell."""

    units: Numbers
    groups: Numbers
    counts: Numbers  # shape (cells, kinds of counts)

    def chosen(self, rows: NDArray[np.bool_]) -> Cells:
        return Cells(*(column[rows] for column in self))

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
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._several = False  # documents
        self._sentences, self._documents = _Rows(), _Rows()
        self._last: tuple[Cells, ...] = ()  # the last document, which may go on
        self._totals: tuple[Cells, ...] = ()

    def add(self, cells: Cells, documents: Numbers) -> None:
        self._totals = (summed([*self._totals, cells.joined(np.zeros_like(documents))]),)
        by_document, last = summed([*self._last, cells.joined(documents)]), int(documents.max(initial=0))
        self._add(by_document.chosen(by_document.units < last), self._documents)
        self._last = (by_document.chosen(by_document.units == last).joined(np.zeros(last + 1, dtype=np.int64)),)
        self._several |= last > 0
        if self._several:
            self._sentences = _Rows()
        else:
            self._add(summed([cells]), self._sentences)

    def _add(self, cells: Cells, rows: _Rows) -> None:
        rows.add(np.column_stack([cells.groups, self._parts(cells)]).astype(np.int32))

    @property
    def has_counts(self) -> bool:
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
