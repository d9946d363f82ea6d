"""One test set, many outputs: how variances, intervals and tests by sentence differ from those by document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from levelhead.campaign import find, score_plan
from levelhead.campaign.results import Results
from levelhead.setup import setup_of
from levelhead.significance import Counted, pairwise_randomization_p, spawned
from levelhead.significance.counted import Sums
from levelhead.significance.resampling import resampled_weights
from levelhead.studies.documents_2018.documents import document_of_sentence, summed_by_document
from levelhead.treebank import read

MEASURES = ("LAS", "CLAS", "MLAS", "UEM")
"""The measures that are compared."""

FEWEST_DOCUMENTS = 10
"""Test sets with fewer documents are left out."""

_LEVEL = 1.959963984540054  # standard errors within which 95% of a normal distribution lie


def measure_documents(gold: str, *arguments: Any) -> dict[str, Any]:
    """Return design effects, coverage of intervals, and p-values of one test set.

    Args:
        gold: the path of the test set.
        arguments: the paths of the outputs; then the names of the systems, how many resamples, the seed.

    Returns:
        The numbers of documents, sentences and valid outputs; with `FEWEST_DOCUMENTS` documents and two outputs, also
        `scores` (one entry per system) and `differences` (one per pair), lists by measure. Each entry has `variances`
        by sentences and by documents, and `covered`, the shares of the intervals by sentences and by documents
        that hold the true value when documents are drawn; those of pairs also `p`, by sentences and by documents.
    """
    *paths, names, resamples, seed = arguments
    results = score_plan(find({"gold": gold}, dict(zip(names, paths))), setup_of(MEASURES), by_sentence=True)
    valid = [name for name in results.systems if results.results[name, "gold"].state == "valid"]
    documents = document_of_sentence(read(gold))
    n_documents = int(documents.max(initial=-1)) + 1
    found = {"documents": n_documents, "sentences": len(documents), "systems": valid}
    if n_documents < FEWEST_DOCUMENTS or len(valid) < 2:
        return found
    table = _counts(results, valid)
    sizes = summed_by_document(np.ones(len(documents)), documents)
    drawing, by_sentences, by_documents = spawned(seed, 3)
    weights = resampled_weights(n_documents, resamples, drawing)
    summed = table._replace(parts=summed_by_document(table.parts, documents))
    p_values = [
        pairwise_randomization_p(one, resamples, own) for one, own in ((table, by_sentences), (summed, by_documents))
    ]
    study = _Study(table.parts, documents, weights, weights @ sizes)
    pairs = list(combinations(range(len(valid)), 2))
    scores = {name: [study.of((run,), m) for run in range(len(valid))] for m, name in enumerate(table.measures)}
    differences = {
        name: [{**study.of(pair, m), "p": [float(p[i, m]) for p in p_values]} for i, pair in enumerate(pairs)]
        for m, name in enumerate(table.measures)
    }
    return {**found, "largest": float(sizes.max() / sizes.sum()), "scores": scores, "differences": differences}


def _counts(results: Results, valid: list[str]) -> Counted:
    """The counts of the measures that have a value for every valid output."""
    each = [results.results[name, "gold"].sentences for name in valid]
    measures = tuple(name for name in results.measures if all(name in one for one in each))
    parts = np.stack([np.stack([one[name].T for name in measures], axis=1) for one in each], axis=1)
    return Counted(tuple(valid), measures, parts, "")


class _Study:
    """Scores and differences of one test set whose documents are drawn.

    Args:
        parts: the counts of sentences, shape (sentences, runs, measures, 2).
        documents: the document of each sentence.
        weights: how often each document is drawn, shape (resamples, documents).
        n_drawn: how many sentences each resample has, shape (resamples,).
    """

    def __init__(self, parts: Sums, documents: Any, weights: Sums, n_drawn: Sums) -> None:
        self._parts, self._documents = parts, documents
        self._draws = np.concatenate([np.ones((1, weights.shape[1])), weights])
        self._n_sentences = np.concatenate([[len(parts)], n_drawn])
        self._n_documents = weights.shape[1]

    def of(self, runs: tuple[int, ...], m: int) -> dict[str, Any]:
        """Return the effect and the coverage of the score of one run, or of the difference between two."""
        sentences = self._parts[:, runs, m].reshape(len(self._parts), -1)
        summed = summed_by_document(sentences, self._documents)
        within = summed_by_document(_products(sentences), self._documents)
        values, gradient = _values(self._draws @ summed)
        n, k = self._n_sentences, self._n_documents
        by_sentences = _quadratic(self._draws @ within, gradient) * n / (n - 1)
        by_documents = _quadratic(self._draws @ _products(summed), gradient) * k / (k - 1)
        away = np.abs(values[1:] - values[0]) - 1e-12
        held = [float(np.mean(away <= _LEVEL * np.sqrt(one[1:]))) for one in (by_sentences, by_documents)]
        variances = [float(by_sentences[0]), float(by_documents[0])]
        return {"variances": variances, "covered": held}


def _products(table: Sums) -> Sums:
    """The products of all pairs of columns, shape (rows, columns squared)."""
    products: Sums = (table[:, :, None] * table[:, None, :]).reshape(len(table), -1)
    return products


def _values(sums: Sums) -> tuple[Sums, Sums]:
    """A ratio, or the difference of two, and its derivatives by the sums; shapes (draws,) and (draws, columns)."""
    above, below = sums[:, 0::2], sums[:, 1::2]
    ratios = above / below
    signs = np.array([1.0]) if ratios.shape[1] == 1 else np.array([-1.0, 1.0])
    gradient = np.empty_like(sums)
    gradient[:, 0::2], gradient[:, 1::2] = signs / below, -signs * ratios / below
    return ratios @ signs, gradient


def _quadratic(products: Sums, gradient: Sums) -> Sums:
    """The sum of squared linearized terms: their mean is 0, since ratios are those of the same sums."""
    columns = gradient.shape[1]
    matrices = products.reshape(-1, columns, columns)
    squares: Sums = np.einsum("di,dij,dj->d", gradient, matrices, gradient)
    return np.maximum(squares, 0.0)


def known_results(results: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the test sets with enough documents and outputs, by code.

    Args:
        results: what `measure_documents` returned for each test set.
    """
    yield from ((code, one) for code, one in results.items() if "scores" in one)
