"""The tree of a sentence as a drawing: words in a row, arcs above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from levelhead.errors import printable
from levelhead.tables.svg import Drawing, path, text, width_of

if TYPE_CHECKING:
    from levelhead.treebank.sentence import Sentence

MOST_WORDS = 200  # the largest number of words to draw; the rest of a longer sentence is left out


class ArcColor(NamedTuple):
    """The color of an arc in every drawing: SVG classes of the line, its tip and its label, and the style in LaTeX."""

    line: str
    tip: str
    label: str
    tikz: str


AGREED = ArcColor("axis none", "fade", "mute", "edge style={gray}, label style={text=gray}")
GOLD_ONLY = ArcColor("l0", "s0", "s0", "edge style={blue}, label style={text=blue}")
SYSTEM_ONLY = ArcColor("l1", "s1", "s1", "edge style={orange}, label style={text=orange}")
MISLABELED = ArcColor("axis none", "fade", "s1", "edge style={gray}, label style={text=orange}")
"""Gray: both trees or the only tree; blue: gold only; orange: system only, or only its relation."""

_GAP, _LEVEL, _MARGIN, _ROW, _TIP = 18.0, 24.0, 12.0, 16.0, 4.0
_SPREAD = 5.0  # between arcs that end at the same word
_Arc = tuple[int, int]  # a word and its head, as indices in the sentence


def tree_drawing(sentence: Sentence) -> Drawing:
    forms, tags = sentence.forms[:MOST_WORDS], sentence.upos[:MOST_WORDS]
    relations = sentence.relations[:MOST_WORDS]
    arcs = [(word, head - 1) for word, head in enumerate(sentence.heads[:MOST_WORDS]) if head and head <= len(forms)]
    levels = _levels(arcs)
    at, places = _MARGIN, []  # the middle of each word
    for labels in zip(forms, tags, relations, strict=True):
        size = max(map(width_of, labels))
        places.append(at + size / 2)
        at += size + _GAP
    width = at - _GAP + _MARGIN
    base = _MARGIN + _LEVEL * (max(levels.values(), default=0) + 1.5)
    parts = []
    for (word, head), level in levels.items():
        side = _SPREAD if word > head else -_SPREAD
        start = places[head] + side
        end = places[word] - side / 2
        top = base - _LEVEL * level
        parts.append(_arrow([(start, base), (start, top), (end, top), (end, base)]))
        parts.append(text((start + end) / 2, top - 3, relations[word], "small", "middle"))
    top = _MARGIN + _LEVEL / 2
    for place, relation, number in zip(places, relations, sentence.heads):
        if number == 0:
            parts += [_arrow([(place, top), (place, base)]), text(place, top - 3, relation, "small b", "middle")]
    for place, form, tag in zip(places, forms, tags, strict=True):
        parts.append(text(place, base + _ROW, form, "", "middle"))
        parts.append(text(place, base + 2 * _ROW, tag, "mute small", "middle"))
    return Drawing(printable(sentence.text), width, base + 2 * _ROW + _MARGIN, "".join(parts))


def _levels(arcs: list[_Arc]) -> dict[_Arc, int]:
    """The level of each arc: the lowest at which it meets no other arc; short arcs come first."""
    taken: list[list[_Arc]] = []
    levels = {}
    for arc in sorted(arcs, key=lambda pair: (abs(pair[0] - pair[1]), pair)):
        low, high = min(arc), max(arc)
        level = next((i for i, spans in enumerate(taken) if all(high <= a or b <= low for a, b in spans)), len(taken))
        if level == len(taken):
            taken.append([])
        taken[level].append((low, high))
        levels[arc] = level + 1
    return levels


def _arrow(points: list[tuple[float, float]]) -> str:
    (place, base), side = points[-1], _TIP / 2
    tip = [(place - side, base - _TIP), (place, base), (place + side, base - _TIP)]
    return path(points, f"{AGREED.line} thin") + path(tip, f"{AGREED.line} thin")
