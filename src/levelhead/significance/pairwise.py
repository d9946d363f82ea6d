"""Tests of all pairs of systems on one test set."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from levelhead.significance.counted import Counted, Sums
from levelhead.significance.differences import permutation_p
from levelhead.significance.resampling import Seed, swapped


def pairwise_randomization_p(table: Counted, resamples: int, seed: Seed) -> Sums:
    """Return the two-sided p-values of each pair of runs by paired randomization, shape (pairs, measures).

    Args:
        table: the counts; pairs are in the order of `itertools.combinations`.
        resamples: how many permutations.
        seed: of the draws.
    """
    rng, sums = np.random.default_rng(seed), table.parts.sum(axis=0)
    values, found = table.values(sums), []
    for one, other in combinations(range(len(table.systems)), 2):
        change = table.parts[:, other] - table.parts[:, one]
        moved = swapped(change.reshape(len(change), -1), resamples, rng).reshape(resamples, *change.shape[1:])
        permuted = table.values(sums[other] - moved) - table.values(sums[one] + moved)
        found.append(permutation_p(permuted, values[other] - values[one]))
    return np.array(found)


def significant_shares(table: Counted, size: int, samples: int, resamples: int, level: float, seed: Seed) -> Sums:
    """Return the share of pairs of runs that differ significantly in random samples of sentences, shape (measures,).

    Args:
        table: the counts.
        size: how many sentences a sample has, drawn without replacement; all if there are fewer.
        samples: how many samples.
        resamples: how many permutations for each pair.
        level: the p below which a difference is significant.
        seed: of the draws.
    """
    rng, shares = np.random.default_rng(seed), []
    for _ in range(samples):
        rows = rng.permutation(len(table.parts))[:size]
        p = pairwise_randomization_p(table._replace(parts=table.parts[rows]), resamples, rng)
        shares.append((p < level).mean(axis=0))
    mean: Sums = np.mean(shares, axis=0)
    return mean
