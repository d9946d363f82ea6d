"""Finished results for people and programs."""

from levelhead.report.table import Column, Table
from levelhead.report.writers import WRITERS

__all__ = ["WRITERS", "Column", "Table"]
