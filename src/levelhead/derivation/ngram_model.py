"""N-gram models: probabilities of words given the preceding words, and their estimation.

Smoothing is interpolated modified Kneser-Ney (Chen & Goodman 1998), with minimum counts as in SRILM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.derivation.derive import Sequences, sequences_from
from levelhead.errors import Fault, InputError
from levelhead.immutable import immutable
from levelhead.kernels import pools
from levelhead.treebank import Strings

Indices = NDArray[np.int64]

UNKNOWN, BEGIN, END = range(3)  # the codes of `<unk>`, `<s>` and `</s>`; words follow
SPECIAL = ("<unk>", "<s>", "</s>")


class FramedTokens(NamedTuple):
    """The word, the place in its sentence (0 for `<s>`) and the sentence at each position, all int64."""

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
    words[ends - 1] = END
    words[(places > 0) & (words != END)] = codes
    return FramedTokens(words, places, sentences)


class NgramCounts(NamedTuple):
    """The distinct n-grams of one order, ascending by key."""

    # index of the n-gram without its last word in the table of shorter n-grams, times the size of the vocabulary, plus
    # the code of the last word; for single words: the codes of all words
    keys: Indices
    suffixes: Indices  # index of the n-gram without its first word in the table of shorter n-grams; 0 for single words
    counts: Indices
    initial: NDArray[np.bool_]  # whether it starts with `<s>`


def count_ngrams(tokens: FramedTokens, vocabulary_size: int, order: int) -> list[NgramCounts]:
    words = np.arange(vocabulary_size)
    counts = np.bincount(tokens.codes, minlength=vocabulary_size)
    tables = [NgramCounts(words, np.zeros_like(words), counts, words == BEGIN)]
    index = tokens.codes
    for n in range(2, order + 1):
        positions = np.flatnonzero(tokens.places >= n - 1)
        keys = index[positions - 1] * vocabulary_size + tokens.codes[positions]
        sorting = np.argsort(keys)
        keys = keys[sorting]
        new = np.diff(keys, prepend=-1) != 0
        firsts = np.flatnonzero(new)
        examples = positions[sorting[firsts]]
        counts = np.diff(np.append(firsts, len(keys)))
        tables.append(NgramCounts(keys[firsts], index[examples], counts, tokens.places[examples] == n - 1))
        index = np.full(len(tokens.codes), -1, dtype=np.int64)
        index[positions[sorting]] = np.cumsum(new) - 1
    return tables


FALLBACK = (0.5, 1.0, 1.5)  # the discounts if they cannot be estimated, as in KenLM's `--discount_fallback`


class Discounts(NamedTuple):
    """The discounts of the n-grams of one order (Chen & Goodman 1998, equation 26).

    Args:
        one: the discount of n-grams counted once.
        two: the discount of n-grams counted twice.
        more: the discount of all other n-grams.
        estimated: whether the discounts were estimated; otherwise they are `FALLBACK`.
    """

    one: float
    two: float
    more: float
    estimated: bool

    def of(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the discount for each of these `counts` of n-grams."""
        return np.take([0.0, self.one, self.two, self.more], np.minimum(counts, 3))


def estimate_discounts(counts: NDArray[np.int64]) -> Discounts:
    """Return the discounts of one order, `FALLBACK` without counts of 1, 2 and 3, or if one is not in its range."""
    n1, n2, n3, n4 = np.bincount(np.minimum(counts, 5), minlength=5)[1:5].tolist()
    if n1 and n2 and n3:
        y = n1 / (n1 + 2 * n2)
        discounts = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
        if all(0 < discount <= count for count, discount in enumerate(discounts, 1)):
            return Discounts(*discounts, estimated=True)
    return Discounts(*FALLBACK, estimated=False)


Reals = NDArray[np.float64]


class NgramTable(NamedTuple):
    """The n-grams of one order, ascending by key."""

    keys: Indices  # as in `NgramCounts`
    log_probabilities: Reals  # log10 of the probability of the last word after the others
    backoffs: Reals  # log10 of the weight of shorter n-grams after this one; 0 without continuation


