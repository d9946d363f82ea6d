"""Rows kept as columns, each distinct text once: for tables with a row per word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.tables.data import Value

_AT_ONCE = 1 << 13  # rows

_Cell = TypeVar("_Cell")


class Texts(NamedTuple):
    """A column of texts."""

    codes: NDArray[np.int32]  # the number of each row's text, -1 for a missing value
    texts: Sequence[str]

    def part(self, rows: slice) -> Texts:
        return Texts(self.codes[rows], self.texts)

    def numbered(self, write: Callable[[Value], _Cell]) -> tuple[NDArray[Any], list[Any]]:
        """Return the codes, and what a function makes of each text that occurs, and at last of a missing value."""
        cells: list[Any] = [None] * (len(self.texts) + 1)
        cells[-1] = write(None)
        for code in np.flatnonzero(np.bincount(self.codes[self.codes >= 0])).tolist():
            cells[code] = write(self.texts[code])
        return self.codes, cells


class Numbers(NamedTuple):
    """A column of integers, numbers or Boolean values."""

    array: NDArray[Any]
    missing: NDArray[np.bool_] | None = None  # which rows have no value; None if all have one

    def part(self, rows: slice) -> Numbers:
        return Numbers(self.array[rows], None if self.missing is None else self.missing[rows])

    def numbered(self, write: Callable[[Value], _Cell]) -> tuple[NDArray[Any], list[Any]]:
        """Return codes, and what a function makes of each value that occurs, and at last of a missing value."""
        distinct, codes = np.unique(self.array, return_inverse=True)
        if self.missing is not None:
            codes = np.where(self.missing, -1, codes)
        return codes, [*map(write, distinct.tolist()), write(None)]


Piece = tuple[Texts | Numbers, ...]  # some rows: one column each


class ColumnRows(Sequence[tuple[Any, ...]]):
    """The rows of a table, kept as columns."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.pieces = tuple(pieces)
        self._sizes = [len(piece[0][0]) for piece in self.pieces]

    def written(self, write: Callable[[Value], _Cell]) -> Iterator[tuple[_Cell, ...]]:
        """Yield each row, with what a function makes of its values; it is called once for equal values of a column."""
        for piece, size in zip(self.pieces, self._sizes, strict=True):
            columns = [column.numbered(write) for column in piece]
            for first in range(0, size, _AT_ONCE):
                some = ((codes[first : first + _AT_ONCE].tolist(), cells) for codes, cells in columns)
                yield from zip(*([cells[code] for code in codes] for codes, cells in some), strict=True)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self.written(lambda value: value)

    def __len__(self) -> int:
        return sum(self._sizes)

    @overload
    def __getitem__(self, index: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> ColumnRows: ...
    def __getitem__(self, index: int | slice) -> tuple[Any, ...] | ColumnRows:
        """Return a row, or consecutive rows."""
        if not isinstance(index, slice):
            row = range(len(self))[index]
            return next(iter(self[row : row + 1]))
        first, end, step = index.indices(len(self))
        if step != 1:
            raise ValueError("only consecutive rows can be selected")
        pieces = []
        for piece, size in zip(self.pieces, self._sizes, strict=True):
            rows = slice(max(first, 0), max(min(end, size), 0))
            pieces.append(tuple(column.part(rows) for column in piece))
            first, end = first - size, end - size
        return ColumnRows(pieces)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(one == tuple(another) for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def constant(text: str | None, n_rows: int) -> Texts:
    """Return a column with the same text in all rows."""
    return Texts(np.full(n_rows, -1 if text is None else 0, dtype=np.int32), () if text is None else (text,))


def numbered_texts(texts: Iterable[str | None]) -> tuple[list[int], list[str]]:
    """Return the number of each text, -1 for None, and the distinct texts."""
    numbers: dict[str | None, int] = {}
    codes = [-1 if text is None else numbers.setdefault(text, len(numbers)) for text in texts]
    return codes, [text for text in numbers if text is not None]


def none_of(n_rows: int) -> Numbers:
    """Return a column of numbers without values."""
    return Numbers(np.zeros(n_rows, dtype=np.int64), np.ones(n_rows, dtype=bool))
