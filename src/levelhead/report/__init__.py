"""Results for readers and programs: tables and their writers, pages and charts."""

from levelhead.tables.table import Column, Table
from levelhead.tables.writers import WRITERS

__all__ = ["WRITERS", "Column", "Table"]
