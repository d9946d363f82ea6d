"""Rankings under resampling: averages of all systems, differences of neighbors, wins on single test sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.corrections import holm
from levelhead.significance.counted import ratios
from levelhead.significance.differences import EQUAL, Settings, permutation_p, seeded
from levelhead.significance.pairwise import pairwise_bootstrap_p
from levelhead.significance.resampling import Seed, resampled, spawned, swapped

Sums = NDArray[np.float64]


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
        self._observed = np.zeros(len(self.neighbors))
        self._p_values: list[Sums] = []

    def add(self, values: Sums, observed: Sums, permuted: Sums) -> None:
        """Add one test set.

        Args:
            values: the value of each system in each resample, shape (resamples, systems).
            observed: the differences of neighbors, shape (neighbors,).
            permuted: the same after each permutation, shape (resamples, neighbors).
        """
        self._values += values
        self._observed += observed
        self._permuted += permuted

    def add_tests(self, p_values: Sums) -> None:
        """Add the tests of all pairs of systems on one test set, as `pairwise_bootstrap_p` gives them."""
        self._p_values.append(p_values)

    def averages(self) -> Sums:
        """Return the resampled averages, shape (resamples, systems); resamples without a value are left out."""
        values = self._values / len(self.test_sets)
        return values[~np.isnan(values).any(axis=1)]

    def ranks(self) -> NDArray[np.int64]:
        """Return the rank of each system in each resample, 1 + how many are better; shape as `averages`."""
        values = self.averages()
        order = np.argsort(values, axis=1)
        return _ranks(np.take_along_axis(values, order, axis=1), order)

    def lines(self) -> frozenset[int]:
        """Return the places after which neighbors differ significantly, corrected by Holm's method."""
        p = permutation_p(self._permuted, self._observed, EQUAL * len(self.test_sets))
        level = 1 - self.settings.level
        return frozenset(place for place, one in enumerate(holm(p.tolist()), 1) if one is not None and one < level)

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


def draw_sentences(key: str, parts: Mapping[str, Sums], rankings: Sequence[RankedAverages], settings: Settings) -> None:
    """Draw and swap the sentences of one test set for all rankings that count it: every measure has the same draws.

    Args:
        key: the SHA-256 of the gold contents.
        parts: numerators and denominators by measure, shape (sentences, systems, 2).
        rankings: the rankings that average over the test set.
        settings: how many resamples and permutations, and the seed.
    """
    for_boot, for_swaps = seeded(settings, key).spawn(2)
    flat = np.concatenate([table.reshape(len(table), -1) for table in parts.values()], axis=1)
    sums = resampled(flat, settings.resamples, for_boot)
    drawn = ratios(sums.reshape(settings.resamples, len(parts), -1, 2))
    boot = {measure: drawn[:, number] for number, measure in enumerate(parts)}
    p_values = {measure: pairwise_bootstrap_p(values) for measure, values in boot.items()}
    swaps = _Swaps(parts, rankings, for_swaps, settings.resamples)
    for ranking in rankings:
        ranking.add(boot[ranking.measure], *swaps.of(ranking))
        ranking.add_tests(p_values[ranking.measure])


def draw_test_sets(table: Sums, ranking: RankedAverages, settings: Settings) -> None:
    """Draw whole test sets, and swap them between neighbors: all that scores alone allow.

    Args:
        table: the value of each system (column) on each test set (row).
        ranking: the ranking.
        settings: how many resamples and permutations, and the seed.
    """
    for_boot, for_swaps = spawned(settings.seed, 2)
    values = resampled(table, settings.resamples, for_boot)
    if not ranking.neighbors:
        ranking.add(values, np.zeros(0), np.zeros((settings.resamples, 0)))
        return
    change = np.stack([table[:, one] - table[:, other] for one, other in ranking.neighbors], axis=1)
    moved = swapped(change, settings.resamples, for_swaps)
    ranking.add(values, change.sum(axis=0), change.sum(axis=0) - 2 * moved)


class _Swaps:
    """The differences of neighbors on one test set, observed and after swapping sentences between them."""

    def __init__(
        self, parts: Mapping[str, Sums], rankings: Iterable[RankedAverages], seed: Seed, resamples: int
    ) -> None:
        keys = dict.fromkeys((one.measure, *pair) for one in rankings for pair in one.neighbors)
        self._place = {key: place for place, key in enumerate(keys)}
        self._observed, self._permuted = np.zeros(0), np.zeros((resamples, 0))
        if not keys:
            return
        ones = np.stack([parts[measure][:, one] for measure, one, _ in keys], axis=1)
        others = np.stack([parts[measure][:, other] for measure, _, other in keys], axis=1)
        moved = swapped((ones - others).reshape(len(ones), -1), resamples, seed).reshape(resamples, -1, 2)
        first, second = ones.sum(axis=0), others.sum(axis=0)
        self._observed = ratios(first) - ratios(second)
        self._permuted = ratios(first - moved) - ratios(second + moved)

    def of(self, ranking: RankedAverages) -> tuple[Sums, Sums]:
        """Return the differences of a ranking's neighbors: shapes (neighbors,) and (resamples, neighbors)."""
        places = [self._place[ranking.measure, one, other] for one, other in ranking.neighbors]
        return self._observed[places], self._permuted[:, places]


def _ranks(ordered: Sums, order: NDArray[np.intp]) -> NDArray[np.int64]:
    """The rank of each system in each resample, 1 + how many are better by more than rounding; shape like `order`."""
    n_systems = ordered.shape[1]
    steps = np.diff(ordered, axis=1) > EQUAL  # steps[:, i]: the next better one is really better
    at = np.where(steps, np.arange(1, n_systems), n_systems)
    last = np.full((len(ordered), 1), n_systems)
    first_better = np.minimum.accumulate(np.concatenate([at, last], axis=1)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty_like(first_better)
    np.put_along_axis(ranks, order, 1 + n_systems - first_better, axis=1)
    return ranks
