"""The charts of pages; most have a row for each item: a label, a picture on a common scale, and numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from types import MappingProxyType
from typing import Literal, NamedTuple

from levelhead.immutable import immutable
from levelhead.tables import svg
from levelhead.tables.svg import Drawing, Scale
from levelhead.tables.table import Cell, Column, formatted

# bars from zero, dots with their intervals, or stacked bars that fill the width
Shape = Literal["bar", "dot", "parts"]

_MARGIN = 3.0  # percent of the width, for marks at the ends
_AT_END = 6.0  # percent of the width; closer to an end, a centered number would be cut off


class OpenedWords(NamedTuple):
    """The words that a row opens: their store (1 for the first treebank, 0 for all), grouping, group and heading."""

    store: str
    kind: str
    name: str
    title: str


class ChartRow(NamedTuple):
    """A row of a chart; without a value or an interval, these are None."""

    label: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    cells: tuple[str, ...] = ()  # the texts of the other columns
    color: str = "s0"  # the class of its color: `s0`, `s1`, ... or `fade`
    parts: tuple[int, ...] = ()  # the number of each kind, in a stacked bar
    opens: OpenedWords | None = None
    uncertain: bool = False  # whether its interval need not fit on the scale
    total: bool = False  # whether it summarizes the rows above it
    goes: tuple[str, str, str] | None = None  # where a click leads: a choice, its new value, and a section


def measured_row(
    label: str,
    value: float | None,
    interval: tuple[float, float] | None,
    column: Column,
    more: Sequence[str] = (),
) -> ChartRow:
    """Return the row of a score, or of a difference of scores, with its interval; `more` are the texts after both."""
    between = cell_text(interval, column)
    return plotted_row(label, value, interval)._replace(cells=(cell_text(value, column) or "–", between, *more))


def plotted_row(label: str, value: float | None, interval: tuple[float, float] | None) -> ChartRow:
    return ChartRow(label, value, *(interval or (None, None)))


def cell_text(cell: Cell, column: Column) -> str:
    """Return the text of a score, a difference or an interval; empty if there is none."""
    dash = "\N{MINUS SIGN}" if column.kind == "points" else "\N{EN DASH}"
    return "" if cell is None else formatted(cell, column).replace("-", dash)


@immutable
class RowChart:
    """A chart with a row for each item."""

    title: str
    head: str  # of the labels
    axis: str  # the name of the values
    columns: tuple[str, ...]  # the headings of the other columns
    rows: Sequence[ChartRow]
    shape: Shape = "bar"
    kinds: tuple[tuple[str, str], ...] = ()  # the name and color of each part of stacked bars
    hidden: tuple[str, ...] = ("95% CI", "p")  # the columns that are left out on narrow screens
    full: float | None = None  # the value of a bar that fills the width; None for the largest value
    zero: bool = True  # whether to show and mark zero
    explained: bool = False  # whether labels and headings are terms that the page defines

    @cached_property
    def scale(self) -> Scale:
        """The scale that converts values to positions, in percent of the width."""
        ends = [row.value for row in self.rows if row.value is not None]
        ends += [end for row in self.rows for end in (row.low, row.high) if end is not None and not row.uncertain]
        start, end = _MARGIN, 100 - _MARGIN
        if self.shape == "bar":
            return Scale(min([0.0, *ends]), self.full or max([0.0, *ends]) or 1.0, start, end)
        return svg.scale_for(ends, start, end, zero=self.zero)

    def top(self) -> str:
        """Return the axis as the heading of the pictures, with grid lines that extend down behind the rows."""
        lines, texts = "", ""
        for at in () if self.shape == "parts" else self.scale.ticks(4 if self.shape == "bar" else 5):
            x, kind = self.scale(at), "rule" if at == 0 else "grid"
            lines += f'<line class="{kind}" x1="{svg.short(x)}%" x2="{svg.short(x)}%" y1="15" y2="9999"/>'
            anchor = "start" if x < _AT_END else "end" if x > 100 - _AT_END else "middle"  # inside at any width
            place = f'text-anchor="{anchor}" x="{svg.short(x)}%"'
            texts += f'<text class="mute small" y="11" {place}>{svg.clean(svg.number(at))}</text>'
        return _fluid(lines + texts)

    def picture(self, row: ChartRow) -> str:
        if self.shape == "parts":
            whole = sum(row.parts) or 1
            drawn = ""
            for n, done, (_, color) in zip(row.parts, accumulate(row.parts, initial=0), self.kinds):
                start = 100 * done / whole
                share = 100 * n / whole
                kind = "small" if color == "none" else "on small"
                number_inside = f'<text class="{kind}" x="{svg.short(start + 0.8)}%" y="50%" dy=".36em">{n}</text>'
                # a number needs 5% of the width
                drawn += _box(start, share, 16, color) + (number_inside if share > 5 else "") if n else ""
            return _fluid(drawn)
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

    def drawing(self) -> Drawing:
        if self.shape == "parts":
            return shares(self.title, {row.label: row.parts for row in self.rows}, self.kinds)
        known = [row for row in self.rows if row.value is not None]
        if self.shape == "bar":
            return panels(self.title, [row.label for row in known], {self.axis: [row.value for row in known]}, places=2)
        rules = {i for i, row in enumerate(known) if row.total and not (i and known[i - 1].total)}
        return spreads(self.title, known, self.axis, rules=rules, zero=self.zero)


def _fluid(body: str) -> str:
    """A picture that fills its cell; it is hidden from screen readers, which read the numbers."""
    return f'<svg aria-hidden="true">{body}</svg>'


def _box(left: float, width: float, height: float, kind: str) -> str:
    size = f'width="{width:.2f}%" height="{svg.short(height)}"'
    up = f'transform="translate(0 {svg.short(-height / 2)})"'
    return f'<rect class="{kind}" x="{left:.2f}%" y="50%" {size} rx="1.5" {up}/>'


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
    left = max(svg.widest(row.label for row in rows) + 16, svg.width_of(axis, 11) + 22)
    values = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    ends = left, _WIDTH - 16
    scale = Scale(min(values) - 0.5, max(values) + 0.5, *ends) if whole else svg.scale_for(values, *ends, zero=zero)
    ticks = [at for at in scale.ticks(8) if not whole or at == int(at)]
    bottom = _TOP + _ROW * len(rows)
    parts = [
        *(svg.line(scale(at), _TOP, scale(at), bottom, "grid") for at in ticks),
        *(svg.text(scale(at), _TOP - 7, svg.number(at), "mute small", "middle") for at in ticks),
        svg.text(0, _TOP - 7, axis, "mute small"),
        *([svg.line(scale(0), _TOP, scale(0), bottom, "rule")] if zero else []),
    ]
    for i, row in enumerate(rows):
        y, value = _TOP + _ROW * (i + 0.5), row.value or 0.0
        parts += [svg.line(0, y - _ROW / 2, _WIDTH, y - _ROW / 2, "rule")] if i in rules else []
        parts.append(svg.text(left - 10, y + 4, row.label, anchor="end"))
        tip = f"{row.label}: {value:.4g}"
        if row.low is not None and row.high is not None:
            tip += f", {svg.number(row.low)} to {svg.number(row.high)}"
            pad = 0.32 if whole else 0.0
            parts.append(svg.bar(scale(row.low - pad), scale(row.high + pad), y - 4, 8, "s0 soft", tip))
        parts.append(svg.dot(scale(value), y, 4.5, "s0 halo", tip))
    return Drawing(title, _WIDTH, bottom + _BOTTOM, "".join(parts))


_WIDTH, _ROW = 760.0, 22.0
_TOP, _BOTTOM = 30.0, 10.0


def slopes(title: str, ranks: Mapping[str, Sequence[int | None]], measures: Sequence[str]) -> Drawing:
    """Draw how ranks change from measure to measure, with the systems that move most in color."""
    ranked = {system: [rank for rank in places if rank] for system, places in ranks.items()}
    moves = {system: max(places) - min(places) for system, places in ranked.items() if places}
    colored = sorted(filter(moves.get, moves), key=lambda system: -moves[system])[:5]
    left = svg.widest(ranks) + 34
    width = min(_WIDTH, left * 2 + 190 * (len(measures) - 1))
    x = Scale(0, max(1, len(measures) - 1), left, width - left)
    y = Scale(1, max(2, len(ranks)), _TOP + 12, _TOP + 12 + 25 * (len(ranks) - 1 or 1))
    parts = [svg.text(x(i), 16, measure, "b", "middle") for i, measure in enumerate(measures)]
    orders = [
        sorted(enumerate(of_measure), key=lambda placed: (placed[1] is None, placed[1] or 0))
        for of_measure in zip(*ranks.values())
    ]
    # by measure, the vertical position of each system; those with the same rank get consecutive positions
    slots = [{row: place for place, (row, _) in enumerate(order, 1)} for order in orders]
    for row, (system, places) in enumerate(ranks.items()):
        points = [(x(i), y(slots[i][row])) for i, rank in enumerate(places) if rank]
        color = colored.index(system) if system in colored else None
        kind, fill = ("axis thin", "fade") if color is None else (f"l{color} thick", f"s{color} halo")
        tip = f"{system}: " + ", ".join(f"{rank} by {name}" for name, rank in zip(measures, places) if rank)
        parts += [svg.path(points, f"none {kind}", tip), *(svg.dot(*point, 3.5, fill, tip) for point in points)]
        for end, anchor, at in ((0, "end", x(0) - 10), (-1, "start", x(len(measures) - 1) + 10)):
            if rank := places[end]:
                words = f"{system}  {rank}" if end == 0 else f"{rank}  {system}"
                parts.append(svg.text(at, y(slots[end][row]) + 4, words, "mute" if color is None else "b", anchor))
    return Drawing(title, width, y(max(2, len(ranks))) + 16, "".join(parts))


def panels(
    title: str,
    rows: Sequence[str],
    columns: Mapping[str, Sequence[float | None]],
    *,
    places: int = 1,
    signed: bool = False,
) -> Drawing:
    """Draw columns of bars side by side, all on the same scale."""
    left, known = svg.widest(rows) + 14, [v for values in columns.values() for v in values if v is not None]
    each = max(84.0, min(230.0, (_WIDTH - left) / max(1, len(columns)) - 12))
    low, high = min([0.0, *known]), max([0.0, *known]) or 1.0
    reach, parts = 44.0, []
    for c, (name, values) in enumerate(columns.items()):
        start = left + c * (each + 12)
        scale = Scale(low, high, start + (reach if low < 0 else 0), start + each - reach)
        parts += [
            svg.text(start, 18, name, "b"),
            svg.line(scale(0), _TOP - 4, scale(0), _TOP + _ROW * len(rows), "axis"),
        ]
        for i, value in enumerate(values):
            if value is not None:
                y = _TOP + _ROW * i
                shown = f"{value:+.{places}f}" if signed else f"{value:.{places}f}"
                kind, away, anchor = ("s1", -5, "end") if value < 0 else ("s0", 5, "start")
                parts += [
                    svg.bar(scale(0), scale(value), y + 4, _ROW - 9, kind, f"{rows[i]}, {name}: {shown}"),
                    svg.text(scale(value) + away, y + 15, shown.replace("-", "−"), "mute small", anchor),
                ]
    parts += [svg.text(left - 10, _TOP + _ROW * i + 15, row, anchor="end") for i, row in enumerate(rows)]
    return Drawing(title, left + len(columns) * (each + 12), _TOP + _ROW * len(rows) + _BOTTOM, "".join(parts))


def shares(title: str, rows: Mapping[str, Sequence[int]], kinds: Sequence[tuple[str, str]]) -> Drawing:
    """Draw rows of stacked bars, each as wide as the chart."""
    left, parts = svg.widest(rows) + 16, []
    x = left
    for name, kind in kinds:
        parts += [svg.bar(x, x + 11, 7, 11, kind), svg.text(x + 17, 17, name, "mute small")]
        x += svg.width_of(name, 11) + 44
    for i, (row, numbers) in enumerate(rows.items()):
        y, whole = _TOP + _ROW * i, sum(numbers) or 1
        scale = Scale(0, whole, left, _WIDTH - 6)
        parts.append(svg.text(left - 10, y + 15, row, anchor="end"))
        for (name, kind), n, done in zip(kinds, numbers, accumulate(numbers, initial=0)):
            if n:
                parts.append(svg.bar(scale(done), scale(done + n) - 1.5, y + 3, _ROW - 6, kind, f"{row}: {n} {name}"))
                if scale(done + n) - scale(done) > svg.width_of(str(n), 11) + 10:
                    parts.append(
                        svg.text(scale(done) + 6, y + 15, str(n), "on small" if "none" not in kind else "small")
                    )
    return Drawing(title, _WIDTH, _TOP + _ROW * len(rows) + _BOTTOM, "".join(parts))


def heat(
    title: str,
    corner: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    shades: Sequence[Sequence[float | None]],
    step: float = 46,
    *,
    crossed: Collection[tuple[int, int]] = (),
    best: Collection[tuple[int, int]] = (),
    headings: Mapping[int, str] = MappingProxyType({}),
) -> Drawing:
    """Draw a matrix in shades of blue and red, for files; cells without a valid value are crossed out."""
    left, y = svg.widest(name for name, _ in rows) + 14, svg.widest(columns) * 0.75 + 26
    parts = [svg.text(0, y - 8, corner, "mute small")]
    for j, name in enumerate(columns):
        at_x = svg.short(left + step * (j + 0.5))
        at_y = svg.short(y - 8)
        turned = f'transform="rotate(-45 {at_x} {at_y})"'
        parts.append(f'<text class="small" x="{at_x}" y="{at_y}" {turned}>{svg.clean(name)}</text>')
    for i, (name, cells) in enumerate(rows):
        if i in headings:
            parts.append(svg.text(0, y + 17, headings[i], "mute b"))
            y += _ROW + 2
        parts.append(svg.text(left - 8, y + 15, name, anchor="end"))
        for j, shown in enumerate(cells):
            box = (left + step * j, y, step - 1, _ROW - 1)
            shade = shades[i][j]
            fill = "f1f2f4"
            if shade is not None:  # from nearly white to a blue or red on which black text is still readable
                end = (88, 160, 214) if shade >= 0 else (222, 122, 104)
                fill = "".join(f"{round(a + (b - a) * abs(shade)):02x}" for a, b in zip((247, 250, 252), end))
            parts.append(f'<rect {_placed(*box)} fill="#{fill}"/>')
            if (i, j) in crossed:
                parts.append(_cross(*box))
                continue
            parts += [_frame(*box)] if (i, j) in best else []
            kind = "small b" if (i, j) in best else "small"
            parts.append(svg.text(left + step * (j + 0.5), y + 15, shown, kind, "middle"))
        y += _ROW
    width = left + step * len(columns) + max(20.0, svg.widest(columns[-1:]) * 0.75 - step / 2 + 8)
    right, bottom = left, y + _BOTTOM
    for cells_with_mark, draw, meaning in (
        (best, _frame, "best in the row"), (crossed, _cross, "missing or invalid output"),
    ):  # fmt: skip
        if cells_with_mark:
            parts += [draw(right, bottom, 24, 14), svg.text(right + 31, bottom + 11, meaning, "mute small")]
            right += 31 + svg.width_of(meaning, 11) + 24
    return Drawing(title, max(width, right), bottom + (_ROW + _BOTTOM if best or crossed else 0), "".join(parts))


def _cross(x: float, y: float, width: float, height: float) -> str:
    return svg.line(x, y, x + width, y + height, "l1") + svg.line(x, y + height, x + width, y, "l1")


def _frame(x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="rule none" {_placed(x + 0.7, y + 0.7, width - 1.4, height - 1.4)} fill-opacity="0"/>'


def _placed(*box: float) -> str:
    return 'x="{}" y="{}" width="{}" height="{}"'.format(*map(svg.short, box))
