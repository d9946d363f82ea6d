"""The independent units of intervals and tests: sentences, documents, or sentences with the same comment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

_MOST = 5

_LARGE = 1 / 3
"""The share of words above which a single unit has too much influence."""


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

    @property
    def n_units(self) -> int:
        """The number of units."""
        return int(self.of_sentence.max(initial=-1)) + 1

    def sums(self, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the rows of a table over the sentences of each unit; shape (units, ...).

        Args:
            parts: one row per sentence, float64, shape (sentences, ...).
        """
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
    """Finds the units of a gold treebank that is read in pieces, see `units_of`.

    Args:
        resample_by: "auto", "sentence", "document" or "comment:NAME".
    """

    def __init__(self, resample_by: str) -> None:
        self._resample_by = resample_by
        self._lengths: list[NDArray[np.int32]] = []  # words in each sentence
        self._documents: list[NDArray[np.bool_]] = []  # whether each sentence starts a document
        self._values: list[NDArray[np.int32]] = []  # the number of each sentence's value
        self._numbers: dict[str | None, int] = {}
        self._held: str | None = None

    def add(self, piece: Treebank) -> None:
        """Add the sentences of a piece."""
        self._lengths.append(np.diff(piece.sentence_starts).astype(np.int32))
        if self._resample_by in {AUTO, DOCUMENT}:
            self._documents.append(document_starts(piece))
        elif self._resample_by != SENTENCE:
            numbers = (self._numbers.setdefault(value, len(self._numbers)) for value in self._values_of(piece))
            self._values.append(np.fromiter(numbers, dtype=np.int32, count=len(piece)))

    def units(self, path: str | None) -> Units:
        """Return the units of all pieces."""
        kind = self._resample_by
        if kind == SENTENCE:
            return self._sentences(marked=True)
        if kind not in {AUTO, DOCUMENT}:
            if not self._numbers.keys() - {None}:
                message = f"no sentence has the comment {quoted(kind.removeprefix(COMMENT))} of --resample-by"
                raise InputError(Fault("no-documents", message, Place(path)))
            return self._sized(kind, _joined(self._values))
        documents = np.cumsum(_joined(self._documents))
        several = len(documents) > 0 and documents[-1] > documents[0]
        if several:
            return self._sized(DOCUMENT, documents - documents[0])
        if kind == AUTO:
            return self._sentences(marked=False)
        message = "the gold treebank does not mark two or more documents (# newdoc): use --resample-by sentence or auto"
        raise InputError(Fault("no-documents", message, Place(path)))

    def _values_of(self, piece: Treebank) -> Iterator[str | None]:
        name = self._resample_by.removeprefix(COMMENT)
        for sentence, comments in zip(piece, piece.comments, strict=True):
            self._held = sentence.metadata.get(name, None if _starts_document(comments) else self._held)
            yield self._held

    def _sentences(self, *, marked: bool) -> Units:
        return Units(SENTENCE, np.arange(sum(map(len, self._lengths)), dtype=np.int64), marked=marked)

    def _sized(self, kind: str, of_sentence: NDArray[np.int64]) -> Units:
        words = np.bincount(of_sentence, weights=_joined(self._lengths))
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
    return f"{results} by {' or '.join(map(_unit_name, kinds))}: {units_counted(units)}"


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
    unmarked = [name for name, unit in units.items() if not unit.marked]
    if unmarked:
        names = listed(unmarked, _MOST)
        yield f"{marked_by} marks no documents, so sentences are resampled as if they were independent: {names}"
    none = [name for name, unit in units.items() if unit.n_units < FEWEST_UNITS]
    if none:
        own = " of their own" if averaged and len(units) > 1 else ""
        yield f"fewer than {FEWEST_UNITS} units to resample, so no {results}{own}: {listed(none, _MOST)}"
    few = [name for name, unit in units.items() if FEWEST_UNITS <= unit.n_units < ENOUGH_UNITS]
    if few:
        yield f"fewer than {ENOUGH_UNITS} units to resample, so {results} are rough: {listed(few, _MOST)}"
    for name, unit in units.items():
        if unit.n_units >= ENOUGH_UNITS and 0 < unit.effective < ENOUGH_UNITS:
            uneven = f"{_plural(unit.kind, unit.n_units)} of uneven size count as {unit.effective:.0f}"
            yield f"{name}: {uneven}, so {results} are rough"
        if unit.largest > _LARGE:
            yield f"{name}: one {_unit_name(unit.kind)} has {unit.largest:.0%} of the words, so {results} depend on it"


def _unit_name(kind: str) -> str:
    return kind.removeprefix(COMMENT)


def _plural(kind: str, n_units: int) -> str:
    name = f"value of {_unit_name(kind)}" if kind.startswith(COMMENT) else kind
    if " " not in name:
        return number_of(n_units, name)
    return f"{count_text(n_units)} {name if n_units == 1 else name.replace('value', 'values')}"


def _starts_document(comments: str) -> bool:
    return any(line.removeprefix("#").split()[:1] == ["newdoc"] for line in comments.split("\n") if line)
