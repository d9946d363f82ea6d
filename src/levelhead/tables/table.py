"""Tables, the input of all writers: typed columns, rows and notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from levelhead.errors import count_text, number_of

if TYPE_CHECKING:
    from fractions import Fraction

    from levelhead.tables.data import DataTable

MOST_ROWS = 40  # of a table in a notebook, and of its chart
N_FIRST = 10  # rows of data with very many

Kind = Literal["text", "ratio", "difference", "percent", "points", "probability", "coefficient", "number", "position"]


class IntervalCell(NamedTuple):
    """An interval in a cell."""

    low: float  # where it begins
    high: float  # where it ends


Cell = str | int | float | IntervalCell | None


class Plain(float):
    """A number that is printed unscaled in any column, such as a perplexity among percentages."""


class Column(NamedTuple):
    """A column of a table.

    Args:
        name: its heading.
        kind: "text"; "percent"; "points", printed with a sign; "ratio", printed as a percentage; "difference" of
            ratios, printed in points with a sign; "probability", see `probability`; "coefficient", with all decimal
            places; "number", without those if all are whole; or "position", such as a line of a file.
        width: the minimum width in plain text.
        digits: the digits after the point of probabilities.
        key: its name in TSV and data frames, where names must be unique; the heading if empty.
        ends: for a column of intervals, the names of the two columns that it becomes in TSV and data frames.
        tidy_only: whether only TSV and data frames have the column.
    """

    name: str
    kind: Kind = "ratio"
    width: int = 0
    digits: int = 4
    key: str = ""
    ends: tuple[str, str] | None = None
    tidy_only: bool = False

    @property
    def unique_name(self) -> str:
        """Its name in TSV and data frames."""
        return self.key or self.name


class Table(NamedTuple):
    """A complete table; writers only print it.

    Args:
        columns: its columns.
        rows: its cells; None for a missing value.
        notes: sentences below the table.
        rules_before: the rows above which a rule is drawn.
        summary: summary rows, such as averages, below a rule; TSV and data frames do not have them.
        n_more: the number of further rows.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    rules_before: frozenset[int] = frozenset()
    summary: tuple[tuple[Cell, ...], ...] = ()
    n_more: int = 0

    def __repr__(self) -> str:
        return f"<Table: {number_of(len(self.rows), 'row')}, {number_of(len(self.columns), 'column')}>"

    @property
    def every_row(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows, then the summary rows."""
        return (*self.rows, *self.summary)

    @property
    def rules(self) -> frozenset[int]:
        """The rows above which a rule is drawn, including the first summary row."""
        return self.rules_before | ({len(self.rows)} if self.rows and self.summary else set())

    @property
    def readable(self) -> Table:
        """The table for readers, without the columns of TSV and data frames, and with equally many decimal places."""
        keep = [i for i, column in enumerate(self.columns) if not column.tidy_only]
        columns = [self._with_places(i) for i in keep]
        return self._with(columns, lambda row: [row[i] for i in keep])

    def _with_places(self, i: int) -> Column:
        """A column of numbers, which has decimal places in each row if it has some in one row, unless it has counts."""
        column, cells = self.columns[i], [row[i] for row in self.every_row]
        if column.kind != "number" or not any(isinstance(cell, float) and cell % 1 for cell in cells):
            return column
        return column if any(isinstance(cell, int) for cell in cells) else column._replace(kind="coefficient")

    @property
    def tidy(self) -> Table:
        """The table for TSV and data frames: an interval is two columns, named after the column before it."""
        columns: list[Column] = []
        split: list[bool] = []
        for i, column in enumerate(self.columns):
            split.append(column.ends is not None or any(isinstance(row[i], IntervalCell) for row in self.every_row))
            of = self.columns[i - 1].name
            ends = column.ends or ((f"{of} low", f"{of} high") if split[i] else ())
            columns += (column._replace(name=name, key="", ends=None) for name in ends)
            columns += () if ends else (column,)

        def cells(row: tuple[Cell, ...]) -> Iterator[Cell]:
            for cell, several in zip(row, split):
                yield from cell if isinstance(cell, IntervalCell) else [cell] * (2 if several else 1)

        return self._with(columns, cells)

    def _with(self, columns: Iterable[Column], cells: Callable[[tuple[Cell, ...]], Iterable[Cell]]) -> Table:
        rows, summary = (tuple(tuple(cells(row)) for row in some) for some in (self.rows, self.summary))
        return self._replace(columns=tuple(columns), rows=rows, summary=summary)


def table_of_data(data: DataTable) -> Table:
    """Return data as a table for readers."""
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
    """Return the first rows of data as a table for readers."""
    n_more = max(len(data.rows) - N_FIRST, 0)
    return table_of_data(data._replace(rows=data.rows[:N_FIRST]))._replace(n_more=n_more)


def percentage(ratio: float | Fraction) -> float:
    """Return a ratio as a percentage with the same digits: .54375 is 54.375, not 54.37499999999999."""
    from decimal import Decimal

    return float(Decimal(repr(float(ratio))).scaleb(2))


def value_cell(value: float | Fraction | None, *, perplexity: bool) -> float | None:
    """Return a value, or a difference of values, as a cell: a ratio, or a perplexity, which is printed unscaled."""
    return None if value is None else Plain(value) if perplexity else float(value)


def level_text(level: str | float) -> str:
    return f"{100 * float(level):g}%"


def interval_head(level: str | float) -> str:
    return f"{level_text(level)} CI"


def interval_cell(interval: tuple[float, float] | None, *, perplexity: bool) -> IntervalCell | None:
    if interval is None:
        return None
    return IntervalCell(*(Plain(end) if perplexity else float(end) for end in interval))


def formatted(cell: Cell, column: Column, places: int | None = 2) -> str:
    """Return a cell as text; a missing value is a dash."""
    if cell is None:
        return "-"
    if isinstance(cell, IntervalCell):
        between = " to " if column.kind in {"difference", "points"} or cell.low < 0 else "-"
        return between.join(formatted(end, column, places) for end in cell)
    if isinstance(cell, Plain):
        sign = "+z" if column.kind == "difference" else ""
        return repr(float(cell)) if places is None else f"{cell:{sign}.{places}f}"
    if column.kind in {"ratio", "difference"} and isinstance(cell, int | float):
        sign = "+" if column.kind == "difference" else ""
        return repr(percentage(cell)) if places is None else f"{100 * cell:{sign}.{places}f}"
    if column.kind == "percent" and isinstance(cell, int | float) and places is not None:
        return f"{100 * (cell / 100):.{places}f}"  # half-way cases as the official scorers round them
    if column.kind in {"percent", "points", "coefficient"} and isinstance(cell, int | float):
        sign = "+z" if column.kind == "points" else ""
        return repr(float(cell)) if places is None else f"{cell:{sign}.{places}f}"
    if column.kind == "probability" and isinstance(cell, float):
        return repr(cell) if places is None else probability(cell, column.digits)
    if isinstance(cell, float) and not cell.is_integer():
        return repr(cell) if places is None else f"{cell:.{places}f}"
    return str(int(cell)) if isinstance(cell, float) else str(cell)


def for_readers(cell: Cell, column: Column, places: int | None = 2) -> str:
    """Return a cell as text for readers: as `formatted`, with commas in numbers from 1,000."""
    text = formatted(cell, column, places)
    if column.kind not in {"number", "coefficient"} or isinstance(cell, str | IntervalCell):
        return text
    return re.sub(r"^-?\d{4,}", lambda digits: count_text(int(digits[0])), text)


def probability(value: float, digits: int = 4) -> str:
    """Return a p-value as text: `0.0123`, or `<.0001` if all digits would be 0."""
    text = f"{value:.{digits}f}"
    return f"<{10.0**-digits:.{digits}f}".replace("0.", ".") if value > 0 and not float(text) else text


def p_text(value: float | None, digits: int = 4) -> str:
    """Return a p-value with its sign, for sentences: `= 0.0123`, `< .0001`, or `= -` without a value."""
    text = "-" if value is None else probability(value, digits)
    return f"< {text[1:]}" if text.startswith("<") else f"= {text}"


_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
STARS_NOTE = "* p < .05, ** p < .01, *** p < .001"


def stars(p: float | None) -> str:
    return "" if p is None else next((text for level, text in _STARS if p < level), "")


_FORMULA = "'*[=+@-]"


def escaped(text: str) -> str:
    """Return a cell of a TSV file that no spreadsheet runs as a formula: `'+base` for `+base`.

    A text that already starts with apostrophes gets another one, so that no text is lost.
    """
    return f"'{text}" if re.match(_FORMULA, text) else text
