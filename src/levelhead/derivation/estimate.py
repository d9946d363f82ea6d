"""Estimation: interpolated modified Kneser-Ney smoothing (Chen & Goodman 1998), with cut-offs as in SRILM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.derivation.derive import Sequences
from levelhead.derivation.ngram_model import (
    BEGIN,
    SPECIAL,
    Discounts,
    Indices,
    NgramCounts,
    NgramModel,
    NgramTable,
    Reals,
    adjusted_counts,
    count_ngrams,
    estimate_discounts,
    framed,
)
from levelhead.errors import Fault, InputError
from levelhead.treebank import Strings
from levelhead.treebank.strings import distinct

LONGEST = 5
"""The maximum length of n-grams."""

_DECIMALS = 12  # of logarithms, precise enough for perplexities, and short in ARPA files

SRILM_MINIMUM_COUNTS = (1, 1, 2, 2, 2)
"""SRILM's default cut-offs: a minimum count of 2 for trigrams and longer n-grams."""


def estimate(
    sequences: Sequences, order: int = 3, *, minimum_counts: Sequence[int] = (), minimum_word_count: int = 1
) -> NgramModel:
    """Return a model estimated from sentences.

    Args:
        sequences: the sentences.
        order: the length of the longest n-grams, 1 to 5.
        minimum_counts: for each order the minimum (adjusted) count of n-grams; probabilities are renormalized, while
            discounts are estimated from all counts. Default: 1 for all.
        minimum_word_count: words with a lower count are read as `<unk>`; with 1, `<unk>` only gets the probability that
            smoothing gives to unseen words.

    Raises:
        InputError: there are no sentences, or an argument is out of range.
    """
    least = _checked(sequences, order, minimum_counts, minimum_word_count)
    words, codes = _vocabulary(sequences, minimum_word_count)
    size = len(words) + len(SPECIAL)
    tables = count_ngrams(framed(codes, sequences.starts), size, order)
    adjusted = adjusted_counts(tables)
    discounts = [estimate_discounts(counts) for counts in adjusted]
    layers = [_single_words(adjusted[0], discounts[0], size)]
    for n in range(1, order):
        layers.append(_interpolated(tables[n], adjusted[n], discounts[n], least[n], layers[-1], size))
    ngrams = _tables(tables, layers, _kept_ngrams(tables, adjusted, least, size), size)
    return NgramModel(words, ngrams, tuple(discounts), least, len(codes), minimum_word_count, sequences.sha256)


def _checked(
    sequences: Sequences, order: int, minimum_counts: Sequence[int], minimum_word_count: int
) -> tuple[int, ...]:
    """The minimum count of each order, or raise an error for invalid arguments."""
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
    return least


def _vocabulary(sequences: Sequences, minimum_word_count: int) -> tuple[Strings, NDArray[np.int32]]:
    """The words of the vocabulary, and each word of the sentences as a code."""
    column = sequences.words
    n_strings = len(column.strings)
    often = np.bincount(column.codes, minlength=n_strings) >= minimum_word_count
    kept = distinct(column.codes, n_strings)
    kept = kept[often[kept]]
    translation = np.zeros(n_strings, dtype=np.int32)
    translation[kept] = np.arange(len(kept)) + len(SPECIAL)
    texts = column.strings.texts
    return Strings.of(texts[code] for code in kept.tolist()), translation[column.codes]


class _Layer(NamedTuple):
    """The n-grams of one order: their probabilities, and the weight of the order below after each context."""

    probabilities: Reals
    context_weights: Reals


def _single_words(counts: Indices, discounts: Discounts, size: int) -> _Layer:
    """Single words, interpolated with the uniform distribution over all but `<s>`."""
    discounted = discounts.of(counts)
    total = max(int(counts.sum()), 1)
    weight = discounted.sum() / total
    probabilities = (counts - discounted) / total + weight / (size - 1)
    probabilities[BEGIN] = 0.0
    return _Layer(probabilities, np.array([weight]))


def _interpolated(
    table: NgramCounts, counts: Indices, discounts: Discounts, least: int, below: _Layer, size: int
) -> _Layer:
    """Longer n-grams: their discounted counts, plus the weight of their context times the order below."""
    contexts = table.keys // size
    n_contexts = len(below.probabilities)
    discounted = discounts.of(counts)
    totals = np.maximum(np.bincount(contexts, weights=counts, minlength=n_contexts), 1)
    weights = np.bincount(contexts, weights=discounted, minlength=n_contexts) / totals
    weights[weights == 0] = 1.0  # no n-gram follows
    lower = below.probabilities[table.suffixes]
    probabilities = (counts - discounted) / totals[contexts] + weights[contexts] * lower
    rare = counts < least
    if rare.any():
        weights = _renormalized(contexts, probabilities, lower, rare, weights)
        probabilities = np.where(rare, weights[contexts] * lower, probabilities)
    return _Layer(probabilities, weights)


def _renormalized(
    contexts: Indices, probabilities: Reals, lower: Reals, rare: NDArray[np.bool_], weights: Reals
) -> Reals:
    """Back-off weights if n-grams are dropped: the remaining probability, divided by that of the order below."""
    kept = ~rare
    left = 1 - np.bincount(contexts[kept], weights=probabilities[kept], minlength=len(weights))
    left_below = 1 - np.bincount(contexts[kept], weights=lower[kept], minlength=len(weights))
    touched = np.bincount(contexts[rare], minlength=len(weights)) > 0
    result: Reals = np.where(touched, left / np.where(touched, left_below, 1.0), weights)
    return result


def _kept_ngrams(
    tables: list[NgramCounts], adjusted: list[Indices], least: tuple[int, ...], size: int
) -> list[NDArray[np.bool_]]:
    """The n-grams to keep: those with the minimum count, and the contexts of longer n-grams to keep."""
    masks: list[NDArray[np.bool_]] = []
    for n in reversed(range(len(tables))):
        mask = adjusted[n] >= least[n] if n else np.ones(len(tables[0].keys), dtype=bool)
        if masks:
            mask[tables[n + 1].keys[masks[-1]] // size] = True
        masks.append(mask)
    return masks[::-1]


def _tables(
    tables: list[NgramCounts], layers: list[_Layer], kept: list[NDArray[np.bool_]], size: int
) -> tuple[NgramTable, ...]:
    """The tables of the kept n-grams, renumbered."""
    result = []
    keys = tables[0].keys
    for n, layer in enumerate(layers):
        weights = layers[n + 1].context_weights if n + 1 < len(layers) else np.ones(len(layer.probabilities))
        with np.errstate(divide="ignore"):  # <s> has no probability
            logs: Reals = np.log10(layer.probabilities[kept[n]]).round(_DECIMALS)
        backoffs: Reals = np.log10(weights[kept[n]]).round(_DECIMALS)
        result.append(NgramTable(keys[kept[n]], logs, backoffs))
        if n + 1 < len(layers):
            number = np.cumsum(kept[n]) - 1
            longer = tables[n + 1].keys
            keys = number[longer // size] * size + longer % size
    return tuple(result)
