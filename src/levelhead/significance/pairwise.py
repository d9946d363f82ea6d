"""Tests of all pairs of systems on one test set."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from levelhead.significance.differences import EQUAL, permutation_p
from levelhead.significance.resampling import Seed, swapped
from levelhead.significance.system_counts import Sums, SystemCounts


def pairwise_randomization_p(table: SystemCounts, resamples: int, seed: Seed) -> Sums:
    """Return the two-sided p-values of each pair of runs by paired randomization, shape (pairs, measures).

    Args:
        table: the counts; pairs are in the order of `itertools.combinations`.
        resamples: the number of permutations.
        seed: the random seed.
    """
    return np.array([permutation_p(*permuted) for permuted in _permuted_differences(table, resamples, seed)])


def _permuted_differences(table: SystemCounts, resamples: int, seed: Seed) -> Iterator[tuple[Sums, Sums]]:
    """The differences of each pair of runs in all permutations, shape (resamples, measures), and in the data."""
    rng, sums = np.random.default_rng(seed), table.parts.sum(axis=0)
    values = table.values(sums)
    for one, other in combinations(range(len(table.systems)), 2):
        change = table.parts[:, other] - table.parts[:, one]
        moved = swapped(change.reshape(len(change), -1), resamples, rng).reshape(resamples, *change.shape[1:])
        permuted = table.values(sums[other] - moved) - table.values(sums[one] + moved)
        yield permuted, values[other] - values[one]


def significant_shares(table: SystemCounts, size: int, samples: int, resamples: int, level: float, seed: Seed) -> Sums:
    """Return the share of pairs of runs that differ significantly in random samples of sentences, shape (measures,).

    Args:
        table: the counts.
        size: the number of sentences of a sample, drawn without replacement; all if there are fewer.
        samples: the number of samples.
        resamples: the number of permutations for each pair.
        level: the significance level.
        seed: the random seed.
    """
    rng, shares = np.random.default_rng(seed), []
    for _ in range(samples):
        rows = rng.permutation(len(table.parts))[:size]
        p = pairwise_randomization_p(table._replace(parts=table.parts[rows]), resamples, rng)
        shares.append((p < level).mean(axis=0))
    mean: Sums = np.mean(shares, axis=0)
    return mean


def exact_rejections(permuted: Sums, observed: Sums, level: float) -> Sums:
    """Return the rejection probability of a one-sided randomization test with an exact level, shape (...).

    It rejects above the critical value, never below it, and at the critical value with the probability that makes the
    level exact (Lehmann and Romano 2005, Testing Statistical Hypotheses, section 15.2). Tests by p < level have a lower
    level, and less power, if a statistic has many ties, such as counts of sentences.
    """
    higher = np.count_nonzero(~(permuted <= observed + EQUAL), axis=0)
    ties = 1 + np.count_nonzero(np.abs(permuted - observed) <= EQUAL, axis=0)
    shares: Sums = np.clip((level * (1 + len(permuted)) - higher) / ties, 0.0, 1.0)
    return shares


def separated_shares(
    table: SystemCounts, by: int, size: int, samples: int, resamples: int, level: float, seed: Seed
) -> Sums | None:
    """Return the share of pairs of runs that are separated in random samples of sentences, shape (measures,).

    A pair is separated if a test with the exact level finds that the run that is better in all sentences is better.

    Args:
        table: the counts.
        by: the number of the measure that decides which run of a pair is better; ties are left out.
        size: the number of sentences of a sample, drawn without replacement.
        samples: the number of samples.
        resamples: the number of permutations for each pair.
        level: the one-sided level.
        seed: the random seed.

    Returns:
        The shares; None if no run is better than another.
    """
    rng, shares = np.random.default_rng(seed), []
    values = table.values(table.parts.sum(axis=0))[:, by]
    signs = np.array([np.sign(values[other] - values[one]) for one, other in combinations(range(len(values)), 2)])
    better = np.where(np.isin(np.arange(len(table.measures)), table.perplexities), -1.0, 1.0)
    for _ in range(samples if signs.any() else 0):
        sample = table._replace(parts=table.parts[rng.permutation(len(table.parts))[:size]])
        found = [
            exact_rejections(sign * better * permuted, sign * better * observed, level)
            for sign, (permuted, observed) in zip(signs, _permuted_differences(sample, resamples, rng))
            if sign
        ]
        shares.append(np.mean(found, axis=0))
    return np.mean(shares, axis=0) if shares else None
