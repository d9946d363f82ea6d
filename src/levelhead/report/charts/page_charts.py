"""The charts of pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from levelhead.report.charts.marks import OTHER, mark, series_of
from levelhead.tables.svg import (
    N_COLORS,
    Drawing,
    Scale,
    bar,
    clean,
    dot,
    line,
    number,
    path,
    scale_for,
    short,
    text,
    widest,
    width_of,
)

_WIDTH = 760.0
_ROW = 22.0
_TOP, _BOTTOM = 30.0, 10.0


class IntervalRow(NamedTuple):
    """A value with its interval.

    Args:
        label: the label.
        value: the value.
        low: the lower end of the interval; None without an interval.
        high: the upper end.
    """

    label: str
    value: float
    low: float | None = None
    high: float | None = None


def interval_ends(interval: tuple[float, float] | None, unit: float = 100) -> tuple[float | None, float | None]:
    """Return both ends of an interval in the unit of a chart; None without an interval."""
    return (None, None) if interval is None else (unit * interval[0], unit * interval[1])


def spreads(
    title: str,
    rows: Sequence[IntervalRow],
    axis: str,
    *,
    rules: Collection[int] = (),
    zero: bool = False,
    whole: bool = False,
) -> Drawing:
    """Draw values as dots with their intervals, one per row."""
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
    if zero:
        parts.append(line(scale(0), _TOP, scale(0), bottom, "rule"))
    for i, row in enumerate(rows):
        y = _TOP + _ROW * (i + 0.5)
        parts += [line(0, y - _ROW / 2, _WIDTH, y - _ROW / 2, "rule")] if i in rules else []
        parts.append(text(left - 10, y + 4, row.label, anchor="end"))
        tip = f"{row.label}: {row.value:.4g}"
        if row.low is not None and row.high is not None:
            tip += f", {number(row.low)} to {number(row.high)}"
            pad = 0.32 if whole else 0.0
            parts.append(bar(scale(row.low - pad), scale(row.high + pad), y - 4, 8, "s0 soft", tip))
        parts.append(dot(scale(row.value), y, 4.5, "s0 halo", tip))
    return Drawing(title, _WIDTH, bottom + _BOTTOM, "".join(parts))


def slopes(title: str, ranks: Mapping[str, Sequence[int | None]], measures: Sequence[str]) -> Drawing:
    """Draw how ranks change from measure to measure, with the systems that move most in color."""
    moves = {
        system: max(own) - min(own) for system, own in ((s, [r for r in rs if r]) for s, rs in ranks.items()) if own
    }
    colored = sorted((system for system in moves if moves[system]), key=lambda system: -moves[system])[:5]
    left = widest(ranks) + 34
    width = min(_WIDTH, left * 2 + 190 * (len(measures) - 1))
    x = Scale(0, max(1, len(measures) - 1), left, width - left)
    y = Scale(1, max(2, len(ranks)), _TOP + 12, _TOP + 12 + 25 * (len(ranks) - 1 or 1))
    parts = [text(x(i), 16, measure, "b", "middle") for i, measure in enumerate(measures)]
    slots = [_slots([own[i] for own in ranks.values()]) for i in range(len(measures))]
    for place, (system, own) in enumerate(ranks.items()):
        points = [(x(i), y(slots[i][place])) for i, rank in enumerate(own) if rank]
        color = colored.index(system) if system in colored else None
        kind = "axis thin" if color is None else f"l{color} thick"
        tip = f"{system}: " + ", ".join(f"{rank} by {name}" for name, rank in zip(measures, own) if rank)
        parts.append(path(points, f"none {kind}", tip))
        parts += [dot(px, py, 3.5, "fade" if color is None else f"s{color} halo", tip) for px, py in points]
        shade = "mute" if color is None else "b"
        for end, anchor, at in ((0, "end", x(0) - 10), (-1, "start", x(len(measures) - 1) + 10)):
            rank = own[end]
            if rank:
                words = f"{system}  {rank}" if end == 0 else f"{rank}  {system}"
                parts.append(text(at, y(slots[end][place]) + 4, words, shade, anchor))
    return Drawing(title, width, y(max(2, len(ranks))) + 16, "".join(parts))


def _slots(ranks: Sequence[int | None]) -> list[int]:
    """The vertical position of each system; systems with the same rank get consecutive positions."""
    order = sorted(range(len(ranks)), key=lambda i: (ranks[i] is None, ranks[i] or 0))
    slots = [0] * len(ranks)
    for slot, i in enumerate(order, 1):
        slots[i] = slot
    return slots


class Point(NamedTuple):
    """A point of a scatter plot.

    Args:
        x: the horizontal value.
        y: the vertical value.
        series: the series, which determines its color and shape.
        label: the tooltip.
    """

    x: float
    y: float
    series: str
    label: str


def scatter(title: str, points: Sequence[Point], x: str, y: str) -> Drawing:
    """Draw points, and the line of equal values; the seven most frequent series have separate marks."""
    series = series_of(point.series for point in points)
    both = [value for point in points for value in (point.x, point.y)]
    across, up = scale_for(both, 46, 486), scale_for(both, 460, 20)
    parts = [
        line(across(at), 20, across(at), 460, "grid") + line(46, up(at), 486, up(at), "grid") for at in across.ticks()
    ]
    parts += [text(across(at), 478, number(at), "mute small", "middle") for at in across.ticks()]
    parts += [text(40, up(at) + 4, number(at), "mute small", "end") for at in up.ticks()]
    parts += [text(486, 496, x, "mute small", "end"), text(6, 12, y, "mute small")]
    parts.append(line(across(across.low), up(across.low), across(across.high), up(across.high), "axis dash"))
    parts += [mark(across(p.x), up(p.y), series[p.series], 3.8, p.label) for p in points]
    names = {number: name or "unknown" for name, number in series.items()}
    names |= {N_COLORS - 1: OTHER} if len(series) > len(names) else {}
    for i, (own, name) in enumerate(sorted(names.items())):
        parts += [mark(516, 34 + 22 * i, own, 5), text(528, 38 + 22 * i, name)]
    return Drawing(title, _WIDTH, 502, "".join(parts))


def panels(
    title: str,
    rows: Sequence[str],
    columns: Mapping[str, Sequence[float | None]],
    *,
    places: int = 1,
    signed: bool = False,
) -> Drawing:
    """Draw columns of bars side by side, all on the same scale."""
    left, known = widest(rows) + 14, [v for values in columns.values() for v in values if v is not None]
    each = max(84.0, min(230.0, (_WIDTH - left) / max(1, len(columns)) - 12))
    low, high = min([0.0, *known]), max([0.0, *known]) or 1.0
    reach, parts = 44.0, []
    for c, (name, values) in enumerate(columns.items()):
        start = left + c * (each + 12)
        scale = Scale(low, high, start + (reach if low < 0 else 0), start + each - reach)
        parts.append(text(start, 18, name, "b"))
        parts.append(line(scale(0), _TOP - 4, scale(0), _TOP + _ROW * len(rows), "axis"))
        for i, value in enumerate(values):
            if value is not None:
                y = _TOP + _ROW * i
                shown = f"{value:+.{places}f}" if signed else f"{value:.{places}f}"
                kind, tip = "s0" if value >= 0 else "s1", f"{rows[i]}, {name}: {shown}"
                parts.append(bar(scale(0), scale(value), y + 4, _ROW - 9, kind, tip))
                away = (scale(value) - 5, "end") if value < 0 else (scale(value) + 5, "start")
                parts.append(text(away[0], y + 15, shown.replace("-", "−"), "mute small", away[1]))
    parts += [text(left - 10, _TOP + _ROW * i + 15, row, anchor="end") for i, row in enumerate(rows)]
    return Drawing(title, left + len(columns) * (each + 12), _TOP + _ROW * len(rows) + _BOTTOM, "".join(parts))


def shares(title: str, rows: Mapping[str, Sequence[int]], kinds: Sequence[tuple[str, str]]) -> Drawing:
    """Draw rows of stacked bars, each as wide as the chart."""
    left, parts = widest(rows) + 16, []
    x = left
    for name, kind in kinds:
        parts += [bar(x, x + 11, 7, 11, kind), text(x + 17, 17, name, "mute small")]
        x += width_of(name, 11) + 44
    for i, (row, numbers) in enumerate(rows.items()):
        y, whole = _TOP + _ROW * i, sum(numbers) or 1
        scale, done = Scale(0, whole, left, _WIDTH - 6), 0
        parts.append(text(left - 10, y + 15, row, anchor="end"))
        for (name, kind), n in zip(kinds, numbers):
            if n:
                parts.append(bar(scale(done), scale(done + n) - 1.5, y + 3, _ROW - 6, kind, f"{row}: {n} {name}"))
                if scale(done + n) - scale(done) > width_of(str(n), 11) + 10:
                    parts.append(text(scale(done) + 6, y + 15, str(n), "on small" if "none" not in kind else "small"))
            done += n
    return Drawing(title, _WIDTH, _TOP + _ROW * len(rows) + _BOTTOM, "".join(parts))


class MatrixMarks(NamedTuple):
    """Marks in a matrix, in addition to its numbers.

    Args:
        crossed: cells without a valid value, by row and column.
        best: cells in bold with a frame.
        headings: headings above rows, by the index of the row.
    """

    crossed: Collection[tuple[int, int]] = ()
    best: Collection[tuple[int, int]] = ()
    headings: Mapping[int, str] = MappingProxyType({})


def heat(
    title: str, corner: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]],
    shades: Sequence[Sequence[float | None]], step: float = 46, marks: MatrixMarks | None = None,
) -> Drawing:  # fmt: skip
    """Draw a matrix in shades of blue and red, for files."""
    marks = marks or MatrixMarks()
    left, y = widest(name for name, _ in rows) + 14, widest(columns) * 0.75 + 26
    parts = [text(0, y - 8, corner, "mute small")]
    for j, name in enumerate(columns):
        x = left + step * (j + 0.5)
        turned = f'transform="rotate(-45 {short(x)} {short(y - 8)})"'
        parts.append(f'<text class="small" x="{short(x)}" y="{short(y - 8)}" {turned}>{clean(name)}</text>')
    for i, (name, cells) in enumerate(rows):
        if i in marks.headings:
            parts.append(text(0, y + 17, marks.headings[i], "mute b"))
            y += _ROW + 2
        parts.append(text(left - 8, y + 15, name, anchor="end"))
        parts += [
            _heat_cell(left + step * j, y, step, shown, shades[i][j], marks, (i, j)) for j, shown in enumerate(cells)
        ]
        y += _ROW
    width = left + step * len(columns) + max(20.0, widest(columns[-1:]) * 0.75 - step / 2 + 8)
    key, right = _heat_key(y, left, marks)
    below = _ROW + 2 * _BOTTOM if key else _BOTTOM
    return Drawing(title, max(width, right), y + below, "".join([*parts, *key]))


def _heat_cell(
    x: float, y: float, step: float, shown: str, shade: float | None, marks: MatrixMarks, place: tuple[int, int]
) -> str:
    width, height, best = step - 1, _ROW - 1, place in marks.best
    fill = "#f1f2f4"
    if shade is not None:  # from nearly white to a blue or red on which black text is still readable
        end = (88, 160, 214) if shade >= 0 else (222, 122, 104)
        fill = "#" + "".join(f"{round(a + (b - a) * abs(shade)):02x}" for a, b in zip((247, 250, 252), end))
    box = f'<rect x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}" fill="{fill}"/>'
    if place in marks.crossed:
        return box + _cross(x, y, width, height)
    frame = _frame(x, y, width, height) if best else ""
    return box + frame + text(x + step / 2, y + 15, shown, "small b" if best else "small", "middle")


def _cross(x: float, y: float, width: float, height: float) -> str:
    ends = ((x, y, x + width, y + height), (x, y + height, x + width, y))
    return "".join(line(*end, "l1") for end in ends)


def _frame(x: float, y: float, width: float, height: float) -> str:
    place = f'x="{short(x + 0.7)}" y="{short(y + 0.7)}" width="{short(width - 1.4)}" height="{short(height - 1.4)}"'
    return f'<rect class="rule none" {place} fill-opacity="0"/>'


def _heat_key(y: float, left: float, marks: MatrixMarks) -> tuple[list[str], float]:
    """The key of frames and crosses below the matrix, and its right end."""
    x, top, parts = left, y + _BOTTOM, []
    for used, draw, meaning in (
        (marks.best, _frame, "best in the row"), (marks.crossed, _cross, "missing or invalid output"),
    ):  # fmt: skip
        if used:
            parts += [draw(x, top, 24, 14), text(x + 31, top + 11, meaning, "mute small")]
            x += 31 + width_of(meaning, 11) + 24
    return parts, x
