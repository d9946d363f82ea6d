"""Tables, the input of all writers: typed columns, rows and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from levelhead.errors import count_text, number_of
from levelhead.tables.documents import Signature

if TYPE_CHECKING:
    from fractions import Fraction

    from levelhead.tables.data import DataTable

MOST_ROWS = 40  # of a table in a notebook, and of its chart
N_FIRST = 10  # rows of data with very many

Kind = Literal["text", "percent", "points", "probability", "coefficient", "number", "position"]


Cell = str | int | float | tuple[float, float] | None  # a pair is an interval


class Column(NamedTuple):
    """A column of a table.

    Args:
        name: the heading.
        kind: how cells are printed: "text", "percent", "points" (with a sign), "probability" (such as .012 or < .001),
            "coefficient" (always with decimal places), "number" (whole numbers without decimal places) or "position"
            (like "number", but never with commas, for line numbers).
        width: the minimum width in plain text.
        rank: if a terminal is too narrow, the columns with the highest `rank` are left out first.
    """

    name: str
    kind: Kind = "percent"
    width: int = 0
    rank: int = 0


class Detail(str):
    """A note that a terminal only shows on request, since tables are read in the same way without it."""

    __slots__ = ()


class Screen(NamedTuple):
    """Where text is shown."""

    width: int = 100  # its width in characters
    is_terminal: bool = False  # whether columns that do not fit are left out
    all_notes: bool = True  # instead of the main notes in two lines
    whole_signature: bool = True  # instead of its short form


FILE = Screen()
ALL_ROWS = "to_frame() has all"  # where rows are that are left out


class Table(NamedTuple):
    """A table that is ready to be printed.

    Args:
        columns: the columns.
        rows: the rows of cells; None is a missing value.
        notes: sentences below the table, the most important first. Terminals only show a `Detail` on request.
        rules_before: the indices of rows above which a horizontal line is drawn.
        summary: summary rows, such as averages, below a horizontal line.
        more: a text that says how many rows are left out; empty for a complete table.
        signature: the settings and inputs that determine the numbers, by name.
        explained: rows without numbers, given by their first cells, that a terminal omits because a note explains why
            the numbers are missing.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    rules_before: frozenset[int] = frozenset()
    summary: tuple[tuple[Cell, ...], ...] = ()
    more: str = ""
    signature: Signature = MappingProxyType({})
    explained: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"<Table: {number_of(len(self.rows), 'row')}, {number_of(len(self.columns), 'column')}>"

    @property
    def every_row(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows, then the summary rows."""
        return (*self.rows, *self.summary)

    @property
    def rules(self) -> frozenset[int]:
        """The indices of rows above which a horizontal line is drawn, including the first summary row."""
        return self.rules_before | ({len(self.rows)} if self.rows and self.summary else set())

    def signed(self, provenance: Any) -> Table:
        """The table with the additional notes and the signature of this `provenance`."""
        return self._replace(notes=(*self.notes, *provenance.notes), signature=provenance.signature)

    def cut(self, limit: int | None, hint: str, n_more: int = 0) -> Table:
        """The table with at most `limit` rows.

        A line below the table says how many rows are left out, and `hint` says how to see them. If there are too many
        rows and several summary rows, only summary rows are kept.
        """
        table = self
        if limit and len(self.rows) > limit and len(self.summary) > 1:
            table = self._replace(rows=self.summary, rules_before=frozenset(), summary=())
        rows, summary = table.rows[:limit], table.summary[:limit]
        n_more += len(self.every_row) - len(rows) - len(summary)
        if not n_more:
            return self
        rules = frozenset(number for number in table.rules_before if number < (limit or number + 1))
        return table._replace(rows=rows, rules_before=rules, summary=summary, more=f"... {n_more:,} more ({hint})")

    def of_columns(self, chosen: Sequence[int]) -> Table:
        """The table with only the `chosen` columns, given by index."""
        rows, summary = (tuple(tuple(row[i] for i in chosen) for row in some) for some in (self.rows, self.summary))
        return self._replace(columns=tuple(self.columns[i] for i in chosen), rows=rows, summary=summary)

    @property
    def readable(self) -> Table:
        """The table without columns of marks that no row has; columns without counts have equal decimal places."""
        columns = tuple(self._with_places(i) for i in range(len(self.columns)))
        filled = filled_columns(self)
        return self._replace(columns=columns).of_columns([i for i, c in enumerate(columns) if c.name or i in filled])

    def _with_places(self, i: int) -> Column:
        column, cells = self.columns[i], [row[i] for row in self.every_row]
        if column.kind != "number" or not any(isinstance(cell, float) and cell % 1 for cell in cells):
            return column
        return column if any(isinstance(cell, int) for cell in cells) else column._replace(kind="coefficient")


def filled_columns(table: Table) -> list[int]:
    """Return the indices of the first column and of all columns with a value in some row."""
    return [i for i in range(len(table.columns)) if not i or any(row[i] not in {"", None} for row in table.every_row)]


def starts_of(parts: Iterable[object]) -> frozenset[int]:
    """Return the rows above which a rule is drawn, given the part of the table to which each row belongs."""
    return frozenset(i for i, (before, part) in enumerate(pairwise(parts), 1) if part != before)


def table_of_data(data: DataTable) -> Table:
    kinds: Mapping[str, Kind] = {"percent": "percent", "points": "points", "probability": "probability"}
    columns = tuple(
        Column(
            column.name.replace("_", " "),
            "text" if column.type in {"text", "boolean"} else kinds.get(column.unit, "number"),
        )
        for column in data.columns
    )
    rows = (
        tuple({True: "yes", False: "no"}[cell] if isinstance(cell, bool) else cell for cell in row) for row in data.rows
    )
    return Table(columns, tuple(rows))


def first_rows(data: DataTable) -> Table:
    n_more = max(len(data.rows) - N_FIRST, 0)
    return table_of_data(data._replace(rows=data.rows[:N_FIRST])).cut(None, ALL_ROWS, n_more)


def percentage(ratio: float | Fraction) -> float:
    """Return a ratio as a percentage with the same digits: .54375 is 54.375, not 54.37499999999999."""
    from decimal import Decimal

    return float(Decimal(repr(float(ratio))).scaleb(2))


def level_text(level: str | float) -> str:
    return f"{100 * float(level):g}%"


def interval_head(level: str | float) -> str:
    return f"{level_text(level)} CI"


def formatted(cell: Cell, column: Column, places: int | None = 2) -> str:
    """Return a cell as text; a missing value is a dash."""
    if cell is None:
        return "-"
    if isinstance(cell, tuple):
        between = " to " if column.kind == "points" or cell[0] < 0 else "-"
        return between.join(formatted(end, column, places) for end in cell)
    if isinstance(cell, str):
        return cell
    if column.kind in {"text", "number", "position"} and (isinstance(cell, int) or cell.is_integer()):
        return str(int(cell))
    if places is None:
        return repr(float(cell))
    if column.kind == "probability":
        return probability(cell)
    if column.kind == "percent":
        return f"{100 * (cell / 100):.{places}f}"  # half-way cases as the official scorers round them
    return f"{cell:{'+z' if column.kind == 'points' else ''}.{places}f}"


def for_readers(cell: Cell, column: Column, places: int | None = 2) -> str:
    """Return a cell as text for readers: as `formatted`, with commas in numbers from 1,000."""
    text = formatted(cell, column, places)
    if column.kind not in {"number", "coefficient"} or isinstance(cell, str | tuple):
        return text
    return re.sub(r"^-?\d{4,}", lambda digits: count_text(int(digits[0])), text)


def probability(value: float) -> str:
    """Return a p-value as text: `.012`, or `< .001`."""
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def p_text(value: float | None) -> str:
    """Return a p-value with its sign, for sentences: `= .012`, `< .001`, or `= -` without a value."""
    text = "-" if value is None else probability(value)
    return text if text.startswith("<") else f"= {text}"


_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
STARS_NOTE = "* p < .05, ** p < .01, *** p < .001"


def stars(p: float | None) -> str:
    return "" if p is None else next((text for level, text in _STARS if p < level), "")


def escaped(text: str) -> str:
    """Return a cell of a TSV file that no spreadsheet runs as a formula: `'+base` for `+base`."""
    return f"'{text}" if re.match("'*[=+@-]", text) else text
