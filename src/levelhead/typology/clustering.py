"""A hierarchical clustering of treebanks by relations, in which similar treebanks are neighbors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.typology.similarity import divergence


class Cluster(NamedTuple):
    """A cluster of treebanks.

    Args:
        names: its treebanks, in their order.
        height: the mean divergence between the treebanks of its two parts, in bits; 0 for a single treebank.
        parts: its two parts; empty for a single treebank.
    """

    names: tuple[str, ...]
    height: float = 0.0
    parts: tuple[Cluster, ...] = ()


class Clustering(NamedTuple):
    """Treebanks clustered by their frequencies of relations.

    Args:
        root: the cluster of all treebanks; its names are the order.
        nearest: for each treebank the nearest other treebank, and their divergence in bits; empty for a single
            treebank.
    """

    root: Cluster
    nearest: Mapping[str, tuple[str, float]]


def clustered(relations: Mapping[str, Mapping[str, float]]) -> Clustering:
    """Return a hierarchical clustering of treebanks: average linkage of the Jensen-Shannon divergence of relations.

    The divergence is the column JSD(relations) of `levelhead similarity`. The two clusters with the lowest mean
    divergence are merged repeatedly. Of the four ways to join two clusters, the one with the most similar neighbors in
    the middle is used.
    """
    names = list(relations)
    distances = _divergences(relations)
    clusters = [Cluster((name,)) for name in names]
    means, sizes = distances.copy(), np.ones(len(names))
    np.fill_diagonal(means, np.inf)
    place = {name: i for i, name in enumerate(names)}
    for _ in names[1:]:
        i, j = sorted(int(at) for at in np.unravel_index(means.argmin(), means.shape))
        clusters[i] = _joined(clusters[i], clusters[j], float(means[i, j]), distances, place)
        merged = (means[i] * sizes[i] + means[j] * sizes[j]) / (sizes[i] + sizes[j])
        means[i], means[:, i], means[i, i] = merged, merged, np.inf
        means[j], means[:, j] = np.inf, np.inf
        sizes[i] += sizes[j]
    return Clustering(clusters[0], _nearest(names, distances))


def _divergences(relations: Mapping[str, Mapping[str, float]]) -> NDArray[np.float64]:
    """The divergence of each two treebanks, shape (treebanks, treebanks)."""
    names = sorted({relation for shares in relations.values() for relation in shares})
    rows = np.array([[shares.get(relation, 0.0) for relation in names] for shares in relations.values()])
    rows /= rows.sum(axis=1, keepdims=True)
    distances = np.zeros((len(rows), len(rows)))
    for i, j in zip(*np.triu_indices(len(rows), 1)):
        distances[i, j] = distances[j, i] = divergence(rows[i], rows[j])
    return distances


def _joined(
    left: Cluster, right: Cluster, height: float, distances: NDArray[np.float64], place: Mapping[str, int]
) -> Cluster:
    orders = [(first, second) for first in (left, _reversed(left)) for second in (right, _reversed(right))]
    gaps = [distances[place[first.names[-1]], place[second.names[0]]] for first, second in orders]
    parts = orders[int(np.argmin(gaps))]
    return Cluster(parts[0].names + parts[1].names, height, parts)


def _reversed(cluster: Cluster) -> Cluster:
    """The cluster in reverse order."""
    return Cluster(cluster.names[::-1], cluster.height, tuple(_reversed(part) for part in reversed(cluster.parts)))


def _nearest(names: Sequence[str], distances: NDArray[np.float64]) -> dict[str, tuple[str, float]]:
    if len(names) < 2:
        return {}
    others = distances + np.diag(np.full(len(names), np.inf))
    return {name: (names[int(row.argmin())], float(row.min())) for name, row in zip(names, others)}
