"""How each result is shown: a module for each room with results, which has a `View` for each type."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from levelhead.report.table import Table
from levelhead.report.writers import to_html, to_text


class View(NamedTuple):
    """How a type of result is shown.

    Args:
        table: a function that returns its table.
        document: a function that returns the JSON document that `--format json` prints.
        places: digits after the point.
        text: a function that returns its text; by default the table as text.
    """

    table: Callable[..., Table]
    document: Callable[..., dict[str, Any]]
    places: int = 2
    text: Callable[[Any], str] | None = None

    def as_text(self, result: object) -> str:
        """Return a result as plain text, without a line feed at the end."""
        text = self.text(result) if self.text else to_text(self.table(result), self.places)
        return text.rstrip("\n")

    def as_html(self, result: object) -> str:
        """Return a result as an HTML table, with its charts."""
        charts: str = import_module("levelhead.report.notebook").charts_html(result)
        return to_html(self.table(result), self.places) + charts
