"""Small multiples: a panel for each column with the treebanks in the same order; and a dendrogram."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from levelhead.immutable import immutable
from levelhead.report.charts.point_charts import Box, mark, placed_names
from levelhead.tables.svg import Drawing, LogScale, Scale, line, number, path, scale_for, short, text, widest, width_of
from levelhead.typology.profile import Quartiles, quartiles
from levelhead.typology.similarity import Cluster

_WIDTH, _LEFT, _RIGHT = 328.0, 46.0, 322.0
_TOP, _HEIGHT = 14.0, 124.0
_MOST_NAMED = 10
_MANY = 80  # treebanks; with more, marks are smaller
_LOGARITHMIC = 30  # ratio of the highest to the lowest value; on a linear scale, low values would be indistinguishable
_TURNED = 11.0  # pixels between vertical names
_LONGEST = 12


class PanelRow(NamedTuple):
    """A treebank in the panels."""

    name: str
    label: str  # a short name
    series: int  # the number of its mark (see `point_charts`)
    group: str


@immutable
class Panel:
    """A column of values: of each row, as printed; None for a missing value."""

    title: str
    values: Sequence[float | None]
    shown: Callable[[float], str]  # prints a value with its unit
    counts: bool = False  # counts with a wide range have a logarithmic scale

    @property
    def logarithmic(self) -> bool:
        known = [value for value in self.values if value is not None]
        return self.counts and bool(known) and min(known) > 0 and max(known) > _LOGARITHMIC * min(known)

    @cached_property
    def on_scale(self) -> list[float | None]:
        """The values on the scale: their logarithms if the scale is logarithmic."""
        return [math.log10(v) if v is not None and self.logarithmic else v for v in self.values]

    @cached_property
    def quartiles(self) -> Quartiles | None:
        """The quartiles on the scale; None with too few values."""
        return quartiles(self.on_scale)

    @cached_property
    def outliers(self) -> dict[int, bool]:
        """The rows of outliers, the farthest from the median on the scale first, and whether they are above it."""
        if (middle := self.quartiles) is None:
            return {}
        values = {i: value for i, value in enumerate(self.on_scale) if value is not None and middle.is_outlier(value)}
        ordered = sorted(values.items(), key=lambda outlier: -abs(outlier[1] - middle.median))
        return {i: value > middle.median for i, value in ordered}


def panel_chart(panel: Panel, rows: Sequence[PanelRow]) -> Drawing:
    """Draw a column: a mark for each treebank, the middle half as a band, and the names of outliers."""
    bottom = _TOP + _HEIGHT
    up = scale_for((value for value in panel.on_scale if value is not None), bottom - 4, _TOP + 6)
    across = Scale(0, len(rows), _LEFT, _RIGHT)
    parts = []
    if panel.quartiles is not None:
        high, low, middle = up(panel.quartiles.high), up(panel.quartiles.low), up(panel.quartiles.median)
        size = f'width="{short(_RIGHT - _LEFT)}" height="{short(max(low - high, 1))}"'
        band = f'<rect class="middle" x="{short(_LEFT)}" y="{short(high)}" {size}/>'
        parts = [band, line(_LEFT, middle, _RIGHT, middle, "axis")]
    ticks = [(at, number(at)) for at in up.ticks(4)]
    if panel.logarithmic:
        values = LogScale(up).ticks()
        ticks = [(math.log10(value), f"{value:,g}") for value in values[:: 1 + len(values) // 7]]
    for at, shown in ticks:
        parts += [line(_LEFT, up(at), _RIGHT, up(at), "grid"), text(_LEFT - 6, up(at) + 4, shown, "mute small", "end")]
    points = {i: (across(i + 0.5), up(value)) for i, value in enumerate(panel.on_scale) if value is not None}
    for i, (x, y) in points.items():
        tip = f"{rows[i].name} ({rows[i].group}): {panel.shown(panel.values[i] or 0.0)}"
        parts.append(mark(x, y, rows[i].series, 3.4 if len(rows) <= _MANY else 2.6, tip, f' data-t="{i}"'))
    named = [(rows[i].label, points[i]) for i in [*panel.outliers][:_MOST_NAMED]]
    parts += placed_names(named, Box(_LEFT - 4, 0, _WIDTH, bottom + 2), list(points.values()))
    drawn, depth = _below(rows, across, bottom)
    return Drawing(panel.title, _WIDTH, bottom + depth, "".join([*parts, *drawn]))


def _below(rows: Sequence[PanelRow], across: Scale, bottom: float) -> tuple[list[str], float]:
    """The names of treebanks, or their positions if there are too many; and the height of the texts."""
    step, labels = across(1) - across(0), [row.label for row in rows]
    # shortened in the middle: names of treebanks start with the language and end with the split
    labels = [label if len(label) <= _LONGEST else f"{label[: _LONGEST - 6]}…{label[-5:]}" for label in labels]
    longest, places = max(width_of(label, 11) for label in labels), [across(i + 0.5) for i in range(len(rows))]
    if longest < step - 3:
        return [text(x, bottom + 15, label, "mute small", "middle") for x, label in zip(places, labels)], 22.0
    if step >= _TURNED:
        turned = []
        for x, label in zip(places, labels):
            rotation = f'<text transform="rotate(-90 {short(x + 4)} {short(bottom + 5)})" '
            turned.append(text(x + 4, bottom + 5, label, "mute small", "end").replace("<text ", rotation, 1))
        return turned, longest + 10
    every = next(n for n in (5, 10, 20, 50, 100, 200, 500, 1000, len(rows)) if n * step >= 24)
    numbered = [(at, places[at - 1]) for at in (1, *range(every, len(rows) + 1, every))]
    drawn = [text(x, bottom + 15, str(at), "mute small", "middle") for at, x in numbered]
    return drawn + [line(x, bottom, x, bottom + 4, "axis") for _, x in numbered], 22.0


def tree_chart(root: Cluster, rows: Sequence[PanelRow], axis: str) -> Drawing:
    """Draw a dendrogram of treebanks."""
    step, top = 15.0, 30.0
    digits = width_of(str(len(rows)), 11)
    left = digits + 26 + min(widest(row.label for row in rows), 150.0) + 12
    bottom = top + step * len(rows)
    right = max(_WIDTH, left + 170) - 10
    across = Scale(0, root.height or 1.0, left, right)
    ticks = across.ticks(3)
    parts = [
        *(line(across(at), top - 4, across(at), bottom, "grid") for at in ticks),
        *(text(across(at), top - 9, number(at), "mute small", "middle") for at in ticks),
        text(0, top - 9, axis, "mute small"),
    ]
    for i, row in enumerate(rows):
        y = top + step * (i + 0.5)
        parts += [
            text(digits, y + 4, str(i + 1), "mute small", "end"),
            mark(digits + 13, y, row.series, 4, row.group, f' data-t="{i}"'),
            text(digits + 24, y + 4, row.label, "small"),
        ]
    place = {row.name: top + step * (i + 0.5) for i, row in enumerate(rows)}

    def draw(cluster: Cluster) -> float:
        """Draw the bracket of a cluster after those of its parts; return the position of its own line."""
        if not cluster.parts:
            return place[cluster.names[0]]
        (first, y1), (second, y2) = [(across(part.height), draw(part)) for part in cluster.parts]
        x = across(cluster.height)
        parts.append(path([(first, y1), (x, y1), (x, y2), (second, y2)], "none branch"))
        return (y1 + y2) / 2

    draw(root)
    return Drawing("Treebanks clustered by relations", right + 10, bottom + 6, "".join(parts))
