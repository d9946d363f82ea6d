"""Perplexity of sentences in the order of the string or of a derivation, also as a measure of a system's trees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import zip_longest
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.derivation.derive import ORDERS, Sequences, sequences_of
from levelhead.derivation.ngram_model import END, UNKNOWN, NgramModel, Reals, estimate, framed
from levelhead.errors import Fault, MeasureError, number_of, unknown
from levelhead.immutable import immutable
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure import Resource
from levelhead.tables.data import Layout
from levelhead.tables.documents import path_text
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank, read
from levelhead.treebank.provenance import TREEBANK, Provenance, contents_hash, file_id, summary_of

Ends = Literal["in", "out", "ppl1"]
"""How ends of sentences count: "in" like words, "out" not at all, "ppl1" only in the probability, as in SRILM."""


class SentenceSums(NamedTuple):
    """The log-probability and length of each sentence, from which perplexities are computed.

    Args:
        log_known: log10 of the joint probability of the sentence's known words, float64, shape (sentences,).
        log_unknown: log10 of the joint probability of the sentence's unknown words (-inf for probability 0), float64.
        log_ends: log10 of the probability that the sentence ends after its last word, float64.
        n_words: the number of words in the sentence, int64.
        n_unknown: the number of unknown words in the sentence, int64.
        swaps: the number of swaps in the sentence's derivation, int64.
    """

    log_known: Reals
    log_unknown: Reals
    log_ends: Reals
    n_words: NDArray[np.int64]
    n_unknown: NDArray[np.int64]
    swaps: NDArray[np.int64]

    def sums(self, *, oov: bool = False, ends: Ends = "in") -> tuple[Reals, NDArray[np.int64]]:
        """Return each sentence's log10 probability and number of predictions; unknown words only count if `oov`."""
        logs, events = self.log_known, self.n_words - self.n_unknown
        if oov:
            logs, events = logs + self.log_unknown, events + self.n_unknown
        if ends != "out":
            logs = logs + self.log_ends
        return logs, events + 1 if ends == "in" else events


def sentence_sums(model: NgramModel, sequences: Sequences) -> SentenceSums:
    """Return the log-probability and length of each sentence.

    Args:
        model: the n-gram model.
        sequences: the sentences, with words in the same order as in the training data of the model.
    """
    tokens = framed(model.encode(sequences), sequences.starts)
    logs = model.log_probabilities(tokens)
    n_words = np.diff(sequences.starts).astype(np.int64)
    unknown, ends = (tokens.codes == UNKNOWN) & (tokens.places > 0), tokens.codes == END
    log_known, log_unknown, log_ends = (
        np.bincount(tokens.sentences[events], weights=logs[events], minlength=len(n_words)).astype(np.float64)
        for events in (~unknown & ~ends, unknown, ends)
    )
    n_unknown = np.bincount(tokens.sentences[unknown], minlength=len(n_words))
    return SentenceSums(log_known, log_unknown, log_ends, n_words, n_unknown, sequences.swaps)


def perplexity_of(log10_probability: float, events: int) -> float | None:
    """Return 10 to the negative mean log10 probability of events; None without events, or if it is infinite."""
    if events and not math.isinf(log10_probability):
        with suppress(OverflowError):
            return math.pow(10.0, -log10_probability / events)
    return None


