"""Results for readers and programs: tables and their writers, pages and charts, JSON documents and their schemas."""

from levelhead.report.json_schemas import json_schema, schema_names
from levelhead.tables.table import Column, Table
from levelhead.tables.writers import WRITERS

__all__ = ["WRITERS", "Column", "Table", "json_schema", "schema_names"]
