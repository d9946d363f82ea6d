"""Drawings in SVG: shapes, text and scales; colors are classes, so that pages and files can define them differently."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from levelhead.errors import printable

N_COLORS = 8  # the number of colors for series; additional series share the last color

_LONGEST = 34
# The palette of Okabe and Ito (2008) for people with color blindness, with a brown and a gray added.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#8c8c8c")

_STYLE = """\
text{font-family:"Helvetica Neue",Helvetica,Arial,"Noto Sans","DejaVu Sans",sans-serif;font-size:12px;fill:#22262b}
.mute{fill:#667079}.small{font-size:11px}.b{font-weight:600}
.grid{stroke:#e4e7ea}.axis{stroke:#9aa3ab}.rule{stroke:#22262b;stroke-width:1.2}.dash{stroke-dasharray:3 3}
.halo{stroke:#fff;stroke-width:1.2}text.on{fill:#fff}.soft{opacity:.38}
.mark{stroke:#fff;stroke-width:.8}.middle{fill:#eef1f3}.branch{stroke:#667079;stroke-width:1.2}
.name{font-weight:600}.name,.label{paint-order:stroke;stroke:#fff;stroke-width:3px}
.none{fill:none}rect.none{fill:#dfe3e6}.thick{stroke-width:2.4}.thin{stroke-width:1.1}.fade{fill:#9aa3ab}
"""


class Drawing(NamedTuple):
    """A complete drawing."""

    title: str  # its title, also for screen readers
    width: float  # in pixels
    height: float  # in pixels
    body: str  # SVG elements

    def inline(self) -> str:
        """Return the drawing for a page, which defines the colors."""
        return self._svg("")

    def file(self) -> str:
        """Return the drawing as a complete SVG file."""
        series = "".join(f".s{i}{{fill:{c}}}.l{i}{{stroke:{c};fill:none}}" for i, c in enumerate(_COLORS))
        back = f'<rect width="{short(self.width)}" height="{short(self.height)}" fill="#fff"/>'
        return self._svg(f"<style>{_STYLE}{series}</style>{back}")

    def image(self, width: str = "100%") -> str:
        """Return the drawing as a self-contained HTML image of this maximum width."""
        import base64

        data = base64.b64encode(self.file().encode("utf-8", "backslashreplace")).decode()
        style = f"max-width: {width}; padding: 6px; background: #fff"
        return f'<img alt="{clean(self.title)}" style="{style}" src="data:image/svg+xml;base64,{data}">\n'

    def __repr__(self) -> str:
        return f"<Drawing: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.file()

    def _svg(self, start: str) -> str:
        size = f'viewBox="0 0 {short(self.width)} {short(self.height)}" width="{short(self.width)}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} height="{short(self.height)}" role="img">'
            f"<title>{clean(self.title)}</title>{start}{self.body}</svg>"
        )


def clean(text: str) -> str:
    return escape(printable(text))


def short(number: float) -> str:
    """Return a coordinate as text with at most one decimal place."""
    return f"{number:.1f}".removesuffix(".0")


def cut(text: str, longest: int = _LONGEST) -> str:
    """Return a label, shortened if it is very long."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def width_of(text: str, size: float = 12) -> float:
    """Estimate the width of text in pixels: East Asian characters are square, combining ones have no width."""
    return size * sum(_width(character) for character in text if not unicodedata.combining(character))


def _width(character: str) -> float:
    """The width relative to the font size, in a wide typeface, so that labels are not cut off in other typefaces."""
    if unicodedata.east_asian_width(character) in {"W", "F"}:
        return 1.0
    if character in "mwMW" or character.isupper():
        return 0.78
    return 0.36 if character in "ijlftr.,:;|'()[] -" else 0.64


def widest(labels: Iterable[str]) -> float:
    return max((width_of(cut(label)) for label in labels), default=0.0)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    ends = f'x1="{short(x1)}" y1="{short(y1)}" x2="{short(x2)}" y2="{short(y2)}"'
    return f'<line class="{kind}" {ends}/>'


def bar(x1: float, x2: float, y: float, height: float, kind: str, tip: str = "") -> str:
    left, right = min(x1, x2), max(x1, x2)
    shape = f'x="{short(left)}" y="{short(y)}" width="{short(max(right - left, 0.5))}" height="{short(height)}"'
    return f'<rect class="{kind}" {shape}>{_tip(tip)}</rect>'


def dot(x: float, y: float, radius: float, kind: str, tip: str = "") -> str:
    return f'<circle class="{kind}" cx="{short(x)}" cy="{short(y)}" r="{short(radius)}">{_tip(tip)}</circle>'


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Return an SVG text element; if the text is shortened, the tooltip has the full text."""
    shown = cut(words)
    tip = _tip(words) if shown != words else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{short(x)}" y="{short(y)}"{place}>{clean(shown)}{tip}</text>'


def path(points: Iterable[tuple[float, float]], kind: str, tip: str = "") -> str:
    places = " ".join(f"{short(x)},{short(y)}" for x, y in points)
    return f'<polyline class="{kind}" points="{places}">{_tip(tip)}</polyline>'


def _tip(words: str) -> str:
    return f"<title>{clean(words)}</title>" if words else ""


class Scale(NamedTuple):
    """A scale from values to pixels, linear or logarithmic."""

    low: float  # the value at the start, or its logarithm to the base 10
    high: float  # the same at the end
    start: float  # the position of the start
    end: float  # the position of the end
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        at = math.log10(value) if self.logarithmic else value
        return self.start + (at - self.low) / (self.high - self.low or 1.0) * (self.end - self.start)

    def ticks(self, about: int = 6) -> list[float]:
        if self.logarithmic:
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            every = (step * 10.0**power for power in powers for step in (1, 2, 5))
            return [value for value in every if self.low <= math.log10(value) <= self.high]
        rough = (self.high - self.low) / about
        step = 1.0
        if rough > 0:
            power = 10.0 ** math.floor(math.log10(rough))
            step = next((times * power for times in (1, 2, 5) if times * power >= rough), 10 * power)
        first = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, math.floor(self.high / step + 1e-9) + 1)]


def scale_for(
    values: Iterable[float], start: float, end: float, *, zero: bool = False, logarithmic: bool = False
) -> Scale:
    known = [*(map(math.log10, values) if logarithmic else values), *([0.0] if zero else [])] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = 0.04 * (high - low) or 0.5
    ends = low if zero and low == 0 else low - room, high if zero and high == 0 else high + room
    return Scale(*ends, start, end, logarithmic)


def number(value: float) -> str:
    return f"{value:.10g}".replace("-", "\N{MINUS SIGN}")