@immutable
class Perplexity:
    """The perplexity of a treebank under a model, in string or derivation order.

    Args:
        sums: the log-probabilities and lengths of the sentences.
        order: the order in which words were predicted, one of `ORDERS`.
        ends: how ends of sentences count ("in", "out" or "ppl1"); see the function `perplexity`.
        n_training_words: the number of words from which the model was estimated; 0 if unknown.
        signature: the settings, hashes and versions that determine the numbers, by name.
        sha256: the hash of the treebank's file; None for a treebank created in Python.
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
        """Perplexity without unknown words, as printed by SRILM."""
        return perplexity_of(*self._total(oov=False))

    @property
    def including_oov(self) -> float | None:
        """Perplexity with unknown words as `<unk>`; None if their probability is 0."""
        return perplexity_of(*self._total(oov=True))

    @property
    def log10_per_sentence(self) -> float | None:
        """Log10 of the perplexity per sentence, without unknown words (Søgaard & Haulrich 2010); None if infinite."""
        log = self._total(oov=False)[0]
        return -log / self.sentences if self.sentences and math.isfinite(log) else None

    @property
    def per_sentence(self) -> float | None:
        """The perplexity per sentence, without unknown words; None if it exceeds the range of floats."""
        return perplexity_of(self._total(oov=False)[0], self.sentences)

    @property
    def events(self) -> int:
        """The number of words, plus the number of sentences if `ends` is "in"."""
        return self._total(oov=True)[1]

    @property
    def oov(self) -> int:
        """The number of unknown words."""
        return int(self.sums.n_unknown.sum())

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.sums.n_words)

    @property
    def swaps(self) -> int:
        """The number of SWAP transitions in all derivations."""
        return int(self.sums.swaps.sum())

    @property
    def size_over_perplexity(self) -> float | None:
        """The number of training words divided by `excluding_oov`.

        Søgaard & Haulrich (2010) correlate this quotient with accuracy.
        """
        value = self.excluding_oov
        return self.n_training_words / value if value and self.n_training_words else None

    def sentence_rows(self, name: str) -> Iterator[SentencePerplexity]:
        """Yield a row for each sentence, with its perplexity and counts; `name` is the name of the treebank."""
        (known, n_known), (every, n_every) = (self.sums.sums(oov=oov, ends=self.ends) for oov in (False, True))
        columns = (known, n_known, every, n_every, self.sums.n_unknown, self.sums.swaps)
        for number, (log, n, log_all, *rest) in enumerate(zip(*(column.tolist() for column in columns)), 1):
            logs = (value if math.isfinite(value) else None for value in (log, log_all))
            yield SentencePerplexity(name, number, perplexity_of(log, n), next(logs), n, next(logs), *rest)


def perplexity(
    model: NgramModel, test: Treebank, order: str = "string", *, ends: Ends = "in", lift: bool = False
) -> Perplexity:
    """Return the perplexity of a treebank or a parser's output under an n-gram model.

    Args:
        model: an n-gram model estimated with the same `order`, for example `estimate(sequences_of(train, order))`.
        test: the treebank, or a parser's output.
        order: the order in which words are predicted, one of `ORDERS`.
        ends: how the end of each sentence counts. With "in", it counts like a word. With "out", it does not count. With
            "ppl1", it counts in the probability, but not in the number of words.
        lift: whether to lift non-projective arcs if the transition system only derives projective trees.

    Raises:
        InputError: the order is unknown, or the transition system cannot derive a tree.
    """
    sums = sentence_sums(model, sequences_of(test, order, lift=lift))
    signature = {"order": order, "ngram": str(model.order)}
    if model.minimum_counts:  # empty for a model that was read, of which only the order is known
        signature |= {
            "smoothing": "interpolated-modified-kneser-ney",
            "minimum-counts": ",".join(map(str, model.minimum_counts)),
            "minimum-word-count": str(model.minimum_word_count),
        }
    signature |= {"ends": ends, **({"lift": "yes"} if lift else {})}
    hashes = {"train": str(file_id(model.sha256)), "test": str(summary_of(test).id), "version": VERSION}
    return Perplexity(sums, order, ends, model.n_words, signature | hashes, test.source.sha256)


_DEFAULT_ORDER = "swap-lazy"


class Trained(NamedTuple):
    """The trigram model of the training treebank's words in the order of a transition system."""

    model: NgramModel
    order: str


def load_model(argument: str) -> Resource:
    path, marker, order = argument.rpartition(",order=")
    if not marker:
        path, order = argument, _DEFAULT_ORDER
    if order not in ORDERS:
        raise MeasureError(unknown("order", order, ORDERS), "unknown-order")
    return estimated_model(read(path), order)


def estimated_model(treebank: Treebank, order: str = _DEFAULT_ORDER) -> Resource:
    """Return the model of a training treebank for DPPL."""
    model = estimate(sequences_of(treebank, order))
    path = treebank.source.path
    warnings = (*map(str, treebank.warnings), *(f"{path}, {order} order: {text}" for text in model.fallback_warnings))
    return Resource(Trained(model, order), contents_hash(treebank), warnings)


