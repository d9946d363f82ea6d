"""The independent units of intervals and tests: sentences, documents, or sentences with the same comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, Place, count_text, listed, number_of, quoted
from levelhead.tables.table import Detail
from levelhead.treebank.documents import Documents, marks_text
from levelhead.treebank.treebank import Treebank

AUTO, SENTENCE, DOCUMENT, COMMENT = "auto", "sentence", "document", "comment:"

FEW = "few-documents"
"""In signatures: the documents in averages, and the sentences in the test set's own intervals."""

FEWEST_UNITS = 10
"""The minimum number of units for intervals and p-values."""

ENOUGH_UNITS = 20
"""With fewer units, intervals and p-values are rough."""


LABEL = "new sentences of these documents, not for new documents"
"""What intervals by sentence hold for, where gold marks documents."""

FEW_NOTE = f"fewer than {FEWEST_UNITS} documents, so {{}} are by sentence and hold for {LABEL}"


class Units(NamedTuple):
    """The units of a gold treebank.

    Args:
        kind: "sentence", "document" or "comment:NAME".
        of_sentence: the unit of each sentence, from 0, int64, shape (sentences,).
        largest: the share of the words in the largest unit, in percent.
        effective: the effective number of units, which is lower for uneven sizes: the squared sum of sizes divided by
            the sum of squares; 0 for sentences.
        ids: the id of each document, or the value of each comment; documents without an id are called #1 if they are
            the first in the file, and so on; no ids of sentences.
        marks: the number of sentences with `# newdoc`; 0 unless the units are documents.
        auto: whether gold decided on the kind.
        documents: the documents to which the sentences belong, if gold marks two or more; None if the units are these.
    """

    kind: str
    of_sentence: NDArray[np.int64]
    largest: float = 0.0
    effective: float = 0.0
    ids: tuple[str, ...] = ()
    marks: int = 0
    auto: bool = False
    documents: Units | None = None

    @property
    def n_units(self) -> int:
        """The number of units."""
        return int(self.of_sentence.max(initial=-1)) + 1

    @property
    def marked(self) -> bool:
        """Whether gold has the units that were chosen; False for `AUTO` without documents."""
        return self.kind != SENTENCE or not self.auto

    @property
    def few(self) -> bool:
        """Whether these are 2 to 9 documents by `AUTO`, which only averages over test sets use."""
        return self.auto and self.kind == DOCUMENT and self.n_units < FEWEST_UNITS

    def own(self) -> Units:
        """Return the units for results on this test set alone: sentences if there are few documents."""
        return Units(SENTENCE, np.arange(len(self.of_sentence)), documents=self) if self.few else self

    @property
    def label(self) -> str:
        """A note on what intervals by sentence apply to, if gold marks documents; otherwise empty."""
        return LABEL if self.own().kind == SENTENCE and self.own().documents else ""

    @property
    def decides(self) -> bool:
        """Whether the test set's own results may have p-values and be called significant."""
        few = self.few or (self.documents is not None and self.documents.few)
        return self.n_units >= FEWEST_UNITS and not few

    def sums(self, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the rows of a table with one row per sentence over the sentences of each unit; shape (units, ...)."""
        if self.kind == SENTENCE:
            return parts
        summed = np.zeros((self.n_units, *parts.shape[1:]))
        np.add.at(summed, self.of_sentence, parts)
        return summed


def units_of(gold: Treebank, resample_by: str) -> Units:
    """Return the units of a gold treebank.

    `auto` means documents if gold marks two or more (`# newdoc`), otherwise sentences; `Units.own` has the sentences if
    these are fewer than ten. Documents with the same id count as one, wherever their sentences are; a mark without an
    id starts a new document; sentences before the first mark form a document. A comment applies to its sentence and the
    following sentences, up to the next document or comment with the same name. Sentences with equal values are one
    unit, and sentences without a value are another.

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
        self._documents = Documents()
        self._of_document: list[NDArray[np.int32]] = []  # of each sentence
        self._values: list[NDArray[np.int32]] = []  # the number of the value of each sentence
        self._numbers: dict[str | None, int] = {}  # of the values of the comment
        self._value: str | None = None  # of the last sentence

    def add(self, piece: Treebank) -> None:
        self._lengths.append(np.diff(piece.sentence_starts).astype(np.int32))
        before, documents = self._documents.last, self._documents.add(piece)
        self._of_document.append(documents.astype(np.int32))
        if not self._resample_by.startswith(COMMENT):
            return
        name, numbers = self._resample_by.removeprefix(COMMENT), []
        begins = np.diff(documents, prepend=before) != 0
        for sentence, is_first in zip(piece, begins.tolist(), strict=True):
            self._value = sentence.metadata.get(name, None if is_first else self._value)
            numbers.append(self._numbers.setdefault(self._value, len(self._numbers)))
        self._values.append(np.array(numbers, dtype=np.int32))

    def units(self, path: str | None) -> Units:
        kind, ids = self._resample_by, self._documents.ids
        auto, lengths = kind == AUTO, _joined(self._lengths)
        documents = None
        if len(ids) > 1:
            documents = _grouped(DOCUMENT, self._of_document, lengths, ids)._replace(
                marks=self._documents.marks, auto=auto
            )
        if kind == DOCUMENT and not documents:
            message = (
                "the gold treebank does not mark two or more documents (# newdoc): use --resample-by sentence or auto"
            )
            raise InputError(Fault("no-documents", message, Place(path)))
        if documents and kind in {AUTO, DOCUMENT}:
            return documents
        if not kind.startswith(COMMENT):
            return Units(SENTENCE, np.arange(len(lengths), dtype=np.int64), auto=auto, documents=documents)
        if not self._numbers.keys() - {None}:
            message = f"no sentence has the comment {quoted(kind.removeprefix(COMMENT))} of --resample-by"
            raise InputError(Fault("no-documents", message, Place(path)))
        values = tuple(value or "" for value in self._numbers)
        return _grouped(kind, self._values, lengths, values)._replace(documents=documents)


def _grouped(
    kind: str, numbers: Sequence[NDArray[np.int32]], lengths: NDArray[np.int64], ids: tuple[str, ...]
) -> Units:
    of_sentence = _joined(numbers)
    words = np.bincount(of_sentence, weights=lengths)
    total = max(1.0, float(words.sum()))
    return Units(kind, of_sentence, 100 * float(words.max()) / total, total**2 / max(1.0, float(words @ words)), ids)


def _joined(pieces: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, dtype=np.int64), *pieces], dtype=np.int64)


