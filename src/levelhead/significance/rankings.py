"""Rankings under resampling: averages of all systems, differences of neighbors, wins on single test sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.corrections import holm
from levelhead.significance.counted import ratios
from levelhead.significance.differences import EQUAL, Settings, permutation_p, seeded
from levelhead.significance.failures import evidence
from levelhead.significance.pairwise import pairwise_bootstrap_p
from levelhead.significance.rank_sets import PairDifferences, pair_differences
from levelhead.significance.resampling import Seed, resampled, spawned, swapped

Sums = NDArray[np.float64]
Flags = NDArray[np.bool_]


class RankedAverages:
    """What is drawn for one ranking, summed over its test sets.

    Args:
        measure: the measure.
        test_sets: the codes of the test sets that it averages over.
        order: the systems by index, the best first.
        settings: how many resamples and permutations, the seed, the level.
    """

    def __init__(self, measure: str, test_sets: Iterable[str], order: Sequence[int], settings: Settings) -> None:
        self.measure, self.test_sets, self.settings = measure, tuple(test_sets), settings
        self.neighbors = list(pairwise(order))
        self._values = np.zeros((settings.resamples, len(order)))
        self._permuted = np.zeros((settings.resamples, len(self.neighbors)))
        self._scores: list[Sums] = []
        self._failed: list[Flags] = []
        self._p_values: list[Sums] = []

    def add(self, values: Sums, scores: Sums, failed: Flags, permuted: Sums) -> None:
        """Add test sets.

        Args:
            values: the value of each system in each resample, the sum over these test sets, shape (resamples, systems).
            scores: the observed scores, shape (test sets, systems).
            failed: where a score is 0 because the output is missing or invalid, same shape.
            permuted: the differences of neighbors after each permutation, summed too, shape (resamples, neighbors).
        """
        self._values += values
        self._scores.append(scores)
        self._failed.append(failed)
        self._permuted += permuted

    def add_tests(self, p_values: Sums) -> None:
        """Add the tests of all pairs of systems on one test set, as `pairwise_bootstrap_p` gives them."""
        self._p_values.append(p_values)

    def averages(self) -> Sums:
        """Return the resampled averages, shape (resamples, systems); resamples without a value are left out."""
        values = self._values / len(self.test_sets)
        return values[~np.isnan(values).any(axis=1)]

    def differences(self) -> PairDifferences | None:
        """Return the studentized differences of all pairs of systems; None if no resample has a value."""
        averages = self.averages()
        if not len(averages):
            return None
        return pair_differences(*self._observed(), averages)

    def lines(self) -> frozenset[int]:
        """Return the places after which neighbors differ significantly, corrected by Holm's method."""
        known = evidence(*self._observed())
        pairs = tuple(np.array(self.neighbors, dtype=np.intp).reshape(-1, 2).T)
        n_test_sets = len(self.test_sets)
        permuted = permutation_p(self._permuted, n_test_sets * known.differences[pairs], EQUAL * n_test_sets)
        p = np.where(np.isnan(known.failure_p[pairs]), permuted, known.failure_p[pairs])
        level = 1 - self.settings.level
        return frozenset(place for place, one in enumerate(holm(p.tolist()), 1) if one is not None and one < level)

    def _observed(self) -> tuple[Sums, Flags]:
        """Scores, and which of them are failures, each of shape (test sets, systems)."""
        return np.concatenate(self._scores), np.concatenate(self._failed)

    def wins(self) -> NDArray[np.int64]:
        """Return on how many test sets one system (row) is significantly better than another (column).

        P-values are corrected over test sets by Holm's method.
        """
        stacked = np.stack(self._p_values)
        either = np.where(np.isnan(stacked), stacked.transpose(0, 2, 1), stacked)
        n_systems, level = stacked.shape[1], 1 - self.settings.level
        found = np.zeros((n_systems, n_systems), dtype=np.int64)
        for one in range(n_systems):
            for other in range(n_systems):
                corrected = [np.inf if p is None else p for p in holm(either[:, one, other].tolist())]
                found[one, other] = np.count_nonzero((np.array(corrected) < level) & ~np.isnan(stacked[:, one, other]))
        return found


