"""Marks of series: each has a color and a shape, so that they can be distinguished without colors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from levelhead.tables.svg import N_COLORS, clean, short

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
    counts: dict[str, int] = {}
    for group in groups:
        counts[group] = counts.get(group, 0) + 1
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