class UnitRow(NamedTuple):
    """The units from which the intervals and tests of a treebank's own results are computed.

    Args:
        treebank: the treebank.
        unit: "sentence", "document" or "comment:NAME".
        n_units: the number of units.
        n_documents: the number of documents that gold marks; null if it marks fewer than two.
    """

    treebank: str
    unit: str
    n_units: int
    n_documents: int | None


def unit_rows(units: Mapping[str, Units]) -> list[UnitRow]:
    """Return the units of the test sets' own results, by the code of the test set."""
    rows = []
    for code, own in ((code, unit.own()) for code, unit in units.items()):
        documents = own if own.kind == DOCUMENT else own.documents
        rows.append(UnitRow(code, own.kind, own.n_units, documents.n_units if documents else None))
    return rows


def unit_line(
    units: Mapping[str, Units], results: str = "confidence intervals and p-values", averaged: str = ""
) -> Detail:
    """Return a note on the units of the test sets' own results, and on those of averages."""
    own = [unit.own() for unit in units.values()]
    kinds = " or ".join(dict.fromkeys(unit.kind.removeprefix(COMMENT) for unit in own))
    label = f" ({LABEL})" if own and all(unit.label for unit in own) else ""
    return Detail(f"{results} by {kinds}: {units_counted(units)}{label}{averaged}")


def with_p_values(p_values: Iterable[float | None]) -> str:
    """Return the results that a note on units is about."""
    return f"confidence intervals{' and p-values' if any(p is not None for p in p_values) else ''}"


def units_counted(units: Mapping[str, Units]) -> str:
    """Return the numbers of units of the test sets' own results, such as `20 documents and 300 sentences`."""
    return kinds_counted(unit.own() for unit in units.values())


def units_signature(units: Mapping[str, Units]) -> str:
    """Return the kinds of units for a signature, in alphabetical order; 2 to 9 documents by `AUTO` are a kind."""
    return "+".join(sorted({FEW if unit.few else unit.kind for unit in units.values()}))


def kinds_counted(units: Iterable[Units], n_units: int | None = None) -> str:
    """Return the numbers of units of each kind, such as `20 documents and 300 sentences`; or the given number."""
    kinds: dict[str, int] = {}
    for unit in units:
        kinds[unit.kind] = kinds.get(unit.kind, 0) + (unit.n_units if n_units is None else n_units)
    return " and ".join(_plural(kind, n) for kind, n in kinds.items())


def unit_notes(
    units: Mapping[str, Units],
    results: str = "intervals and p-values",
    *,
    averaged: bool = False,
    marked_by: str = "gold",
) -> Iterator[str]:
    """Return notes on missing, rough or too optimistic intervals and p-values.

    Averages have results even if a test set has none.
    """
    of_their_own = " of their own" if averaged and len(units) > 1 else ""
    intervals, _, p_values = results.partition(" and ")
    without = f", without {p_values} (use --resample-by sentence)" if p_values else ""
    own = {name: unit.own() for name, unit in units.items()}
    notes = {
        f"{marked_by} marks no documents, so sentences are treated as independent": [
            name for name, unit in units.items() if not unit.marked
        ],
        f"{FEW_NOTE.format(f'{intervals}{of_their_own}')}{without}": [
            f"{name} ({unit.n_units})" for name, unit in units.items() if unit.few
        ],
        f"{results} by sentence hold for {LABEL}": [
            name for name, unit in units.items() if unit.label and not unit.few
        ],
        f"fewer than {FEWEST_UNITS} units, so no {results.replace(' and ', ' or ')}{of_their_own}": [
            name for name, unit in own.items() if unit.n_units < FEWEST_UNITS
        ],
        f"fewer than {ENOUGH_UNITS} units, so {results} are rough": [
            name for name, unit in own.items() if FEWEST_UNITS <= unit.n_units < ENOUGH_UNITS
        ],
    }
    yield from (f"{note}: {listed(names, 5)}" for note, names in notes.items() if names)
    for name, unit in units.items():
        if unit.kind == DOCUMENT and (text := marks_text(unit.marks, unit.n_units)):
            yield Detail(f"{name}: {text}")
        if unit.few:
            continue
        if unit.n_units >= ENOUGH_UNITS and 0 < unit.effective < ENOUGH_UNITS:
            uneven = f"{_plural(unit.kind, unit.n_units)} of uneven size count as {unit.effective:.0f}"
            yield f"{name}: {uneven}, so {results} are rough"
        if unit.largest > 100 / 3:
            share = f"one {unit.kind.removeprefix(COMMENT)} has {unit.largest:.0f}% of the words"
            yield f"{name}: {share}, so {results} depend on it"


def _plural(kind: str, n_units: int) -> str:
    name = f"value of {kind.removeprefix(COMMENT)}" if kind.startswith(COMMENT) else kind
    if " " not in name:
        return number_of(n_units, name)
    return f"{count_text(n_units)} {name if n_units == 1 else name.replace('value', 'values')}"
