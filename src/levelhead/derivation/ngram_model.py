"""The n-gram model: probabilities of words given the preceding words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.derivation.discounts import Discounts
from levelhead.derivation.ngrams import BEGIN, END, SPECIAL, UNKNOWN, FramedTokens, Indices, find_keys
from levelhead.derivation.sequences import Sequences, sequences_from
from levelhead.kernels import pools
from levelhead.treebank import Strings

Reals = NDArray[np.float64]


class NgramTable(NamedTuple):
    """The n-grams of one order, ascending by key.

    Args:
        keys: as in `NgramCounts`, int64, shape (n,).
        log_probabilities: log10 of the probability of the last word after the others, float64, shape (n,).
        backoffs: log10 of the weight of shorter n-grams after this one (0 without continuation), float64, shape (n,).
    """

    keys: Indices
    log_probabilities: Reals
    backoffs: Reals


@dataclass(frozen=True, eq=False)
class NgramModel:
    """A back-off n-gram model, as in ARPA files.

    Args:
        words: the vocabulary without `<unk>`, `<s>` and `</s>`; the code of a word is its index plus 3.
        tables: the n-grams of each order, single words first.
        discounts: the discounts of each order; empty for a model that was read.
        minimum_counts: the minimum count of n-grams of each order; empty for a model that was read.
        n_words: the number of words from which it was estimated; 0 for a model that was read.
        minimum_word_count: words with a lower count were read as `<unk>`; 0 for a model that was read.
        sha256: the hash of the file from which it was estimated or read; None without a file.
    """

    words: Strings
    tables: tuple[NgramTable, ...]
    discounts: tuple[Discounts, ...] = ()
    minimum_counts: tuple[int, ...] = ()
    n_words: int = 0
    minimum_word_count: int = 0
    sha256: str | None = None

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.tables)

    @property
    def vocabulary_size(self) -> int:
        """The number of words, including `<unk>`, `<s>` and `</s>`."""
        return len(self.words) + len(SPECIAL)

    @property
    def fallback_orders(self) -> tuple[int, ...]:
        """The orders whose discounts could not be estimated."""
        return tuple(n for n, discounts in enumerate(self.discounts, 1) if not discounts.estimated)

    @property
    def fallback_warnings(self) -> tuple[str, ...]:
        """A warning for each of these orders."""
        message = "too few counts to estimate the discounts of {}-grams: using 0.5, 1 and 1.5"
        return tuple(message.format(order) for order in self.fallback_orders)

    def __repr__(self) -> str:
        sizes = ", ".join(str(len(table.keys)) for table in self.tables)
        return f"<NgramModel of order {self.order}: {sizes} n-grams>"

    def encode(self, sequences: Sequences) -> NDArray[np.int32]:
        """Return the code of each word, 0 for unknown ones; int32, shape (words,).

        Args:
            sequences: the words.
        """
        strings = sequences.words.strings
        known = pools.translate(self.words.pool, self.words.offsets, strings.pool, strings.offsets)
        return np.where(known < 0, UNKNOWN, known + len(SPECIAL)).astype(np.int32)[sequences.words.codes]

    def log_probabilities(self, tokens: FramedTokens) -> Reals:
        """Return log10 of the probability at each position, after the positions before it; 0 for `<s>`.

        Args:
            tokens: sentences from `framed`.
        """
        codes, places = tokens.codes, tokens.places
        result = self.tables[0].log_probabilities[codes]
        index = codes
        for n in range(2, self.order + 1):
            context = np.full(len(codes), -1, dtype=np.int64)
            context[1:] = np.where(places[1:] >= n - 1, index[:-1], -1)
            index, result = self._extended(n, context, codes, result)
        return np.where(places == 0, 0.0, result)

    def _extended(self, n: int, context: Indices, codes: Indices, shorter: Reals) -> tuple[Indices, Reals]:
        """Return the probabilities of n-grams, backing off to shorter n-grams."""
        wanted = np.where(context >= 0, context * self.vocabulary_size + codes, -1)
        table = self.tables[n - 1]
        index = find_keys(table.keys, wanted)
        backed_off = shorter + _where_found(self.tables[n - 2].backoffs, context, np.zeros(len(context)))
        return index, _where_found(table.log_probabilities, index, backed_off)

    def distribution(self, context: Sequence[str]) -> Reals:
        """Return the probability of each word as the next word, by code; they sum to 1, and `<s>` has 0.

        Args:
            context: the words from the start of the sentence.
        """
        given = [BEGIN, *self.encode(sequences_from([context])).tolist()]
        codes = np.arange(self.vocabulary_size)
        result = self.tables[0].log_probabilities
        for n in range(2, min(self.order, len(given) + 1) + 1):
            index = self._index(given[len(given) - n + 1 :])
            result = self._extended(n, np.full(len(codes), index), codes, result)[1]
        probabilities: Reals = 10**result
        probabilities[BEGIN] = 0.0
        return probabilities

    def _index(self, codes: Sequence[int]) -> int:
        """Return the index of an n-gram in the table of its order, or -1."""
        index = np.array([codes[0]])
        for n, code in enumerate(codes[1:], 2):
            wanted = index * self.vocabulary_size + code
            index = find_keys(self.tables[n - 1].keys, np.where(index < 0, -1, wanted))
        return int(index[0])

    def text(self, code: int) -> str:
        """Return the word with a code.

        Args:
            code: its code.
        """
        return SPECIAL[code] if code <= END else self.words[code - len(SPECIAL)]


def _where_found(values: Reals, index: Indices, otherwise: Reals) -> Reals:
    """Return the value at each index, or another value for index -1."""
    return np.where(index >= 0, values[index], otherwise) if len(values) else otherwise
