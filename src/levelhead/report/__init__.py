"""Results for readers and programs: tables and their writers, pages and charts, JSON documents and their schemas."""

from typing import TYPE_CHECKING, Any

from levelhead.tables.table import Column, Table
from levelhead.tables.writers import WRITERS

if TYPE_CHECKING:
    from levelhead.report.json_schemas import json_schema, schema_names

__all__ = ["WRITERS", "Column", "Table", "json_schema", "schema_names"]


def __getattr__(name: str) -> Any:
    """Load the functions for JSON Schemas on first use: they take a third of the time in which `score` starts."""
    if name in __all__:
        from levelhead.report import json_schemas

        return getattr(json_schemas, name)
    raise AttributeError(f"module 'levelhead.report' has no attribute {name!r}")
