"""Results print themselves: as a table, as JSON, as a data frame and in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from levelhead.report.by_result import View
    from levelhead.report.table import Table

__all__ = ["Tabular"]

Frames = Literal["polars", "pandas"]
"""The libraries of data frames."""

_MOST_FIELDS = 4
_NOT_COUNTED = {"by", "settings", "signature", "files", "notes", "looked", "setting", "sources", "units"}
_NAMES = {"cells": "errors", "differing": "differing sentences"}


class Tabular:
    """A result that prints itself.

    `levelhead.report.by_result` knows how each result is shown; it is loaded when a result is first printed.
    """

    __slots__ = ()

    def table(self, **options: Any) -> Table:
        """Return the result as a table.

        Args:
            options: the options of the command's table, such as `counts=True` for `score`.
        """
        return self._view().table(self, **options)

    def to_dict(self, **options: Any) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`.

        Args:
            options: the options of the command's document, such as `sentences=True` for `perplexity`.
        """
        return self._view().document(self, **options)

    def to_frame(self, library: Frames | None = None, **options: Any) -> Any:
        """Return the table as a data frame; ratios stay between 0 and 1, and summary rows are left out.

        Args:
            library: "polars" or "pandas"; by default polars if it is installed, otherwise pandas.
            options: as in `table`.

        Raises:
            LevelheadError: the library is not installed.
        """
        frames = import_module("levelhead.report.frames")
        return frames.to_frame(self.table(**options), library)

    def _view(self) -> View:
        """Return the view of the result."""
        room = type(self).__module__.split(".")[1]
        view: View = import_module(f"levelhead.report.by_result.{room}").VIEWS[type(self)]
        return view

    def __str__(self) -> str:
        return self._view().as_text(self)

    def _repr_html_(self) -> str:
        return self._view().as_html(self)

    def __repr__(self) -> str:
        sizes = list(filter(None, (_size(item.name, getattr(self, item.name)) for item in fields(self))))  # type: ignore[arg-type]
        return f"<{type(self).__name__}{': ' if sizes else ''}{', '.join(sizes[:_MOST_FIELDS])}>"


def _size(name: str, value: object) -> str | None:
    """Return the number of items of a field, with a noun; None if it is empty or not a collection."""
    if not isinstance(value, tuple | list | Mapping) or isinstance(value, Tabular):
        return None
    if hasattr(value, "_fields") or name in _NOT_COUNTED:
        return None
    n = len(value)
    words = _NAMES.get(name, name.replace("_", " "))
    return f"{n} {words.removesuffix('s') if n == 1 else words}" if n else None


def tree_svg(sentence: object) -> str:
    """Return the tree of a sentence as SVG."""
    svg: str = import_module("levelhead.report.tree_svg").tree_drawing(sentence).file()
    return svg
