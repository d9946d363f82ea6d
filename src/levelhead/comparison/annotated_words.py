"""The words that annotations of the same text have in common, and their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.scoring import Matches, Rules, match
from levelhead.significance.agreement import MISSING
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.relations import universal

Numbers = NDArray[np.int64]

HEADS = "heads"


class AnnotatedWords(NamedTuple):
    """The words of a text in several annotations.

    Words that are aligned with each other, directly or through other annotations, are one word. If this joins several
    words of one annotation (only inside multiword tokens), the first counts.
    """

    treebanks: tuple[Treebank, ...]
    rows: Numbers  # the word of each annotation, or `MISSING`, shape (words, annotations), in the order of the text
    numbers: tuple[Numbers, ...]  # the row of each word of each annotation
    sentences: Numbers  # the sentence of the first annotation that contains each word, by its place in the text

    def by_row(self, labels_of_words: Sequence[Numbers]) -> Numbers:
        """Return the labels of each annotation's words by row, `MISSING` if it lacks the word."""
        labels = np.full(self.rows.shape, MISSING, dtype=np.int64)
        for i, side in enumerate(labels_of_words):
            given = self.rows[:, i] != MISSING
            labels[given, i] = side[self.rows[given, i]]
        return labels


def match_pairs(treebanks: Sequence[Treebank], rules: Rules) -> dict[tuple[int, int], Matches]:
    """Return the aligned words of each pair of annotations, by their numbers."""
    return {(i, j): match(one, other, rules) for (i, one), (j, other) in combinations(enumerate(treebanks), 2)}


def common_words(treebanks: Sequence[Treebank], pairs: Mapping[tuple[int, int], Matches]) -> AnnotatedWords:
    """Return the words that annotations of a text have in common."""
    spans = [pairs[0, 1].gold_spans, *(pairs[0, j].system_spans for j in range(1, len(treebanks)))]
    starts = np.cumsum([0, *(treebank.n_words for treebank in treebanks)])
    groups = np.arange(starts[-1])
    links = [(pair.alignment.gold + starts[i], pair.alignment.system + starts[j]) for (i, j), pair in pairs.items()]
    before = np.zeros(0, dtype=np.int64)
    while not np.array_equal(before, groups):  # each word gets the number of the first of the words linked with it
        before = groups.copy()
        for first, second in links:
            least = np.minimum(groups[first], groups[second])
            np.minimum.at(groups, first, least)
            np.minimum.at(groups, second, least)
    members, numbers = np.unique(groups, return_inverse=True)
    forms = {form for treebank in treebanks for form in treebank.forms.distinct_texts}
    number_of = {form: i for i, form in enumerate(sorted(forms))}
    keys = (
        np.array([number_of[form] for treebank in treebanks for form in treebank.forms]),
        np.concatenate([np.arange(len(span.starts)) - np.searchsorted(span.starts, span.starts) for span in spans]),
        np.concatenate([span.ends for span in spans]),
        np.concatenate([span.starts for span in spans]),
    )  # the last is primary; the second is a word's place in its token; the order of annotations has no influence
    least_keys = np.full((len(keys), len(members)), np.iinfo(np.int64).max)
    for least_key, key in zip(least_keys, keys, strict=True):
        np.minimum.at(least_key, numbers.reshape(-1), key)
    each = np.split(np.argsort(np.lexsort(least_keys))[numbers.reshape(-1)], starts[1:-1])
    rows = np.full((len(members), len(treebanks)), MISSING, dtype=np.int64)
    for i, of_annotation in enumerate(each):
        rows[of_annotation[::-1], i] = np.arange(len(of_annotation))[::-1]
    first = rows[:, 0]
    sentences = np.where(first == MISSING, 0, np.append(treebanks[0].sentence_of_word, 0)[first])
    return AnnotatedWords(tuple(treebanks), rows, tuple(each), np.maximum.accumulate(sentences).astype(np.int64))


class LabeledWords(NamedTuple):
    """The labels of one kind that annotators gave to words."""

    name: str
    names: Sequence[str]  # by number
    labels: Numbers  # the number of each label, or `MISSING`, shape (words, annotations)


def labels_of(words: AnnotatedWords) -> Iterator[LabeledWords]:
    """Yield heads, as distances in words of all annotations, relations, tags and features, without empty columns."""
    root = len(words.rows)  # larger than any distance
    sides = [
        np.where(treebank.heads < 0, root, numbers[treebank.heads] - numbers)
        for treebank, numbers in zip(words.treebanks, words.numbers, strict=True)
    ]
    distances = np.unique(np.concatenate(sides))
    names = ["root" if distance == root else f"{distance:+d}" for distance in distances.tolist()]
    yield LabeledWords(HEADS, names, words.by_row([np.searchsorted(distances, side) for side in sides]))
    yield _labeled(words, "relations", "relations", universal)
    for name in ("upos", "xpos"):
        if all(getattr(treebank, name).has_values for treebank in words.treebanks):
            yield _labeled(words, name.upper(), name, str)
    if all(treebank.feats.has_values for treebank in words.treebanks):
        texts = {text for treebank in words.treebanks for text in treebank.feats.distinct_texts}
        parsed = {text: dict(part.split("=", 1) for part in text.split("|") if "=" in part) for text in texts}
        for name in sorted({name for feats in parsed.values() for name in feats}):
            values = {text: feats.get(name, "-") for text, feats in parsed.items()}
            yield _labeled(words, name, "feats", values.__getitem__)


def _labeled(words: AnnotatedWords, name: str, column: str, value: Callable[[str], str]) -> LabeledWords:
    """Label each word with the value of its string in its treebank's column."""
    columns: list[StringColumn] = [getattr(treebank, column) for treebank in words.treebanks]
    names = sorted({value(text) for column in columns for text in column.distinct_texts})
    number = {label: i for i, label in enumerate(names)}
    sides = [column.mapped(lambda text: number[value(text)], np.int64) for column in columns]
    return LabeledWords(name, names, words.by_row(sides))
