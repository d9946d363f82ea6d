"""Comparisons of systems on one test set, and estimates over test sets for each measure and its difference from LAS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign import Results
from levelhead.significance import (
    holm,
    pairwise_randomization_p,
    resampled,
    resampled_rows,
    significant_shares,
    spawned,
)
from levelhead.significance.jackknife import SystemCounts, ratios
from levelhead.studies.request import read_treebank
from levelhead.studies.verdicts import LEVEL, ValueWithInterval, percentile_estimate
from levelhead.typology import count_treebank, profile
from levelhead.typology.languages import family_of

MEASURES = {
    "UAS": "UAS", "LAS": "LAS", "CLAS": "CLAS", "CNC": "CNC", "WLAS": "WLAS(wde,default=0.5)", "MLAS": "MLAS",
    "BLEX": "BLEX",
}  # fmt: skip
"""The compared measures, by their names in the tables."""

SMALL, SAMPLES = 200, 4
"""The number of sentences in a small sample, and the number of such samples from each test set."""

Numbers = NDArray[np.float64]


def entropies(gold: Path) -> Any:
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
    pairs = combinations(range(len(values)), 2)
    same = [np.sign(boot[:, b] - boot[:, a]) == np.sign(values[b] - values[a]) for a, b in pairs]
    rows_by_name = {
        "values": values.T,
        "errors": boot.std(axis=0, ddof=1).T,
        "concordance": np.mean(same, axis=(0, 1)),
        "p": pairwise_randomization_p(counts, resamples, swap_seed).T,
        "small": significant_shares(counts, SMALL, SAMPLES, resamples // 4, LEVEL, small_seed),
    }
    return {
        "systems": list(counts.systems),
        **{name: dict(zip(counts.measures, rows.tolist())) for name, rows in rows_by_name.items()},
    }  # fmt: skip


LAS = list(MEASURES).index("LAS")

WELL_PARSED = 0.5
"""The lowest mean LAS of a well-parsed test set; most test sets below it have no training data."""

Row = Mapping[str, Any]
Draws = NDArray[np.int64]
"""Indices of test sets, shape (resamples, test sets)."""

Statistic = Callable[[Draws], tuple[Numbers, Numbers]]
"""A function of draws. It returns the value of each measure, and the value of LAS on the test sets for which that
measure is defined; both of shape (resamples, measures), nan for missing values."""


class ResultsByTestSet(NamedTuple):
    """The results of all test sets; arrays have a row per test set and a column per measure, nan for no value."""

    codes: tuple[str, ...]
    families: tuple[str, ...]
    significant: Numbers
    corrected: Numbers
    small: Numbers
    concordance: Numbers
    noise: Numbers
    values: Numbers
    systems: tuple[str, ...]
    pairs: Numbers
    undefined: Mapping[str, Mapping[str, str]]


def results_by_test_set(results: Mapping[str, Row]) -> ResultsByTestSet:
    """Return the results of all test sets in arrays."""
    rows = list(results.values())

    def by_measure(function: Callable[[Row, str], float]) -> Numbers:
        return np.array(
            [[np.nan if name in row["undefined"] else function(row, name) for name in MEASURES] for row in rows]
        )

    everywhere = [name for name in rows[0]["systems"] if all(name in row["systems"] for row in rows)]
    values = np.array(
        [
            [
                [
                    row["values"][name][row["systems"].index(system)] if name in row["values"] else np.nan
                    for name in MEASURES
                ]
                for system in everywhere
            ]
            for row in rows
        ]
    )
    undefined = {
        name: {code: row["undefined"][name] for code, row in results.items() if name in row["undefined"]}
        for name in MEASURES
    }
    return ResultsByTestSet(
        tuple(results),
        tuple(family_of(code) for code in results),
        by_measure(lambda row, name: significant_share(row["p"][name])),
        by_measure(lambda row, name: significant_share(holm(row["p"][name]))),
        by_measure(lambda row, name: row["small"][name]),
        by_measure(lambda row, name: row["concordance"][name]),
        by_measure(lambda row, name: float(np.mean(row["errors"][name]) / np.mean(row["values"][name]))),
        values.reshape(len(rows), len(everywhere), len(MEASURES)),
        tuple(everywhere),
        np.array([len(row["p"]["LAS"]) for row in rows], dtype=np.float64),
        {name: reasons for name, reasons in undefined.items() if reasons},
    )


def significant_share(values: Sequence[float | None]) -> float:
    """Return the share of p-values below the level."""
    return sum(value is not None and value < LEVEL for value in values) / len(values)


class MeasureEstimate(NamedTuple):
    """A statistic over test sets, and its value minus that of LAS on the same test sets; None if undefined."""

    value: ValueWithInterval | None
    change: ValueWithInterval | None


Comparison = Mapping[str, MeasureEstimate]
"""The estimates of every measure."""


def estimated(statistic: Statistic, n: int, draws: Draws) -> Comparison:
    """Return a statistic over test sets for each measure, with 95% percentile intervals from resampled test sets."""
    (value,), (las,) = statistic(np.arange(n)[None])
    resampled_value, resampled_las = statistic(draws)
    changes = resampled_value - resampled_las
    return {
        name: MeasureEstimate(
            percentile_estimate(float(value[m]), resampled_value[:, m]),
            None if m == LAS else percentile_estimate(float(value[m] - las[m]), changes[:, m]),
        )
        for m, name in enumerate(MEASURES)
    }


def value_of(statistic: Statistic, rows: Iterable[int]) -> list[float | None]:
    """Return a statistic over some test sets, one value per measure; None if undefined."""
    return known(statistic(np.array(list(rows))[None])[0][0])


def known(values: Numbers) -> list[float | None]:
    """Return numbers with None for nan."""
    return [None if np.isnan(value) else float(value) for value in values]


def mean_of(values: Numbers, weights: Numbers | None = None) -> Statistic:
    """Return a statistic: the mean over test sets."""
    present = ~np.isnan(values) * (np.ones(len(values)) if weights is None else weights)[:, None]
    filled = np.nan_to_num(values)
    las = np.broadcast_to(filled[:, LAS : LAS + 1], filled.shape)

    def statistic(draws: Draws) -> tuple[Numbers, Numbers]:
        weight = present[draws]
        total = weight.sum(axis=1)
        with np.errstate(invalid="ignore"):
            return (weight * filled[draws]).sum(axis=1) / total, (weight * las[draws]).sum(axis=1) / total

    return statistic


POINTS, OF_SCORE, OF_ERROR, LOG_ODDS = SCALES = (
    "in points", "as a share of the mean score", "as a share of the mean error", "in log odds",
)  # fmt: skip
"""The scales for the spread of scores."""


def spread_of(values: Numbers, scale: str) -> Statistic:
    """Return a statistic: the standard deviation of a system's scores over test sets, averaged over systems."""
    present: Numbers = np.where(np.isnan(values).any(axis=1, keepdims=True), 0.0, 1.0)
    filled: Numbers = np.where(present > 0, values, 0.5)
    if scale == LOG_ODDS:
        with np.errstate(divide="ignore"):
            np.log(filled / (1 - filled), out=filled)
    las = np.broadcast_to(filled[:, :, LAS : LAS + 1], filled.shape)

    def statistic(draws: Draws) -> tuple[Numbers, Numbers]:
        return _spread(filled[draws], present[draws], scale), _spread(las[draws], present[draws], scale)

    return statistic