@immutable
class NgramModel:
    """A back-off n-gram model, as in ARPA files.

    Args:
        words: the vocabulary without `<unk>`, `<s>` and `</s>`; the code of a word is its index plus 3.
        tables: the n-grams of each order, single words first.
        discounts: the discounts of each order; empty for a model read from a file.
        minimum_counts: the minimum count of n-grams of each order; empty for a model read from a file.
        n_words: the number of words from which the model was estimated; 0 for a model read from a file.
        minimum_word_count: the count below which words were replaced by `<unk>`; 0 for a model read from a file.
        sha256: the hash of the file from which the model was estimated or read; None without a file.
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
        """A warning for each order whose discounts could not be estimated."""
        message = "too few counts to estimate the discounts of {}-grams: using 0.5, 1 and 1.5"
        return tuple(message.format(order) for order in self.fallback_orders)

    def __repr__(self) -> str:
        sizes = ", ".join(str(len(table.keys)) for table in self.tables)
        return f"<NgramModel of order {self.order}: {sizes} n-grams>"

    def encode(self, sequences: Sequences) -> NDArray[np.int32]:
        """Return the code of each word, or 0 for an unknown word; int32, shape (words,)."""
        strings = sequences.words.strings
        places = pools.translate(self.words.pool, self.words.offsets, strings.pool, strings.offsets)
        return np.where(places < 0, UNKNOWN, places + len(SPECIAL)).astype(np.int32)[sequences.words.codes]

    def log_probabilities(self, tokens: FramedTokens) -> Reals:
        """Return the log10 probability of each token, given the tokens before it; `<s>` gets the logarithm 0."""
        codes, places = tokens.codes, tokens.places
        index, result = codes, self.tables[0].log_probabilities[codes]
        for n, (shorter, table) in enumerate(pairwise(self.tables), 2):
            context = np.full(len(codes), -1, dtype=np.int64)
            context[1:] = np.where(places[1:] >= n - 1, index[:-1], -1)
            keys = np.where(context >= 0, context * self.vocabulary_size + codes, -1)
            rows = np.searchsorted(table.keys, keys)
            index = np.where(np.append(table.keys, -2)[rows] == keys, rows, -1)  # -2 behind the last key is no key
            backed_off = result + _where_found(shorter.backoffs, context, np.zeros(len(context)))
            result = _where_found(table.log_probabilities, index, backed_off)
        return np.where(places == 0, 0.0, result)

    def distribution(self, context: Sequence[str]) -> Reals:
        """Return the probability that each word is the next word of a sentence that begins with the words `context`.

        The index of a probability is the code of the word; float64, shape (vocabulary_size,).
        """
        codes, size = [BEGIN, *self.encode(sequences_from([context])).tolist()], self.vocabulary_size
        words = np.column_stack([np.tile(codes, (size, 1)), np.arange(size)])
        places, sentences = np.arange(words.size) % words.shape[1], np.arange(words.size) // words.shape[1]
        logs = self.log_probabilities(FramedTokens(words.ravel(), places, sentences))
        probabilities: Reals = 10 ** logs.reshape(words.shape)[:, -1]
        probabilities[BEGIN] = 0.0
        return probabilities


def _where_found(values: Reals, index: Indices, otherwise: Reals) -> Reals:
    """The value at each index, or another value for index -1."""
    return np.where(index >= 0, values[index], otherwise) if len(values) else otherwise


LONGEST = 5  # the maximum length of n-grams
_DECIMALS = 12  # of logarithms, precise enough for perplexities, and short in ARPA files

SRILM_MINIMUM_COUNTS = (1, 1, 2, 2, 2)
"""SRILM's default minimum counts: 2 for trigrams and longer n-grams."""


