"""Leakage: the share of a test set that occurs in training, and the scores on the rest.

Sources: Søgaard (2020), "Some Languages Seem Easier to Parse Because Their Treebanks Leak", counts test trees that are
isomorphic to a training tree without words and labels; Krasner, Wanner and Anastasopoulos (2022), "Revisiting the
Effects of Leakage on Dependency Parsing", find that this explains scores only across languages. Here two trees are
equal if each word has the same head by its number, which is stricter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from levelhead.errors import InputError
from levelhead.evaluation.fold import CountedPiece
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.setup import Setup
from levelhead.scoring.counts import Counts
from levelhead.scoring.score import Score, score_of
from levelhead.treebank.provenance import FileId
from levelhead.treebank.training_data import Training

Sense = Literal["words", "heads", "words or heads"]  # what a sentence shares with a training sentence

_SENSES: tuple[Sense, ...] = ("words", "heads", "words or heads")


class Occurrence(NamedTuple):
    """The sentences of a test set that occur in training, by one definition."""

    same: Sense  # what they share with a training sentence: "words", "heads" (without labels), or either
    sentences: int  # the number of these sentences
    words: int  # the number of their words
    # the scores on all other sentences, by measure; measures without a value on the whole test set are left out
    rest: Mapping[str, Score]


class Leakage(NamedTuple):
    """The share of a test set that occurs in training."""

    files: tuple[FileId, ...]  # the training treebanks
    sentences: int  # the number of sentences of the test set
    words: int  # the number of words
    # the sentences with the words, with the heads, and with either of a training sentence
    occurring: tuple[Occurrence, ...]

    @property
    def train(self) -> str:
        """The names or hashes of the training treebanks."""
        return "+".join(map(str, self.files))

    def added_to(self, evaluation: Evaluation) -> Evaluation:
        """Return an evaluation with this leakage, without measures that have no value."""
        gold = evaluation.gold.id
        notes = (
            f"the training data is {file}, but the test set is {gold}: they are from different releases"
            for file in self.files
            if file.is_other_release(gold)
        )
        provenance = evaluation.provenance.with_parts(train=self.train)
        signed = evaluation.signed_by(replace(provenance, notes=(*provenance.notes, *notes)))
        occurring = tuple(
            seen._replace(rest={name: score for name, score in seen.rest.items() if signed[name].reason is None})
            for seen in self.occurring
        )
        return replace(signed, leakage=self._replace(occurring=occurring))


class LeakageCounts:
    """The gold sentences that occur in training, and the counts of all others, added up piece by piece."""

    def __init__(self, training: Training, setup: Setup) -> None:
        self._training, self._setup = training, setup
        self.start()

    def start(self) -> None:
        self._without_trees: InputError | None = None
        self._n_sentences = self._n_words = 0
        self._seen = dict.fromkeys(_SENSES, (0, 0))  # sentences and words
        self._rest: dict[Sense, dict[str, Counts]] = {sense: {} for sense in _SENSES}

    def add(self, piece: CountedPiece) -> None:
        gold = piece.matches.gold
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
            for name, (counts, *_) in piece.sentences.items():
                columns = (counts.correct, counts.gold, counts.system, counts.aligned)
                others = Counts(*(None if column is None else column[~seen] for column in columns))  # type: ignore[arg-type]
                rest[name] = (rest[name] + others if name in rest else others).total()

    def leakage(self) -> Leakage:
        if self._without_trees is not None:
            raise self._without_trees
        undefined = self._setup.rules.undefined
        occurring = []
        for sense, rest in self._rest.items():
            scores = {
                str(measure): score_of(rest[str(measure)], measure, undefined, perplexity=definition.lower_is_better)
                for measure, definition in self._setup.defined
                if str(measure) in rest
            }
            occurring.append(Occurrence(sense, *self._seen[sense], scores))
        return Leakage(self._training.files, self._n_sentences, self._n_words, tuple(occurring))
