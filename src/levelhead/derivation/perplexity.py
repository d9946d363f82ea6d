"""Perplexity of sentences in the order of the string or of a derivation, kept as sums of each sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.derivation.ngram_model import NgramModel, Reals
from levelhead.derivation.ngrams import END, UNKNOWN, framed
from levelhead.derivation.sequences import Sequences, sequences_of
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import short_hash

Ends = Literal["in", "out", "ppl1"]
"""How the ends of sentences count: as events like words; not at all; or, as in SRILM's ppl1, their probability only."""


class SentenceSums(NamedTuple):
    """What a perplexity is made of, for each sentence; sums of them are sums for corpora, samples or resamples.

    Args:
        log_known: log10 of the probability of its known words together, float64, shape (sentences,).
        log_unknown: log10 of that of its unknown words, -inf if the model gives them none, float64.
        log_ends: log10 of that of its end, float64.
        n_words: how many words it has, int64.
        n_unknown: how many of them the model does not know, int64.
        swaps: how often it was swapped for the order, int64.
    """

    log_known: Reals
    log_unknown: Reals
    log_ends: Reals
    n_words: NDArray[np.int64]
    n_unknown: NDArray[np.int64]
    swaps: NDArray[np.int64]

    def sums(self, *, oov: bool = False, ends: Ends = "in") -> tuple[Reals, NDArray[np.int64]]:
        """Return log10 of the probability, and the number of events, of each sentence.

        Args:
            oov: whether unknown words count.
            ends: how the ends of sentences count.
        """
        logs, events = self.log_known, self.n_words - self.n_unknown
        if oov:
            logs, events = logs + self.log_unknown, events + self.n_unknown
        if ends != "out":
            logs = logs + self.log_ends
        return logs, events + 1 if ends == "in" else events


def sentence_sums(model: NgramModel, sequences: Sequences) -> SentenceSums:
    """Return log-probabilities and numbers of events for each sentence.

    Args:
        model: the model.
        sequences: the sentences, in the order that the model was estimated from.
    """
    codes = model.encode(sequences)
    tokens = framed(codes, sequences.starts)
    logs = model.log_probabilities(tokens)
    n = len(sequences.starts) - 1
    unknown = (tokens.codes == UNKNOWN) & (tokens.places > 0)
    ends = tokens.codes == END

    def total(which: NDArray[np.bool_]) -> Reals:
        sums: Reals = np.bincount(tokens.sentences[which], weights=logs[which], minlength=n).astype(np.float64)
        return sums

    n_unknown = np.bincount(tokens.sentences[unknown], minlength=n)
    n_words = np.diff(sequences.starts).astype(np.int64)
    return SentenceSums(total(~unknown & ~ends), total(unknown), total(ends), n_words, n_unknown, sequences.swaps)


def perplexity_of(log10_probability: float, events: int) -> float | None:
    """Return 10 to the minus mean log10 of the probability of an event; None where there is none, or it is infinite.

    Args:
        log10_probability: of all events together.
        events: how many there are.
    """
    if not events or math.isinf(log10_probability):
        return None
    try:
        return math.pow(10.0, -log10_probability / events)
    except OverflowError:
        return None


@dataclass(frozen=True, eq=False)
class Perplexity:
    """The perplexity of a treebank in an order under a model.

    Args:
        sums: the sums of each sentence.
        order: the order of the words, one of `ORDERS`.
        ends: how the ends of sentences count.
        n_training_words: how many words the model was estimated from; 0 where that is not known.
        signature: what decided the numbers.
        sha256: the hash of the file, None for a treebank that was made in Python.
    """

    sums: SentenceSums
    order: str
    ends: Ends = "in"
    n_training_words: int = 0
    signature: Mapping[str, str] = field(default_factory=dict)
    sha256: str | None = None

    def _total(self, *, oov: bool) -> tuple[float, int]:
        logs, events = self.sums.sums(oov=oov, ends=self.ends)
        return math.fsum(logs.tolist()), int(events.sum())

    @property
    def excluding_oov(self) -> float | None:
        """Perplexity for each event without unknown words; what SRILM prints."""
        return perplexity_of(*self._total(oov=False))

    @property
    def including_oov(self) -> float | None:
        """Perplexity for each event, unknown words as `<unk>`; None if the model gives them no probability."""
        return perplexity_of(*self._total(oov=True))

    @property
    def log10_per_sentence(self) -> float | None:
        """The log10 of the perplexity for each sentence, without unknown words; None if it is infinite.

        This is the paper's formula, whose instances are sentences.
        """
        log = self._total(oov=False)[0]
        return -log / self.sentences if self.sentences and math.isfinite(log) else None

    @property
    def per_sentence(self) -> float | None:
        """The perplexity for each sentence; None where it is larger than a float can be."""
        return perplexity_of(self._total(oov=False)[0], self.sentences)

    @property
    def events(self) -> int:
        """How many events there are, unknown words included."""
        return self._total(oov=True)[1]

    @property
    def oov(self) -> int:
        """How many words the model does not know."""
        return int(self.sums.n_unknown.sum())

    @property
    def sentences(self) -> int:
        """How many sentences there are."""
        return len(self.sums.n_words)

    @property
    def swaps(self) -> int:
        """How many swaps the order took."""
        return int(self.sums.swaps.sum())

    @property
    def size_over_perplexity(self) -> float | None:
        """Words of training over perplexity without unknown words: what the paper correlates with accuracy."""
        value = self.excluding_oov
        return self.n_training_words / value if value and self.n_training_words else None


def perplexity(
    model: NgramModel, test: Treebank, order: str = "string", *, ends: Ends = "in", lift: bool = False
) -> Perplexity:
    """Return the perplexity of a treebank, or of a parser's output, in an order.

    Args:
        model: a model of the same order of words, as `estimate(sequences_of(train, order))` makes it.
        test: the trees.
        order: one of `ORDERS`.
        ends: how the ends of sentences count.
        lift: whether non-projective arcs are lifted where the order's system derives projective trees only.

    Raises:
        InputError: the order is unknown, or its transition system cannot derive a tree.
    """
    sums = sentence_sums(model, sequences_of(test, order, lift=lift))
    signature = signature_of(model, order, ends, lift=lift)
    hashes = {"train": short_hash(model.sha256), "test": short_hash(test.source.sha256), "version": VERSION}
    return Perplexity(sums, order, ends, model.n_words, signature | hashes, test.source.sha256)


def signature_of(model: NgramModel, order: str, ends: Ends, *, lift: bool) -> dict[str, str]:
    """Return what decides a perplexity besides the files; of a model that was read, only its order is known.

    Args:
        model: the model.
        order: the order of the words.
        ends: how the ends of sentences count.
        lift: whether non-projective arcs are lifted.
    """
    signature = {"order": order, "ngram": str(model.order)}
    if model.minimum_counts:
        signature["smoothing"] = "interpolated-modified-kneser-ney"
        signature["minimum-counts"] = ",".join(map(str, model.minimum_counts))
        signature["minimum-word-count"] = str(model.minimum_word_count)
    return signature | {"ends": ends} | ({"lift": "yes"} if lift else {})
