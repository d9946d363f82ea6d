"""Trees drawn in text: one word a line, arcs at the left."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from levelhead.analysis import Example
from levelhead.campaign.outputs import Output
from levelhead.comparison.contrasts import Contrast
from levelhead.errors import number_of, printable
from levelhead.scoring.matches import Agree, Matches
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.treebank import Sentence, check_trees

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOXES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
"""The character for each combination of directions."""

_MOST_COLUMNS = 60
MOST_WORDS = 200
"""Longer sentences are not drawn: of them the marked words are listed, with their heads and neighbors."""

_MOST_LISTED = 20
_NEIGHBORS = 3
_ARROW = "►"


def draw(
    forms: Sequence[str], heads: Sequence[int], relations: Sequence[str], marked: Collection[int] = ()
) -> list[str]:
    """Draw a tree: a line for each word, with its arc from the left, its form and its relation.

    Args:
        forms: the words.
        heads: their heads, from 1, 0 for the root.
        relations: their relations.
        marked: the words to mark with an asterisk, from 0.
    """
    columns = _columns(heads)
    width = max(columns.values(), default=0)
    if width > _MOST_COLUMNS:
        return _arc_list(forms, heads, relations, marked)
    grid = [[0] * (2 * width + 1) for _ in forms]
    for (word, head), column in columns.items():
        _draw_arc(grid, word, head, 2 * (width - column))
    longest = max((len(printable(form)) for form in forms), default=0)
    lines = []
    for word, (form, head, relation) in enumerate(zip(forms, heads, relations, strict=True)):
        arcs = "".join(_BOXES[cell] for cell in grid[word])[:-1] if width else ""
        arrow = _ARROW if width and head else "─" if width and grid[word][-1] & _LEFT else " "
        star = "*" if word in marked else " "
        lines.append(f"{arcs}{arrow} {star} {printable(form).ljust(longest)}  {printable(relation)}".rstrip())
    return lines


def _columns(heads: Sequence[int]) -> dict[tuple[int, int], int]:
    """Give each arc the first column, from the words outwards, in which it meets no other; short arcs first."""
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


def _arc_list(
    forms: Sequence[str], heads: Sequence[int], relations: Sequence[str], marked: Collection[int]
) -> list[str]:
    """Write arcs in words, where a drawing would be wider than a page."""
    return [
        _arc_in_words(word, form, head, relation, marked)
        for word, (form, head, relation) in enumerate(zip(forms, heads, relations, strict=True))
    ]


def _arc_in_words(word: int, form: str, head: int, relation: str, marked: Collection[int]) -> str:
    return f"{'*' if word in marked else ' '} {word + 1:>5} {printable(form)}  {printable(relation)} <- {head}"


def _tree(sentence: Sentence, marked: Collection[int] = (), around: Collection[int] | None = None) -> list[str]:
    """Draw a sentence; list some words of one that is too long, around those given or else the marked ones."""
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
    """The name of a sentence and its text, or why it is not drawn."""
    name = printable(sentence.id or f"sentence {number}")
    if len(sentence) > MOST_WORDS:
        return f"{name}: {len(sentence)} words, too long to draw"
    return f"{name}: {printable(sentence.text)}"


def draw_examples(matches: Matches, cells: Mapping[str, Sequence[Example]], most: int | None = None) -> str:
    """Draw the gold and the system's tree of each example, with the word marked.

    Args:
        matches: the aligned words.
        cells: the examples of each cell of the confusion, by its name.
        most: how many examples of each cell are drawn; None for all.
    """
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
    lines = [_title(gold, example.gold_sentence + 1)]
    for side, sentence, word in (("gold", gold, example.gold_word), ("system", system, example.system_word)):
        lines += [f"  {side}", *(f"    {line}" for line in _tree(sentence, {word}))]
    return [*lines, ""]


def draw_contrasts(
    baseline: Output, system: Output, gained: Sequence[Contrast], lost: Sequence[Contrast], needs: Agree = ATTACHED
) -> str:
    """Draw gold and both systems' trees of sentences on which they differ; wrong words are marked.

    Args:
        baseline: the baseline's output.
        system: the system's.
        gained: the sentences in which the system gains.
        lost: those in which it loses.
        needs: what must agree for a word to be right.
    """
    lines = []
    for title, some in (("gains", gained), ("loses", lost)):
        lines += [f"{system.name} {title} most against {baseline.name} in {number_of(len(some), 'sentence')}", ""]
        for contrast in some:
            lines += _contrast(baseline, system, contrast, needs)
    return "\n".join(lines) + "\n"


def _contrast(baseline: Output, system: Output, contrast: Contrast, needs: Agree) -> list[str]:
    gold = baseline.matches.gold[contrast.sentence]
    lines = [_title(gold, contrast.sentence + 1), "  gold"]
    both = [_wrong_gold_words(output.matches, contrast.sentence, needs) for output in (baseline, system)]
    lines += [f"    {line}" for line in _tree(gold, around=set.union(*both))]
    for output, right in ((baseline, contrast.baseline), (system, contrast.system)):
        lines.append(f"  {output.name}: {right:g} of {contrast.gold:g} right")
        for sentence in _sentences_at(output.matches, contrast.sentence):
            wrong = _wrong_words(output.matches, sentence, needs)
            lines += [f"    {line}" for line in _tree(output.matches.system[sentence], wrong)]
    return [*lines, ""]


def _sentences_at(matches: Matches, gold_sentence: int) -> list[int]:
    """The system's sentences that have words in a gold sentence."""
    own = matches.row_of_system == gold_sentence
    return sorted(set(matches.system.sentence_of_word[own].tolist()))


def _wrong_gold_words(matches: Matches, sentence: int, needs: Agree) -> set[int]:
    first, last = matches.gold.sentence_starts[sentence : sentence + 2].tolist()
    right = set(matches.alignment.gold[matches.agree(needs)].tolist())
    return {word - first for word in range(first, last) if word not in right}


def _wrong_words(matches: Matches, sentence: int, needs: Agree) -> set[int]:
    first, last = matches.system.sentence_starts[sentence : sentence + 2].tolist()
    right = set(matches.alignment.system[matches.agree(needs)].tolist())
    return {word - first for word in range(first, last) if word not in right}
