"""The charts of pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from levelhead.tables.svg import Drawing, Scale, bar, clean, dot, line, path, short, text, widest, width_of

_WIDTH = 760.0
_ROW = 22.0
_TOP, _BOTTOM = 30.0, 10.0


def slopes(title: str, ranks: Mapping[str, Sequence[int | None]], measures: Sequence[str]) -> Drawing:
    """Draw how ranks change from measure to measure, with the systems that move most in color."""
    ranked = {system: [rank for rank in places if rank] for system, places in ranks.items()}
    moves = {system: max(places) - min(places) for system, places in ranked.items() if places}
    colored = sorted(filter(moves.get, moves), key=lambda system: -moves[system])[:5]
    left = widest(ranks) + 34
    width = min(_WIDTH, left * 2 + 190 * (len(measures) - 1))
    x = Scale(0, max(1, len(measures) - 1), left, width - left)
    y = Scale(1, max(2, len(ranks)), _TOP + 12, _TOP + 12 + 25 * (len(ranks) - 1 or 1))
    parts = [text(x(i), 16, measure, "b", "middle") for i, measure in enumerate(measures)]
    slots = [_slots(places) for places in zip(*ranks.values())]
    for row, (system, places) in enumerate(ranks.items()):
        points = [(x(i), y(slots[i][row])) for i, rank in enumerate(places) if rank]
        color = colored.index(system) if system in colored else None
        kind = "axis thin" if color is None else f"l{color} thick"
        tip = f"{system}: " + ", ".join(f"{rank} by {name}" for name, rank in zip(measures, places) if rank)
        parts.append(path(points, f"none {kind}", tip))
        parts += [dot(px, py, 3.5, "fade" if color is None else f"s{color} halo", tip) for px, py in points]
        shade = "mute" if color is None else "b"
        for end, anchor, at in ((0, "end", x(0) - 10), (-1, "start", x(len(measures) - 1) + 10)):
            if rank := places[end]:
                words = f"{system}  {rank}" if end == 0 else f"{rank}  {system}"
                parts.append(text(at, y(slots[end][row]) + 4, words, shade, anchor))
    return Drawing(title, width, y(max(2, len(ranks))) + 16, "".join(parts))


def _slots(ranks: Sequence[int | None]) -> list[int]:
    """The vertical position of each system; systems with the same rank get consecutive positions."""
    order = sorted(range(len(ranks)), key=lambda i: (ranks[i] is None, ranks[i] or 0))
    slot = {i: place for place, i in enumerate(order, 1)}
    return [slot[i] for i in range(len(ranks))]


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
    left, y = widest(name for name, _ in rows) + 14, widest(columns) * 0.75 + 26
    parts = [text(0, y - 8, corner, "mute small")]
    for j, name in enumerate(columns):
        at = f'x="{short(left + step * (j + 0.5))}" y="{short(y - 8)}"'
        turned = f'transform="rotate(-45 {short(left + step * (j + 0.5))} {short(y - 8)})"'
        parts.append(f'<text class="small" {at} {turned}>{clean(name)}</text>')
    for i, (name, cells) in enumerate(rows):
        if i in headings:
            parts.append(text(0, y + 17, headings[i], "mute b"))
            y += _ROW + 2
        parts.append(text(left - 8, y + 15, name, anchor="end"))
        for j, shown in enumerate(cells):
            box = left + step * j, y, step - 1, _ROW - 1
            parts.append(_shaded(*box, shades[i][j]))
            if (i, j) in crossed:
                parts.append(_cross(*box))
                continue
            parts += [_frame(*box)] if (i, j) in best else []
            kind = "small b" if (i, j) in best else "small"
            parts.append(text(left + step * (j + 0.5), y + 15, shown, kind, "middle"))
        y += _ROW
    width = left + step * len(columns) + max(20.0, widest(columns[-1:]) * 0.75 - step / 2 + 8)
    right, bottom = left, y + _BOTTOM
    for cells_with_mark, draw, meaning in (
        (best, _frame, "best in the row"), (crossed, _cross, "missing or invalid output"),
    ):  # fmt: skip
        if cells_with_mark:
            parts += [draw(right, bottom, 24, 14), text(right + 31, bottom + 11, meaning, "mute small")]
            right += 31 + width_of(meaning, 11) + 24
    return Drawing(title, max(width, right), bottom + (_ROW + _BOTTOM if best or crossed else 0), "".join(parts))


def _shaded(x: float, y: float, width: float, height: float, shade: float | None) -> str:
    """The background of a cell: from nearly white to a blue or red on which black text is still readable."""
    fill = "#f1f2f4"
    if shade is not None:
        end = (88, 160, 214) if shade >= 0 else (222, 122, 104)
        fill = "#" + "".join(f"{round(a + (b - a) * abs(shade)):02x}" for a, b in zip((247, 250, 252), end))
    return f'<rect x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}" fill="{fill}"/>'


def _cross(x: float, y: float, width: float, height: float) -> str:
    return line(x, y, x + width, y + height, "l1") + line(x, y + height, x + width, y, "l1")


def _frame(x: float, y: float, width: float, height: float) -> str:
    place = f'x="{short(x + 0.7)}" y="{short(y + 0.7)}" width="{short(width - 1.4)}" height="{short(height - 1.4)}"'
    return f'<rect class="rule none" {place} fill-opacity="0"/>'
