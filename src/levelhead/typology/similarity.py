"""The similarity of two treebanks: trigrams of parts of speech, relations, dependency displacements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from levelhead.treebank import StringColumn, Strings
from levelhead.typology.morphology import are_annotated
from levelhead.typology.tally import Histogram, Sums, Tally, sum_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank.strings import Codes

BOUNDARY = "\t"
"""Marks the start and the end of a sentence among parts of speech; no cell of CoNLL-U can contain it."""


@dataclass(frozen=True, eq=False)
class Distributions(Sums):
    """The distributions by which treebanks are compared.

    Args:
        trigrams: counts of three UPOS in sequence.
        relations: counts of universal relations.
        displacements: the position of the head minus that of the word, for each arc.
    """

    trigrams: Tally
    relations: Tally
    displacements: Histogram


class Similarity(NamedTuple):
    """The distances between two treebanks; 0 means identical; None if there is nothing to compare.

    Args:
        klcpos3: KLcpos3(A, B), the Kullback-Leibler divergence of B's trigrams of UPOS from A's, in nats.
        klcpos3_back: KLcpos3(B, A).
        relations: the Jensen-Shannon divergence of relations, from 0 to 1 bit.
        displacement: the Vaserstein distance of dependency displacements, in words.
    """

    klcpos3: float | None
    klcpos3_back: float | None
    relations: float | None
    displacement: float | None


def similarity(one: Distributions, other: Distributions) -> Similarity:
    """Return the distances between two treebanks.

    Args:
        one: A, for example the test set or the target language.
        other: B, for example the training set or the source language.
    """
    return Similarity(
        klcpos3(one.trigrams, other.trigrams),
        klcpos3(other.trigrams, one.trigrams),
        jensen_shannon(one.relations, other.relations),
        vaserstein(one.displacements, other.displacements),
    )


def count_trigrams(tags: StringColumn, sentence_starts: Codes) -> Tally:
    """Count the trigrams of universal parts of speech centered on each word of a sentence."""
    strings = Strings.of([BOUNDARY, *tags.strings.texts])
    middle = tags.codes + 1
    before, after = np.zeros_like(middle), np.zeros_like(middle)
    before[1:], after[:-1] = middle[:-1], middle[1:]
    before[sentence_starts[:-1]] = 0
    after[sentence_starts[1:] - 1] = 0
    return Tally.of(*(StringColumn(codes, strings) for codes in (before, middle, after)))


def klcpos3(target: Tally, source: Tally) -> float | None:
    """Return KLcpos3(target, source): the sum over the target's trigrams of f_t ln (f_t / f_s).

    A trigram that the source lacks counts once there (Rosa and Žabokrtský 2015, section 3).
    """
    if not (len(target) and len(source) and are_annotated(target, 1) and are_annotated(source, 1)):
        return None
    of_target, of_source = _side_by_side(target, source)
    of_source[(of_target > 0) & (of_source == 0)] = 1
    shared = of_target > 0
    p, q = of_target[shared] / of_target.sum(), of_source[shared] / of_source.sum()
    return max(0.0, sum_of(p * np.log(p / q)))


def jensen_shannon(one: Tally, other: Tally) -> float | None:
    """Return the Jensen-Shannon divergence of two distributions in bits: 0 if they are equal, 1 if they are disjoint.

    JSD = H((p + q) / 2) - (H(p) + H(q)) / 2 (Lin 1991).
    """
    if not (len(one) and len(other)):
        return None
    p, q = (counts / counts.sum() for counts in _side_by_side(one, other))
    return divergence(p, q)


def divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Return the Jensen-Shannon divergence of two distributions in bits, see `jensen_shannon`."""
    bits = _entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2
    return float(np.clip(bits, 0, 1))


def vaserstein(one: Histogram, other: Histogram) -> float | None:
    """Return the first Vaserstein (earth mover's) distance: the area between two cumulative distributions.

    Used for dependency displacements by Anderson and Gómez-Rodríguez (2022).
    """
    if not (one.total and other.total):
        return None
    values = np.union1d(one.values, other.values)
    difference = _cumulative(one, values) - _cumulative(other, values)
    return float((abs(difference[:-1]) * np.diff(values)).sum())


def _cumulative(histogram: Histogram, values: NDArray[np.int64]) -> NDArray[np.float64]:
    sums = np.concatenate([[0], np.cumsum(histogram.counts)])
    return sums[np.searchsorted(histogram.values, values, side="right")] / histogram.total


def _side_by_side(one: Tally, other: Tally) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the counts of both for the union of their tuples, in the same order."""
    total = one + other
    of_one = one + Tally(other.axes, other.keys, np.zeros_like(other.counts))
    return of_one.counts.copy(), total.counts - of_one.counts


def _entropy(shares: NDArray[np.float64]) -> float:
    positive = shares[shares > 0]
    return -sum_of(positive * np.log2(positive))
