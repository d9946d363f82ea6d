"""Tables as data frames, and data frames as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

from levelhead.arguments import check
from levelhead.errors import Fault, InputError
from levelhead.extras import installed, required_library

if TYPE_CHECKING:
    from levelhead.tables.data import DataColumn, DataTable


Frames = Literal["polars", "pandas"]  # the libraries of data frames


def frame_of(table: DataTable, library: Frames | None = None) -> Any:
    """Return data as a data frame, by default of polars if it is installed."""
    from levelhead.tables.column_frames import to_pandas_frame, to_polars_frame
    from levelhead.tables.columnar import ColumnRows

    library = chosen_library(library)
    if isinstance(table.rows, ColumnRows):
        return (to_polars_frame if library == "polars" else to_pandas_frame)(table.columns, table.rows)
    cells = zip(*table.rows) if table.rows else ((),) * len(table.columns)
    return frame_of_columns(table.columns, dict(zip(table.names, cells, strict=True)), library)


def frame_of_columns(columns: Sequence[DataColumn], cells: Mapping[str, Sequence[Any]], library: Frames) -> Any:
    """Return the cells of each column as a data frame."""
    from levelhead.tables.column_frames import pandas_types, polars_schema

    if library == "polars":
        with required_library("polars"):
            import polars as pl  # type: ignore[import-not-found,unused-ignore]
        return pl.DataFrame(cells, schema=polars_schema(columns))
    with required_library("pandas"):
        import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]
    return pd.DataFrame({name: list(values) for name, values in cells.items()}).astype(pandas_types(columns))


def chosen_library(library: Frames | None) -> Frames:
    """Return the library of data frames: by default polars if it is installed, otherwise pandas."""
    check("library", library, ("optional", ("one of", get_args(Frames))))
    return library or ("pandas" if not installed("polars") and find_spec("pandas") else "polars")


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
