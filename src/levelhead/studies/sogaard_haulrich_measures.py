"""What is measured of treebanks and parsers for derivation perplexity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.derivation import estimate, perplexity, sentence_sums, sequences_of
from levelhead.errors import Fault, InputError, Place
from levelhead.significance import Counted, significant_shares, spawned
from levelhead.studies.numbers import mean, mean_interval, pearson, resampled_estimate
from levelhead.studies.parts import format_of
from levelhead.studies.verdicts import Estimate
from levelhead.treebank import Treebank, read
from levelhead.treebank.contents import contents_hash

NAME = "sogaard-haulrich"
ORDER = "swap-lazy"
PARSERS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")
SIZES = (200, 500, 1000, 2000)
LEVEL = 0.05
PAIRS = {"P/UAS": ("P", "UAS"), "P/EM": ("P", "EM"), "UAS/EM": ("UAS", "EM")}

Row = Mapping[str, Any]
Numbers = NDArray[np.float64]


def _read(path: str) -> Treebank:
    return read(path, format=format_of(path))


def perplexities(train: str, test: str) -> dict[str, float | int | None]:
    """Return the size of a treebank, its two perplexities without unknown words, and how many words are unknown.

    Beside them: how many swaps its training set needs, and how many sentences there have several roots.

    Args:
        train: the path of the training set.
        test: that of the test set.
    """
    treebank, tested = _read(train), _read(test)
    found: dict[str, float | int | None] = {"size": treebank.n_words}
    for name, order in (("string", "string"), ("derivation", ORDER)):
        result = perplexity(estimate(sequences_of(treebank, order)), tested, order)
        found |= {name: result.excluding_oov, "oov": result.oov, "words": tested.n_words}
    roots = np.bincount(treebank.sentence_of_word[treebank.heads < 0], minlength=len(treebank))
    found["several roots"] = int((roots > 1).sum())
    found["swaps"] = int(sequences_of(treebank, ORDER).swaps.sum())
    return found


def judge_parsers(train: str, test: str, *arguments: Any) -> dict[str, Any]:
    """Return UAS, exact match and derivation perplexity of parsers, and how many pairs differ by test sets of a size.

    Args:
        train: the path of the training set.
        test: that of the test set.
        arguments: the paths of the outputs; then the names of the parsers, how many resamples, the seed.
    """
    *paths, names, resamples, seed = arguments
    gold, outputs = _read(test), [_read(path) for path in paths]
    for output, path in zip(outputs, paths):
        if not np.array_equal(output.sentence_starts, gold.sentence_starts):
            message = "its sentences are not the words of the test set: perplexities need outputs on gold words"
            raise InputError(Fault("not-gold-words", message, Place(path)))
    model = estimate(sequences_of(_read(train), ORDER))
    parts = np.stack([_parts(model, gold, output) for output in outputs], axis=1)
    table = Counted(tuple(names), ("UAS", "EM", "P"), parts, contents_hash(gold), perplexities=(2,))
    values = table.values(parts.sum(axis=0))
    return {
        "parsers": list(names),
        **{name: values[:, m].tolist() for m, name in enumerate(table.measures)},
        "significant": _significant(table, resamples, seed),
    }


def _parts(model: Any, gold: Treebank, output: Treebank) -> Numbers:
    """What the three measures are made of: right heads, words; exact, 1; minus log10 P, events; (sentences, 3, 2)."""
    right = output.local_heads() == gold.local_heads()
    n_words = np.diff(gold.sentence_starts)
    heads = np.add.reduceat(right.astype(np.float64), gold.sentence_starts[:-1])
    logs, events = sentence_sums(model, sequences_of(output, ORDER)).sums()
    rows = [(heads, n_words), (heads == n_words, np.ones(len(n_words))), (-logs, events)]
    return np.stack([np.stack(row, axis=1).astype(np.float64) for row in rows], axis=1)


def _significant(table: Counted, resamples: int, seed: int) -> dict[str, list[float]]:
    """The share of pairs of parsers that differ with p < .05 on random test sets, for each size and measure."""
    found: dict[str, list[float]] = {}
    if len(table.systems) < 2:
        return found
    for size, own in zip(SIZES, spawned(seed, len(SIZES))):
        if size <= len(table.parts):
            samples = min(10, len(table.parts) // size * 5)
            found[str(size)] = significant_shares(table, size, samples, resamples, LEVEL, own).tolist()
    return found


def _correlations(parsers: Mapping[str, Row], pair: str) -> list[float | None]:
    """The correlation over parsers of each treebank."""
    x, y = PAIRS[pair]
    return [pearson(zip(row[x], row[y]))[0] for row in parsers.values()]


def averaged(parsers: Mapping[str, Row], pair: str) -> float | None:
    """Return the mean over treebanks of the correlation of two measures over parsers.

    Args:
        parsers: the three measures by treebank.
        pair: which two measures: a key of `PAIRS`.
    """
    return mean(_correlations(parsers, pair))


def mean_correlation(parsers: Mapping[str, Row], pair: str, resamples: int, seed: int) -> Estimate | None:
    """Return `averaged` with its interval from resampled treebanks; None with fewer than four.

    Args:
        parsers: the three measures by treebank.
        pair: which two measures: a key of `PAIRS`.
        resamples: how many resamples.
        seed: the seed of the draws.
    """
    return mean_interval(_correlations(parsers, pair), resamples, seed)


def closest_pair(parsers: Mapping[str, Row], resamples: int, seed: int) -> Estimate | None:
    """Return how much closer UAS and EM go together than either with perplexity, whose correlations are negated.

    Args:
        parsers: the three measures by treebank; treebanks without one of the three correlations are left out.
        resamples: how many resamples.
        seed: the seed of the draws.

    Returns:
        The mean correlation of UAS and EM minus the higher of the other two; None with fewer than four treebanks.
    """
    found = zip(*(_correlations(parsers, pair) for pair in PAIRS))
    known = np.array([row for row in found if None not in row], dtype=np.float64).reshape(-1, len(PAIRS))
    return resampled_estimate(known, _closer, resamples, seed)


def _closer(means: Numbers) -> Numbers:
    by_uas, by_em, together = np.moveaxis(means, -1, 0)
    difference: Numbers = together - np.maximum(-by_uas, -by_em)
    return difference


def pooled(parsers: Mapping[str, Row], pair: str) -> tuple[float | None, float | None, int]:
    """Return the correlation over all parsers of all treebanks, its p, and how many there are.

    Args:
        parsers: the three measures by treebank.
        pair: which two measures: a key of `PAIRS`.
    """
    x, y = PAIRS[pair]
    return pearson(pair for row in parsers.values() for pair in zip(row[x], row[y]))
