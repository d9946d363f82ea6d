"""Charts with a row for each item: a label, a picture on a common scale, and numbers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

from levelhead.immutable import immutable
from levelhead.report.charts.page_charts import panels, shares
from levelhead.tables.svg import Drawing, Scale, bar, clean, dot, line, number, scale_for, short, text, widest, width_of
from levelhead.tables.table import Cell, Column, formatted, interval_cell, value_cell

Shape = Literal["bar", "dot", "parts"]
"""Bars from zero, dots with their intervals, or stacked bars that fill the width."""

_MARGIN = 3.0  # percent of the width, for marks at the ends
_AT_END = 6.0  # percent of the width; closer to an end, a centered number would be cut off
_READABLE = 5  # percent of the width that a number needs
_RATIO = Column("")
_TICKS = {"bar": 4, "dot": 5}


class OpenedWords(NamedTuple):
    """The words that a row opens.

    Args:
        store: the number of the treebank on the page, from 1; 0 for all treebanks.
        group: the kind of grouping.
        number: the number of the group.
        title: the heading above their sentences.
    """

    store: str
    group: str
    number: int
    title: str


class ChartRow(NamedTuple):
    """A row of a chart.

    Args:
        label: its label.
        value: its value; None if it is undefined.
        low: the lower end of the interval; None without an interval.
        high: the upper end.
        cells: the texts of the other columns.
        color: the class of its color: `s0`, `s1`, ... or `fade`.
        parts: the number of each kind, in a stacked bar.
        opens: the words that it opens; None if it opens none.
        uncertain: whether its interval is so uncertain that it need not fit on the scale.
        total: whether it summarizes the rows above it.
        goes: for a row that is a link: a choice, its new value, and the section to scroll to.
    """

    label: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    cells: tuple[str, ...] = ()
    color: str = "s0"
    parts: tuple[int, ...] = ()
    opens: OpenedWords | None = None
    uncertain: bool = False
    total: bool = False
    goes: tuple[str, str, str] | None = None


def measured_row(
    label: str,
    value: float | Fraction | None,
    interval: tuple[float, float] | None,
    column: Column = _RATIO,
    more: Sequence[str] = (),
    *,
    perplexity: bool = False,
) -> ChartRow:
    """Return the row of a score, or of a difference of scores, with its interval; `more` are the texts after both."""
    shown = value_cell(value, perplexity=perplexity)
    between = cell_text(interval_cell(interval, perplexity=perplexity), column)
    cells = ("–" if shown is None else cell_text(shown, column), between, *more)
    return plotted_row(label, value, interval, 1 if perplexity else 100)._replace(cells=cells)


def plotted_row(
    label: str, value: float | Fraction | None, interval: tuple[float, float] | None, unit: float = 1
) -> ChartRow:
    """Return a row without texts; values are multiplied by the unit of the chart."""
    ends = (None, None) if interval is None else (unit * interval[0], unit * interval[1])
    return ChartRow(label, None if value is None else unit * float(value), *ends)


def cell_text(cell: Cell, column: Column) -> str:
    """Return the text of a score, a difference or an interval; empty if there is none."""
    dash = "\N{MINUS SIGN}" if column.kind == "difference" else "\N{EN DASH}"
    return "" if cell is None else formatted(cell, column).replace("-", dash)


@immutable
class RowChart:
    """A chart with a row for each item.

    Args:
        title: the title.
        head: the heading of the labels.
        axis: the name of the values.
        columns: the headings of the other columns.
        rows: the rows.
        shape: how values are drawn.
        kinds: the name and color of each part of stacked bars.
        hidden: the columns that are left out on narrow screens.
        full: the value of a bar that fills the width; None for the largest value.
        zero: whether to show and mark zero.
        explained: whether labels and headings are terms that the page defines.
    """

    title: str
    head: str
    axis: str
    columns: tuple[str, ...]
    rows: Sequence[ChartRow]
    shape: Shape = "bar"
    kinds: tuple[tuple[str, str], ...] = ()
    hidden: tuple[str, ...] = ("95% CI", "p")
    full: float | None = None
    zero: bool = True
    explained: bool = False

    @cached_property
    def scale(self) -> Scale:
        """The positions of values, in percent of the width."""
        ends = [row.value for row in self.rows if row.value is not None]
        ends += [end for row in self.rows for end in (row.low, row.high) if end is not None and not row.uncertain]
        start, end = _MARGIN, 100 - _MARGIN
        if self.shape == "bar":
            return Scale(min([0.0, *ends]), self.full or max([0.0, *ends]) or 1.0, start, end)
        return scale_for(ends, start, end, zero=self.zero)

    @cached_property
    def ticks(self) -> list[float]:
        """The numbers on the axis."""
        return [] if self.shape == "parts" else self.scale.ticks(_TICKS[self.shape])

    def top(self) -> str:
        """Return the axis as the heading of the pictures, with grid lines that extend down behind the rows.

        Near the ends, numbers are aligned so that they stay inside at any width.
        """
        lines, texts = "", ""
        for at in self.ticks:
            x, kind = self.scale(at), "rule" if at == 0 else "grid"
            lines += f'<line class="{kind}" x1="{short(x)}%" x2="{short(x)}%" y1="15" y2="9999"/>'
            anchor = "start" if x < _AT_END else "end" if x > 100 - _AT_END else "middle"
            place = f'text-anchor="{anchor}" x="{short(x)}%"'
            texts += f'<text class="mute small" y="11" {place}>{clean(number(at))}</text>'
        return _fluid(lines + texts)

    def picture(self, row: ChartRow) -> str:
        """Return the picture of a row."""
        if self.shape == "parts":
            return _fluid(self._parts(row))
        if row.value is None:
            return ""
        at, interval = self.scale(row.value), ""
        if row.low is not None and row.high is not None:
            start, end = (min(100.0, max(0.0, self.scale(value))) for value in (row.low, row.high))
            kind = "whisker" if self.shape == "bar" else f"line {row.color}"
            interval = f'<line class="{kind}" x1="{start:.2f}%" x2="{end:.2f}%" y1="50%" y2="50%"/>'
        if self.shape == "bar":
            left, right = sorted((self.scale(0), at))
            return _fluid(_box(left, max(right - left, 0.3), 12, row.color) + interval)
        if not row.total:
            return _fluid(f'{interval}<circle class="{row.color} halo" cx="{at:.2f}%" cy="50%" r="4.5"/>')
        shape = f'<path class="{row.color} halo" d="M-8 0L0 -6.5L8 0L0 6.5Z"/>'
        return _fluid(f'{interval}<svg x="{at:.2f}%" y="50%" overflow="visible">{shape}</svg>')

    def _parts(self, row: ChartRow) -> str:
        whole, done, drawn = sum(row.parts) or 1, 0, ""
        for n, (_, color) in zip(row.parts, self.kinds, strict=True):
            if n:
                share = 100 * n / whole
                drawn += _box(100 * done / whole, share, 16, color)
                kind, at = "small" if color == "none" else "on small", short(100 * done / whole + 0.8)
                drawn += f'<text class="{kind}" x="{at}%" y="50%" dy=".36em">{n}</text>' if share > _READABLE else ""
            done += n
        return drawn

    def drawing(self) -> Drawing:
        """Return the complete chart as a drawing for files."""
        known = [row for row in self.rows if row.value is not None]
        if self.shape == "parts":
            return shares(self.title, {row.label: row.parts for row in self.rows}, self.kinds)
        if self.shape == "bar":
            return panels(self.title, [row.label for row in known], {self.axis: [row.value for row in known]}, places=2)
        rules = {i for i, row in enumerate(known) if row.total and not (i and known[i - 1].total)}
        return spreads(self.title, known, self.axis, rules=rules, zero=self.zero)


def _fluid(body: str) -> str:
    """A picture that fills its cell; it is hidden from screen readers, which read the numbers."""
    return f'<svg aria-hidden="true">{body}</svg>'


def _box(left: float, width: float, height: float, kind: str) -> str:
    size = f'width="{width:.2f}%" height="{short(height)}"'
    return (
        f'<rect class="{kind}" x="{left:.2f}%" y="50%" {size} rx="1.5" transform="translate(0 {short(-height / 2)})"/>'
    )


_WIDTH, _ROW = 760.0, 22.0
_TOP, _BOTTOM = 30.0, 10.0


def spreads(
    title: str,
    rows: Sequence[ChartRow],
    axis: str,
    *,
    rules: Collection[int] = (),
    zero: bool = False,
    whole: bool = False,
) -> Drawing:
    """Draw values as dots with their intervals, one per row, for files and notebooks."""
    left = max(widest(row.label for row in rows) + 16, width_of(axis, 11) + 22)
    values = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    scale = scale_for(values, left, _WIDTH - 16, zero=zero)
    if whole:
        scale = Scale(min(values) - 0.5, max(values) + 0.5, left, _WIDTH - 16)
    ticks = [at for at in scale.ticks(8) if not whole or at == int(at)]
    bottom = _TOP + _ROW * len(rows)
    parts = [line(scale(at), _TOP, scale(at), bottom, "grid") for at in ticks]
    parts += [text(scale(at), _TOP - 7, number(at), "mute small", "middle") for at in ticks]
    parts.append(text(0, _TOP - 7, axis, "mute small"))
    parts += [line(scale(0), _TOP, scale(0), bottom, "rule")] if zero else []
    for i, row in enumerate(rows):
        y, value = _TOP + _ROW * (i + 0.5), row.value or 0.0
        parts += [line(0, y - _ROW / 2, _WIDTH, y - _ROW / 2, "rule")] if i in rules else []
        parts.append(text(left - 10, y + 4, row.label, anchor="end"))
        tip = f"{row.label}: {value:.4g}"
        if row.low is not None and row.high is not None:
            tip += f", {number(row.low)} to {number(row.high)}"
            pad = 0.32 if whole else 0.0
            parts.append(bar(scale(row.low - pad), scale(row.high + pad), y - 4, 8, "s0 soft", tip))
        parts.append(dot(scale(value), y, 4.5, "s0 halo", tip))
    return Drawing(title, _WIDTH, bottom + _BOTTOM, "".join(parts))
