"""Leakage: the share of a test set that occurs in training, and the scores on the rest.

Sources: Søgaard (2020), "Some Languages Seem Easier to Parse Because Their Treebanks Leak", counts test trees that are
isomorphic to a training tree without words and labels; Krasner, Wanner and Anastasopoulos (2022), "Revisiting the
Effects of Leakage on Dependency Parsing", find that this explains scores only across languages. Here two trees are
equal if each word has the same head by its number, which is stricter.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import InputError, MalformedDeps, MeasureError
from levelhead.evaluation.setup import Setup
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import TreebankPair
from levelhead.scoring.score import Score, count, score_of
from levelhead.treebank import Treebank
from levelhead.treebank.training_data import Training

if TYPE_CHECKING:
    from levelhead.evaluation.pair import Evaluation


Sense = Literal["words", "heads", "words or heads"]
"""What a sentence shares with a training sentence."""

_SENSES: tuple[Sense, ...] = ("words", "heads", "words or heads")


class Occurrence(NamedTuple):
    """The sentences of a test set that occur in training, by one definition.

    Args:
        same: what they share with a training sentence: "words", "heads" (without labels), or either.
        sentences: the number of these sentences.
        words: the number of their words.
        rest: the scores on all other sentences, by measure; measures without a value on the whole test set are left
            out.
    """

    same: Sense
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


class LeakageCounts:
    """The gold sentences that occur in training, and the counts of all others, added up piece by piece.

    Args:
        training: the contents of the training treebanks.
    """

    def __init__(self, training: Training) -> None:
        self._training = training
        self._without_trees: InputError | None = None
        self._n_sentences = self._n_words = 0
        self._seen = dict.fromkeys(_SENSES, (0, 0))  # sentences and words
        self._rest: dict[Sense, dict[str, Counts]] = {sense: {} for sense in _SENSES}

    def add(self, gold: Treebank, by_sentence: Mapping[str, Counts]) -> None:
        """Add gold sentences."""
        try:
            words, heads = self._training.same_words(gold), self._training.same_heads(gold)
        except InputError as error:  # raised at the end: other errors precede it
            self._without_trees = error
            return
        lengths = np.diff(gold.sentence_starts)
        self._n_sentences += len(gold)
        self._n_words += gold.n_words
        for sense, seen in zip(_SENSES, (words, heads, words | heads), strict=True):
            n_sentences, n_words = self._seen[sense]
            self._seen[sense] = n_sentences + int(seen.sum()), n_words + int(lengths[seen].sum())
            rest = self._rest[sense]
            for name, counts in by_sentence.items():
                others = _rows(counts, ~seen)
                rest[name] = (rest[name] + others if name in rest else others).total()

    def leakage(self, scores: Mapping[str, Score]) -> Leakage:
        """Return the share of gold that occurs in training, and the scores on the rest."""
        if self._without_trees is not None:
            raise self._without_trees
        rests = (
            {name: _score_of_rest(rest[name], score) for name, score in scores.items() if _has_rest(rest, name, score)}
            for rest in self._rest.values()
        )
        occurring = (Occurrence(sense, *self._seen[sense], rest) for sense, rest in zip(_SENSES, rests, strict=True))
        return Leakage(self._training.hashes, self._n_sentences, self._n_words, tuple(occurring))


def with_leakage(evaluation: Evaluation, leakage: Leakage) -> Evaluation:
    """Return an evaluation with the share of gold that occurs in training."""
    provenance = evaluation.provenance.with_parts(train=leakage.train)
    scores, valid_trees = (
        {name: replace(score, signature=provenance.signature) for name, score in some.items()}
        for some in (evaluation.scores, evaluation.valid_trees)
    )
    return replace(evaluation, scores=scores, valid_trees=valid_trees, provenance=provenance, leakage=leakage)


def counts_by_sentence(matches: TreebankPair, ready: Setup) -> dict[str, Counts]:
    """Return the counts in each gold sentence, of all measures that can be counted."""
    how: dict[str, Any] = {"schemes": ready.registry.schemes, "by_sentence": True}
    counts = {}
    for measure, definition in ready.defined:
        with suppress(InputError, MalformedDeps, MeasureError):  # the measure then has no value
            counts[str(measure)] = count(matches, measure, definition, weights=ready.values_of(measure), **how)
    return counts


def _rows(counts: Counts, kept: NDArray[np.bool_]) -> Counts:
    aligned = None if counts.aligned is None else counts.aligned[kept]
    return Counts(counts.correct[kept], counts.gold[kept], counts.system[kept], aligned)


def _has_rest(rest: Mapping[str, Counts], name: str, score: Score) -> bool:
    return score.reason is None and name in rest


def _score_of_rest(counts: Counts, whole: Score) -> Score:
    return score_of(counts, whole.measure, whole.undefined, perplexity=whole.perplexity)
