"""Figures of studies: points with their names, and curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import linear_regression
from typing import NamedTuple

from levelhead.report.charts.marks import OTHER, Box, mark, placed_names, series_of
from levelhead.tables.svg import (
    N_COLORS,
    Drawing,
    LogScale,
    Scale,
    dot,
    line,
    log_scale_for,
    number,
    path,
    scale_for,
    text,
    widest,
)

_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 520.0, 24.0, 380.0
_LEGEND = _RIGHT + 50
_ABOVE = 16.0  # the height of a line of text above a chart


class Named(NamedTuple):
    """A point with its name.

    Args:
        name: the text next to it.
        x: the horizontal value.
        y: the vertical value.
        series: the series, which determines its color.
    """

    name: str
    x: float
    y: float
    series: str = ""


def cloud(title: str, points: Sequence[Named], x: str, y: str) -> Drawing:
    """Draw points with their names; the axes have different scales."""
    across = scale_for((point.x for point in points), _LEFT, _RIGHT)
    up = scale_for((point.y for point in points), _BOTTOM, _TOP)
    series = list(dict.fromkeys(point.series for point in points))
    parts = _frame(across, up, x, y)
    for point in points:
        color = min(series.index(point.series), N_COLORS - 1)
        tip = f"{point.name}: {point.x:.4g}, {point.y:.4g}"
        parts.append(dot(across(point.x), up(point.y), 3.8, f"s{color} point", tip))
        parts.append(text(across(point.x) + 6, up(point.y) + 4, point.name, "mute small"))
    return _finished(title, parts, series)


def fitted_cloud(title: str, points: Sequence[Named], x: str, y: str, above: Sequence[str] = ()) -> Drawing:
    """Draw points with the least-squares line and names that do not overlap; series have colors and shapes."""
    top = _TOP + _ABOVE * len(above) + (6 if above else 0)
    across = scale_for((point.x for point in points), _LEFT, _RIGHT)
    up = scale_for((point.y for point in points), _BOTTOM, top)
    series = series_of(point.series for point in points)
    parts = [text(_LEFT, 30 + _ABOVE * i, words, "b") for i, words in enumerate(above)]
    parts += _frame(across, up, x, y, top)
    xs, ys = [point.x for point in points], [point.y for point in points]
    if len(set(xs)) > 1:
        slope, start = linear_regression(xs, ys)
        low, high = min(xs), max(xs)
        parts.append(line(across(low), up(start + slope * low), across(high), up(start + slope * high), "axis dash"))
    places = [(across(point.x), up(point.y)) for point in points]
    for point, (px, py) in zip(points, places, strict=True):
        family = f" ({point.series})" if point.series else ""
        tip = f"{point.name}{family}: {point.x:.4g}, {point.y:.4g}"
        parts.append(mark(px, py, series[point.series], 4, tip))
    within = Box(_LEFT, top - 4, _RIGHT + 40, _BOTTOM)
    parts += placed_names(
        list(zip((point.name for point in points), places, strict=True)), within, kind="label", most=0
    )
    groups: dict[int, list[str]] = {}
    for name, i in series.items():
        groups.setdefault(i, []).append(name)
    legend = [
        (names[0] or "unknown" if len(names) == 1 else OTHER, mark(_LEGEND, 34 + 22 * row, i, 5))
        for row, (i, names) in enumerate(sorted(groups.items()))
    ]
    return _with_legend(title, parts, legend)


def curves(
    title: str, lines: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str, *, logarithmic: bool = False
) -> Drawing:
    """Draw a curve for each series."""
    every = [point for points in lines.values() for point in points]
    across = (log_scale_for if logarithmic else scale_for)((at for at, _ in every), _LEFT, _RIGHT)
    up = scale_for((value for _, value in every), _BOTTOM, _TOP)
    parts = _frame(across, up, x, y)
    for i, (name, points) in enumerate(lines.items()):
        color = min(i, N_COLORS - 1)
        parts.append(path([(across(at), up(value)) for at, value in points], f"l{color} thick", name))
        parts += [dot(across(at), up(value), 3, f"s{color}", f"{name}, {at:g}: {value:.4g}") for at, value in points]
    return _finished(title, parts, list(lines))


def _frame(across: Scale | LogScale, up: Scale, x: str, y: str, top: float = _TOP) -> list[str]:
    """Grid lines with their numbers, and the names of the axes."""
    parts = [line(across(at), top, across(at), _BOTTOM, "grid") for at in across.ticks()]
    parts += [line(_LEFT, up(at), _RIGHT, up(at), "grid") for at in up.ticks()]
    parts += [text(across(at), _BOTTOM + 16, number(at), "mute small", "middle") for at in across.ticks()]
    parts += [text(_LEFT - 6, up(at) + 4, number(at), "mute small", "end") for at in up.ticks()]
    return [*parts, text(_RIGHT, _BOTTOM + 34, x, "mute small", "end"), text(4, 14, y, "mute small")]


def _finished(title: str, parts: Iterable[str], series: Sequence[str]) -> Drawing:
    """The drawing, with a legend of colors."""
    marks = (dot(_LEGEND, 34 + 22 * i, 5, f"s{min(i, N_COLORS - 1)}") for i in range(len(series)))
    return _with_legend(title, parts, list(zip(series, marks)))


def _with_legend(title: str, parts: Iterable[str], legend: Sequence[tuple[str, str]]) -> Drawing:
    """The drawing, with the name and mark of each series if there are several."""
    shown = legend if len(legend) > 1 else ()
    drawn = [shape + text(_LEGEND + 12, 38 + 22 * row, name) for row, (name, shape) in enumerate(shown)]
    width = _LEGEND + 20 + widest(name for name, _ in shown) if shown else _RIGHT + 60
    return Drawing(title, width, _BOTTOM + 44, "".join([*parts, *drawn]))
