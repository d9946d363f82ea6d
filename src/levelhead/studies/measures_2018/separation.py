"""The scores of many outputs on one test set, their standard errors, and which pairs of systems differ."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import Results
from levelhead.significance import pairwise_randomization_p, resampled, significant_shares, spawned
from levelhead.significance.system_counts import SystemCounts, ratios
from levelhead.studies.treebank_parts import read_treebank
from levelhead.studies.verdicts import LEVEL
from levelhead.typology import count_treebank, profile

MEASURES = {
    "UAS": "UAS", "LAS": "LAS", "CLAS": "CLAS", "CNC": "CNC", "WLAS": "WLAS(wde,default=0.5)", "MLAS": "MLAS",
    "BLEX": "BLEX",
}  # fmt: skip
"""The compared measures, by their names in the tables."""

SMALL, SAMPLES = 200, 4
"""The number of sentences in a small sample, and the number of such samples from each test set."""

Numbers = NDArray[np.float64]


def entropies(gold: str) -> Any:
    """Return the word dependency entropies of a test set."""
    return profile(count_treebank(read_treebank(gold)), columns=["wde"])["wde"]


def counts_on(results: Results, code: str) -> tuple[SystemCounts, dict[str, str]] | None:
    """Return the counts of a test set by sentence, and why measures are left out.

    Invalid outputs are left out. So are measures that have no value for one of the outputs, such as BLEX if gold has no
    lemmas.
    """
    outputs = {name: results.results[name, code] for name in results.systems if (name, code) in results.results}
    valid = {name: result for name, result in outputs.items() if result.state == "valid"}
    if len(valid) < 2:
        return None
    texts = dict(zip(MEASURES, results.measures))
    undefined = {
        name: score.reason or "nothing to count in an output"
        for name, text in texts.items()
        for score in (result.scores[text] for result in valid.values())
        if score.value is None
    }
    defined = {name: text for name, text in texts.items() if name not in undefined}
    counts = [np.stack([result.sentences[text].T for text in defined.values()], axis=1) for result in valid.values()]
    gold = results.gold[code].sha256 or ""
    return SystemCounts(tuple(valid), tuple(defined), np.stack(counts, axis=1), gold), undefined


def compare_systems(counts: SystemCounts, resamples: int, seed: int) -> dict[str, Any]:
    """Return values, their standard errors, p-values of all pairs, and how stable the order of systems is."""
    counts = counts._replace(parts=np.array(counts.parts, dtype=np.float64))
    boot_seed, swap_seed, small_seed = spawned(seed, 3)
    values = ratios(counts.parts.sum(axis=0))
    boot = ratios(counts.shaped(resampled(counts.flat, resamples, boot_seed)))
    rows_by_name = {
        "values": values.T,
        "errors": boot.std(axis=0, ddof=1).T,
        "concordance": _concordance(values, boot),
        "p": pairwise_randomization_p(counts, resamples, swap_seed).T,
        "small": significant_shares(counts, SMALL, SAMPLES, resamples // 4, LEVEL, small_seed),
    }
    return {
        "systems": list(counts.systems),
        **{name: dict(zip(counts.measures, rows.tolist())) for name, rows in rows_by_name.items()},
    }  # fmt: skip


def _concordance(values: Numbers, boot: Numbers) -> Numbers:
    """The mean share of pairs of systems whose order in a resample is the same, shape (measures,)."""
    pairs = list(combinations(range(len(values)), 2))
    same = [np.sign(boot[:, b] - boot[:, a]) == np.sign(values[b] - values[a]) for a, b in pairs]
    mean: Numbers = np.mean(same, axis=(0, 1))
    return mean
