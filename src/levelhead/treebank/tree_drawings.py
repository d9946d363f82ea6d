"""Trees as text, one word per line with arcs at the left; and as drawings: words in a row, arcs above (`trees.js`)."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from levelhead.errors import number_of, printable
from levelhead.tables.svg import Drawing, cut, line, short, text, width_of
from levelhead.treebank.tokens import check_trees

if TYPE_CHECKING:
    from levelhead.treebank.sentence import Sentence


_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOXES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"  # the character for each combination of directions

_MOST_COLUMNS = 60
MOST_WORDS = 200
"""The largest number of words to draw; of longer sentences, only marked words and their neighbors are listed."""

_MOST_LISTED = 20
_NEIGHBORS = 3
_MIRRORED = str.maketrans("┌└├╶┐┘┤╴►", "┐┘┤╴┌└├╶◄")


def draw_both(gold: Sentence, system: Sentence, name: str, marked: Collection[int] = ()) -> list[str] | None:
    """Draw two analyses of the same words: gold at the left, system arcs and other relations at the right."""
    if gold.forms != system.forms or len(gold) > MOST_WORDS:
        return None
    left, right = _arcs(_heads(gold)), _arcs(_heads(system))
    if left is None or right is None or len(left[0]) + len(right[0]) > 2 * _MOST_COLUMNS:
        return None
    columns = (
        ["", *left],
        [" ", *_stars(len(gold), marked)],
        ["", *gold.forms],
        ["gold", *gold.relations],
        [name, *("" if one == other else other for one, other in zip(gold.relations, system.relations, strict=True))],
        ["", *(arcs[::-1].translate(_MIRRORED) for arcs in right)],
    )
    return [
        f"{arc} {star} {form}  {relation}  {other} {back}".rstrip()
        for arc, star, form, relation, other, back in zip(*map(_aligned, columns), strict=True)
    ]


def _aligned(texts: Sequence[str]) -> list[str]:
    """Texts, padded to the width of the longest."""
    shown = [printable(text) for text in texts]
    width = max(map(len, shown), default=0)
    return [text.ljust(width) for text in shown]


def _stars(n: int, marked: Collection[int]) -> list[str]:
    return ["*" if word in marked else " " for word in range(n)]


def _arcs(heads: Sequence[int]) -> list[str] | None:
    """Draw the arcs to the left of each word, short arcs next to the words; None if they are too wide."""
    arcs = ((word, head - 1) for word, head in enumerate(heads) if head)
    columns: dict[int, list[tuple[int, int]]] = {}
    for low, high in sorted(map(sorted, arcs), key=lambda arc: arc[1] - arc[0]):
        free = (i for i, spans in columns.items() if all(high < start or end < low for start, end in spans))
        columns.setdefault(next(free, len(columns)), []).append((low, high))
    if len(columns) > _MOST_COLUMNS:
        return None
    grid = [[0] * (2 * len(columns) + 1) for _ in heads]
    for at, low, high in ((2 * (len(columns) - 1 - i), *span) for i, spans in columns.items() for span in spans):
        for row in range(low, high):
            grid[row][at] |= _DOWN
            grid[row + 1][at] |= _UP
        for row in (low, high):
            grid[row][at] |= _RIGHT
            grid[row][at + 1 :] = [cell | _LEFT | _RIGHT for cell in grid[row][at + 1 :]]
    return [
        "".join(_BOXES[cell] for cell in cells[:-1]) + ("►" if head else "─" if cells[-1] & _LEFT else " ")
        for cells, head in zip(grid, heads, strict=True)
    ]


def draw(sentence: Sentence, marked: Collection[int] = (), around: Collection[int] | None = None) -> list[str]:
    """Draw a sentence; if it is too long, list words around the given words (by default around the marked words)."""
    heads = _heads(sentence)
    stars = _stars(len(sentence), marked)
    centers = list[int]()
    words = set(range(len(sentence)))
    if len(sentence) > MOST_WORDS:
        centers = sorted(marked if around is None else around)
        words &= {at + i for at in centers[:_MOST_LISTED] for i in range(-_NEIGHBORS, _NEIGHBORS + 1)}
    elif (arcs := _arcs(heads)) is not None:  # otherwise a drawing would be wider than a page
        columns = zip(arcs, stars, _aligned(sentence.forms), map(printable, sentence.relations), strict=True)
        return [f"{arc} {star} {form}  {relation}".rstrip() for arc, star, form, relation in columns]
    lines, last = [], -1
    for word in sorted(words):
        lines += ["      ..."] if word > last + 1 else []
        shown = f"{printable(sentence.forms[word])}  {printable(sentence.relations[word])}"
        lines.append(f"{stars[word]} {word + 1:>5} {shown} <- {heads[word]}")
        last = word
    lines += ["      ..."] if last + 1 < len(sentence) else []
    more = len(centers) - _MOST_LISTED
    return [*lines, *([f"      and around {number_of(more, 'more word')}"] if more > 0 else [])]


def _heads(sentence: Sentence) -> list[int]:
    check_trees(sentence.treebank)
    return [head or 0 for head in sentence.heads]


def title(sentence: Sentence) -> str:
    """The name of a sentence, followed by its text or by the reason why it is not drawn."""
    long = len(sentence) > MOST_WORDS
    text = f"{len(sentence)} words, too long to draw" if long else printable(sentence.text)
    return f"{printable(sentence.id or f'sentence {sentence.index + 1}')}: {text}"


def indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


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

ROW = 17.0  # between lines of text
_MARGIN, _GAP, _NARROWEST, _SMALL = 12.0, 18.0, 22.0, 11
_FIRST, _STEP = 12.0, 19.0  # the height of the lowest arc, and of each further level
_BEND, _SIDE = 12.0, 5.0  # the radius of corners; from the middle of the head to an arc


class DrawnTree(NamedTuple):
    """The words of a tree."""

    forms: Sequence[str]
    heads: Sequence[int | None]  # from 1, 0 for the root, -1 for outside; None without an arc
    relations: Sequence[str]
    colors: Sequence[ArcColor]

    @property
    def widths(self) -> list[float]:
        """The width of each word with its relation."""
        widths = zip(self.forms, self.relations, strict=True)
        return [max(width_of(cut(form)), width_of(cut(label), _SMALL), _NARROWEST) + _GAP for form, label in widths]

    @property
    def height(self) -> float:
        return _FIRST + _STEP * (1 + max(self._levels.values(), default=0)) + 12

    @property
    def _levels(self) -> Mapping[int, int]:
        """The level of the arc of each word: above all shorter arcs that it overlaps."""
        arcs = [(*sorted((word, head - 1)), word) for word, head in enumerate(self.heads) if head and head > 0]
        levels: dict[tuple[int, int, int], int] = {}
        for low, high, word in sorted(arcs, key=lambda arc: (arc[1] - arc[0], arc)):
            below = [level for (start, end, _), level in levels.items() if start < high and low < end]
            levels[low, high, word] = 1 + max(below, default=0)
        return {word: level for (_, _, word), level in levels.items()}

    def arcs(self, places: Sequence[float], y: float, up: int = 1) -> list[str]:
        """Draw the arcs above (`up` is 1) or below (-1) the words; `places` are the middles of the words."""
        levels, parts, labels = self._levels, list[str](), list[str]()
        for word, (head, relation) in enumerate(zip(self.heads, self.relations, strict=True)):
            if head is None:
                continue
            color, start = self.colors[word], places[word]
            if head > 0:
                top = y - up * (_FIRST + _STEP * levels[word])
                towards = 1 if places[head - 1] > start else -1
                end = places[head - 1] - _SIDE * towards
                radius = min(_BEND, abs(end - start) / 2)
                numbers = (start, y - 3 * up, top + up * radius, start, top, start + towards * radius, top,
                           end - towards * radius, end, top, end, top + up * radius, y)  # fmt: skip
                parts.append(
                    '<path class="{} thin none" d="M{},{} V{} Q{},{} {},{} H{} Q{},{} {},{} V{}"/>'.format(
                        color.line, *map(short, numbers)
                    )
                )
                middle = (start + end) / 2
            else:
                top, middle = y - up * (self.height - 12), start
                parts.append(line(start, y - 3 * up, start, top, f"{color.line} thin{' dash' if head < 0 else ''}"))
            base = short(y - 6 * up)
            tip = f"{short(start)},{short(y + up)} {short(start - 3.5)},{base} {short(start + 3.5)},{base}"
            parts.append(f'<polygon class="{color.tip}" points="{tip}"/>')
            labels.append(text(middle, top + 4, relation, f"small {color.label} label", "middle"))
        return parts + labels  # no arc crosses a label


def middles(widths: Sequence[float], *, right_to_left: bool) -> list[float]:
    places = [end - width / 2 for end, width in zip(accumulate(widths), widths, strict=True)]
    return [sum(widths) - place for place in places] if right_to_left else places


def is_right_to_left(words: str) -> bool:
    """Return the direction of text: that of its first letter (Unicode Annex 9: P2, P3)."""
    letters = (kind for kind in map(unicodedata.bidirectional, words) if kind in {"L", "R", "AL"})
    return next(letters, "L") != "L"


def tree_drawing(sentence: Sentence) -> Drawing:
    forms, tags = sentence.forms[:MOST_WORDS], sentence.upos[:MOST_WORDS]
    heads = [-1 if head and head > len(forms) else head for head in sentence.heads[:MOST_WORDS]]
    tree = DrawnTree(forms, heads, sentence.relations[:MOST_WORDS], [AGREED] * len(forms))
    widths = [max(width, width_of(tag, _SMALL) + _GAP) for width, tag in zip(tree.widths, tags, strict=True)]
    places = middles(widths, right_to_left=is_right_to_left(sentence.text))
    y = tree.height
    parts = tree.arcs(places, y)
    for place, form, tag in zip(places, forms, tags, strict=True):
        parts.append(text(place, y + ROW, form, "", "middle"))
        parts.append(text(place, y + 2 * ROW, tag, "mute small", "middle"))
    return Drawing(printable(sentence.text), sum(widths), y + 2 * ROW + _MARGIN, "".join(parts))
