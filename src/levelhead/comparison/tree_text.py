"""Trees drawn as text: one word per line, arcs at the left."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from levelhead.analysis import Example
from levelhead.campaign.outputs import Output
from levelhead.errors import number_of, printable
from levelhead.scoring.matches import Agree, Matches
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.treebank import Sentence, Treebank, check_trees

if TYPE_CHECKING:
    from levelhead.comparison.contrasts import Contrast

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOXES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
"""The character for each combination of directions."""

_MOST_COLUMNS = 60
MOST_WORDS = 200
"""The largest number of words to draw; of longer sentences, only marked words and their neighbors are listed."""

_MOST_LISTED = 20
_NEIGHBORS = 3
_ARROW = "►"
_MIRRORED = str.maketrans("┌└├╶┐┘┤╴►", "┐┘┤╴┌└├╶◄")


def draw(
    forms: Sequence[str], heads: Sequence[int], relations: Sequence[str], marked: Collection[int] = ()
) -> list[str]:
    """Draw a tree: a line for each word, with its arc from the left, its form and its relation."""
    arcs = _arcs(heads)
    if arcs is None:
        rows = enumerate(zip(forms, heads, relations, strict=True))
        return [_arc_in_words(word, *row, marked) for word, row in rows]  # a drawing would be wider than a page
    words = _aligned(forms)
    return [
        f"{arc} {_star(word, marked)} {form}  {printable(relation)}".rstrip()
        for word, (arc, form, relation) in enumerate(zip(arcs, words, relations, strict=True))
    ]


def draw_both(gold: Sentence, system: Sentence, name: str, marked: Collection[int] = ()) -> list[str] | None:
    """Draw two analyses of the same words: gold arcs at the left, system arcs at the right.

    The system's relation is shown next to the gold relation if it differs.
    """
    if gold.forms != system.forms or len(gold) > MOST_WORDS:
        return None
    left, right = _arcs(_heads(gold)), _arcs(_heads(system))
    if left is None or right is None or len(left[0]) + len(right[0]) > 2 * _MOST_COLUMNS:
        return None
    own = ["gold", *map(printable, gold.relations)]
    pairs = zip(gold.relations, system.relations, strict=True)
    other = [printable(name), *("" if one == two else printable(two) for one, two in pairs)]
    mirrored = [arcs[::-1].translate(_MIRRORED) for arcs in right]
    stars = [" ", *(_star(word, marked) for word in range(len(gold)))]
    columns = (
        ["", *left],
        stars,
        ["", *map(printable, gold.forms)],
        own,
        other,
        ["", *mirrored],
    )
    arcs, marks, forms, golds, others, back = map(_aligned, columns)
    return [
        f"{arc} {mark} {form}  {one}  {two} {last}".rstrip()
        for arc, mark, form, one, two, last in zip(arcs, marks, forms, golds, others, back, strict=True)
    ]


def _aligned(texts: Sequence[str]) -> list[str]:
    """Texts, padded to the width of the longest."""
    shown = [printable(text) for text in texts]
    width = max(map(len, shown), default=0)
    return [text.ljust(width) for text in shown]


def _star(word: int, marked: Collection[int]) -> str:
    return "*" if word in marked else " "


def _arcs(heads: Sequence[int]) -> list[str] | None:
    """Draw the arcs to the left of each word; None if they are too wide."""
    columns = _columns(heads)
    width = max(columns.values(), default=0)
    if width > _MOST_COLUMNS:
        return None
    grid = [[0] * (2 * width + 1) for _ in heads]
    for (word, head), column in columns.items():
        _draw_arc(grid, word, head, 2 * (width - column))
    return [_arcs_of_word(cells, head) if width else " " for cells, head in zip(grid, heads, strict=True)]


def _arcs_of_word(cells: Sequence[int], head: int) -> str:
    arcs = "".join(_BOXES[cell] for cell in cells)[:-1]
    return arcs + (_ARROW if head else "─" if cells[-1] & _LEFT else " ")


def _columns(heads: Sequence[int]) -> dict[tuple[int, int], int]:
    """Assign each arc the column nearest to the words in which it meets no other arc; short arcs come first."""
    arcs = sorted(
        ((word, head - 1) for word, head in enumerate(heads) if head), key=lambda arc: (abs(arc[0] - arc[1]), arc)
    )
    taken: list[list[tuple[int, int]]] = []
    columns = {}
    for word, head in arcs:
        low, high = min(word, head), max(word, head)
        for column, spans in enumerate(taken, 1):  # noqa: B007 -- the column is used below
            if all(high < start or end < low for start, end in spans):
                break
        else:
            taken.append([])
            column = len(taken)
        taken[column - 1].append((low, high))
        columns[word, head] = column
    return columns


def _draw_arc(grid: list[list[int]], word: int, head: int, at: int) -> None:
    low, high = min(word, head), max(word, head)
    for row in range(low, high):
        grid[row][at] |= _DOWN
        grid[row + 1][at] |= _UP
    for row in (word, head):
        grid[row][at] |= _RIGHT
        for cell in range(at + 1, len(grid[row])):
            grid[row][cell] |= _LEFT | _RIGHT


def _arc_in_words(word: int, form: str, head: int, relation: str, marked: Collection[int]) -> str:
    return f"{_star(word, marked)} {word + 1:>5} {printable(form)}  {printable(relation)} <- {head}"


def _tree(sentence: Sentence, marked: Collection[int] = (), around: Collection[int] | None = None) -> list[str]:
    """Draw a sentence; if it is too long, list words around the given words (by default around the marked words)."""
    if len(sentence) <= MOST_WORDS:
        return draw(sentence.forms, _heads(sentence), sentence.relations, marked)
    centers = sorted(marked if around is None else around)
    shown = centers[:_MOST_LISTED]
    near = {word for at in shown for word in range(at - _NEIGHBORS, at + _NEIGHBORS + 1)}
    heads = _heads(sentence)
    lines, last = [], -1
    for word in sorted(near & set(range(len(sentence)))):
        lines += ["      ..."] if word > last + 1 else []
        one = sentence[word]
        lines.append(_arc_in_words(word, one.form, heads[word], one.relation, marked))
        last = word
    lines += ["      ..."] if last + 1 < len(sentence) else []
    more = len(centers) - len(shown)
    return [*lines, *([f"      and around {number_of(more, 'more word')}"] if more else [])]


def _heads(sentence: Sentence) -> list[int]:
    check_trees(sentence.treebank)
    return [head or 0 for head in sentence.heads]


def _title(sentence: Sentence, number: int) -> str:
    """The name of a sentence with its text, or with the reason why it is not drawn."""
    name = printable(sentence.id or f"sentence {number}")
    if len(sentence) > MOST_WORDS:
        return f"{name}: {len(sentence)} words, too long to draw"
    return f"{name}: {printable(sentence.text)}"


def draw_examples(matches: Matches, cells: Mapping[str, Sequence[Example]], most: int | None = None) -> str:
    """Draw the gold and the system's tree of each example, with the word marked."""
    lines = []
    for cell, examples in cells.items():
        drawn = examples[:most]
        first = f", the first {len(drawn)} shown (--limit)" if len(drawn) < len(examples) else ""
        lines += [f"{cell}: {number_of(len(examples), 'word')}{first}", ""]
        for example in drawn:
            lines += _example(matches, example)
    return "\n".join(lines) + "\n"


