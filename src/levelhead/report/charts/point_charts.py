"""Points with marks, names and legends: scatter plots, curves, and names that do not overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from levelhead.tables import svg
from levelhead.tables.svg import Drawing, Scale

OTHER = "other"  # the series of all groups without a separate mark

_SHAPES = (
    "m-{r} 0a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0-{d} 0",  # a circle
    "m-{s}-{s}h{t}v{t}h-{t}z",  # a square
    "m0-{b}l{b} {w}h-{w}z",  # a triangle
    "m0-{b}l{b} {b}l-{b} {b}l-{b}-{b}z",  # a diamond
    "m0 {b}l{b}-{w}h-{w}z",  # a triangle that points down
    "m-{q}-{b}h{p}v{a}h{a}v{p}h-{a}v{a}h-{p}v-{a}h-{a}v-{p}h{a}z",  # a plus
    "m-{b}-{b}h{w}l-{w} {w}h{w}z",  # an hourglass
    "m-{c} 0a{c} {c} 0 1 0 {e} 0a{c} {c} 0 1 0-{e} 0",  # a small circle, of all others
)


def series_of(groups: Iterable[str]) -> dict[str, int]:
    """Return the number of the mark of each group; the most frequent groups have separate marks."""
    counts = Counter(groups)
    ordered = sorted((group for group in counts if group != OTHER), key=lambda group: (-counts[group], group))
    others = {OTHER: svg.N_COLORS - 1} if OTHER in counts else {}
    return {group: min(i, svg.N_COLORS - 1) for i, group in enumerate(ordered)} | others


def mark(x: float, y: float, series: int, size: float = 3.4, tip: str = "", extra: str = "") -> str:
    """Return the mark of a series; all marks look equally large."""
    r = size
    s = size * 0.89
    b = size * 1.2
    c = size * 0.72
    q = size * 0.42
    lengths = {"r": r, "d": 2 * r, "s": s, "t": 2 * s, "b": b, "w": 2 * b, "c": c, "e": 2 * c, "q": q, "p": 2 * q}
    texts = {name: f"{length:.2f}".rstrip("0").rstrip(".") for name, length in {**lengths, "a": b - q}.items()}
    title = f"<title>{svg.clean(tip)}</title>" if tip else ""
    outline = f"M{svg.short(x)} {svg.short(y)}{_SHAPES[series].format(**texts)}"
    return f'<path class="s{series} mark"{extra} d="{outline}">{title}</path>'


_SIZE, _LINE, _MARK = 11.0, 12.0, 4.0

Point = tuple[float, float]


class Box(NamedTuple):
    """The ends of a rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, box: Box) -> bool:
        return self.left < box.right and box.left < self.right and self.top < box.bottom and box.top < self.bottom

    def holds(self, box: Box) -> bool:
        return self.left <= box.left and box.right <= self.right and self.top <= box.top and box.bottom <= self.bottom


