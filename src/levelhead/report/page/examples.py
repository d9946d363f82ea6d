"""Sentences behind numbers: the data with which a page draws gold and system trees and marks errors."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis import Confusion, count_confusions
from levelhead.analysis.confusion import examples_of
from levelhead.report.charts.svg import plain
from levelhead.report.page.blocks import Confused
from levelhead.scoring.matches import Agree, Matches

_MOST_RELATIONS = 18
_MOST_CELLS = 70
_OF_A_CELL = 3
_LONG = 40  # words; longer sentences are shown only where there are no others
_LONGEST = 120


class Shown:
    """A system's output, ready to be shown sentence by sentence.

    Args:
        name: the system.
        matches: its words aligned to gold's.
    """

    def __init__(self, name: str, matches: Matches) -> None:
        self.name, self.matches = name, matches
        theirs = matches.alignment.system
        self.errors = np.full(matches.system.n_words, "u", dtype="<U1")  # not aligned
        head, label = matches.agree(Agree.HEAD), matches.agree(Agree.RELATION)
        self.errors[theirs] = np.where(head, np.where(label, "o", "l"), np.where(label, "h", "b"))

    def tree(self, sentence: int) -> dict[str, Any]:
        """Return the system's words in a gold sentence.

        Args:
            sentence: the index of the gold sentence.

        Returns:
            `n`, the name; `e`, a letter for each word: o right, l wrong label, h wrong head, b both, u not aligned; `h`
            heads, from 1, 0 the root, -1 none or outside; `d` relations; and where words are not gold's, `f` forms and
            `a` for each the gold word, -1 for none.
        """
        system, matches = self.matches.system, self.matches
        words = np.flatnonzero(matches.row_of_system == sentence)
        place = {int(word): i + 1 for i, word in enumerate(words.tolist())}
        heads = [
            0 if head < 0 else -1 if head == word else place.get(head, -1)  # a word without a HEAD is its own
            for word, head in zip(words.tolist(), system.heads[words].tolist())
        ]
        first, last = matches.gold.sentence_starts[sentence : sentence + 2].tolist()
        gold = matches.gold_of_system[words]
        inside = np.where((gold >= first) & (gold < last), gold - first, -1).tolist()
        tree = {
            "n": plain(self.name),
            "e": "".join(self.errors[words].tolist()),
            "h": heads,
            "d": [plain(system.relations[word]) for word in words.tolist()],
        }
        forms = [system.forms[word] for word in words.tolist()]
        if inside != list(range(last - first)) or forms != list(matches.gold[sentence].forms):
            tree |= {"f": [plain(form) for form in forms], "a": inside}
        return tree


def sentence(outputs: Sequence[Shown], index: int, sides: tuple[str, str] | None = None) -> dict[str, Any]:
    """Return a gold sentence with systems' trees.

    Args:
        outputs: the systems.
        index: the index of the gold sentence.
        sides: what the upper and the lower tree are called, if they are not gold and a system.

    Returns:
        `i` its name, `t` its text, `r` whether it runs from right to left, `f`, `h`, `d` forms, heads, relations of
        gold, `s` the systems' trees; and `k`, the names of both sides, where they are given.
    """
    gold = outputs[0].matches.gold[index]
    return {
        **({} if sides is None else {"k": sides}),
        "i": plain(gold.id or f"sentence {index + 1}"),
        "t": plain(gold.text),
        "r": int(runs_leftwards(gold.text)),
        "f": [plain(form) for form in gold.forms],
        "h": gold.heads,
        "d": [plain(relation) for relation in gold.relations],
        "s": [output.tree(index) for output in outputs],
    }


def runs_leftwards(text: str) -> bool:
    """Return whether text runs from right to left: by its first letter with a direction (Unicode Annex 9: P2, P3)."""
    directions = (unicodedata.bidirectional(character) for character in text)
    return next((d for d in directions if d in {"L", "R", "AL"}), "L") != "L"


def confused(output: Shown, most_sentences: int) -> Confused:
    """Return the confusion of a system's relations, with sentences behind its commonest cells.

    The diagonal opens words with the right relation and a wrong head.

    Args:
        output: the system.
        most_sentences: how many sentences to keep.
    """
    confusion = count_confusions(output.matches)
    names = confusion.names[:_MOST_RELATIONS]
    lengths = np.diff(output.matches.gold.sentence_starts)
    kept: dict[int, int] = {}
    cells: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row, column in _commonest(confusion, len(names)):
        for index, word in _chosen(output, names[row], names[column], lengths, kept):
            if index in kept or len(kept) < most_sentences:
                place = kept.setdefault(index, len(kept))
                cells.setdefault((row, column), []).append((place, word))
    counts = confusion.counts[: len(names), : len(names)].tolist()
    return Confused(names, counts, cells, [sentence([output], index) for index in kept])


def _commonest(confusion: Confusion, size: int) -> list[tuple[int, int]]:
    wrong = confusion.counts[:size, :size].copy()
    np.fill_diagonal(wrong, np.diag(confusion.counts - confusion.right_heads)[:size])
    cells = [(int(row), int(column)) for row, column in np.argwhere(wrong).tolist()]
    off = sorted((cell for cell in cells if cell[0] != cell[1]), key=lambda cell: (-int(wrong[cell]), cell))
    on = sorted((cell for cell in cells if cell[0] == cell[1]), key=lambda cell: (-int(wrong[cell]), cell))
    return [*off[:_MOST_CELLS], *on]


def _chosen(
    output: Shown, gold: str, system: str, lengths: NDArray[np.int64], kept: Mapping[int, int]
) -> Iterable[tuple[int, int]]:
    """A few words of a cell: sentences that are shown anyway first, then spread over the treebank, long ones last."""
    starts = output.matches.system.sentence_starts
    found = [
        (one.gold_sentence, one.gold_word) for one in examples_of(output.matches, gold, system)
        if gold != system or output.errors[int(starts[one.system_sentence]) + one.system_word] == "h"
    ]  # fmt: skip
    found = [one for one in found if lengths[one[0]] <= _LONGEST]
    spread = found[:: max(1, len(found) // 12)]
    shown = [one for one in found if one[0] in kept]
    order = sorted(spread, key=lambda one: bool(lengths[one[0]] > _LONG))
    return list(dict.fromkeys([*shown[:_OF_A_CELL], *order]))[:_OF_A_CELL]
