"""Leakage: the share of a test set that occurs in training, and the scores on the rest.

Sources: Søgaard (2020), "Some Languages Seem Easier to Parse Because Their Treebanks Leak", counts test trees that are
isomorphic to a training tree without words and labels; Krasner, Wanner and Anastasopoulos (2022), "Revisiting the
Effects of Leakage on Dependency Parsing", find that this explains scores only across languages. Here two trees are
equal if each word has the same head by its number, which is stricter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.evaluation.setup import Setup
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import TreebankPair
from levelhead.scoring.score import Score, count, score_of
from levelhead.treebank import Treebank
from levelhead.treebank.training_data import Training


class Occurrence(NamedTuple):
    """The sentences of a test set that occur in training, by one definition.

    Args:
        same: what they share with a training sentence: "words", "heads" (without labels), or either.
        sentences: the number of these sentences.
        words: the number of their words.
        rest: the scores on all other sentences, by measure; measures without a value on the whole test set are left
            out.
    """

    same: Literal["words", "heads", "words or heads"]
    sentences: int
    words: int
    rest: Mapping[str, Score]


class Leakage(NamedTuple):
    """The share of a test set that occurs in training.

    Args:
        train: the hashes of the training treebanks.
        sentences: the number of sentences of the test set.
        words: the number of words.
        occurring: the sentences with the words, with the heads, and with either of a training sentence.
    """

    train: str
    sentences: int
    words: int
    occurring: tuple[Occurrence, ...]


def leakage_of(
    gold: Treebank, scores: Mapping[str, Score], by_sentence: Mapping[str, Counts], training: Training
) -> Leakage:
    """Return the share of the gold treebank that occurs in training, and the scores of an output on the rest.

    Args:
        gold: the gold treebank.
        scores: the scores on the whole test set.
        by_sentence: the counts in each gold sentence, of the measures that have a value.
        training: the contents of the training treebanks.
    """
    words, heads = training.same_words(gold), training.same_heads(gold)
    lengths = np.diff(gold.sentence_starts)
    senses: tuple[tuple[Literal["words", "heads", "words or heads"], NDArray[np.bool_]], ...] = (
        ("words", words),
        ("heads", heads),
        ("words or heads", words | heads),
    )
    found = (
        Occurrence(
            same,
            int(seen.sum()),
            int(lengths[seen].sum()),
            {name: _score_on(counts, ~seen, scores[name]) for name, counts in by_sentence.items()},
        )
        for same, seen in senses
    )
    return Leakage(training.hashes, len(gold), gold.n_words, tuple(found))


def counts_by_sentence(matches: TreebankPair, scores: Mapping[str, Score], ready: Setup) -> dict[str, Counts]:
    """Return the counts in each gold sentence, of the measures that have a value.

    Args:
        matches: the aligned words.
        scores: the scores on the whole test set.
        ready: the settings, with the weights and models that measures name.
    """
    how: dict[str, Any] = {"schemes": ready.registry.schemes, "by_sentence": True}
    return {
        str(measure): count(matches, measure, definition, weights=ready.values_of(measure), **how)
        for measure, definition in ready.defined
        if scores[str(measure)].reason is None
    }


def _score_on(counts: Counts, kept: NDArray[np.bool_], whole: Score) -> Score:
    """The score on some gold sentences."""
    correct, gold, system = (side[kept].sum(keepdims=True) for side in (counts.correct, counts.gold, counts.system))
    aligned = None if counts.aligned is None else counts.aligned[kept].sum(keepdims=True)
    total = Counts(correct, gold, system, aligned)
    return replace(score_of(total, whole.measure, whole.undefined), perplexity=whole.perplexity)
