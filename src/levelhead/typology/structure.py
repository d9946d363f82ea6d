"""Counts of trees: arcs, distances, depth, arity, direction, projectivity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from levelhead.treebank import shapes_of
from levelhead.typology.tally import Histogram, Sums, Tally, sum_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank import StringColumn, Treebank


@dataclass(frozen=True, eq=False)
class Structure(Sums):
    """Counts of the trees of a treebank; arcs are between two words, without the arcs of roots.

    Args:
        nonprojective_arcs: arcs that span a word that their head does not dominate.
        nonprojective_trees: trees with a non-projective arc.
        right_crossed_trees: trees that Callin's program counts as non-projective.
        ill_nested_trees: trees with disjoint subtrees that interleave.
        random_distance: three times the expected sum of dependency distances in random order.
        displacements: the position of the head minus that of the word, for each arc.
        heights: arcs from the root to the deepest word, for each tree.
        arities: the number of dependents of each word with dependents.
        gap_degrees: the largest number of gaps of a subtree, for each tree.
        head_first: arcs whose head precedes, by (relation, UPOS, UPOS of the head).
        head_last: arcs whose head follows, by the same keys.
    """

    nonprojective_arcs: int
    nonprojective_trees: int
    right_crossed_trees: int
    ill_nested_trees: int
    random_distance: int
    displacements: Histogram
    heights: Histogram
    arities: Histogram
    gap_degrees: Histogram
    head_first: Tally
    head_last: Tally

    @property
    def n_arcs(self) -> int:
        """The number of arcs between two words."""
        return self.displacements.total

    @property
    def distance(self) -> float | None:
        """The mean dependency distance."""
        total = int((abs(self.displacements.values) * self.displacements.counts).sum())
        return total / self.n_arcs if self.n_arcs else None

    @property
    def expected_distance(self) -> float | None:
        """The mean dependency distance expected if the words of each sentence were in random order."""
        return self.random_distance / 3 / self.n_arcs if self.n_arcs else None

    @property
    def direction_entropy(self) -> float | None:
        """The conditional entropy of the direction of an arc, given relation and both UPOS, in bits."""
        if not self.n_arcs:
            return None
        logs = sum_of((self.head_first + self.head_last).count_logs())
        logs -= sum_of(self.head_first.count_logs()) + sum_of(self.head_last.count_logs())
        return max(0.0, logs) / self.n_arcs


def count_structure(treebank: Treebank, tags: StringColumn, relations: StringColumn) -> Structure:
    """Count the trees of a treebank."""
    shapes = shapes_of(treebank)
    words = np.flatnonzero(treebank.heads >= 0)
    heads = treebank.heads[words]
    sizes = np.diff(treebank.sentence_starts).astype(np.int64)
    starts = treebank.sentence_starts[:-1]
    n_arcs = np.add.reduceat(treebank.heads >= 0, starts, dtype=np.int64) if sizes.size else sizes

    def directed(chosen: NDArray[np.bool_]) -> Tally:
        arcs = words[chosen]
        return Tally.of(relations.take(arcs), tags.take(arcs), tags.take(treebank.heads[arcs].astype(np.intp)))

    return Structure(
        int(shapes.nonprojective.sum()),
        _n_sentences(treebank, shapes.nonprojective),
        _n_sentences(treebank, shapes.right_crossed),
        int(shapes.ill_nested.sum()),
        int((n_arcs * (sizes + 1)).sum()),
        Histogram.of(heads.astype(np.int64) - words),
        Histogram.of(_largest(treebank, shapes.depths)),
        Histogram.of(np.unique(heads, return_counts=True)[1]),
        Histogram.of(_largest(treebank, shapes.gap_degrees)),
        directed(heads < words),
        directed(heads > words),
    )


def _n_sentences(treebank: Treebank, marked: NDArray[np.bool_]) -> int:
    """Count the sentences with a marked word."""
    return np.unique(treebank.sentence_of_word[marked]).size


def _largest(treebank: Treebank, values: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the largest value of each sentence."""
    return np.maximum.reduceat(values, treebank.sentence_starts[:-1]) if len(treebank) else values
