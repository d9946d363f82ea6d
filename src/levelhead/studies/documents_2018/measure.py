"""How variances, intervals and tests by sentence differ from those by document, on one test set with many outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from levelhead.campaign.results import Results
from levelhead.significance import SystemCounts, Units, pairwise_randomization_p, resampled, resampled_rows, spawned
from levelhead.significance.estimates import Estimate
from levelhead.significance.jackknife import Spread, leave_out, spread_of
from levelhead.significance.resampling import Seed
from levelhead.significance.system_counts import Sums
from levelhead.significance.units import DOCUMENT

MEASURES = ("LAS", "CLAS", "MLAS", "UEM")
"""The measures that are compared."""

METHODS = ("bootstrap, sentences", "bootstrap, documents", "jackknife and t, documents")
"""The compared intervals: the usual ones in the field, the same by document, and those of `compare`."""

FEWEST_DOCUMENTS = 10
"""The smallest number of documents of a test set that is used."""

_LEVEL = 0.95
_EQUAL = 1e-12


def counts_of_test_set(results: Results, code: str) -> dict[str, Any]:
    """Return the sizes of a test set and, if it has enough documents, the counts for `measure_documents`; plain JSON."""
    outputs = {name: results.results[name, code] for name in results.systems if (name, code) in results.results}
    valid = {name: output.sentences for name, output in outputs.items() if output.state == "valid"}
    units = next(output.units for output in outputs.values() if output.units is not None)
    n_documents = units.n_units if units.kind == DOCUMENT else 1
    sizes = {"documents": n_documents, "sentences": len(units.of_sentence), "systems": list(valid)}
    if n_documents < FEWEST_DOCUMENTS or len(valid) < 2:
        return sizes
    measures = [name for name in results.measures if all(name in by_measure for by_measure in valid.values())]
    parts = [np.stack([by_measure[name].T for name in measures], axis=1) for by_measure in valid.values()]
    counts = {"measures": measures, "parts": np.stack(parts, axis=1).tolist()}
    return {**sizes, "largest": units.largest, "of_sentence": units.of_sentence.tolist(), **counts}


def measure_documents(
    counts: Mapping[str, Any], samples: int, resamples: int, permutations: int, seed: int
) -> dict[str, Any]:
    """Return design effects, coverage of intervals, and p-values of one test set."""
    units = Units(DOCUMENT, np.array(counts["of_sentence"], dtype=np.int64))
    parts = np.array(counts["parts"], dtype=np.float64)
    valid = counts["systems"]
    sentences = SystemCounts(tuple(valid), tuple(counts["measures"]), parts, "")
    documents = sentences._replace(parts=units.sums(parts))
    variances = np.stack([_variances(counted) for counted in (sentences, documents)], axis=-1)
    covered = coverage(sentences, units, samples, resamples, seed)
    p_values = pair_p_values(sentences, documents, permutations, seed)
    entries = _entries(sentences.measures, variances, covered)
    scores = {name: own[: len(valid)] for name, own in entries.items()}
    differences = {
        name: [{**entry, "p": p.tolist()} for entry, p in zip(own[len(valid) :], p_values[:, m], strict=True)]
        for m, (name, own) in enumerate(entries.items())
    }
    return {"scores": scores, "differences": differences}


def _entries(measures: Sequence[str], variances: Sums, covered: Sums) -> dict[str, list[dict[str, Any]]]:
    """Variances and coverage of scores and differences by measure, from shapes (n, measures, ...)."""
    return {
        name: [
            {"variances": own.tolist(), "covered": shares.tolist()}
            for own, shares in zip(variances[:, m], covered[:, m], strict=True)
        ]
        for m, name in enumerate(measures)
    }


def coverage(sentences: SystemCounts, units: Units, samples: int, resamples: int, seed: int) -> Sums:
    """Return how often the intervals of each method contain the true value when documents are drawn."""
    true = _contrasts(sentences.values(sentences.parts.sum(axis=0)))
    of_document = [np.flatnonzero(units.of_sentence == number) for number in range(units.n_units)]
    drawing, *seeds = spawned(seed, 1 + 2 * samples)
    held = np.zeros((*true.shape, len(METHODS)))
    for i, rows in enumerate(resampled_rows(units.n_units, samples, drawing)):
        drawn = sentences._replace(parts=sentences.parts[np.concatenate([of_document[row] for row in rows])])
        whole = sentences._replace(parts=np.stack([sentences.parts[of_document[row]].sum(axis=0) for row in rows]))
        bootstraps = [percentiles(drawn, resamples, seeds[2 * i]), percentiles(whole, resamples, seeds[2 * i + 1])]
        for method, (low, high) in enumerate([*bootstraps, _student_intervals(whole)]):
            held[..., method] += (low <= true + _EQUAL) & (true <= high + _EQUAL)
    return held / samples


def _contrasts(values: Sums) -> Sums:
    """The scores of all runs, then the differences of all pairs; from (..., runs, measures) to (..., n, measures)."""
    pairs = list(combinations(range(values.shape[-2]), 2))
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    return np.concatenate([values, values[..., second, :] - values[..., first, :]], axis=-2)


def percentiles(table: SystemCounts, resamples: int, seed: Seed) -> Sums:
    """Return the 95% percentile bootstrap intervals of scores and differences, shape (2, n, measures)."""
    sums = table.shaped(resampled(table.flat, resamples, seed))
    ends: Sums = np.quantile(_contrasts(table.values(sums)), [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=0)
    return ends


def _student_intervals(table: SystemCounts) -> Sums:
    """The intervals of `compare`, shape (2, n, measures); infinite if there are too few units."""
    n_runs = len(table.systems)
    ends = [
        [
            (estimate.score_interval if i < n_runs else estimate.interval)(_LEVEL) or (-np.inf, np.inf)
            for estimate in own
        ]
        for i, own in enumerate(_estimates(table))
    ]
    return np.moveaxis(np.array(ends), -1, 0)


def _spreads(table: SystemCounts) -> list[list[Spread]]:
    """The jackknife spread of scores and differences, by measure."""
    strata = [leave_out(table)]
    contrasts = _contrasts(np.eye(len(table.systems)))
    return [[spread_of(strata, contrast, m) for m in range(len(table.measures))] for contrast in contrasts]


def _variances(table: SystemCounts) -> Sums:
    """The variances of scores and differences, shape (n, measures)."""
    return np.array([[spread.variance for spread in own] for own in _spreads(table)])


def _estimates(table: SystemCounts) -> Iterator[list[Estimate]]:
    """The scores and differences by measure, with standard errors as in `compare`."""
    values = _contrasts(table.values(table.parts.sum(axis=0)))
    for i, spreads in enumerate(_spreads(table)):
        more = [0.0 if i < len(table.systems) else spread.observation for spread in spreads]
        yield [
            Estimate(float(value), spread.variance + extra, spread.freedom, spread.n_units)
            for value, spread, extra in zip(values[i], spreads, more, strict=True)
        ]


def pair_p_values(sentences: SystemCounts, documents: SystemCounts, permutations: int, seed: int) -> Sums:
    """Return the p-values of pairs, shape (pairs, measures, 2): by sentence as is usual, by document as in `compare`."""
    swaps = [pairwise_randomization_p(counts, permutations, seed) for counts in (sentences, documents)]
    by_t = [[estimate.p() for estimate in own] for own in list(_estimates(documents))[len(documents.systems) :]]
    return np.stack([swaps[0], np.maximum(swaps[1], np.array(by_t, dtype=np.float64))], axis=-1)


def known_results(results: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the test sets with enough documents and outputs, by code."""
    yield from ((code, result) for code, result in results.items() if "scores" in result)
