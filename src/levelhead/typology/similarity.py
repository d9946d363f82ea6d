"""The similarity of treebanks, and their clustering by relations."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.immutable import immutable
from levelhead.treebank.strings import Codes, StringColumn, Strings
from levelhead.typology.tally import Histogram, Sums, Tally, sum_of
from levelhead.typology.vocabulary import are_annotated


@immutable
class Distributions(Sums):
    """The distributions by which treebanks are compared."""

    trigrams: Tally  # of UPOS
    relations: Tally  # universal
    displacements: Histogram  # the position of the head minus that of the word, for each arc


class Similarity(NamedTuple):
    """The distances between treebanks A and B; 0 if identical, None if nothing can be compared.

    Args:
        klcpos3: KLcpos3(A, B) in nats: sum of f_A ln(f_A/f_B) over A's UPOS trigrams (f: frequency).
        klcpos3_back: KLcpos3(B, A).
        relations: the Jensen-Shannon divergence of relations, from 0 to 1 bit.
        displacement: the Vaserstein distance of dependency displacements, in words.
    """

    klcpos3: float | None
    klcpos3_back: float | None
    relations: float | None
    displacement: float | None


def similarity(one: Distributions, other: Distributions) -> Similarity:
    """Return the distances between two treebanks."""
    return Similarity(
        klcpos3(one.trigrams, other.trigrams),
        klcpos3(other.trigrams, one.trigrams),
        jensen_shannon(one.relations, other.relations),
        vaserstein(one.displacements, other.displacements),
    )


def count_trigrams(tags: StringColumn, sentence_starts: Codes) -> Tally:
    strings = Strings.of(["\t", *tags.strings.texts])  # a tab is the border of a sentence; no cell can contain it
    middle = tags.codes + 1
    before, after = np.zeros_like(middle), np.zeros_like(middle)
    before[1:], after[:-1] = middle[:-1], middle[1:]
    before[sentence_starts[:-1]] = 0
    after[sentence_starts[1:] - 1] = 0
    return Tally.of(*(StringColumn(codes, strings) for codes in (before, middle, after)))


def klcpos3(target: Tally, source: Tally) -> float | None:
    """Return KLcpos3: the sum over the target's trigrams of f_t ln (f_t / f_s) (Rosa and Žabokrtský 2015)."""
    if not (len(target) and len(source) and are_annotated(target, 1) and are_annotated(source, 1)):
        return None
    of_target, of_source = _side_by_side(target, source)
    shared = of_target > 0
    of_source[shared & (of_source == 0)] = 1  # a trigram that the source lacks counts once there
    p, q = of_target[shared] / of_target.sum(), of_source[shared] / of_source.sum()
    return max(0.0, sum_of(p * np.log(p / q)))


def jensen_shannon(one: Tally, other: Tally) -> float | None:
    """Return the Jensen-Shannon divergence in bits: H((p + q) / 2) - (H(p) + H(q)) / 2 (Lin 1991)."""
    if not (len(one) and len(other)):
        return None
    return divergence(*(counts / counts.sum() for counts in _side_by_side(one, other)))


def divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    return float(np.clip(_entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2, 0, 1))


def vaserstein(one: Histogram, other: Histogram) -> float | None:
    """Return the first Vaserstein distance, the area between two cumulative distributions."""
    if not (one.total and other.total):
        return None
    values = np.union1d(one.values, other.values)
    cumulative = []
    for histogram in (one, other):
        sums = np.concatenate([[0], np.cumsum(histogram.counts)])
        cumulative.append(sums[np.searchsorted(histogram.values, values, side="right")] / histogram.total)
    difference = cumulative[0] - cumulative[1]
    return float((abs(difference[:-1]) * np.diff(values)).sum())


def _side_by_side(one: Tally, other: Tally) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    total = one + other
    of_one = one + Tally(other.axes, other.keys, np.zeros_like(other.counts))
    return of_one.counts.copy(), total.counts - of_one.counts


def _entropy(shares: NDArray[np.float64]) -> float:
    positive = shares[shares > 0]
    return -sum_of(positive * np.log2(positive))


class Cluster(NamedTuple):
    """A cluster of treebanks."""

    names: tuple[str, ...]  # in their order
    height: float = 0.0  # the mean divergence between the treebanks of its two parts, in bits
    parts: tuple[Cluster, ...] = ()  # two; empty for a single treebank

    def reversed(self) -> Cluster:
        return Cluster(self.names[::-1], self.height, tuple(part.reversed() for part in self.parts[::-1]))


class Clustering(NamedTuple):
    """Treebanks clustered by their frequencies of relations."""

    root: Cluster  # of all treebanks; its names are the order
    nearest: Mapping[str, tuple[str, float]]  # the nearest other treebank, and their divergence in bits


def clustered(relations: Mapping[str, Mapping[str, float]]) -> Clustering:
    """Return a hierarchical clustering: average linkage of the Jensen-Shannon divergence of relations."""
    names = list(relations)
    labels = sorted({relation for shares in relations.values() for relation in shares})
    rows = np.array([[shares.get(relation, 0.0) for relation in labels] for shares in relations.values()])
    rows /= rows.sum(axis=1, keepdims=True)
    distances = np.zeros((len(names), len(names)))
    for row, other in zip(*np.triu_indices(len(names), 1)):
        distances[row, other] = distances[other, row] = divergence(rows[row], rows[other])
    clusters = [Cluster((name,)) for name in names]
    means, sizes = distances.copy(), np.ones(len(names))
    np.fill_diagonal(means, np.inf)
    place = {name: i for i, name in enumerate(names)}
    for _ in names[1:]:
        i, j = sorted(int(at) for at in np.unravel_index(means.argmin(), means.shape))
        # of the four ways to join two clusters, the one with the most similar neighbors in the middle
        orders = list(itertools.product(*((part, part.reversed()) for part in (clusters[i], clusters[j]))))
        gaps = [distances[place[left.names[-1]], place[right.names[0]]] for left, right in orders]
        left, right = orders[int(np.argmin(gaps))]
        clusters[i] = Cluster(left.names + right.names, float(means[i, j]), (left, right))
        merged = (means[i] * sizes[i] + means[j] * sizes[j]) / (sizes[i] + sizes[j])
        means[i], means[:, i], means[i, i] = merged, merged, np.inf
        means[j], means[:, j] = np.inf, np.inf
        sizes[i] += sizes[j]
    np.fill_diagonal(distances, np.inf)
    closest = {name: (names[int(row.argmin())], float(row.min())) for name, row in zip(names, distances)}
    return Clustering(clusters[0], closest if len(names) > 1 else {})
