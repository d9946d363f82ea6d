"""Tables as data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from levelhead.interop.libraries import needed

if TYPE_CHECKING:
    from levelhead.report.table import Cell, Table


def to_polars(table: Table) -> Any:
    """Return a table as a polars data frame; ratios stay between 0 and 1.

    Args:
        table: any table.

    Raises:
        LevelheadError: polars is not installed.
    """
    with needed("polars"):
        import polars as pl  # type: ignore[import-not-found,unused-ignore]
    table = table.tidy
    types = [pl.String if column.kind == "text" else pl.Float64 for column in table.columns]
    schema = dict(zip([column.unique_name for column in table.columns], types, strict=True))
    return pl.DataFrame(_columns(table), schema=schema, strict=False)


def to_pandas(table: Table) -> Any:
    """Return a table as a pandas data frame; ratios stay between 0 and 1.

    Args:
        table: any table.

    Raises:
        LevelheadError: pandas is not installed.
    """
    with needed("pandas"):
        import pandas as pd  # type: ignore[import-not-found,import-untyped,unused-ignore]
    table = table.tidy
    types = {column.unique_name: "string" if column.kind == "text" else "float64" for column in table.columns}
    return pd.DataFrame(_columns(table)).astype(types)


def _columns(table: Table) -> dict[str, list[Cell]]:
    return {column.unique_name: [row[place] for row in table.rows] for place, column in enumerate(table.columns)}
