"""Columns of several tables of studies."""

from __future__ import annotations

from levelhead.report.table import Column


def number_columns(*names: str) -> tuple[Column, ...]:
    """Return columns of plain numbers."""
    return tuple(Column(name, "number") for name in names)
