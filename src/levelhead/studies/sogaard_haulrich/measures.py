"""The perplexities of treebanks, and the UAS, exact match and perplexity of parsers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import OutputResult, check_valid
from levelhead.derivation import estimate, perplexity, sequences_of
from levelhead.derivation.dppl import estimated_model
from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation.setup import setup_of
from levelhead.significance import SystemCounts, separated_shares, spawned
from levelhead.studies.request import StudyRequest
from levelhead.studies.scores import score_files
from levelhead.studies.statistics import mean, mean_interval, pearson, resampled_estimate
from levelhead.studies.treebank_parts import Parts, read_treebank
from levelhead.studies.verdicts import ValueWithInterval

NAME = "sogaard-haulrich"
ORDER = "swap-lazy"
PARSERS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")
SIZES = (200, 500, 1000, 2000)
LEVEL = 0.025
"""The significance level of the one-sided tests that separate two parsers."""

MODEL = "training"
"""The name of the language model of the training set, as in `DPPL(training)`."""

COUNTED = {"UAS": "UAS", "EM": "UEM", "P": f"DPPL({MODEL})"}
"""The measures, by the names that the paper uses."""

PAIRS = {"P/UAS": ("P", "UAS"), "P/EM": ("P", "EM"), "UAS/EM": ("UAS", "EM")}

Row = Mapping[str, Any]
Numbers = NDArray[np.float64]


def perplexities(train: str, test: str) -> dict[str, float | int | None]:
    """Return the size of a treebank, both perplexities without unknown words, and the number of unknown words.

    It also returns how many swaps the training set needs, and how many of its sentences have several roots.
    """
    treebank, tested = read_treebank(train), read_treebank(test)
    values: dict[str, float | int | None] = {"size": treebank.n_words}
    for name, order in (("string", "string"), ("derivation", ORDER)):
        result = perplexity(estimate(sequences_of(treebank, order)), tested, order)
        values |= {name: result.excluding_oov, "oov": result.oov, "words": tested.n_words}
    roots = np.bincount(treebank.sentence_of_word[treebank.heads < 0], minlength=len(treebank))
    values["several roots"] = int((roots > 1).sum())
    values["swaps"] = int(sequences_of(treebank, ORDER).swaps.sum())
    return values


def score_parsers(parts: Parts, outputs: Mapping[str, Path], request: StudyRequest) -> dict[str, OutputResult]:
    """Return the results of each parser on one treebank, with UAS, exact match and perplexity."""
    weights = {MODEL: estimated_model(read_treebank(parts.training), ORDER)}
    files = {parser: {parts.code: path} for parser, path in outputs.items()}
    setup = setup_of(("Words", "Sentences", *COUNTED.values()), weights=weights)
    results = check_valid(score_files({parts.code: parts.tested}, files, setup, request, by_sentence=True)).results
    for parser, path in outputs.items():
        scores = results[parser, parts.code].scores
        if scores["Words"].value != 1 or scores["Sentences"].value != 1:
            message = "its words or sentences differ from the test set: perplexities require outputs on gold words"
            raise InputError(Fault("not-gold-words", message, Place(os.fspath(path))))
    return {parser: results[parser, parts.code] for parser in outputs}


def values_of(results: Mapping[str, OutputResult]) -> dict[str, list[float | None]]:
    """Return UAS, exact match and perplexity of each parser."""
    return {name: [result.scores[text].value for result in results.values()] for name, text in COUNTED.items()}


def counts_of(results: Mapping[str, OutputResult]) -> Numbers:
    """Return the numerators and denominators of each sentence, float64, shape (sentences, parsers, measures, 2)."""
    counts = [np.stack([result.sentences[text].T for text in COUNTED.values()], axis=1) for result in results.values()]
    return np.stack(counts, axis=1)


def separated(parts: Sequence[Any], resamples: int, seed: int) -> dict[str, list[float]]:
    """Return the share of pairs of parsers that are separated on random test sets, by size and measure."""
    table = SystemCounts(("",) * len(parts[0]), tuple(COUNTED), np.array(parts), "", perplexities=(2,))
    shares_by_size: dict[str, list[float]] = {}
    for size, own_seed in zip(SIZES, spawned(seed, len(SIZES))):
        if size <= len(parts):
            samples = min(10, len(parts) // size * 5)
            shares = separated_shares(table, 0, size, samples, resamples, LEVEL, own_seed)
            if shares is not None:
                shares_by_size[str(size)] = shares.tolist()
    return shares_by_size


def _correlations(parsers: Mapping[str, Row], pair: str) -> list[float | None]:
    """The correlation of two measures over parsers, for each treebank."""
    x, y = PAIRS[pair]
    return [pearson(zip(row[x], row[y]))[0] for row in parsers.values()]


def averaged(parsers: Mapping[str, Row], pair: str) -> float | None:
    """Return the mean over treebanks of the correlation of two measures over parsers."""
    return mean(_correlations(parsers, pair))


def mean_correlation(parsers: Mapping[str, Row], pair: str, resamples: int, seed: int) -> ValueWithInterval | None:
    """Return `averaged` with its interval from resampled treebanks; None with fewer than four treebanks."""
    return mean_interval(_correlations(parsers, pair), resamples, seed)


def closest_pair(parsers: Mapping[str, Row], resamples: int, seed: int) -> ValueWithInterval | None:
    """Return how much more UAS and EM correlate with each other than either does with perplexity (sign reversed)."""
    rows = zip(*(_correlations(parsers, pair) for pair in PAIRS))
    known = np.array([row for row in rows if None not in row], dtype=np.float64).reshape(-1, len(PAIRS))
    return resampled_estimate(known, _closer, resamples, seed)


def _closer(means: Numbers) -> Numbers:
    by_uas, by_em, together = np.moveaxis(means, -1, 0)
    difference: Numbers = together - np.maximum(-by_uas, -by_em)
    return difference


def pooled(parsers: Mapping[str, Row], pair: str) -> tuple[float | None, float | None, int]:
    """Return the correlation over all parsers of all treebanks, its p, and the number of pairs."""
    x, y = PAIRS[pair]
    return pearson(pair for row in parsers.values() for pair in zip(row[x], row[y]))
