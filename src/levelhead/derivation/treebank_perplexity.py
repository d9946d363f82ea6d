"""The perplexity of treebanks under one model of training trees."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

from levelhead.derivation.estimate import estimate
from levelhead.derivation.ngram_model import NgramModel
from levelhead.derivation.perplexity import Ends, Perplexity, perplexity, perplexity_of
from levelhead.derivation.sequences import sequences_of
from levelhead.tables.documents import header, path_text, signature_line
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.provenance import TREEBANK, Provenance, short_hash

__all__ = ["NgramChoice", "Perplexities"]

NGRAM = 3
"""The default length of the longest n-grams."""

_ARPA = ".arpa"
"""The part of a file name that marks a model, not a treebank."""


class NgramChoice(NamedTuple):
    """The settings of a model, and its order of words.

    Args:
        order: the order of the words, one of `ORDERS`.
        ngram: the length of the longest n-grams; None for `NGRAM`.
        minimum_counts: as in `estimate`.
        minimum_word_count: as in `estimate`.
        ends: how the ends of sentences count.
        lift: whether to lift non-projective arcs if the order's system needs projective trees.
    """

    order: str = "string"
    ngram: int | None = None
    minimum_counts: tuple[int, ...] = ()
    minimum_word_count: int = 1
    ends: Ends = "in"
    lift: bool = False

    @property
    def lifts(self) -> bool:
        """Whether arcs are lifted, which the order of the string never requires."""
        return self.lift and self.order != "string"


STANDARD = NgramChoice()
"""A trigram model of words in the order of the string."""


@dataclass(frozen=True, eq=False, repr=False)
class Perplexities(Tabular):
    """The perplexity of a test set, and of parser output for it, under one model.

    Args:
        results: the perplexity of each treebank by its name, the test set first.
        model: the model.
        provenance: the provenance of the numbers.
    """

    results: Mapping[str, Perplexity]
    model: NgramModel
    provenance: Provenance

    def table(self, *, sentences: bool = False) -> Table:
        """Return the result as a table.

        Args:
            sentences: every sentence.
        """
        return (sentence_table if sentences else perplexity_table)(self)

    def to_dict(self, *, sentences: bool = False) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`.

        Args:
            sentences: every sentence.
        """
        return perplexity_document(self, sentences=sentences)


def model_of(train: Treebank | NgramModel, choice: NgramChoice = STANDARD) -> NgramModel:
    """Return a model of the words of a treebank in some order; a model is returned unchanged.

    Args:
        train: training trees, or a model.
        choice: the settings of the model.
    """
    if isinstance(train, NgramModel):
        return train
    sequences = sequences_of(train, choice.order, lift=choice.lifts)
    size, counts, least = choice.ngram or NGRAM, choice.minimum_counts, choice.minimum_word_count
    return estimate(sequences, size, minimum_counts=counts, minimum_word_count=least)


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path has the name of a model in ARPA format.

    Args:
        path: the path of training trees or of a model.
    """
    return _ARPA in PurePath(path).name


def measure_perplexities(
    model: NgramModel, treebanks: Mapping[str, Treebank], choice: NgramChoice = STANDARD
) -> Perplexities:
    """Return the perplexity of treebanks under a model.

    Args:
        model: the model.
        treebanks: the test set, then parser output, by name.
        choice: the order of words, and how ends of sentences count.

    Raises:
        InputError: a tree cannot be derived.
    """
    results = {
        name: perplexity(model, treebank, choice.order, ends=choice.ends, lift=choice.lifts)
        for name, treebank in treebanks.items()
    }
    return Perplexities(results, model, _provenance(results, model, treebanks))


def _provenance(results: Mapping[str, Perplexity], model: NgramModel, treebanks: Mapping[str, Treebank]) -> Provenance:
    """The provenance: the signature of the test set's perplexity with the hashes of parser output, and all files."""
    test, *systems = (result.signature for result in results.values())
    signature = {name: value for name, value in test.items() if name != "version"}
    if systems:
        signature["system"] = "+".join(system["test"] for system in systems)
    files = {"train": short_hash(model.sha256)} | {name: short_hash(result.sha256) for name, result in results.items()}
    warnings = dict.fromkeys(fault for treebank in treebanks.values() for fault in treebank.warnings)
    signature["version"] = test["version"]
    return Provenance(signature, {TREEBANK: files}, tuple(warnings), tuple(model.fallback_warnings))


