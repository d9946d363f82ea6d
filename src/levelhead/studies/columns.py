"""Columns of several tables of studies."""

from __future__ import annotations

from levelhead.tables.table import Column


def number_columns(*names: str) -> tuple[Column, ...]:
    """Return columns of plain numbers.

    Args:
        names: the names of the columns.
    """
    return tuple(Column(name, "number") for name in names)
