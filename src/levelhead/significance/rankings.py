"""Rankings with errors: intervals of averages, differences of all pairs of systems, wins on single test sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.corrections import holm
from levelhead.significance.differences import EQUAL, permutation_p
from levelhead.significance.estimates import Estimate
from levelhead.significance.failed_outputs import evidence
from levelhead.significance.jackknife import Stratum, leave_out, spread_of
from levelhead.significance.rank_sets import PairDifferences, pair_differences
from levelhead.significance.resampling import Rows, Seed, correlated_errors, spawned, swapped, swapped_changes
from levelhead.significance.settings import InferenceSettings, seeded
from levelhead.significance.student_t import two_sided_p
from levelhead.significance.system_counts import SystemCounts, ratios

Sums = NDArray[np.float64]
Flags = NDArray[np.bool_]


class RankedAverages:
    """The averages of one ranking with their errors, accumulated over test sets.

    Args:
        measure: the measure.
        test_sets: the codes of the test sets that it averages over.
        order: the systems by index, the best first.
        settings: the numbers of permutations and draws, the seed, the level.
    """

    def __init__(
        self, measure: str, test_sets: Iterable[str], order: Sequence[int], settings: InferenceSettings
    ) -> None:
        self.measure, self.test_sets, self.settings = measure, tuple(test_sets), settings
        self.neighbors = list(pairwise(order))
        self._permuted = np.zeros((settings.resamples, len(self.neighbors)))
        self._scores: list[Sums] = []
        self._failed: list[Flags] = []
        self._strata: list[Stratum] = []
        self._p_values: list[Sums] = []

    def add(self, scores: Sums, failed: Flags, stratum: Stratum, permuted: Sums) -> None:
        """Add test sets."""
        self._scores.append(scores)
        self._failed.append(failed)
        self._strata.append(stratum)
        self._permuted += permuted

    def add_tests(self, p_values: Sums) -> None:
        """Add the tests of all pairs of systems on one test set, from `better_p`."""
        self._p_values.append(p_values)

    def estimate(self, system: int) -> Estimate:
        """Return the average of a system with its error."""
        scores = np.concatenate(self._scores)[:, system]
        contrast = np.zeros(self._strata[0].moves.shape[1])
        contrast[system] = 1.0
        spread = spread_of(self._strata, contrast, 0)
        return Estimate(float(scores.mean()), spread.variance, spread.freedom, spread.n_units)

    def differences(self) -> PairDifferences | None:
        """Return the studentized differences of all pairs of systems; None with too few units."""
        scores, failed = np.concatenate(self._scores), np.concatenate(self._failed)
        estimates = [self.estimate(system) for system in range(scores.shape[1])]
        if not all(estimate.has_interval for estimate in estimates):
            return None
        moves = np.concatenate([stratum.moves[:, :, 0] for stratum in self._strata])
        covariance, freedom = moves.T @ moves, min(estimate.freedom for estimate in estimates)
        errors = correlated_errors(covariance, freedom, self.settings.resamples, seeded(self.settings, "ranks"))
        return pair_differences(scores, failed, covariance, freedom, errors)

    def lines(self, differences: PairDifferences | None) -> frozenset[int]:
        """Return the places after which neighbors differ significantly, corrected by Holm's method.

        As in `differences`, p is the larger of the p-values of permutations and of Student's t.
        """
        if differences is None or not self.neighbors:
            return frozenset()
        known = evidence(np.concatenate(self._scores), np.concatenate(self._failed))
        pairs = tuple(np.array(self.neighbors, dtype=np.intp).T)
        n_test_sets = len(self.test_sets)
        permuted = permutation_p(self._permuted, n_test_sets * known.differences[pairs], EQUAL * n_test_sets)
        by_t = [two_sided_p(float(t), differences.freedom) for t in differences.statistics[pairs]]
        p = np.where(np.isnan(known.failure_p[pairs]), np.maximum(permuted, by_t), known.failure_p[pairs])
        level = 1 - self.settings.level
        return frozenset(
            place for place, value in enumerate(holm(p.tolist()), 1) if value is not None and value < level
        )

    def wins(self) -> NDArray[np.int64]:
        """Return the number of test sets on which one system (row) is significantly better than another (column).

        P-values are corrected over test sets by Holm's method.
        """
        stacked = np.stack(self._p_values)
        either = np.where(np.isnan(stacked), stacked.transpose(0, 2, 1), stacked)
        n_systems, level = stacked.shape[1], 1 - self.settings.level
        n_wins = np.zeros((n_systems, n_systems), dtype=np.int64)
        for number in range(n_systems):
            for other in range(n_systems):
                corrected = [np.inf if p is None else p for p in holm(either[:, number, other].tolist())]
                n_wins[number, other] = np.count_nonzero(
                    (np.array(corrected) < level) & ~np.isnan(stacked[:, number, other])
                )
        return n_wins


def add_test_set(
    key: str,
    parts: Mapping[str, Sums],
    failed: Mapping[str, Flags],
    rankings: Sequence[RankedAverages],
    settings: InferenceSettings,
) -> None:
    """Add one test set to all rankings that include it; all measures have the same swaps.

    If one of two systems failed, nothing is swapped between them, and neither is significantly better on this test set,
    since its units show no more than a single failure.
    """
    swaps = _Swaps(parts, failed, rankings, seeded(settings, key), settings.resamples)
    tables = {
        name: SystemCounts(("",) * table.shape[1], (name,), table[:, :, None], key) for name, table in parts.items()
    }
    strata = {name: leave_out(table) for name, table in tables.items()}
    tests = {name: better_p(tables[name], strata[name], failed[name]) for name in parts}
    for ranking in rankings:
        measure, share = ranking.measure, 1 / len(ranking.test_sets)
        stratum = strata[measure]._replace(moves=share * strata[measure].moves, share=share)
        scores = ratios(parts[measure].sum(axis=0))
        ranking.add(scores[None], failed[measure][None], stratum, swaps.of(ranking))
        ranking.add_tests(tests[measure])


def better_p(table: SystemCounts, stratum: Stratum, failed: Flags) -> Sums:
    """Return the p-values of all pairs of systems on one test set by Student's t; nan if the first is not better.

    A failure alone proves nothing: p is 1.
    """
    values = table.values(table.parts.sum(axis=0))[:, 0]
    p_values = np.full((len(values), len(values)), np.nan)
    for one, other in combinations(range(len(values)), 2):
        change = values[one] - values[other]
        place = (one, other) if change >= 0 else (other, one)
        nothing = failed[one] or failed[other] or abs(change) <= EQUAL
        p_values[place] = 1.0 if nothing else _p(stratum, one, other, change)
    return p_values


def _p(stratum: Stratum, one: int, other: int, change: float) -> float:
    contrast = np.zeros(stratum.moves.shape[1])
    contrast[[one, other]] = 1.0, -1.0
    spread = spread_of([stratum], contrast, 0)
    p = Estimate(change, spread.variance + spread.observation, spread.freedom, spread.n_units).p()
    return 1.0 if p is None else p


def add_scores(table: Sums, ranking: RankedAverages, settings: InferenceSettings) -> None:
    """Add scores without counts: test sets are the units for the jackknife and for swaps between neighbors."""
    n_units = len(table)
    moves = (table.mean(axis=0) - table) / max(1, n_units - 1)
    stratum = Stratum(moves[:, :, None], np.ones((*table.shape, 1)), np.array([False]))
    change = table[:, [number for number, _ in ranking.neighbors]] - table[:, [other for _, other in ranking.neighbors]]
    moved = swapped(change, settings.resamples, spawned(settings.seed, 1)[0])
    ranking.add(table, np.zeros(table.shape, dtype=bool), stratum, change.sum(axis=0) - 2 * moved)


class _Swaps:
    """The differences of neighbors on one test set after swapping units between them; 0 where one failed."""

    def __init__(
        self,
        parts: Mapping[str, Sums],
        failed: Mapping[str, Flags],
        rankings: Iterable[RankedAverages],
        seed: Seed,
        resamples: int,
    ) -> None:
        keys = dict.fromkeys((ranking.measure, *pair) for ranking in rankings for pair in ranking.neighbors)
        valid = [key for key in keys if not failed[key[0]][list(key[1:])].any()]
        self._place = {key: place for place, key in enumerate(valid)}
        self._permuted = np.zeros((resamples, len(valid)))
        if not valid:
            return

        def change(rows: slice | Rows) -> Sums:
            return np.concatenate([parts[name][rows, one] - parts[name][rows, other] for name, one, other in valid], 1)

        n_units = len(parts[valid[0][0]])
        moved = swapped_changes(change, n_units, resamples, seed).reshape(resamples, -1, 2)
        ones = np.stack([parts[measure][:, number].sum(axis=0) for measure, number, _ in valid])
        others = np.stack([parts[measure][:, other].sum(axis=0) for measure, _, other in valid])
        self._permuted = ratios(ones - moved) - ratios(others + moved)

    def of(self, ranking: RankedAverages) -> Sums:
        """Return the differences of a ranking's neighbors, shape (resamples, neighbors)."""
        found = np.zeros((len(self._permuted), len(ranking.neighbors)))
        for number, pair in enumerate(ranking.neighbors):
            place = self._place.get((ranking.measure, *pair))
            if place is not None:
                found[:, number] = self._permuted[:, place]
        return found
