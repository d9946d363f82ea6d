"""Results for readers and programs: tables and their writers, pages and charts."""

from levelhead.tables.table import Column, Table

__all__ = ["Column", "Table"]
