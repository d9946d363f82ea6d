"""The perplexity of treebanks under one model of training trees."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from levelhead.derivation.estimate import estimate
from levelhead.derivation.ngram_model import NgramModel
from levelhead.derivation.perplexity import Ends, Perplexity, perplexity
from levelhead.derivation.sequences import sequences_of
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


def model_of(train: Treebank | NgramModel, choice: NgramChoice = STANDARD) -> NgramModel:
    """Return a model of the words of a treebank in some order; a model is returned unchanged."""
    if isinstance(train, NgramModel):
        return train
    sequences = sequences_of(train, choice.order, lift=choice.lifts)
    size, counts, least = choice.ngram or NGRAM, choice.minimum_counts, choice.minimum_word_count
    return estimate(sequences, size, minimum_counts=counts, minimum_word_count=least)


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path has the name of a model in ARPA format."""
    return _ARPA in PurePath(path).name


def measure_perplexities(
    model: NgramModel, treebanks: Mapping[str, Treebank], choice: NgramChoice = STANDARD
) -> Perplexities:
    """Return the perplexity of treebanks under a model."""
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
