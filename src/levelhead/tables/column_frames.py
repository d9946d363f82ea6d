"""Data frames of rows that are kept as columns, without a Python object for each cell; types of columns in frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from levelhead.extras import required_library
from levelhead.tables.columnar import ColumnRows, Piece, Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.tables.data import DataColumn

_TYPES = {"integer": np.int64, "number": np.float64, "boolean": np.bool_}


def polars_schema(columns: Iterable[DataColumn]) -> dict[str, Any]:
    """Return the type of each column in polars."""
    import polars as pl

    types = {"text": pl.String, "integer": pl.Int64, "number": pl.Float64, "boolean": pl.Boolean}
    return {column.name: types[column.type] for column in columns}


def pandas_types(columns: Iterable[DataColumn]) -> dict[str, str]:
    """Return the type of each column in pandas."""
    of_pandas = {"text": "string", "integer": "Int64", "number": "float64", "boolean": "boolean"}
    whole = {"integer": "int64", "boolean": "bool"}  # without missing values
    return {
        column.name: of_pandas[column.type] if column.optional else whole.get(column.type, of_pandas[column.type])
        for column in columns
    }


def to_polars_frame(columns: Sequence[DataColumn], rows: ColumnRows) -> Any:
    with required_library("polars"):
        import polars as pl  # type: ignore[import-not-found,unused-ignore]
    schema = polars_schema(columns)
    frames = [pl.DataFrame(_polars_series(columns, piece), schema=schema) for piece in rows.pieces]
    return pl.concat(frames, rechunk=False) if frames else pl.DataFrame(schema=schema)


def _polars_series(columns: Sequence[DataColumn], piece: Piece) -> Iterator[Any]:
    """Yield the columns of a piece; columns with the same texts share them."""
    import polars as pl

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
    with required_library("pandas"):
        import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]
    types = pandas_types(columns)

    def array(column: DataColumn, pieces: Sequence[Any]) -> Any:
        kind = types[column.name]
        if column.type == "text":
            parts = [pd.array(list(part.texts), dtype=kind).take(part.codes, allow_fill=True) for part in pieces]
            return pd.concat([pd.Series([], dtype=kind), *map(pd.Series, parts)], ignore_index=True)
        values = _joined([part.array for part in pieces], _TYPES[column.type])
        missing = _joined(
            [np.zeros(len(part.array)) if part.missing is None else part.missing for part in pieces], np.bool_
        )
        if column.type == "number":
            return np.where(missing, np.nan, values)
        if kind.islower() and kind != "boolean":
            return values
        return (pd.arrays.BooleanArray if kind == "boolean" else pd.arrays.IntegerArray)(values, missing)

    by_column = list(zip(*rows.pieces, strict=True)) or [()] * len(columns)
    arrays = {column.name: array(column, pieces) for column, pieces in zip(columns, by_column, strict=True)}
    return pd.DataFrame(arrays, copy=False)


def _joined(parts: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=kind), *(part.astype(kind, copy=False) for part in parts)])