def _example(matches: Matches, example: Example) -> list[str]:
    gold, system = matches.gold[example.gold_sentence], matches.system[example.system_sentence]
    title = _title(gold, example.gold_sentence + 1)
    both = draw_both(gold, system, "system", {example.gold_word})
    if both is not None:
        return [title, *_indented(both), ""]
    lines = [title]
    for side, sentence, word in (("gold", gold, example.gold_word), ("system", system, example.system_word)):
        lines += [f"  {side}", *_indented(_tree(sentence, {word}))]
    return [*lines, ""]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def draw_contrasts(
    baseline: Output, system: Output, gained: Sequence[Contrast], lost: Sequence[Contrast], needs: Agree = ATTACHED
) -> str:
    """Draw the gold tree and both systems' trees of sentences on which they differ, with wrong words marked."""
    lines = []
    for title, some in zip(contrast_titles(system.name, baseline.name), (gained, lost), strict=True):
        lines += [f"{title}: {number_of(len(some), 'sentence') if some else 'none'}", ""]
        for contrast in some:
            lines += _contrast(baseline, system, contrast, needs)
    return "\n".join(lines) + "\n"


def contrast_titles(system: str, baseline: str) -> tuple[str, str]:
    """Return the titles of the sentences in which a system gains most, and in which it loses most."""
    return f"largest gains of {system} over {baseline}", f"largest losses of {system} against {baseline}"


def _contrast(baseline: Output, system: Output, contrast: Contrast, needs: Agree) -> list[str]:
    gold = baseline.matches.gold[contrast.sentence]
    lines = [_title(gold, contrast.sentence + 1)]
    drawn = [_with_gold(output, contrast.sentence, needs) for output in (baseline, system)]
    if None in drawn:
        wrong = [_wrong_words(output.matches, "gold", contrast.sentence, needs) for output in (baseline, system)]
        lines += ["  gold", *_indented(_tree(gold, around=set.union(*wrong)))]
    rights = (contrast.baseline, contrast.system)
    for output, right, both in zip((baseline, system), rights, drawn, strict=True):
        lines.append(f"  {output.name}: {right:g} of {contrast.gold:g} correct")
        lines += _indented(_alone(output, contrast.sentence, needs) if both is None else both)
    return [*lines, ""]


def _with_gold(output: Output, sentence: int, needs: Agree) -> list[str] | None:
    """Draw a gold sentence and its analysis in an output together; None if their words differ."""
    own = _sentences_at(output.matches, sentence)
    if len(own) != 1:
        return None
    wrong = _wrong_words(output.matches, "system", own[0], needs)
    return draw_both(output.matches.gold[sentence], output.matches.system[own[0]], output.name, wrong)


def _alone(output: Output, sentence: int, needs: Agree) -> Iterator[str]:
    """Draw the sentences of an output that have words in a gold sentence."""
    for own in _sentences_at(output.matches, sentence):
        yield from _tree(output.matches.system[own], _wrong_words(output.matches, "system", own, needs))


def _sentences_at(matches: Matches, gold_sentence: int) -> list[int]:
    """The system's sentences that have words in a gold sentence."""
    own = matches.row_of_system == gold_sentence
    return sorted(set(matches.system.sentence_of_word[own].tolist()))


def _wrong_words(matches: Matches, side: Literal["gold", "system"], sentence: int, needs: Agree) -> set[int]:
    treebank: Treebank = getattr(matches, side)
    first, last = treebank.sentence_starts[sentence : sentence + 2].tolist()
    right = set(getattr(matches.alignment, side)[matches.agree(needs)].tolist())
    return {word - first for word in range(first, last) if word not in right}
