"""Results for readers and programs: tables and their writers, pages and charts, JSON documents and their schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from levelhead.report.table import Column, Table
from levelhead.report.writers import WRITERS

if TYPE_CHECKING:
    from levelhead.report.json_schemas import json_schema, schema_names

__all__ = ["WRITERS", "Column", "Table", "json_schema", "schema_names"]


def __getattr__(name: str) -> Any:
    """Load a function on first use, so that printing a table does not load the JSON Schemas."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from levelhead.report import json_schemas

    return getattr(json_schemas, name)
