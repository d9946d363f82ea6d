"""Results print themselves: as a table, as JSON, as a data frame and in notebooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from levelhead.tables.frames import Frames
    from levelhead.tables.table import Table

__all__ = ["Tabular"]

_MOST_FIELDS = 4
_NOT_COUNTED = {"by", "settings", "signature", "files", "notes", "looked", "setting", "sources", "units"}
_NAMES = {"cells": "errors", "differing": "differing sentences"}


class Tabular:
    """A result that prints itself."""

    __slots__ = ()

    __iter__: Any = None  # so that a result is only iterable if it defines it: `for` would call `__getitem__` with 0
    _PLACES: ClassVar[int] = 2
    _charts: ClassVar[list[Callable[[Tabular], str]]] = []

    @classmethod
    def show_in_notebooks(cls, charts: Callable[[Tabular], str]) -> None:
        """Let notebooks show charts below the tables of results: HTML from a function of the result."""
        cls._charts.append(charts)

    def table(self) -> Table:
        """Return the result as a table."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        raise NotImplementedError

    def to_frame(self, library: Frames | None = None, **options: Any) -> Any:
        """Return the table as a data frame; ratios stay between 0 and 1, and summary rows are left out.

        Args:
            library: "polars" or "pandas"; by default polars if it is installed, otherwise pandas.
            options: as in `table`.

        Raises:
            LevelheadError: the library is not installed.
        """
        from levelhead.tables.frames import to_frame

        return to_frame(self.table(**options), library)

    def __str__(self) -> str:
        from levelhead.tables.writers import to_text

        return to_text(self.table(), self._PLACES).rstrip("\n")

    def _repr_html_(self) -> str:
        from levelhead.tables.writers import to_html

        return to_html(self.table(), self._PLACES) + "".join(charts(self) for charts in self._charts)

    def __repr__(self) -> str:
        from dataclasses import fields

        sizes = []
        for item in fields(self):  # type: ignore[arg-type]
            name = item.name
            value = getattr(self, item.name)
            counted = isinstance(value, tuple | list | Mapping) and not isinstance(value, Tabular)
            if counted and value and not hasattr(value, "_fields") and name not in _NOT_COUNTED:
                words = _NAMES.get(name, name.replace("_", " "))
                n = len(value)
                sizes.append(f"{n} {words.removesuffix('s') if n == 1 else words}")
        return f"<{type(self).__name__}{': ' if sizes else ''}{', '.join(sizes[:_MOST_FIELDS])}>"
