"""One test set, many outputs: values of measures, their errors, which pairs of systems differ."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import InputError
from levelhead.evaluation import load, measures_for
from levelhead.measures import REGISTRY
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.measure import Measure
from levelhead.scoring.rules import RULES
from levelhead.scoring.score import count as count_measure
from levelhead.scoring.weights import Weights, values_of
from levelhead.significance import Run, counted, resampled, swapped
from levelhead.significance.counted import Counted, ratios
from levelhead.studies.parts import format_of
from levelhead.treebank import read
from levelhead.typology import count, profile

MEASURES = {
    "UAS": "UAS", "LAS": "LAS", "CLAS": "CLAS", "CNC": "CNC", "WLAS": "WLAS(wde,default=0.5)", "MLAS": "MLAS",
    "BLEX": "BLEX",
}  # fmt: skip
"""The measures that are compared, by the names in the tables."""

LEVEL = 0.05

SMALL, SAMPLES = 200, 4
"""How many sentences a small sample has, and how many are drawn of each test set."""

Numbers = NDArray[np.float64]


def entropies(gold: str) -> Any:
    """Return the word dependency entropies of a test set.

    Args:
        gold: its path.
    """
    return profile(count(read(gold, format=format_of(gold))), columns=["wde"])["wde"]


def tested(gold: str, *arguments: Any) -> dict[str, Any] | None:
    """Return values, their standard errors, p-values of all pairs, and how stable the order of systems is.

    Outputs that are not valid are left out; None if fewer than two are left.

    Args:
        gold: the path of the test set.
        arguments: the paths of the outputs; then the names of the systems, the weights of relations, how many
            resamples, the seed.
    """
    *paths, names, weights, resamples, seed = arguments
    table = Weights(weights, hashlib.sha256(repr(sorted(weights.items())).encode()).hexdigest())
    asked = measures_for(RULES["ud"], MEASURES.values())
    runs = [run for name, path in zip(names, paths) if (run := _run(name, gold, path, asked, table)) is not None]
    if len(runs) < 2:
        return None
    counts = counted(runs)
    boot_seed, swap_seed, small_seed = np.random.SeedSequence(seed).spawn(3)
    values = ratios(counts.parts.sum(axis=0))
    boot = ratios(counts.shaped(resampled(counts.flat, resamples, np.random.default_rng(boot_seed))))
    return {
        "systems": [run.system for run in runs],
        "sentences": len(counts.parts),
        "values": _by_measure(values.T),
        "errors": _by_measure(boot.std(axis=0, ddof=1).T),
        "concordance": _by_measure(_concordance(values, boot)),
        "p": _by_measure(_pairwise_p(counts, resamples, np.random.default_rng(swap_seed)).T),
        "small": _by_measure(_small_shares(counts, resamples // 4, np.random.default_rng(small_seed))),
    }


def _by_measure(rows: Numbers) -> dict[str, Any]:
    return {name: row.tolist() for name, row in zip(MEASURES, rows)}


def _run(name: str, gold: str, path: str, asked: Sequence[Measure], table: Weights) -> Run | None:
    """The counts of an output; None if it is not valid."""
    rules = RULES["ud"]
    treebank = load(gold, rules, format_of(gold))
    try:
        matches = match(treebank, load(path, rules, format_of(path)), rules)
    except InputError:
        return None
    return Run(name, _counts(matches, asked, table))


def _counts(matches: Matches, asked: Sequence[Measure], table: Weights) -> dict[str, Any]:
    found = {}
    for name, measure in zip(MEASURES, asked):
        definition = REGISTRY[measure.name]
        weights = values_of(measure, definition, {"wde": table})
        found[name] = (count_measure(matches, measure, definition, weights=weights, by_sentence=True), "f1")
    return found


def _pairwise_p(counts: Counted, resamples: int, rng: np.random.Generator) -> Numbers:
    """Two-sided p of every pair of systems by paired approximate randomisation, shape (pairs, measures)."""
    found = []
    for one, other in combinations(range(len(counts.systems)), 2):
        change = counts.parts[:, other] - counts.parts[:, one]
        moved = swapped(change.reshape(len(change), -1), resamples, rng).reshape(resamples, *change.shape[1:])
        sums = counts.parts.sum(axis=0)
        observed = ratios(sums[other]) - ratios(sums[one])
        permuted = ratios(sums[other] - moved) - ratios(sums[one] + moved)
        extreme = (np.abs(permuted) >= np.abs(observed) - 1e-12).sum(axis=0)
        found.append((1 + extreme) / (1 + resamples))
    return np.array(found)


def _small_shares(counts: Counted, resamples: int, rng: np.random.Generator) -> Numbers:
    """The share of pairs that differ significantly in small random samples of sentences, shape (measures,)."""
    shares = []
    for _ in range(SAMPLES):
        rows = rng.permutation(len(counts.parts))[:SMALL]
        p = _pairwise_p(counts._replace(parts=counts.parts[rows]), resamples, rng)
        shares.append((p < LEVEL).mean(axis=0))
    mean: Numbers = np.mean(shares, axis=0)
    return mean


def _concordance(values: Numbers, boot: Numbers) -> Numbers:
    """How many pairs of systems stand in the same order in a resample, as a mean share, shape (measures,)."""
    pairs = list(combinations(range(len(values)), 2))
    same = [np.sign(boot[:, b] - boot[:, a]) == np.sign(values[b] - values[a]) for a, b in pairs]
    mean: Numbers = np.mean(same, axis=(0, 1))
    return mean
