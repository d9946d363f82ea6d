"""Tables as data frames, data frames as tables, and rows kept as columns, each distinct text once: a row per word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple, TypeVar, get_args, overload

import numpy as np
from numpy.typing import NDArray

from levelhead.arguments import check
from levelhead.errors import Fault, InputError
from levelhead.extras import imported, installed
from levelhead.tables.data import DataColumn, DataTable, Value

_AT_ONCE = 1 << 13  # rows

_Cell = TypeVar("_Cell")


class Texts(NamedTuple):
    """A column of texts."""

    codes: NDArray[np.int32]  # the number of each row's text, -1 for a missing value
    texts: Sequence[str]

    def part(self, rows: slice) -> Texts:
        return Texts(self.codes[rows], self.texts)

    def numbered(self, write: Callable[[Value], _Cell]) -> tuple[NDArray[Any], list[Any]]:
        """Return the code of each row, and what `write` returns for each code; code -1 is a missing value."""
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
        """Return the code of each row, and what `write` returns for each code; code -1 is a missing value."""
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
    return Texts(np.full(n_rows, -1 if text is None else 0, dtype=np.int32), () if text is None else (text,))


def numbered_texts(texts: Iterable[str | None]) -> tuple[list[int], list[str]]:
    """Return the number of each text, -1 for None, and the distinct texts."""
    numbers: dict[str | None, int] = {}
    codes = [-1 if text is None else numbers.setdefault(text, len(numbers)) for text in texts]
    return codes, [text for text in numbers if text is not None]


def none_of(n_rows: int) -> Numbers:
    """Return a column of numbers without values."""
    return Numbers(np.zeros(n_rows, dtype=np.int64), np.ones(n_rows, dtype=bool))


Frames = Literal["polars", "pandas"]  # the libraries of data frames


def frame_of(table: DataTable, library: Frames | None = None) -> Any:
    """Return data as a data frame, by default of polars if it is installed."""
    check("library", library, ("optional", ("one of", get_args(Frames))))
    library = library or ("pandas" if not installed("polars") and find_spec("pandas") else "polars")
    if isinstance(table.rows, ColumnRows):
        return (to_polars_frame if library == "polars" else to_pandas_frame)(table.columns, table.rows)
    cells = zip(*table.rows) if table.rows else ((),) * len(table.columns)
    return frame_of_columns(table.columns, dict(zip(table.names, cells, strict=True)), library)


def frame_of_columns(columns: Sequence[DataColumn], cells: Mapping[str, Sequence[Any]], library: Frames) -> Any:
    if library == "polars":
        return imported("polars").DataFrame(cells, schema=polars_schema(columns))
    return (
        imported("pandas")
        .DataFrame({name: list(values) for name, values in cells.items()})
        .astype(pandas_types(columns))
    )


def is_frame(source: object) -> bool:
    """Return whether a value is a data frame, of pandas, polars or a similar library."""
    return all(hasattr(source, name) for name in ("columns", "__getitem__", "__len__"))


def cells_of_frame(frame: Any) -> dict[str, list[str]]:
    """Return the cells of each column of a data frame as text, empty for missing values."""
    if len({*map(str, frame.columns)}) < len(frame.columns):
        raise InputError(Fault("invalid-table", "two columns of the data frame have the same name"))
    return {str(column): [text_of_value(value) for value in frame[column]] for column in frame.columns}


def text_of_value(value: Any) -> str:
    """Return a value of a data frame as text with all digits, empty for a missing value."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value) if isinstance(value, float) else str(value)
    return "" if text in {"None", "nan", "<NA>", "NaT"} else text


_TYPES = {"integer": np.int64, "number": np.float64, "boolean": np.bool_}


def polars_schema(columns: Iterable[DataColumn]) -> dict[str, Any]:
    pl = imported("polars")
    types = {"text": pl.String, "integer": pl.Int64, "number": pl.Float64, "boolean": pl.Boolean}
    return {column.name: types[column.type] for column in columns}


def pandas_types(columns: Iterable[DataColumn]) -> dict[str, str]:
    of_pandas = {"text": "string", "integer": "Int64", "number": "float64", "boolean": "boolean"}
    whole = {"integer": "int64", "boolean": "bool"}  # without missing values
    return {
        column.name: of_pandas[column.type] if column.optional else whole.get(column.type, of_pandas[column.type])
        for column in columns
    }


def to_polars_frame(columns: Sequence[DataColumn], rows: ColumnRows) -> Any:
    pl = imported("polars")
    schema = polars_schema(columns)
    frames = [pl.DataFrame(_polars_series(columns, piece), schema=schema) for piece in rows.pieces]
    return pl.concat(frames, rechunk=False) if frames else pl.DataFrame(schema=schema)


def _polars_series(columns: Sequence[DataColumn], piece: Piece) -> Iterator[Any]:
    """Yield the columns of a piece; columns with the same texts share them."""
    pl = imported("polars")
    pools = dict[int, Any]()
    for column, cells in zip(columns, piece, strict=True):
        if isinstance(cells, Texts):
            if id(cells.texts) not in pools:
                pools[id(cells.texts)] = pl.Series([*cells.texts, None], dtype=pl.String)
            codes = np.where(cells.codes < 0, len(cells.texts), cells.codes)
            yield pools[id(cells.texts)].gather(pl.Series(codes.astype(np.uint32))).alias(column.name)
        else:
            values = pl.Series(column.name, cells.array.astype(_TYPES[column.type]))
            yield values if cells.missing is None else values.set(pl.Series(cells.missing), None)


def to_pandas_frame(columns: Sequence[DataColumn], rows: ColumnRows) -> Any:
    pd = imported("pandas")
    types = pandas_types(columns)

    def series(column: DataColumn, parts: Sequence[Any]) -> Any:
        kind = types[column.name]
        if column.type == "text":
            texts = (pd.array(list(part.texts), dtype=kind).take(part.codes, allow_fill=True) for part in parts)
            return pd.concat([pd.Series([], dtype=kind), *map(pd.Series, texts)], ignore_index=True)
        values = pd.Series(_joined((part.array for part in parts), _TYPES[column.type]), dtype=kind, copy=False)
        if all(part.missing is None for part in parts):
            return values
        missing = (np.zeros(len(part.array)) if part.missing is None else part.missing for part in parts)
        return values.mask(_joined(missing, np.bool_))

    by_column = list(zip(*rows.pieces, strict=True)) or [()] * len(columns)
    cells = {column.name: series(column, parts) for column, parts in zip(columns, by_column, strict=True)}
    return pd.DataFrame(cells, copy=False)


def _joined(parts: Iterable[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=kind), *(part.astype(kind, copy=False) for part in parts)])