def _spread(scores: Numbers, weight: Numbers, scale: str) -> Numbers:
    """The mean over systems of the spread over test sets; arrays are (resamples, test sets, systems or 1, measures)."""
    total = weight.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (weight * scores).sum(axis=1) / total
        squares = (weight * (scores - mean[:, None]) ** 2).sum(axis=1)
        deviation = np.sqrt(squares / (total - 1))
        per_system = deviation / {OF_SCORE: mean, OF_ERROR: 1 - mean}.get(scale, 1.0)
    spread: Numbers = per_system.mean(axis=1)
    return spread


def well_parsed(results: ResultsByTestSet) -> NDArray[np.int64]:
    """Return the indices of the well-parsed test sets, or of all test sets if fewer than two are well parsed."""
    chosen = np.flatnonzero(results.values[:, :, LAS].mean(axis=1) >= WELL_PARSED)
    return chosen if len(chosen) > 1 else np.arange(len(results.codes))


def spreads_by_scale(
    results: ResultsByTestSet, rows: NDArray[np.int64], resamples: int, seed: int
) -> dict[str, Comparison]:
    """Return the spread of each measure on every scale."""
    draws = resampled_rows(len(rows), resamples, seed)
    return {scale: estimated(spread_of(results.values[rows], scale), len(rows), draws) for scale in SCALES}
