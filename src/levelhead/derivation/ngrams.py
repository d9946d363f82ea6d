"""The n-grams of sentences: a trie in sorted arrays, with counts."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]

UNKNOWN, BEGIN, END = range(3)
"""The codes of `<unk>`, `<s>` and `</s>`; words follow."""

SPECIAL = ("<unk>", "<s>", "</s>")


class FramedTokens(NamedTuple):
    """Consecutive sentences with `<s>` and `</s>`.

    Args:
        codes: the word at each position, int64, shape (positions,).
        places: its position in its sentence, 0 for `<s>`, int64, shape (positions,).
        sentences: its sentence, int64, shape (positions,).
    """

    codes: Indices
    places: Indices
    sentences: Indices


def framed(codes: NDArray[np.int32], starts: NDArray[np.int32]) -> FramedTokens:
    """Return sentences with `<s>` and `</s>` around them."""
    sizes = np.diff(starts).astype(np.int64) + 2
    ends = np.cumsum(sizes)
    sentences = np.repeat(np.arange(len(sizes)), sizes)
    places = np.arange(len(sentences)) - np.repeat(ends - sizes, sizes)
    words = np.full(len(sentences), BEGIN, dtype=np.int64)
    inner = places > 0
    inner[ends - 1] = False
    words[inner] = codes
    words[ends - 1] = END
    return FramedTokens(words, places, sentences)


class NgramCounts(NamedTuple):
    """The distinct n-grams of one order, ascending by key.

    Args:
        keys: index of the n-gram without its last word in the table of the order below, times the size of the
            vocabulary, plus the code of the last word; int64. For single words: the codes of all words.
        suffixes: index of the n-gram without its first word in the table of the order below, int64; 0 for single words.
        counts: the frequency of each, int64.
        initial: whether it starts with `<s>`, bool.
    """

    keys: Indices
    suffixes: Indices
    counts: Indices
    initial: NDArray[np.bool_]


def count_ngrams(tokens: FramedTokens, vocabulary_size: int, order: int) -> list[NgramCounts]:
    """Return the counts of n-grams of orders 1 to `order` within sentences."""
    words = np.arange(vocabulary_size)
    counts = np.bincount(tokens.codes, minlength=vocabulary_size)
    tables = [NgramCounts(words, np.zeros_like(words), counts, words == BEGIN)]
    index = tokens.codes
    for n in range(2, order + 1):
        positions = np.flatnonzero(tokens.places >= n - 1)
        keys = index[positions - 1] * vocabulary_size + tokens.codes[positions]
        sorting = np.argsort(keys)
        keys = keys[sorting]
        new = np.ones(len(keys), dtype=bool)
        new[1:] = keys[1:] != keys[:-1]
        firsts = np.flatnonzero(new)
        examples = positions[sorting[firsts]]
        counts = np.diff(np.append(firsts, len(keys)))
        tables.append(NgramCounts(keys[firsts], index[examples], counts, tokens.places[examples] == n - 1))
        index = np.full(len(tokens.codes), -1, dtype=np.int64)
        index[positions[sorting]] = np.cumsum(new) - 1
    return tables


def adjusted_counts(tables: list[NgramCounts]) -> list[Indices]:
    """Return the adjusted counts of Kneser-Ney smoothing.

    The counts of the longest n-grams are unchanged. The count of a shorter n-gram is the number of distinct words to
    its left; if it starts with `<s>`, its count is unchanged. `<s>` itself is never predicted and counts 0.
    """
    adjusted = []
    for table, longer in pairwise(tables):
        companies = np.bincount(longer.suffixes, minlength=len(table.keys))
        adjusted.append(np.where(table.initial, table.counts, companies))
    adjusted.append(tables[-1].counts)
    adjusted[0] = np.where(tables[0].initial, 0, adjusted[0])
    return adjusted


def find_keys(keys: Indices, wanted: Indices) -> Indices:
    """Return the index of each wanted key, or -1."""
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, places, -1)