@immutable
class SurpriseTotal(Counts):
    """One row of counts, whose surprisal is correctly rounded, also if sentences are added: `parts` sum to it."""

    parts: Sequence[float]


def count_surprise(
    matches: Matches, trained: Trained, *, by_sentence: bool = False, before: SurpriseTotal | None = None
) -> Counts:
    """Return the surprisal of the system's trees (minus log10) and the events, with ends but without unknown words."""
    logs, events = sentence_sums(trained.model, sequences_of(matches.system, trained.order)).sums(oov=False)
    if by_sentence:
        rows = matches.rows_at(matches.system_spans.sentence_starts[:-1])
        surprise, total = (np.bincount(rows, values, len(matches.gold)) for values in (-logs, events))
        return Counts(surprise, total, total, None)
    earlier, n_earlier = ((), 0) if before is None else (before.parts, before.gold[0])
    numbers = [*(-logs).tolist(), *earlier]
    parts = [math.fsum(numbers)]  # then what rounding lost, so that the parts have the same exact sum
    while rest := math.fsum([*numbers, *(-part for part in parts)]):
        parts.append(rest)
    total = np.array([events.sum() + n_earlier], dtype=np.float64)
    return SurpriseTotal(np.array(parts[:1]), total, total, None, parts)


NGRAM = 3  # the default length of the longest n-grams
ARPA = ".arpa"  # the part of a file name that marks a model, not a treebank
_COLUMNS = {
    "Perplexity": "perplexity_excluding_oov",
    "With OOV": "perplexity_including_oov",
    "Log10/sentence": "log10_perplexity_per_sentence",
    "Events": "events",
    "OOV": "oov",
    "Sentences": "sentences",
    "Swaps": "swaps",
    "Size/perplexity": "size_over_perplexity",
}
_SENTENCE_COLUMNS = {
    "Sentence": "sentence",
    "Perplexity": "perplexity_excluding_oov",
    "Log10": "log10_excluding_oov",
    "Events": "events_excluding_oov",
    "Log10 with OOV": "log10_including_oov",
    "Events with OOV": "events",
    "OOV": "oov",
    "Swaps": "swaps",
}


class TreebankPerplexity(NamedTuple):
    """The perplexity of a treebank.

    Args:
        file: the path of the test set, or of a parser's output for it.
        role: whether it is the test set or the output of a system.
        sha256: the SHA-256 of the decompressed file; null for a treebank in memory.
        order: the order of the words.
        perplexity_excluding_oov: perplexity without unknown words.
        perplexity_including_oov: perplexity with unknown words; null if their probability is 0.
        perplexity_per_sentence: perplexity per sentence, without unknown words; null if it is too large.
        log10_perplexity_per_sentence: the base-10 logarithm of the perplexity per sentence.
        events: the number of words, plus sentence ends that count.
        oov: the number of unknown words.
        sentences: the number of sentences.
        swaps: the number of swap transitions.
        size_over_perplexity: training words / perplexity without unknown words.
    """

    file: str
    role: Literal["test", "system"]
    sha256: str | None
    order: str
    perplexity_excluding_oov: float | None
    perplexity_including_oov: float | None
    perplexity_per_sentence: float | None
    log10_perplexity_per_sentence: float | None
    events: int
    oov: int
    sentences: int
    swaps: int
    size_over_perplexity: float | None


class SentencePerplexity(NamedTuple):
    """The perplexity of a sentence.

    Args:
        file: the path of its treebank.
        sentence: the number of the sentence, from 1.
        perplexity_excluding_oov: perplexity without unknown words.
        log10_excluding_oov: the base-10 logarithm of the probability, without unknown words.
        events_excluding_oov: the number of known words, plus sentence ends that count.
        log10_including_oov: the base-10 logarithm of the probability, with unknown words; null if it is 0.
        events: the number of words, plus sentence ends that count.
        oov: the number of unknown words.
        swaps: the number of swap transitions.
    """

    file: str
    sentence: int
    perplexity_excluding_oov: float | None
    log10_excluding_oov: float | None
    events_excluding_oov: int
    log10_including_oov: float | None
    events: int
    oov: int
    swaps: int


