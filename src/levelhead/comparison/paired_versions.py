"""Pairing of the sentences and words of two versions of a treebank."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.scoring.align import align_sentences, same_texts
from levelhead.scoring.rules import Rules
from levelhead.scoring.sentence_pairing import pair_texts, sentence_ids, words_by_sentence
from levelhead.scoring.spans import Spans, spans_of
from levelhead.treebank import Treebank

Numbers = NDArray[np.intp]

NO_WORD = -1

_Pairs = list[tuple[int, int]]


class _Side(NamedTuple):
    """The properties by which sentences are paired.

    Args:
        ids: the sent_id of each sentence, or None.
        texts: its characters without spaces.
        words: the forms of its words.
    """

    ids: list[bytes | None]
    texts: list[bytes]
    words: list[list[str]]

    def take(self, sentences: Sequence[int]) -> _Side:
        """Return the properties of some sentences."""
        return _Side(*([column[i] for i in sentences] for column in self))  # type: ignore[arg-type]


class PairedVersions(NamedTuple):
    """The sentences that two versions of a treebank share, and their words.

    Args:
        rows: the sentences of OLD and NEW of each pair, shape (pairs, 2), ascending in OLD.
        old: the paired sentences of OLD.
        new: the paired sentences of NEW, in the order of OLD.
        old_words: the word of `old` of each pair of aligned words, ascending, shape (aligned,).
        new_words: the word of `new` of each pair, the same shape.
        old_of_new: the word of `old` aligned with each word of `new`, or `NO_WORD`, shape (words of new,).
        same_text: whether each pair has the same characters without spaces, bool, shape (pairs,).
        same_tokens: whether it also has the same tokens and words.
        same_places: whether each word of the pair is aligned with the word of the same number.
        moved: whether the pair has a different place in the order of NEW.
    """

    rows: Numbers
    old: Treebank
    new: Treebank
    old_words: Numbers
    new_words: Numbers
    old_of_new: Numbers
    same_text: NDArray[np.bool_]
    same_tokens: NDArray[np.bool_]
    same_places: NDArray[np.bool_]
    moved: NDArray[np.bool_]


def pair_versions(old: Treebank, new: Treebank, rules: Rules) -> PairedVersions:
    """Return the paired sentences and aligned words of two versions of a treebank.

    Sentences are paired by sent_id if it is unique in both versions. The other sentences are paired by text in order
    (`pair_texts`), and then by equal text in any order. Sentences with different texts are only a pair if they share
    half of the words of the longer sentence.

    Words are aligned as in partial scores (`align_sentences`). The result does not depend on the order of versions.
    """
    sides = [_side(treebank, rules) for treebank in (old, new)]
    swapped = (sides[1].texts, sides[1].words) < (sides[0].texts, sides[0].words)
    pairs = [(i, j) for j, i in _pair(*reversed(sides))] if swapped else _pair(*sides)
    rows = np.array(sorted(pairs), dtype=np.intp).reshape(-1, 2)
    return _aligned(old, new, rows, rules, swapped=swapped)


def _side(treebank: Treebank, rules: Rules) -> _Side:
    spans = spans_of(treebank, unicode_spaces=rules.unicode_spaces)
    return _Side(sentence_ids(treebank), spans.sentence_texts(), words_by_sentence(treebank))


def _pair(one: _Side, other: _Side) -> _Pairs:
    """The paired sentences: first by id, then by text in order, then by text anywhere."""
    found = [pair for pair in _same_ids(one, other) if _alike(one, other, *pair)]
    for pairing in (_in_order, _anywhere):
        left = _left(len(one.texts), [i for i, _ in found]), _left(len(other.texts), [j for _, j in found])
        some, others = one.take(left[0]), other.take(left[1])
        found += [(left[0][i], left[1][j]) for i, j in pairing(some, others) if _alike(some, others, i, j)]
    return found


def _left(n_sentences: int, paired: Sequence[int]) -> list[int]:
    return sorted(set(range(n_sentences)) - set(paired))


def _same_ids(one: _Side, other: _Side) -> _Pairs:
    counts, of_other = Counter(one.ids), Counter(other.ids)
    place = {name: j for j, name in enumerate(other.ids)}
    once = [(i, name) for i, name in enumerate(one.ids) if name is not None and counts[name] == of_other[name] == 1]
    return [(i, place[name]) for i, name in once]


def _in_order(one: _Side, other: _Side) -> _Pairs:
    found = pair_texts((one.texts, other.texts), (one.words, other.words))
    return [(i, j) for i, j in enumerate(found) if j >= 0]


def _anywhere(one: _Side, other: _Side) -> _Pairs:
    """Pair the k-th sentences with the same text in both versions."""
    places: defaultdict[bytes, list[int]] = defaultdict(list)
    for j in reversed(range(len(other.texts))):
        places[other.texts[j]].append(j)
    return [(i, places[text].pop()) for i, text in enumerate(one.texts) if places[text]]


def _alike(one: _Side, other: _Side, i: int, j: int) -> bool:
    """Whether two sentences can be versions of the same sentence: their texts or half of their words are equal."""
    if one.texts[i] == other.texts[j]:
        return True
    ours, theirs = one.words[i], other.words[j]
    shared = Counter(ours) & Counter(theirs)
    return 2 * shared.total() >= max(len(ours), len(theirs))


def _aligned(old: Treebank, new: Treebank, rows: Numbers, rules: Rules, *, swapped: bool) -> PairedVersions:
    ours, theirs = old.select(rows[:, 0].tolist()), new.select(rows[:, 1].tolist())
    spans = [spans_of(treebank, unicode_spaces=rules.unicode_spaces) for treebank in (ours, theirs)]
    if swapped:
        alignment = align_sentences(theirs, ours, spans[1], spans[0])
        old_words, new_words = alignment.system.astype(np.intp), alignment.gold.astype(np.intp)
    else:
        alignment = align_sentences(ours, theirs, *spans)
        old_words, new_words = alignment.gold.astype(np.intp), alignment.system.astype(np.intp)
    old_of_new = np.full(theirs.n_words, NO_WORD, dtype=np.intp)
    old_of_new[new_words] = old_words
    same_text = same_texts(*spans)
    same_places = _same_places(ours, theirs, old_words, new_words)
    same_tokens = same_text & same_places & _same_spans((ours, spans[0]), (theirs, spans[1]))
    moved = _moved(rows, swapped=swapped)
    return PairedVersions(
        rows, ours, theirs, old_words, new_words, old_of_new, same_text, same_tokens, same_places, moved
    )


def _same_places(ours: Treebank, theirs: Treebank, old_words: Numbers, new_words: Numbers) -> NDArray[np.bool_]:
    """Whether each word of a sentence is aligned with the word of the same number."""
    sizes, others = np.diff(ours.sentence_starts), np.diff(theirs.sentence_starts)
    sentence = ours.sentence_of_word[old_words]
    places = old_words - ours.sentence_starts[sentence] == new_words - theirs.sentence_starts[sentence]
    n_aligned = np.bincount(sentence[places], minlength=len(sizes))
    same: NDArray[np.bool_] = (sizes == others) & (n_aligned == sizes)
    return same


def _same_spans(one: tuple[Treebank, Spans], other: tuple[Treebank, Spans]) -> NDArray[np.bool_]:
    """Whether all words of a sentence belong to tokens with the same characters of the sentence."""
    sides = [_spans_by_sentence(*side) for side in (one, other)]
    return np.array([a == b for a, b in zip(*sides, strict=True)], dtype=bool)


def _spans_by_sentence(treebank: Treebank, spans: Spans) -> list[tuple[list[int], ...]]:
    """The span of each word's token in its sentence, and whether each word is in a multiword token."""
    shift = spans.sentence_starts[treebank.sentence_of_word]
    parts = [column.tolist() for column in (spans.starts - shift, spans.ends - shift, spans.inside)]
    bounds = treebank.sentence_starts.tolist()
    return [tuple(part[start:end] for part in parts) for start, end in pairwise(bounds)]


def _moved(rows: Numbers, *, swapped: bool) -> NDArray[np.bool_]:
    """The pairs that are not in a longest sequence of pairs in order on both sides."""
    order = np.argsort(rows[:, 1]) if swapped else np.arange(len(rows))
    values = rows[order, 0 if swapped else 1].tolist()
    ends: list[int] = []  # the last value of the best sequence of each length
    last: list[int] = []  # its place
    before = []
    for place, value in enumerate(values):
        at = bisect_left(ends, value)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1], last[at : at + 1] = [value], [place]
    moved = np.ones(len(rows), dtype=bool)
    place = last[-1] if last else -1
    while place >= 0:
        moved[order[place]] = False
        place = before[place]
    return moved
