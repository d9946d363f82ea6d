"""Places names next to marks without overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from levelhead.tables.svg import cut, text, width_of

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
    every = [_around(point) for point in (marks or [point for _, point in named])]
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


def _around(point: Point) -> Box:
    x, y = point
    return Box(x - _MARK, y - _MARK, x + _MARK, y + _MARK)


def _spots(x: float, y: float, width: float) -> Iterator[tuple[Box, str]]:
    """The candidate positions of a name: next to, above or below its mark."""
    half = _LINE / 2
    for dy in (0.0, -9.0, 9.0, -_LINE, _LINE):
        for left, anchor in ((x + 6, "start"), (x - 6 - width, "end"), (x - width / 2, "middle")):
            if anchor != "middle" or abs(dy) >= 9:  # otherwise it would be on the mark
                yield Box(left, y + dy - half, left + width, y + dy + half), anchor
