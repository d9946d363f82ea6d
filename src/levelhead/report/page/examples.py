"""Example sentences: the data from which a page draws gold and system trees with their errors."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis import count_confusions
from levelhead.analysis.word_properties import PROPERTIES, PropertySettings
from levelhead.report.charts.svg import plain
from levelhead.report.page.blocks import ConfusionMatrix
from levelhead.scoring.matches import Agree, Matches
from levelhead.treebank.schemes import NIVRE_FANG

ALL_WORDS = 50_000
"""The largest number of words in the sentences of a page, over all treebanks."""

_FEWEST_WORDS = 600  # of each treebank
_MOST_RELATIONS = 18
_LONG = 40  # words; longer sentences are chosen last
_GOLDEN = 0.618034  # its multiples are spread evenly between 0 and 1


class OutputTrees:
    """A system's output, prepared for showing its sentences.

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
            `n`: the name; `e`: a letter for each word (o correct, l wrong label, h wrong head, b both wrong, u not
            aligned); `h`: heads (from 1, 0 for the root, -1 for none or outside); `d`: relations. If the words differ
            from gold, also `f`: forms, and `a`: the gold word of each word, -1 for none.
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


def sentence(
    outputs: Sequence[OutputTrees], index: int, sides: tuple[str, str] | None = None, marked: int | None = None
) -> dict[str, Any]:
    """Return a gold sentence with systems' trees.

    Args:
        outputs: the systems.
        index: the index of the gold sentence.
        sides: the names of the upper and the lower tree; by default gold and system.
        marked: the number of the gold word to mark in the sentence.

    Returns:
        `i`: its name; `t`: its text; `r`: whether it is written from right to left; `f`, `h`, `d`: forms, heads and
        relations of gold; `s`: the systems' trees; if given, `k`: the names of both sides, and `m`: the marked word.
    """
    gold = outputs[0].matches.gold[index]
    return {
        **({} if sides is None else {"k": sides}),
        **({} if marked is None else {"m": marked}),
        "i": plain(gold.id or f"sentence {index + 1}"),
        "t": plain(gold.text),
        "r": int(is_right_to_left(gold.text)),
        "f": [plain(form) for form in gold.forms],
        "h": gold.heads,
        "d": [plain(relation) for relation in gold.relations],
        "s": [output.tree(index) for output in outputs],
    }


def is_right_to_left(text: str) -> bool:
    """Return whether text is written from right to left, by its first directional letter (Unicode Annex 9: P2, P3)."""
    directions = (unicodedata.bidirectional(character) for character in text)
    return next((d for d in directions if d in {"L", "R", "AL"}), "L") != "L"


class Examples(NamedTuple):
    """The errors of a treebank that a page can show in their sentences.

    Args:
        sentences: the sentences, see `sentence`.
        words: the wrong words: the number of the sentence, and of the word in it.
        groups: for each kind of grouping, the number of the group of each word, -1 for none.
        totals: for each kind of grouping, the number of words in each group, including words that are not shown.
    """

    sentences: Sequence[Mapping[str, Any]]
    words: Sequence[tuple[int, int]]
    groups: Mapping[str, Sequence[int]]
    totals: Mapping[str, Mapping[int, int]]


def examples_of_errors(
    output: OutputTrees, words: NDArray[np.int64], groups: Mapping[str, NDArray[np.int64]], n_treebanks: int = 1
) -> Examples:
    """Return wrong words with their sentences: all, or as many as a page can hold.

    Args:
        output: the system.
        words: the wrong gold words, int64, shape (words,).
        groups: for each kind of grouping, the number of the group of each word, -1 for none, same shape; the most
            important groups have the lowest numbers.
        n_treebanks: how many treebanks share the page.
    """
    gold = output.matches.gold
    of_word = gold.sentence_of_word[words].astype(np.int64)
    kept = np.sort(_within(of_word, np.diff(gold.sentence_starts), groups, n_treebanks))
    number = np.full(len(gold), -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    inside = number[of_word] >= 0
    places = words[inside] - gold.sentence_starts[of_word[inside]]
    pairs = list(zip(number[of_word[inside]].tolist(), places.tolist(), strict=True))
    shown = {name: numbers[inside].tolist() for name, numbers in groups.items()}
    totals = {name: _totals(numbers) for name, numbers in groups.items()}
    return Examples([sentence([output], index) for index in kept.tolist()], pairs, shown, totals)


def _totals(numbers: NDArray[np.int64]) -> dict[int, int]:
    found, counts = np.unique(numbers[numbers >= 0], return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _within(
    of_word: NDArray[np.int64], lengths: NDArray[np.int64], groups: Mapping[str, NDArray[np.int64]], n_treebanks: int
) -> NDArray[np.int64]:
    """The sentences that a page holds: all, or a sample with sentences from each group in turn, spread evenly."""
    every, most = np.unique(of_word), max(_FEWEST_WORDS, ALL_WORDS // n_treebanks)
    if lengths[every].sum() <= most:
        return every
    turns: list[tuple[int, bool, int]] = []
    for numbers in groups.values():
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.unique(numbers[numbers >= 0]))
        for own in np.split(order, starts)[1:]:
            places = np.unique(of_word[own])
            spread = np.argsort(np.arange(len(places)) * _GOLDEN % 1)
            turns += [(turn, bool(lengths[index] > _LONG), index) for turn, index in enumerate(places[spread].tolist())]
    chosen: dict[int, None] = {}
    for _, _, index in sorted(turns):
        if index not in chosen and most >= lengths[index]:
            chosen[index] = None
            most -= int(lengths[index])
    return np.array(list(chosen), dtype=np.int64)


def confused_relations(matches: Matches) -> ConfusionMatrix:
    """Return the confusion matrix of the most frequent relations.

    Args:
        matches: the aligned words.
    """
    confusion = count_confusions(matches)
    names = confusion.names[:_MOST_RELATIONS]
    counts, right = (values[: len(names), : len(names)] for values in (confusion.counts, confusion.right_heads))
    wrong = counts.copy()
    np.fill_diagonal(wrong, np.diag(counts - right))
    return ConfusionMatrix(names, counts.tolist(), wrong.tolist())


def cells_of(matches: Matches) -> NDArray[np.int64]:
    """Return the number of each aligned word's cell in `confused_relations`, -1 for none; int64, shape (pairs,).

    Args:
        matches: the aligned words.
    """
    relations = PROPERTIES["deprel"].of(matches, PropertySettings(NIVRE_FANG))
    size = min(len(relations.names), _MOST_RELATIONS)
    gold, system = relations.gold[matches.alignment.gold], relations.system[matches.alignment.system]
    return np.where((gold < size) & (system < size), gold * size + system, -1)


def pairs_of(matches: Matches, words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the aligned pair of each gold word, -1 if it is not aligned; int64, shape (words,).

    Args:
        matches: the aligned words.
        words: the gold words, int64, shape (words,).
    """
    pairs = np.full(matches.gold.n_words, -1, dtype=np.int64)
    pairs[matches.alignment.gold] = np.arange(len(matches.alignment.gold))
    return pairs[words]