class ModelOrder(NamedTuple):
    """The n-grams of one length in the model.

    Args:
        n: the length of the n-grams.
        ngrams: the number of different n-grams.
        minimum_count: the minimum count of n-grams; null for a model that was read.
        discount_one: the discount of n-grams counted once; null for a model that was read.
        discount_two: the discount of n-grams counted twice.
        discount_more: the discount of other n-grams.
        estimated: whether the discounts were estimated from the counts.
        training_words: the number of training words; 0 if unknown.
        vocabulary: the number of different words.
    """

    n: int
    ngrams: int
    minimum_count: int | None
    discount_one: float | None
    discount_two: float | None
    discount_more: float | None
    estimated: bool | None
    training_words: int
    vocabulary: int


@immutable
class Perplexities(Tabular):
    """The perplexity of a test set, and of parser outputs for it, under an n-gram model.

    Args:
        results: a mapping from each file to its perplexity, the test set first.
        model: the n-gram model.
        provenance: the settings and files behind the numbers.
    """

    KIND: ClassVar[str] = "perplexity"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "treebanks": (TreebankPerplexity,), "sentences": (SentencePerplexity,), "model": (ModelOrder,),
    }  # fmt: skip

    results: Mapping[str, Perplexity]
    model: NgramModel
    provenance: Provenance

    @property
    def verdict(self) -> str:
        """A sentence with the perplexity (without unknown words) and the number of unknown words of each treebank."""
        values = ((file, result, result.excluding_oov) for file, result in self.results.items())
        parts = (
            f"{'undefined' if value is None else f'{value:,.2f}'} for {path_text(file)}"
            f" ({number_of(result.oov, 'unknown word')})"
            for file, result, value in values
        )
        return f"Perplexity without unknown words: {'; '.join(parts)}."

    def _treebanks_rows(self) -> Iterator[TreebankPerplexity]:
        for number, (file, result) in enumerate(self.results.items()):
            role: Literal["test", "system"] = "system" if number else "test"
            yield TreebankPerplexity(
                path_text(file), role, result.sha256, result.order,
                result.excluding_oov, result.including_oov, result.per_sentence, result.log10_per_sentence,
                result.events, result.oov, result.sentences, result.swaps, result.size_over_perplexity,
            )  # fmt: skip

    def _sentences_rows(self) -> Iterator[SentencePerplexity]:
        return (row for file, result in self.results.items() for row in result.sentence_rows(path_text(file)))

    def _model_rows(self) -> Iterator[ModelOrder]:
        model = self.model
        rows = zip_longest(model.tables, model.minimum_counts, model.discounts)
        for n, (table, least, discounts) in enumerate(rows, 1):
            numbers = (None,) * 4 if discounts is None else discounts
            yield ModelOrder._make((n, len(table.keys), least, *numbers, model.n_words, len(model.words)))

    def table(self, *, sentences: bool = False) -> Table:
        """Return a table with a row per file or, if `sentences` is true, with a row per sentence."""
        columns = _SENTENCE_COLUMNS if sentences else _COLUMNS
        rows = [
            (row.file, *(getattr(row, name) for name in columns.values()))
            for row in self.records("sentences" if sentences else "treebanks")
        ]
        heads = (Column("File", "text"), *(Column(name, "number") for name in columns))
        return Table(heads, tuple(rows)).signed(self.provenance)


def measure_perplexities(
    model: NgramModel,
    treebanks: Mapping[str, Treebank],
    order: str,
    *,
    ends: Ends,
    lift: bool,
    warnings: Iterable[Fault] = (),
) -> Perplexities:
    """Return the perplexity of treebanks under a model, with its warnings after theirs."""
    results = {name: perplexity(model, treebank, order, ends=ends, lift=lift) for name, treebank in treebanks.items()}
    test, *systems = (result.signature for result in results.values())
    signature = {name: value for name, value in test.items() if name != "version"}
    if systems:
        signature["system"] = "+".join(system["test"] for system in systems)
    files = {"train": file_id(model.sha256)} | {name: file_id(result.sha256) for name, result in results.items()}
    faults = dict.fromkeys([*(fault for treebank in treebanks.values() for fault in treebank.warnings), *warnings])
    signature["version"] = test["version"]
    provenance = Provenance(signature, {TREEBANK: files}, tuple(faults), tuple(model.fallback_warnings))
    return Perplexities(results, model, provenance)
