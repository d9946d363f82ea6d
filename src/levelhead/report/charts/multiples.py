"""Small multiples: a panel for each column with the treebanks in the same order; and a dendrogram."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
    """A treebank in the panels, with a short name, and its group with the number of its mark (see `point_charts`)."""

    name: str
    label: str
    series: int
    group: str


@immutable
class Panel:
    """A column of values.

    Args:
        title: the name of the values.
        values: the value of each row, as printed; None for a missing value.
        shown: a function that prints a value with its unit.
        counts: whether the values are counts; counts with a wide range have a logarithmic scale.
    """

    title: str
    values: Sequence[float | None]
    shown: Callable[[float], str]
    counts: bool = False

    @property
    def varies(self) -> bool:
        """Whether there are at least two different values."""
        return len({value for value in self.values if value is not None}) > 1

    @property
    def logarithmic(self) -> bool:
        """Whether the scale is logarithmic."""
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
    def outliers(self) -> list[int]:
        """The rows of outliers on the scale, the farthest from the median first."""
        if (middle := self.quartiles) is None:
            return []
        values = {i: value for i, value in enumerate(self.on_scale) if value is not None and middle.is_outlier(value)}
        return sorted(values, key=lambda i: -abs(values[i] - middle.median))

    def is_high(self, row: int) -> bool:
        """Return whether a value is above the median."""
        value = self.on_scale[row]
        return self.quartiles is not None and value is not None and value > self.quartiles.median


def panel_chart(panel: Panel, rows: Sequence[PanelRow]) -> Drawing:
    """Draw a column: a mark for each treebank, the middle half as a band, and the names of outliers."""
    bottom = _TOP + _HEIGHT
    up = scale_for((value for value in panel.on_scale if value is not None), bottom - 4, _TOP + 6)
    across = Scale(0, len(rows), _LEFT, _RIGHT)
    parts = _band(panel.quartiles, up)
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
    named = [(rows[i].label, points[i]) for i in panel.outliers[:_MOST_NAMED]]
    parts += placed_names(named, Box(_LEFT - 4, 0, _WIDTH, bottom + 2), list(points.values()))
    drawn, depth = _below(rows, across, bottom)
    return Drawing(panel.title, _WIDTH, bottom + depth, "".join([*parts, *drawn]))


def _band(values: Quartiles | None, up: Scale) -> list[str]:
    if values is None:
        return []
    high, low, middle = up(values.high), up(values.low), up(values.median)
    size = f'width="{short(_RIGHT - _LEFT)}" height="{short(max(low - high, 1))}"'
    band = f'<rect class="middle" x="{short(_LEFT)}" y="{short(high)}" {size}/>'
    return [band, line(_LEFT, middle, _RIGHT, middle, "axis")]


def _below(rows: Sequence[PanelRow], across: Scale, bottom: float) -> tuple[list[str], float]:
    """The names of treebanks, or their positions if there are too many; and the height of the texts."""
    step, labels = across(1) - across(0), [_cut(row.label) for row in rows]
    if all(width_of(label, 11) < step - 3 for label in labels):
        return [
            text(across(i + 0.5), bottom + 15, label, "mute small", "middle") for i, label in enumerate(labels)
        ], 22.0
    if step >= _TURNED:
        depth = max(width_of(label, 11) for label in labels)
        turned = []
        for i, label in enumerate(labels):
            x, y = across(i + 0.5) + 4, bottom + 5
            rotation = f'<text transform="rotate(-90 {short(x)} {short(y)})" '
            turned.append(text(x, y, label, "mute small", "end").replace("<text ", rotation, 1))
        return turned, depth + 10
    every = next(n for n in (5, 10, 20, 50, 100, 200, 500, 1000, len(rows)) if n * step >= 24)
    places = [1, *range(every, len(rows) + 1, every)]
    drawn = [text(across(at - 0.5), bottom + 15, str(at), "mute small", "middle") for at in places]
    ticks = [line(across(at - 0.5), bottom, across(at - 0.5), bottom + 4, "axis") for at in places]
    return [*drawn, *ticks], 22.0


def _cut(label: str) -> str:
    """A label, shortened in the middle: names of treebanks start with the language and end with the split."""
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 6]}…{label[-5:]}"


def tree_chart(root: Cluster, rows: Sequence[PanelRow], axis: str) -> Drawing:
    """Draw a dendrogram of treebanks."""
    step, top = 15.0, 30.0
    digits = width_of(str(len(rows)), 11)
    left = digits + 26 + min(widest(row.label for row in rows), 150.0) + 12
    bottom = top + step * len(rows)
    right = max(_WIDTH, left + 170) - 10
    across = Scale(0, root.height or 1.0, left, right)
    ticks = across.ticks(3)
    parts = [line(across(at), top - 4, across(at), bottom, "grid") for at in ticks]
    parts += [text(across(at), top - 9, number(at), "mute small", "middle") for at in ticks]
    parts.append(text(0, top - 9, axis, "mute small"))
    for i, row in enumerate(rows):
        y = top + step * (i + 0.5)
        parts.append(text(digits, y + 4, str(i + 1), "mute small", "end"))
        parts.append(mark(digits + 13, y, row.series, 4, row.group, f' data-t="{i}"'))
        parts.append(text(digits + 24, y + 4, row.label, "small"))
    place = {row.name: top + step * (i + 0.5) for i, row in enumerate(rows)}
    parts += _branches(root, across, place)
    return Drawing("Treebanks clustered by relations", right + 10, bottom + 6, "".join(parts))


def _branches(root: Cluster, across: Scale, place: Mapping[str, float]) -> list[str]:
    """The lines of a dendrogram: a bracket for each cluster."""
    drawn: list[str] = []

    def middle(cluster: Cluster) -> float:
        """Draw a cluster with its parts; return the position of its own line."""
        if not cluster.parts:
            return place[cluster.names[0]]
        ys = [middle(part) for part in cluster.parts]
        x = across(cluster.height)
        ends = [(across(part.height), y) for part, y in zip(cluster.parts, ys, strict=True)]
        drawn.append(path([ends[0], (x, ends[0][1]), (x, ends[1][1]), ends[1]], "none branch"))
        return sum(ys) / len(ys)

    middle(root)
    return drawn
