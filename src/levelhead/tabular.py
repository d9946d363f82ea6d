"""Results: named tables of data with a verdict and a provenance, which print themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from levelhead.errors import Fault, InputError, number_of, printable, unknown

if TYPE_CHECKING:
    from levelhead.tables.data import DataTable, Layout
    from levelhead.tables.frames import Frames
    from levelhead.tables.table import Table

__all__ = ["Tabular"]

_MOST_FIELDS, _LONGEST_VERDICT = 4, 100
_NOT_COUNTED = {"by", "settings", "signature", "files", "notes", "looked", "setting", "sources", "units"}
_NAMES = {"cells": "errors", "evaluations": "treebanks", "differing": "differing sentences"}


class Tabular:
    """A result: named tables of data, with a verdict and a provenance.

    Notebooks show the verdict, the first 40 rows of the main table, and charts. A subclass defines `KIND` (the name of
    this kind of result) and `LAYOUTS` (the columns of each table, the main table first). For each table, the subclass
    has a method that returns the rows, or a field that contains them. For a table with the name "words", this is the
    method `_words_rows` or the field `words`. If a field maps keys to mappings, each entry of an inner mapping is a
    row.
    """

    __slots__ = ()

    KIND: ClassVar[str] = ""
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {}
    __iter__: Any = None  # so that a result is only iterable if it defines it: `for` would call `__getitem__` with 0
    PLACES: ClassVar[int] = 2
    _CHARTS_FIRST: ClassVar[bool] = False  # in notebooks: above the table
    _charts: ClassVar[list[Callable[[Tabular], str]]] = []

    if TYPE_CHECKING:

        @property
        def provenance(self) -> Any: ...  # what the numbers are from

    @classmethod
    def show_in_notebooks(cls, charts: Callable[[Tabular], str]) -> None:
        """Add charts to the tables in notebooks; the function `charts` takes a result and returns HTML."""
        cls._charts.append(charts)

    @cached_property  # which the fields of a class can replace
    def verdict(self) -> str | None:
        """The main finding in a sentence; None for a result without a verdict."""
        return None

    @classmethod
    def layouts(cls) -> Mapping[str, Layout]:
        """Return the columns of each table, the main table first."""
        return cls.LAYOUTS

    @cached_property
    def tables(self) -> dict[str, DataTable]:
        """The tables of data, by name; the first one is the main result."""
        return {name: self.data(name) for name in self.layouts()}

    @property
    def _main(self) -> str:
        return next(iter(self.layouts()))

    def data(self, name: str | None = None) -> DataTable:
        """Return the table of data with this `name`, by default the main table.

        Raises:
            InputError: the result has no table of this name.
        """
        from levelhead.tables.data import DataTable, table_of

        layouts = self.layouts()
        chosen = self._main if name is None else name
        if chosen not in layouts:
            raise InputError(Fault("unknown-table", unknown("table", chosen, layouts)))
        records = self.records(chosen)
        return records if isinstance(records, DataTable) else table_of(layouts[chosen], records)

    def records(self, name: str) -> Any:
        """Return the rows of the table `name`; if its columns depend on the result, return a `DataTable`."""
        if rows := getattr(self, f"_{name}_rows", None):
            return rows()
        field = getattr(self, name)
        if isinstance(field, Mapping):
            return ((first, *item) for first, items in field.items() for item in items.items())
        return field

    def table(self) -> Table:
        """Return the table for printing."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that commands print with `--format json`."""
        from levelhead.tables.documents import SCHEMA

        return {
            "schema": SCHEMA,
            "kind": self.KIND,
            "verdict": self.verdict,
            "provenance": self.provenance.to_dict(),
            "tables": {name: table.documents() for name, table in self.tables.items()},
        }

    def to_frame(self, table: str | None = None, *, library: Frames | None = None) -> Any:
        """Return a table of data as a data frame.

        Args:
            table: the name of the table, one of `tables`; by default the main table.
            library: "polars" or "pandas"; by default polars if it is installed, otherwise pandas.

        Raises:
            InputError: the result has no table of this name.
            LevelheadError: the library is not installed.
        """
        from levelhead.tables.frames import frame_of

        return frame_of(self.data(table), library)

    def text_tables(self) -> tuple[Table, ...]:
        """Return the tables that `print` shows; subclasses can show more than `table()`."""
        return (self.table(),)

    def _text(self) -> str:
        from levelhead.tables.writers import texts

        return texts(self.text_tables(), self.PLACES)

    def below_verdict(self, text: str, width: int | None = None) -> str:
        """Return the verdict with `text` below it, or `text` alone if the result has no verdict.

        The verdict is wrapped at `width` characters, by default 100.
        """
        if not self.verdict:
            return text
        from levelhead.tables.table import FILE
        from levelhead.tables.writers import folded

        verdict = f"{folded(printable(self.verdict), width or FILE.width, in_words=True)}\n"
        return f"{verdict}\n{text}" if text else verdict

    def __str__(self) -> str:
        return self.below_verdict(self._text()).rstrip("\n")

    def _repr_html_(self) -> str:
        from html import escape

        from levelhead.tables.writers import to_notebook

        verdict = f"<p><b>{escape(printable(self.verdict))}</b></p>\n" if self.verdict else ""
        parts = [to_notebook(self.table(), self.PLACES), *(charts(self) for charts in self._charts)]
        return verdict + "".join(reversed(parts) if self._CHARTS_FIRST else parts)

    def __repr__(self) -> str:
        from dataclasses import fields
        from textwrap import shorten

        sizes = []
        for item in fields(self):  # type: ignore[arg-type]
            name = item.name
            value = getattr(self, item.name)
            if hasattr(value, "rows"):
                sizes.append(number_of(len(value.rows), "row"))
            counted = isinstance(value, tuple | list | Mapping) and not isinstance(value, Tabular)
            if counted and value and not hasattr(value, "_fields") and name not in _NOT_COUNTED:
                words = _NAMES.get(name, name.replace("_", " "))
                n = len(value)
                sizes.append(f"{n} {words.removesuffix('s') if n == 1 else words}")
        answer = shorten(self.verdict or "", _LONGEST_VERDICT, placeholder=" ...")
        shown = ". ".join(filter(None, [", ".join(sizes[:_MOST_FIELDS]), answer]))
        return f"<{': '.join(filter(None, [type(self).__name__, shown]))}>"
