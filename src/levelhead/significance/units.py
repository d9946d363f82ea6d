"""What is resampled and swapped as a whole: sentences, documents, or sentences with the same comment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, Place, listed, quoted
from levelhead.treebank.treebank import Treebank

AUTO, SENTENCE, DOCUMENT, COMMENT = "auto", "sentence", "document", "comment:"

FEWEST_UNITS = 10
"""With fewer units there are no intervals and no p-values."""

ENOUGH_UNITS = 20
"""With fewer units intervals and p-values are rough."""

_MOST = 5

_LARGE = 1 / 3
"""The share of the words from which on one unit decides too much."""


class Units(NamedTuple):
    """The units of a gold treebank.

    Args:
        kind: "sentence", "document" or "comment:NAME".
        of_sentence: the unit of each sentence, from 0, int64, shape (sentences,).
        largest: the share of the words in the largest unit.
        effective: the effective number of units, which is lower where sizes are uneven: the square of the sum of
            sizes, over the sum of squares; 0 for sentences.
        marked: whether gold marks documents at all.
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

    `auto` takes documents if gold marks two or more (`# newdoc`), and sentences otherwise. Sentences before the first
    mark are a document. A comment applies to its sentence and those after it, up to the next document or comment of
    that name; sentences with equal values are one unit, and sentences without a value another.

    Args:
        gold: the gold treebank.
        resample_by: "auto", "sentence", "document" or "comment:NAME".

    Raises:
        InputError: gold does not mark two documents, or no sentence has the comment.
    """
    if resample_by == SENTENCE:
        return Units(SENTENCE, np.arange(len(gold), dtype=np.int64))
    documents = _documents(gold)
    several = documents.max(initial=0) > 0
    if resample_by == AUTO and not several:
        return Units(SENTENCE, np.arange(len(gold), dtype=np.int64), marked=False)
    if resample_by in {AUTO, DOCUMENT}:
        if not several:
            message = (
                "the gold treebank does not mark two or more documents (# newdoc): use --resample-by sentence or auto"
            )
            raise InputError(Fault("no-documents", message, Place(gold.source.path)))
        return _sized(DOCUMENT, documents, gold)
    return _sized(resample_by, _comments(gold, resample_by.removeprefix(COMMENT)), gold)


def unit_line(units: Mapping[str, Units], results: str = "confidence intervals and p-values") -> str:
    """Return what was taken as a unit, and how many units there were.

    Args:
        units: the units of each test set by its code.
        results: what was computed from them.
    """
    kinds: dict[str, int] = {}
    for one in units.values():
        kinds[one.kind] = kinds.get(one.kind, 0) + one.n_units
    counted = " and ".join(f"{_plural(kind, n_units)}" for kind, n_units in kinds.items())
    return f"{results} by {' or '.join(map(_unit_name, kinds))}: {counted}"


def unit_notes(
    units: Mapping[str, Units], results: str = "intervals and p-values", *, averaged: bool = False
) -> Iterator[str]:
    """Return notes on missing, rough or too optimistic intervals and p-values.

    Args:
        units: the units of each test set by its code.
        results: what is computed from them.
        averaged: whether several test sets are averaged, and averages have results even if a test set has none.
    """
    unmarked = [name for name, one in units.items() if not one.marked]
    if unmarked:
        names = listed(unmarked, _MOST)
        yield f"gold marks no documents, so sentences are resampled as if they were independent: {names}"
    none = [name for name, one in units.items() if one.n_units < FEWEST_UNITS]
    if none:
        own = " of their own" if averaged and len(units) > 1 else ""
        yield f"fewer than {FEWEST_UNITS} units to resample, so no {results}{own}: {listed(none, _MOST)}"
    few = [name for name, one in units.items() if FEWEST_UNITS <= one.n_units < ENOUGH_UNITS]
    if few:
        yield f"fewer than {ENOUGH_UNITS} units to resample, so {results} are rough: {listed(few, _MOST)}"
    for name, one in units.items():
        if one.n_units >= ENOUGH_UNITS and 0 < one.effective < ENOUGH_UNITS:
            uneven = f"{_plural(one.kind, one.n_units)} of uneven size count as {one.effective:.0f}"
            yield f"{name}: {uneven}, so {results} are rough"
        if one.largest > _LARGE:
            yield f"{name}: one {_unit_name(one.kind)} has {one.largest:.0%} of the words, so {results} depend on it"


def _unit_name(kind: str) -> str:
    return kind.removeprefix(COMMENT)


def _plural(kind: str, n_units: int) -> str:
    name = f"value of {_unit_name(kind)}" if kind.startswith(COMMENT) else kind
    return f"{n_units:,} {name if n_units == 1 else name.replace('value', 'values') if ' ' in name else name + 's'}"


def _documents(gold: Treebank) -> NDArray[np.int64]:
    """The document of each sentence, from 0; 0 also holds sentences before the first mark."""
    if b"newdoc" not in gold.comments.text:
        return np.zeros(len(gold), dtype=np.int64)
    starts = np.array([_starts_document(text) for text in gold.comments], dtype=np.int64)
    numbers: NDArray[np.int64] = np.cumsum(starts)
    return numbers - (numbers[0] if len(numbers) else 0)


def _starts_document(comments: str) -> bool:
    return any(line.removeprefix("#").split()[:1] == ["newdoc"] for line in comments.split("\n") if line)


def _comments(gold: Treebank, name: str) -> NDArray[np.int64]:
    values: list[str | None] = []
    held: str | None = None
    for sentence in gold:
        held = sentence.metadata.get(name, None if _starts_document(gold.comments[len(values)]) else held)
        values.append(held)
    if not any(value is not None for value in values):
        message = f"no sentence has the comment {quoted(name)} that --resample-by names"
        raise InputError(Fault("no-documents", message, Place(gold.source.path)))
    return _numbered(values)


def _numbered(values: Sequence[str | None]) -> NDArray[np.int64]:
    number = {value: i for i, value in enumerate(dict.fromkeys(values))}
    return np.array([number[value] for value in values], dtype=np.int64)


def _sized(kind: str, of_sentence: NDArray[np.int64], gold: Treebank) -> Units:
    words = np.bincount(of_sentence, weights=np.diff(gold.sentence_starts))
    total = max(1.0, float(words.sum()))
    return Units(kind, of_sentence, float(words.max()) / total, total**2 / max(1.0, float(words @ words)))