def draw_sentences(
    key: str,
    parts: Mapping[str, Sums],
    failed: Mapping[str, Flags],
    rankings: Sequence[RankedAverages],
    settings: Settings,
) -> None:
    """Draw and swap the sentences of one test set for all rankings that count it: every measure has the same draws.

    Nothing is swapped between two systems of which one failed, and none of them is significantly better on this test
    set: its sentences cannot show more than the one failure.

    Args:
        key: the SHA-256 of the gold contents.
        parts: numerators and denominators by measure, shape (sentences, systems, 2).
        failed: by measure, which outputs are missing or invalid, shape (systems,).
        rankings: the rankings that average over the test set.
        settings: how many resamples and permutations, and the seed.
    """
    for_boot, for_swaps = seeded(settings, key).spawn(2)
    flat = np.concatenate([table.reshape(len(table), -1) for table in parts.values()], axis=1)
    sums = resampled(flat, settings.resamples, for_boot)
    drawn = ratios(sums.reshape(settings.resamples, len(parts), -1, 2))
    boot = {measure: drawn[:, number] for number, measure in enumerate(parts)}
    p_values = {measure: _tests(values, failed[measure]) for measure, values in boot.items()}
    swaps = _Swaps(parts, failed, rankings, for_swaps, settings.resamples)
    for ranking in rankings:
        measure = ranking.measure
        scores = ratios(parts[measure].sum(axis=0))
        ranking.add(boot[measure], scores[None], failed[measure][None], swaps.of(ranking))
        ranking.add_tests(p_values[measure])


def _tests(values: Sums, failed: Flags) -> Sums:
    """The tests of all pairs on one test set; a failure alone shows nothing about the other output."""
    found = pairwise_bootstrap_p(values)
    return np.where((failed[:, None] | failed) & ~np.isnan(found), 1.0, found)


def draw_test_sets(table: Sums, ranking: RankedAverages, settings: Settings) -> None:
    """Draw whole test sets, and swap them between neighbors: all that scores alone allow.

    Args:
        table: the value of each system (column) on each test set (row).
        ranking: the ranking.
        settings: how many resamples and permutations, and the seed.
    """
    for_boot, for_swaps = spawned(settings.seed, 2)
    values, failed = resampled(table, settings.resamples, for_boot), np.zeros(table.shape, dtype=bool)
    change = table[:, [one for one, _ in ranking.neighbors]] - table[:, [other for _, other in ranking.neighbors]]
    moved = swapped(change, settings.resamples, for_swaps)
    ranking.add(values, table, failed, change.sum(axis=0) - 2 * moved)


class _Swaps:
    """The differences of neighbors on one test set after swapping sentences between them; 0 where one failed."""

    def __init__(
        self,
        parts: Mapping[str, Sums],
        failed: Mapping[str, Flags],
        rankings: Iterable[RankedAverages],
        seed: Seed,
        resamples: int,
    ) -> None:
        keys = dict.fromkeys((one.measure, *pair) for one in rankings for pair in one.neighbors)
        valid = [key for key in keys if not failed[key[0]][list(key[1:])].any()]
        self._place = {key: place for place, key in enumerate(valid)}
        self._permuted = np.zeros((resamples, len(valid)))
        if not valid:
            return
        ones = np.stack([parts[measure][:, one] for measure, one, _ in valid], axis=1)
        others = np.stack([parts[measure][:, other] for measure, _, other in valid], axis=1)
        moved = swapped((ones - others).reshape(len(ones), -1), resamples, seed).reshape(resamples, -1, 2)
        self._permuted = ratios(ones.sum(axis=0) - moved) - ratios(others.sum(axis=0) + moved)

    def of(self, ranking: RankedAverages) -> Sums:
        """Return the differences of a ranking's neighbors, shape (resamples, neighbors)."""
        found = np.zeros((len(self._permuted), len(ranking.neighbors)))
        for number, pair in enumerate(ranking.neighbors):
            place = self._place.get((ranking.measure, *pair))
            if place is not None:
                found[:, number] = self._permuted[:, place]
        return found
