"""Finished results for people and programs: tables and their writers, and JSON documents."""

from levelhead.report.table import Column, Table
from levelhead.report.writers import WRITERS

__all__ = ["WRITERS", "Column", "Table"]