def estimate(
    sequences: Sequences, order: int = 3, *, minimum_counts: Sequence[int] = (), minimum_word_count: int = 1
) -> NgramModel:
    """Return an n-gram model estimated from sentences.

    Args:
        sequences: the sentences.
        order: the length of the longest n-grams, 1 to 5.
        minimum_counts: the minimum count of n-grams of each length, by default 1; rarer n-grams are left out, and
            probabilities are renormalized. The counts of n-grams shorter than `order` are Kneser-Ney's adjusted counts.
            Discounts are estimated before n-grams are left out.
        minimum_word_count: the minimum count of words; rarer words are replaced by `<unk>`. With 1, no word is
            replaced, and `<unk>` only has the probability that smoothing gives to unseen words.

    Raises:
        InputError: no sentence is given, or an argument is out of range.
    """
    least, message = tuple(minimum_counts) or (1,) * order, ""
    if not 1 <= order <= LONGEST:
        message = f"the order of a model must be from 1 to {LONGEST}, not {order}"
    elif len(least) != order or least[0] != 1 or any(count < 1 for count in least):
        message = f"minimum counts must be {order} numbers of at least 1, and the first must be 1, not {list(least)}"
    elif minimum_word_count < 1:
        message = f"the minimum count of words must be at least 1, not {minimum_word_count}"
    elif len(sequences.starts) < 2:
        message = "there are no sentences to estimate a model from"
    if message:
        raise InputError(Fault("invalid-model-settings", message))
    codes, texts = sequences.words.codes, sequences.words.strings.texts
    in_vocabulary = np.flatnonzero(np.bincount(codes, minlength=len(texts)) >= minimum_word_count)
    translation = np.zeros(len(texts), dtype=np.int32)
    translation[in_vocabulary] = np.arange(len(in_vocabulary)) + len(SPECIAL)
    words = Strings.of(texts[code] for code in in_vocabulary.tolist())
    size = len(words) + len(SPECIAL)
    tables = count_ngrams(framed(translation[codes], sequences.starts), size, order)
    # the counts of Kneser-Ney smoothing: numbers of distinct words to the left, except after `<s>`
    adjusted: list[Indices] = [
        *(
            np.where(table.initial, table.counts, np.bincount(longer.suffixes, minlength=len(table.keys)))
            for table, longer in pairwise(tables)
        ),
        tables[-1].counts,
    ]
    adjusted[0] = np.where(tables[0].initial, 0, adjusted[0])  # `<s>` is never predicted
    discounts = tuple(map(estimate_discounts, adjusted))
    ngrams = tuple(_smoothed(tables, adjusted, discounts, least, size))
    return NgramModel(words, ngrams, discounts, least, len(codes), minimum_word_count, sequences.sha256)


def _smoothed(
    tables: list[NgramCounts], adjusted: list[Indices], discounts: Sequence[Discounts], least: Sequence[int], size: int
) -> Iterator[NgramTable]:
    """The tables of the kept n-grams, renumbered."""
    # single words are interpolated with the uniform distribution over all but `<s>`
    discounted = discounts[0].of(adjusted[0])
    total = max(int(adjusted[0].sum()), 1)
    single_words = (adjusted[0] - discounted) / total + discounted.sum() / total / (size - 1)
    single_words[BEGIN] = 0.0
    probabilities = [single_words]
    weights = list[Reals]()
    for table, counts, discount, minimum in zip(tables[1:], adjusted[1:], discounts[1:], least[1:]):
        longer, context_weights = _interpolated(table, counts, discount, minimum, probabilities[-1], size)
        probabilities.append(longer)
        weights.append(context_weights)
    weights.append(np.ones(len(probabilities[-1])))
    kept = [counts >= minimum for counts, minimum in zip(adjusted, least)]
    kept[0][:] = True
    for n in reversed(range(1, len(tables))):  # so are the contexts of longer n-grams that are kept
        kept[n - 1][tables[n].keys[kept[n]] // size] = True
    keys = tables[0].keys
    for n, mask in enumerate(kept):
        with np.errstate(divide="ignore"):  # <s> has no probability
            logs: Reals = np.log10(probabilities[n][mask]).round(_DECIMALS)
        yield NgramTable(keys[mask], logs, np.log10(weights[n][mask]).round(_DECIMALS))
        if n + 1 < len(tables):
            contexts, words = np.divmod(tables[n + 1].keys, size)
            keys = (np.cumsum(mask) - 1)[contexts] * size + words


def _interpolated(
    table: NgramCounts, counts: Indices, discounts: Discounts, least: int, below: Reals, size: int
) -> tuple[Reals, Reals]:
    """Probabilities (discounted shares, plus weighted shorter n-grams: `below`), and the weight of each context."""
    contexts = table.keys // size
    n_contexts = len(below)
    discounted = discounts.of(counts)
    lower = below[table.suffixes]
    totals = np.maximum(np.bincount(contexts, weights=counts, minlength=n_contexts), 1)
    weights: Reals = np.bincount(contexts, weights=discounted, minlength=n_contexts) / totals
    weights[weights == 0] = 1.0  # no n-gram follows
    probabilities = (counts - discounted) / totals[contexts] + weights[contexts] * lower
    rare = counts < least
    if rare.any():  # n-grams are dropped: renormalize the remaining probability, divided by that of shorter n-grams
        left, left_below = (
            1 - np.bincount(contexts[~rare], weights=values[~rare], minlength=n_contexts)
            for values in (probabilities, lower)
        )
        touched = np.bincount(contexts[rare], minlength=n_contexts) > 0
        weights = np.where(touched, left / np.where(touched, left_below, 1.0), weights)
        probabilities = np.where(rare, weights[contexts] * lower, probabilities)
    return probabilities, weights
