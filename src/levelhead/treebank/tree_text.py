"""Trees as text: one word per line, arcs at the left."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from levelhead.errors import number_of, printable
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
    """The name of a sentence with its text, or with the reason why it is not drawn."""
    long = len(sentence) > MOST_WORDS
    text = f"{len(sentence)} words, too long to draw" if long else printable(sentence.text)
    return f"{printable(sentence.id or f'sentence {sentence.index + 1}')}: {text}"


def indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