def placed_names(
    named: Sequence[tuple[str, Point]], within: Box, marks: Sequence[Point] = (), *, kind: str = "name", most: int = 99
) -> list[str]:
    """Return names as SVG that do not overlap each other and overlap few marks; names that do not fit are left out."""
    boxes = [Box(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in (marks or [point for _, point in named])]
    taken: list[Box] = []
    drawn = []
    stretch = 1.08 if kind == "name" else 1.0  # bold text is wider
    for name, (x, y) in named:
        width = svg.width_of(svg.cut(name), _SIZE) * stretch
        half = _LINE / 2
        candidates = [  # next to, above or below the mark
            (Box(left, y + dy - half, left + width, y + dy + half), anchor)
            for dy in (0.0, -9.0, 9.0, -_LINE, _LINE)
            for left, anchor in ((x + 6, "start"), (x - 6 - width, "end"), (x - width / 2, "middle"))
            if anchor != "middle" or abs(dy) >= 9  # otherwise it would be on the mark
        ]
        spots = [
            (sum(box.meets(marked) for marked in boxes), k, box, anchor)
            for k, (box, anchor) in enumerate(candidates)
            if within.holds(box) and not any(box.meets(other) for other in taken)
        ]
        if spots and min(spots)[0] <= most:
            _, _, box, anchor = min(spots)
            taken.append(box)
            start = {"start": box.left, "middle": (box.left + box.right) / 2, "end": box.right}[anchor]
            drawn.append(svg.text(start, box.bottom - 2.5, name, f"{kind} small", anchor))
    return drawn


_PLOT = Box(56.0, 24.0, 520.0, 380.0)
_ABOVE = 16.0  # the height of a line of text above a chart


class Named(NamedTuple):
    """A point with its name; the series determines its color and shape."""

    name: str
    x: float
    y: float
    series: str = ""


def cloud(
    title: str, points: Sequence[Named], x: str, y: str, above: Sequence[str] = (), *, fitted: bool = False
) -> Drawing:
    """Draw points with names that do not overlap, and the least-squares line if requested; the axes differ in scale."""
    box = _PLOT._replace(top=_PLOT.top + _ABOVE * len(above) + (6 if above else 0))
    across = svg.scale_for((point.x for point in points), box.left, box.right)
    up = svg.scale_for((point.y for point in points), box.bottom, box.top)
    series = series_of(point.series for point in points)
    parts = [svg.text(box.left, 30 + _ABOVE * i, words, "b") for i, words in enumerate(above)]
    parts += _frame(box, across, up, x, y)
    xs = [point.x for point in points]
    if fitted and len(set(xs)) > 1:
        from statistics import linear_regression

        slope, start = linear_regression(xs, [point.y for point in points])
        low, high = min(xs), max(xs)
        parts.append(
            svg.line(across(low), up(start + slope * low), across(high), up(start + slope * high), "axis dash")
        )
    named = [(point.name, (across(point.x), up(point.y))) for point in points]
    for point, (_, place) in zip(points, named, strict=True):
        family = f" ({point.series})" if point.series else ""
        parts.append(mark(*place, series[point.series], 4, f"{point.name}{family}: {point.x:.4g}, {point.y:.4g}"))
    within = box._replace(top=box.top - 4, right=box.right + 40)
    parts += placed_names(named, within, kind="label", most=0)
    return _with_legend(box, title, parts, _names_of(series), marks=True)


def _names_of(series: Mapping[str, int]) -> list[tuple[int, str]]:
    """The name of each mark; groups share only the last one."""
    names = {i: name or "unknown" for name, i in series.items()}
    return sorted((names | ({svg.N_COLORS - 1: OTHER} if len(series) > len(names) else {})).items())


def scatter(title: str, points: Sequence[Named], x: str, y: str) -> Drawing:
    """Draw points and the diagonal on which x equals y; the seven most frequent series have separate marks."""
    box, series = Box(56, 24, 496, 464), series_of(point.series for point in points)
    both = [value for point in points for value in (point.x, point.y)]
    across, up = svg.scale_for(both, box.left, box.right), svg.scale_for(both, box.bottom, box.top)
    parts = [
        *_frame(box, across, up, x, y),
        svg.line(across(across.low), up(across.low), across(across.high), up(across.high), "axis dash"),
        *(mark(across(point.x), up(point.y), series[point.series], 3.8, point.name) for point in points),
    ]
    return _with_legend(box, title, parts, _names_of(series), marks=True)


def curves(
    title: str, lines: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, *, logarithmic: bool = False
) -> Drawing:
    every = [point for points in lines.values() for point in points]
    across = svg.scale_for((at for at, _ in every), _PLOT.left, _PLOT.right, logarithmic=logarithmic)
    up = svg.scale_for((value for _, value in every), _PLOT.bottom, _PLOT.top)
    parts = _frame(_PLOT, across, up, x, y)
    for i, (name, points) in enumerate(lines.items()):
        color = min(i, svg.N_COLORS - 1)
        parts.append(svg.path([(across(at), up(value)) for at, value in points], f"l{color} thick", name))
        parts += [
            svg.dot(across(at), up(value), 3, f"s{color}", f"{name}, {at:g}: {value:.4g}") for at, value in points
        ]
    return _with_legend(_PLOT, title, parts, list(enumerate(lines)), marks=False)


def _frame(box: Box, across: Scale, up: Scale, x: str, y: str) -> list[str]:
    """Grid lines with their numbers, and the names of the axes."""
    return [
        *(svg.line(across(at), box.top, across(at), box.bottom, "grid") for at in across.ticks()),
        *(svg.line(box.left, up(at), box.right, up(at), "grid") for at in up.ticks()),
        *(svg.text(across(at), box.bottom + 16, svg.number(at), "mute small", "middle") for at in across.ticks()),
        *(svg.text(box.left - 6, up(at) + 4, svg.number(at), "mute small", "end") for at in up.ticks()),
        svg.text(box.right, box.bottom + 34, x, "mute small", "end"),
        svg.text(4, 14, y, "mute small"),
    ]


def _with_legend(
    box: Box, title: str, parts: Sequence[str], legend: Sequence[tuple[int, str]], *, marks: bool
) -> Drawing:
    """The drawing, with the name and the mark or color of each series if there are several."""
    drawn, left = list(parts), box.right + 50
    shown = legend if len(legend) > 1 else ()
    for row, (series, name) in enumerate(shown):
        at = (left, 34 + 22 * row)
        color = f"s{min(series, svg.N_COLORS - 1)}"
        drawn += [mark(*at, series, 5) if marks else svg.dot(*at, 5, color), svg.text(left + 12, 38 + 22 * row, name)]
    width = left + 20 + svg.widest(name for _, name in shown) if shown else box.right + 60
    return Drawing(title, width, box.bottom + 44, "".join(drawn))
