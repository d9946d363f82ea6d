"""One test set, many outputs: values of measures, their errors, which pairs of systems differ."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import InputError
from levelhead.evaluation import load
from levelhead.measures import REGISTRY
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.measure import Measure
from levelhead.scoring.rules import RULES
from levelhead.scoring.score import count as count_measure
from levelhead.scoring.score import not_annotated
from levelhead.scoring.weights import Weights, values_of
from levelhead.setup import setup_of
from levelhead.significance import Run, counted, pairwise_randomization_p, resampled, significant_shares, spawned
from levelhead.significance.counted import Counted, ratios
from levelhead.studies.parts import format_of
from levelhead.studies.verdicts import LEVEL
from levelhead.treebank import read
from levelhead.treebank.contents import contents_hash
from levelhead.typology import count, profile

MEASURES = {
    "UAS": "UAS", "LAS": "LAS", "CLAS": "CLAS", "CNC": "CNC", "WLAS": "WLAS(wde,default=0.5)", "MLAS": "MLAS",
    "BLEX": "BLEX",
}  # fmt: skip
"""The measures that are compared, by the names in the tables."""

SMALL, SAMPLES = 200, 4
"""How many sentences a small sample has, and how many are drawn of each test set."""

Numbers = NDArray[np.float64]


def entropies(gold: str) -> Any:
    """Return the word dependency entropies of a test set.

    Args:
        gold: its path.
    """
    return profile(count(read(gold, format=format_of(gold))), columns=["wde"])["wde"]


def compare_systems(gold: str, *arguments: Any) -> dict[str, Any] | None:
    """Return values, their standard errors, p-values of all pairs, and how stable the order of systems is.

    Invalid outputs are left out, and so are measures that have no value for one of the outputs, such as BLEX where gold
    has no lemmas; `undefined` says why. None if fewer than two outputs are left.

    Args:
        gold: the path of the test set.
        arguments: the paths of the outputs; then the names of the systems, the weights of relations, how many
            resamples, the seed.
    """
    *paths, names, weights, resamples, seed = arguments
    matched = {name: one for name, path in zip(names, paths) if (one := _matched(gold, path)) is not None}
    if len(matched) < 2:
        return None
    table = Weights(weights, hashlib.sha256(repr(sorted(weights.items())).encode()).hexdigest())
    counts, undefined = _counted(matched, table)
    boot_seed, swap_seed, small_seed = spawned(seed, 3)
    values = ratios(counts.parts.sum(axis=0))
    boot = ratios(counts.shaped(resampled(counts.flat, resamples, boot_seed)))
    found = {
        "values": values.T,
        "errors": boot.std(axis=0, ddof=1).T,
        "concordance": _concordance(values, boot),
        "p": pairwise_randomization_p(counts, resamples, swap_seed).T,
        "small": significant_shares(counts, SMALL, SAMPLES, resamples // 4, LEVEL, small_seed),
    }
    return {
        "systems": list(matched), "sentences": len(counts.parts), "undefined": undefined,
        **{name: dict(zip(counts.measures, rows.tolist())) for name, rows in found.items()},
    }  # fmt: skip


def _matched(gold: str, path: str) -> Matches | None:
    """The aligned words of an output; None if it is invalid."""
    rules = RULES["ud"]
    treebank = load(gold, rules, format_of(gold))
    try:
        return match(treebank, load(path, rules, format_of(path)), rules)
    except InputError:
        return None


def _counted(matched: Mapping[str, Matches], table: Weights) -> tuple[Counted, dict[str, str]]:
    """The counts of the measures that have a value for every output, and why other measures have none."""
    asked = dict(zip(MEASURES, setup_of(MEASURES.values()).measures))
    gold = next(iter(matched.values()))
    undefined = {name: reason for name, one in asked.items() if (reason := not_annotated(gold, REGISTRY[one.name]))}
    annotated = {name: one for name, one in asked.items() if name not in undefined}
    counts = counted(
        [Run(system, _counts(found, annotated, table)) for system, found in matched.items()], contents_hash(gold.gold)
    )
    empty = np.atleast_1d(np.isnan(ratios(counts.parts.sum(axis=0))).any(axis=0))
    undefined |= {name: "nothing to count in an output" for name, none in zip(counts.measures, empty) if none}
    measures = tuple(name for name in counts.measures if name not in undefined)
    return counts._replace(measures=measures, parts=counts.parts[:, :, ~empty]), undefined


def _counts(matches: Matches, measures: Mapping[str, Measure], table: Weights) -> dict[str, Any]:
    found = {}
    for name, measure in measures.items():
        definition = REGISTRY[measure.name]
        weights = values_of(measure, definition, {"wde": table})
        found[name] = (count_measure(matches, measure, definition, weights=weights, by_sentence=True), "f1")
    return found


def _concordance(values: Numbers, boot: Numbers) -> Numbers:
    """How many pairs of systems stand in the same order in a resample, as a mean share, shape (measures,)."""
    pairs = list(combinations(range(len(values)), 2))
    same = [np.sign(boot[:, b] - boot[:, a]) == np.sign(values[b] - values[a]) for a, b in pairs]
    mean: Numbers = np.mean(same, axis=(0, 1))
    return mean
