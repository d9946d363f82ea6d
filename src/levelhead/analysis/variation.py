"""Variation n-grams: the same words in the same context with different annotations.

For tags, a word between the same two neighbors (Dickinson and Meurers 2003); for relations, two words with the same
words between them and the same neighbors (Boyd, Dickinson and Meurers 2008). If most occurrences have one annotation
and a few another, the few are probably errors. The start and the end of a sentence count as neighbors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank import Treebank

Numbers = NDArray[np.int64]

LONGEST = 8  # the maximum span of a pair of words


class Variation(NamedTuple):
    """A word whose annotation is not the most frequent in its context."""

    word: int  # its index
    kind: str  # "UPOS" or "relation"
    own: str  # its annotation: a tag, a relation, or "no relation" to the other word of the pair
    other: str  # the most frequent other annotation
    head: int  # for relations, the index of the head in the other annotation; -1 for tags
    n_own: int  # the frequency of its annotation in this context
    n_other: int  # the frequency of the other annotation
    place: int  # the index of the first word with the other annotation in this context


def variations(treebank: Treebank) -> Iterator[Variation]:
    """Yield the words whose tag or relation is at most as frequent as another in the same context."""
    text = _Text(treebank)
    upos = treebank.upos
    if upos.has_values:
        starts, groups = text.windows(3)
        middle = text.word[starts + 1]
        words, groups = middle[middle >= 0], groups[middle >= 0]
        for row, place, other, n_own, n_other in _minorities(groups, upos.codes[words].astype(np.int64)):
            word = int(words[row])
            yield Variation(word, "UPOS", upos[word], upos.strings[other], -1, n_own, n_other, int(words[place]))
    heads = treebank.heads.astype(np.int64)
    relations = treebank.relations
    for n_words in range(2, LONGEST + 1):
        starts, groups = text.windows(n_words + 2)
        one = text.word[starts + 1]
        last = text.word[starts + n_words]
        inside = (one >= 0) & (last >= 0)
        one, last, groups = one[inside], last[inside], groups[inside]
        labels = np.where(heads[one] == last, 2 * relations.codes[one].astype(np.int64), -1)
        labels = np.where(heads[last] == one, 2 * relations.codes[last].astype(np.int64) + 1, labels)
        for row, place, label, n_own, n_other in _minorities(groups, labels):
            own = int(labels[row])
            words, others = (last, one) if (label if label >= 0 else own) % 2 else (one, last)
            word = int(words[row])
            head = int(others[row]) if label >= 0 else -1
            there = int(words[place])
            names = ["no relation" if code < 0 else relations.strings[code // 2] for code in (own, label)]
            yield Variation(word, "relation", names[0], names[1], head, n_own, n_other, there)


class _Text:
    """The words of a treebank with the start and end of each sentence, as numbers."""

    def __init__(self, treebank: Treebank) -> None:
        place = np.arange(treebank.n_words) + 2 * treebank.sentence_of_word.astype(np.int64) + 1
        size = treebank.n_words + 2 * len(treebank)
        self.word = np.full(size, -1, dtype=np.int64)
        self.word[place] = np.arange(treebank.n_words)
        self.sentence = np.repeat(np.arange(len(treebank)), np.diff(treebank.sentence_starts) + 2)
        self.numbers = np.zeros(size, dtype=np.int64)  # 0 for the start of a sentence, 1 for its end
        self.numbers[np.append(np.flatnonzero(np.diff(self.sentence)), size - 1) if size else []] = 1
        number: dict[str, int] = {}
        self.numbers[place] = treebank.forms.mapped(
            lambda form: number.setdefault(form.lower(), 2 + len(number)), np.int64
        )

    def windows(self, size: int) -> tuple[Numbers, Numbers]:
        """Return the starts of repeated n-grams, and a number for each distinct n-gram."""
        starts = np.arange(max(0, len(self.numbers) - size + 1))
        starts = starts[self.sentence[starts] == self.sentence[starts + size - 1]]
        keys = np.zeros(len(starts), dtype=np.uint64)
        for offset in range(size):
            keys = keys * np.uint64(0x9E3779B97F4A7C15) + (self.numbers[starts + offset] + 1).astype(np.uint64)
            keys ^= keys >> np.uint64(29)
        _, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
        repeated = counts[groups] > 1
        return starts[repeated], groups[repeated]


def _minorities(groups: Numbers, labels: Numbers) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield rows with a minority label, the first row of the group with a majority label, it, and both frequencies."""
    shifted = labels + 1
    size = int(shifted.max(initial=0)) + 1
    pairs, places, counts = np.unique(groups * size + shifted, return_index=True, return_counts=True)
    own_group, own_label = pairs // size, pairs % size - 1
    order = np.lexsort((own_label, -counts, own_group))
    first = np.flatnonzero(np.diff(own_group[order], prepend=-1))
    best, n_labels = order[first], np.diff(np.append(first, len(order)))
    second = order[np.minimum(first + 1, len(order) - 1)]
    rank = np.searchsorted(own_group[best], groups)
    rows = np.flatnonzero(n_labels[rank] > 1)
    mine = np.searchsorted(pairs, groups[rows] * size + shifted[rows])
    other = np.where(best[rank[rows]] == mine, second[rank[rows]], best[rank[rows]])
    rarer = counts[other] >= counts[mine]
    for row, own, against in zip(rows[rarer].tolist(), mine[rarer].tolist(), other[rarer].tolist(), strict=True):
        yield row, int(places[against]), int(own_label[against]), int(counts[own]), int(counts[against])
