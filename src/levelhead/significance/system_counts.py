"""The counts of sentences for tests: a numerator and a denominator for each measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.scoring.counts import Counts
from levelhead.scoring.measure import Component

Sums = NDArray[np.float64]


class Run(NamedTuple):
    """One output of one system on one treebank.

    Args:
        system: the name of the system; several runs (seeds) can have the same name.
        counts: the counts of each measure in every sentence, with the component that is its value.
    """

    system: str
    counts: Mapping[str, tuple[Counts, Component]]


class SystemCounts(NamedTuple):
    """The counts of all runs and measures on one treebank.

    Args:
        systems: the system of each run.
        measures: the measures.
        parts: numerator and denominator of each measure in every sentence; integers, exact in float64; shape
            (sentences, runs, measures, 2).
        gold: the SHA-256 of the gold contents, from which draws are seeded.
        perplexities: which of the measures are perplexities, by index.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    parts: Sums
    gold: str
    perplexities: tuple[int, ...] = ()

    def values(self, sums: Sums) -> Sums:
        """Return the values of sums: ratios, or 10 ** ratio for perplexities; nan if there is nothing to count.

        Args:
            sums: shape (..., measures, 2).
        """
        values = ratios(sums)
        powers = list(self.perplexities)
        values[..., powers] = 10.0 ** values[..., powers]
        return values

    @property
    def flat(self) -> Sums:
        """The parts with one row per sentence, shape (sentences, runs * measures * 2)."""
        return self.parts.reshape(len(self.parts), -1)

    def shaped(self, sums: Sums) -> Sums:
        """Return flat sums over sentences in the shape (..., runs, measures, 2).

        Args:
            sums: shape (..., runs * measures * 2).
        """
        return sums.reshape(*sums.shape[:-1], *self.parts.shape[1:])


def system_counts(runs: Sequence[Run], gold: str) -> SystemCounts:
    """Return the counts of runs on one treebank.

    Args:
        runs: the runs, with the same measures and sentences.
        gold: the SHA-256 of the gold contents.
    """
    measures = tuple(runs[0].counts)
    parts = [np.stack([_parts(*run.counts[measure]) for measure in measures], axis=1) for run in runs]
    powers = tuple(i for i, name in enumerate(measures) if runs[0].counts[name][1] == "perplexity")
    return SystemCounts(tuple(run.system for run in runs), measures, np.stack(parts, axis=1), gold, powers)


def _parts(counts: Counts, component: Component) -> Sums:
    """Numerator and denominator of a ratio, shape (sentences, 2); F1 = 2 correct / (system + gold)."""
    wholes = {"precision": counts.system, "aligned_accuracy": counts.aligned}
    if component == "f1":
        return np.stack([2.0 * counts.correct, counts.system + counts.gold], axis=1).astype(np.float64)
    whole = wholes.get(component, counts.gold)
    return np.stack([counts.correct, counts.correct * 0 if whole is None else whole], axis=1).astype(np.float64)


def ratios(parts: Sums) -> Sums:
    """Return numerators divided by denominators, nan if there is nothing to count; shape without the last axis."""
    whole = parts[..., 1]
    divided: Sums = np.divide(parts[..., 0], whole, out=np.full(whole.shape, np.nan), where=whole != 0)
    return divided