_NUMBERS = (
    "Perplexity",
    "With OOV",
    "Log10/sentence",
    "Events",
    "OOV",
    "Sentences",
    "Swaps",
    "Size/perplexity",
)


def perplexity_table(perplexities: Perplexities) -> Table:
    """Return one row per file with its perplexity."""
    columns = (Column("File", "text"), *(Column(name, "number") for name in _NUMBERS))
    rows = tuple(
        (
            name,
            result.excluding_oov,
            result.including_oov,
            result.log10_per_sentence,
            result.events,
            result.oov,
            result.sentences,
            result.swaps,
            result.size_over_perplexity,
        )
        for name, result in perplexities.results.items()
    )
    return Table(columns, rows, (signature_line(perplexities.provenance.signature),))


def sentence_table(perplexities: Perplexities) -> Table:
    """Return one row per sentence of each file."""
    names = ("Sentence", "Perplexity", "Log10", "Events", "Log10 with OOV", "Events with OOV", "OOV", "Swaps")
    columns = (Column("File", "text"), *(Column(name, "number") for name in names))
    rows = tuple(
        (name, *(row[key] for key in _SENTENCE_KEYS))
        for name, result in perplexities.results.items()
        for row in sentence_documents(result)
    )
    return Table(columns, rows, (signature_line(perplexities.provenance.signature),))


_SENTENCE_KEYS = (
    "sentence",
    "perplexity_excluding_oov",
    "log10_excluding_oov",
    "events_excluding_oov",
    "log10_including_oov",
    "events",
    "oov",
    "swaps",
)


def sentence_documents(result: Perplexity) -> list[dict[str, Any]]:
    """Return the log probability, events and perplexity of each sentence for JSON."""
    (known, n_known), (every, n_every) = (result.sums.sums(oov=oov, ends=result.ends) for oov in (False, True))
    columns = (known, n_known, every, n_every, result.sums.n_unknown, result.sums.swaps)
    return [
        dict(zip(_SENTENCE_KEYS, (number, perplexity_of(log, n), _finite(log), n, _finite(log_all), *rest)))
        for number, (log, n, log_all, *rest) in enumerate(zip(*(column.tolist() for column in columns)), 1)
    ]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def perplexity_documents(perplexities: Perplexities, *, sentences: bool) -> list[dict[str, Any]]:
    """Return the perplexity of each file for JSON."""
    return [_perplexity(name, result, sentences=sentences) for name, result in perplexities.results.items()]


def _perplexity(name: str, result: Perplexity, *, sentences: bool) -> dict[str, Any]:
    document = {
        **header("perplexity"),
        "file": path_text(name),
        "sha256": result.sha256,
        "order": result.order,
        "perplexity_excluding_oov": result.excluding_oov,
        "perplexity_including_oov": result.including_oov,
        "perplexity_per_sentence": result.per_sentence,
        "log10_perplexity_per_sentence": result.log10_per_sentence,
        "events": result.events,
        "oov": result.oov,
        "sentences": result.sentences,
        "swaps": result.swaps,
        "size_over_perplexity": result.size_over_perplexity,
    }
    return document | ({"per_sentence": sentence_documents(result)} if sentences else {})


def perplexity_document(perplexities: Perplexities, *, sentences: bool) -> dict[str, Any]:
    """Return the perplexity of a test set and of parser outputs for it, for JSON."""
    test, *systems = perplexity_documents(perplexities, sentences=sentences)
    model = perplexities.model
    return {
        "signature": dict(perplexities.provenance.signature),
        **test,
        "systems": systems,
        "model": {
            "order": model.order,
            "words": model.n_words,
            "vocabulary": len(model.words),
            "ngrams": [len(table.keys) for table in model.tables],
            "minimum_counts": list(model.minimum_counts),
            "discounts": [discounts._asdict() for discounts in model.discounts],
            "fallback_orders": list(model.fallback_orders),
        },
    }
