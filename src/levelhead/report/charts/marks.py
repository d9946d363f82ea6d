"""Marks of series, each with a color and a shape, and names next to marks that do not overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from levelhead.tables.svg import N_COLORS, clean, cut, short, text, width_of

OTHER = "other"
"""The series of all groups without a separate mark."""

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


def series_of(groups: Iterable[str], *, other: str = OTHER) -> Mapping[str, int]:
    """Return the number of the mark of each group; the most frequent groups have separate marks."""
    counts = Counter(groups)
    ordered = sorted((group for group in counts if group != other), key=lambda group: (-counts[group], group))
    last = N_COLORS - 1
    fits = len(ordered) <= last
    return MappingProxyType(
        {group: i if i < last or fits else last for i, group in enumerate(ordered)}
        | ({other: last} if other in counts else {})
    )


def mark(x: float, y: float, series: int, size: float = 3.4, tip: str = "", extra: str = "") -> str:
    """Return the mark of a series."""
    title = f"<title>{clean(tip)}</title>" if tip else ""
    return f'<path class="s{series} mark"{extra} d="M{short(x)} {short(y)}{_shape(series, size)}">{title}</path>'


def _shape(series: int, r: float) -> str:
    """The outline of a mark around a point, sized so that all marks look equally large."""
    s, b, c = r * 0.89, r * 1.2, r * 0.72
    q = r * 0.42
    lengths = {
        "r": r,
        "d": 2 * r,
        "s": s,
        "t": 2 * s,
        "b": b,
        "w": 2 * b,
        "c": c,
        "e": 2 * c,
        "q": q,
        "p": 2 * q,
        "a": b - q,
    }
    return _SHAPES[series].format(**{name: f"{length:.2f}".rstrip("0").rstrip(".") for name, length in lengths.items()})


_SIZE, _LINE = 11.0, 12.0
_MARK = 4.0
_BOLD = 1.08  # times the width of other text

Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle.

    Args:
        left: its left end.
        top: its upper end.
        right: its right end.
        bottom: its lower end.
    """

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Return whether two rectangles overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def holds(self, other: Box) -> bool:
        """Return whether another rectangle is inside."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )


def placed_names(
    named: Sequence[tuple[str, Point]], within: Box, marks: Sequence[Point] = (), *, kind: str = "name", most: int = 99
) -> list[str]:
    """Return names as SVG that do not overlap each other and overlap few marks; names that do not fit are left out."""
    places = marks or [point for _, point in named]
    every = [Box(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in places]
    taken: list[Box] = []
    drawn, stretch = [], _BOLD if kind == "name" else 1.0
    for name, point in named:
        spots = [
            (sum(box.meets(one) for one in every), k, box, anchor)
            for k, (box, anchor) in enumerate(_spots(*point, width_of(cut(name), _SIZE) * stretch))
            if within.holds(box) and not any(box.meets(other) for other in taken)
        ]
        if spots and min(spots)[0] <= most:
            _, _, box, anchor = min(spots)
            taken.append(box)
            x = {"start": box.left, "middle": (box.left + box.right) / 2, "end": box.right}[anchor]
            drawn.append(text(x, box.bottom - 2.5, name, f"{kind} small", anchor))
    return drawn


def _spots(x: float, y: float, width: float) -> Iterator[tuple[Box, str]]:
    """The candidate positions of a name: next to, above or below its mark."""
    half = _LINE / 2
    for dy in (0.0, -9.0, 9.0, -_LINE, _LINE):
        for left, anchor in ((x + 6, "start"), (x - 6 - width, "end"), (x - width / 2, "middle")):
            if anchor != "middle" or abs(dy) >= 9:  # otherwise it would be on the mark
                yield Box(left, y + dy - half, left + width, y + dy + half), anchor
