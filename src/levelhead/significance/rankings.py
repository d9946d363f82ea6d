"""Rankings with errors: failed outputs, rank sets, letters, lines and wins on single test sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from statistics import NormalDist
from string import ascii_letters
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.corrections import holm, sign_test
from levelhead.significance.differences import EQUAL, permutation_p
from levelhead.significance.estimates import Estimate, two_sided_p
from levelhead.significance.jackknife import Stratum, SystemCounts, leave_out, ratios, spread_of
from levelhead.significance.resampling import (
    InferenceSettings,
    Rows,
    Sums,
    correlated_errors,
    seeded,
    spawned,
    swapped,
    swapped_changes,
)

Flags = NDArray[np.bool_]


def evidence(scores: Sums, failed: Flags) -> tuple[Sums, Sums]:
    """Return the tested differences of all pairs of systems (row minus column), and p-values of tests of failures.

    The evident difference of two averages is the smaller of two differences if they agree in sign, otherwise 0: the
    difference with zeros for failures, and the difference on the test sets where neither output failed. If one of the
    two systems failed on more test sets than neither did, the pair is tested by a sign test of its failures, each of
    which is one event.
    """
    averages = scores.mean(axis=0)
    differences = averages[:, None] - averages
    failure_p = np.full_like(differences, np.nan)
    for pair in zip(*np.nonzero((failed[:, :, None] != failed[:, None, :]).any(axis=0)), strict=True):
        change = scores[:, pair[0]] - scores[:, pair[1]]
        (fails, other_fails) = failed[:, list(pair)].T
        events = fails != other_fails
        common = ~(fails | other_fails)
        whole, rest = float(change.mean()), float(change[common].sum() / len(change))
        if events.sum() > common.sum():
            signs = np.sign(change[events])
            p = sign_test(signs.tolist()) if signs.sum() * whole > 0 else None
            differences[pair], failure_p[pair] = whole, 1.0 if p is None else p
        else:
            differences[pair] = min(whole, rest, key=abs) if whole * rest > 0 else 0.0
    return differences, failure_p


def compact_letters(differ: Flags) -> list[str]:
    """Return the letters of each system: two systems share a letter if and only if they do not differ significantly.

    Source: Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons. Here each letter
    is a maximal group around a pair that shares no letter yet, so there are never more letters than pairs.
    """
    alike = ~(differ | differ.T)
    missing, letters, count = alike.copy(), [""] * len(alike), 0
    for number in range(len(alike)):
        while missing[number].any():
            group = sorted({number, int(np.flatnonzero(missing[number])[-1])})
            for system in range(len(alike)):  # that differs from none in the group
                if system not in group and alike[system, group].all():
                    group.append(system)
            missing[np.ix_(group, group)] = False
            turn, place = divmod(count, len(ascii_letters))  # from a to z, from A to Z, then a1 and so on
            for system in group:
                letters[system] += f"{ascii_letters[place]}{turn or ''}"
            count += 1
    return letters


class PairDifferences(NamedTuple):
    """The differences of all pairs of systems, with their errors; shapes (systems, systems)."""

    statistics: Sums  # the evident difference of a system (row) from another (column) in standard errors
    errors: Sums  # its standard error, 0 without variation
    deviations: Sums  # drawn errors of the averages, shape (draws, systems)
    freedom: float  # the degrees of freedom of the errors
    differences: Sums  # the evident differences
    failure_p: Sums  # two-sided p-values of pairs that are tested by their failures, nan for the other pairs


def pair_differences(scores: Sums, failed: Flags, covariance: Sums, freedom: float, drawn: Sums) -> PairDifferences:
    """Return the studentized differences of the averages of all pairs of systems.

    If an output failed, the standard error is that of the difference including the zero, which is never smaller.
    """
    differences, failure_p = evidence(scores, failed)
    diagonal = np.diag(covariance)
    variances = diagonal[:, None] + diagonal - 2 * covariance
    errors = np.where(variances > EQUAL**2, np.sqrt(np.maximum(variances, 0)), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.where(np.abs(differences) > EQUAL, differences / errors, 0.0)
    for pair in zip(*np.nonzero(~np.isnan(failure_p)), strict=True):
        quantile = -NormalDist().inv_cdf(max(1e-300, failure_p[pair]) / 2)  # smaller ones have no finite one
        statistics[pair] = math.copysign(quantile, differences[pair])
    return PairDifferences(statistics, errors, drawn, freedom, differences, failure_p)


def better(differences: PairDifferences, level: float) -> Flags:
    """Return which systems (rows) are significantly better than which (columns), corrected for all pairs.

    The family-wise error is at most 1 - level: Romano and Wolf's (2005) stepdown method for the one-sided hypotheses of
    all pairs, with the largest studentized difference of each draw.
    """
    return _rejected(differences, ~np.eye(len(differences.errors), dtype=bool), level)


def sets_of_ranks(differences: PairDifferences, level: float, *, jointly: bool) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system; sets hold at the confidence level jointly, or separately.

    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for Ranks.
    """
    families = np.eye(len(differences.errors), dtype=bool)
    all_pairs = better(differences, level) if jointly else None
    ranks = []
    for system, same in enumerate(families):
        ahead = _rejected(differences, same[:, None] ^ same, level) if all_pairs is None else all_pairs
        ranks.append((1 + int(ahead[:, system].sum()), len(ahead) - int(ahead[system].sum())))
    return ranks


def critical_value(largest: Sums, level: float) -> float:
    """Return the number of standard errors above which a difference is significant, with all corrections."""
    place = math.ceil((len(largest) + 1) * level - EQUAL)
    return float(np.partition(largest, place - 1)[place - 1]) if place <= len(largest) else math.inf


def _rejected(differences: PairDifferences, family: Flags, level: float) -> Flags:
    """Stepdown: rejected hypotheses leave the family, which lowers the critical value, until no more are rejected."""
    rejected = np.zeros_like(family)
    while (left := family & ~rejected).any():
        largest = np.zeros(len(differences.deviations))  # studentized deviation of each draw, over pairs that vary
        varying = left & (differences.errors > 0)
        for number in np.flatnonzero(varying.any(axis=1)):
            others = varying[number]
            deviations = differences.deviations[:, number, None] - differences.deviations[:, others]
            np.maximum(largest, (deviations / differences.errors[number, others]).max(axis=1), out=largest)
        significant = left & (differences.statistics > critical_value(largest, level))
        if not significant.any():
            break
        rejected |= significant
    return rejected


class RankedAverages:
    """The averages of one ranking with their errors, accumulated over test sets; `order`: systems, the best first."""

    def __init__(
        self, measure: str, test_sets: Iterable[str], order: Sequence[int], settings: InferenceSettings
    ) -> None:
        self.measure, self.test_sets, self.order, self.settings = measure, tuple(test_sets), order, settings
        self.neighbors = list(pairwise(order))
        self._permuted = np.zeros((settings.resamples, len(self.neighbors)))
        self._scores: list[Sums] = []
        self._failed: list[Flags] = []
        self._strata: list[Stratum] = []
        self._p_values: list[Sums] = []

    def add(self, scores: Sums, failed: Flags, stratum: Stratum, permuted: Sums, *p_values: Sums) -> None:
        """Add test sets, with the tests of all pairs of systems on each, from `better_p`."""
        self._scores.append(scores)
        self._failed.append(failed)
        self._strata.append(stratum)
        self._permuted += permuted
        self._p_values += p_values

    def estimate(self, system: int) -> Estimate:
        scores = np.concatenate(self._scores)[:, system]
        spread = spread_of(self._strata, [[system]], 0)
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
        pairs = tuple(np.array(self.neighbors, dtype=np.intp).T)
        n_test_sets = len(self.test_sets)
        permuted = permutation_p(self._permuted, n_test_sets * differences.differences[pairs], EQUAL * n_test_sets)
        by_t = [two_sided_p(float(t), differences.freedom) for t in differences.statistics[pairs]]
        failure_p = differences.failure_p[pairs]
        corrected = holm(np.where(np.isnan(failure_p), np.maximum(permuted, by_t), failure_p).tolist())
        level = 1 - self.settings.level
        return frozenset(place for place, p in enumerate(corrected, 1) if p is not None and p < level)

    def wins(self) -> NDArray[np.int64]:
        """Return the number of test sets on which one system (row) is significantly better than another (column).

        P-values are corrected over test sets by Holm's method.
        """
        stacked = np.stack(self._p_values)
        either = np.where(np.isnan(stacked), stacked.transpose(0, 2, 1), stacked)
        n_wins = np.zeros(stacked.shape[1:], dtype=np.int64)
        for pair in np.ndindex(n_wins.shape):
            significant = np.array(holm(either[:, *pair].tolist()), dtype=np.float64) < 1 - self.settings.level
            n_wins[pair] = np.count_nonzero(significant & ~np.isnan(stacked[:, *pair]))
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
    keys = dict.fromkeys((ranking.measure, *pair) for ranking in rankings for pair in ranking.neighbors)
    valid = [(name, one, other) for name, one, other in keys if not failed[name][[one, other]].any()]

    def change(rows: slice | Rows) -> Sums:
        return np.concatenate([parts[name][rows, one] - parts[name][rows, other] for name, one, other in valid], 1)

    swaps: dict[tuple[str, int, int], Sums] = {}  # the differences of neighbors after swapping units between them
    if valid:
        n_units = len(parts[valid[0][0]])
        moved = swapped_changes(change, n_units, settings.resamples, seeded(settings, key))
        moved = moved.reshape(settings.resamples, -1, 2)
        ones = np.stack([parts[measure][:, number].sum(axis=0) for measure, number, _ in valid])
        others = np.stack([parts[measure][:, other].sum(axis=0) for measure, _, other in valid])
        swaps = dict(zip(valid, (ratios(ones - moved) - ratios(others + moved)).T, strict=True))
    nothing = np.zeros(settings.resamples)
    tables = {
        name: SystemCounts(("",) * table.shape[1], (name,), table[:, :, None], key) for name, table in parts.items()
    }
    strata = {name: leave_out(table) for name, table in tables.items()}
    tests = {name: better_p(tables[name], strata[name], failed[name]) for name in parts}
    for ranking in rankings:
        measure, share = ranking.measure, 1 / len(ranking.test_sets)
        stratum = strata[measure]._replace(moves=share * strata[measure].moves, share=share)
        scores = ratios(parts[measure].sum(axis=0))
        permuted = [swaps.get((measure, *pair), nothing) for pair in ranking.neighbors]
        of_neighbors = np.reshape(permuted, (len(permuted), settings.resamples)).T
        ranking.add(scores[None], failed[measure][None], stratum, of_neighbors, tests[measure])


def better_p(table: SystemCounts, stratum: Stratum, failed: Flags) -> Sums:
    """Return the p-values of all pairs of systems on one test set by Student's t; nan if the first is not better.

    A failure alone proves nothing: p is 1.
    """
    values = table.values(table.parts.sum(axis=0))[:, 0]
    p_values = np.full((len(values), len(values)), np.nan)
    for one, other in combinations(range(len(values)), 2):
        change = values[one] - values[other]
        place = (one, other) if change >= 0 else (other, one)
        p_values[place] = 1.0
        if not (failed[one] or failed[other] or abs(change) <= EQUAL):
            spread = spread_of([stratum], [[one], [other]], 0)
            difference = Estimate(change, spread.variance + spread.observation, spread.freedom, spread.n_units)
            p_values[place] = difference.p() or 1.0
    return p_values


def add_scores(table: Sums, ranking: RankedAverages, settings: InferenceSettings) -> None:
    """Add scores without counts: test sets are the units for the jackknife and for swaps between neighbors."""
    moves = (table.mean(axis=0) - table) / max(1, len(table) - 1)
    stratum = Stratum(moves[:, :, None], np.ones((*table.shape, 1)), np.array([False]))
    change = table[:, [number for number, _ in ranking.neighbors]] - table[:, [other for _, other in ranking.neighbors]]
    moved = swapped(change, settings.resamples, spawned(settings.seed, 1)[0])
    ranking.add(table, np.zeros(table.shape, dtype=bool), stratum, change.sum(axis=0) - 2 * moved)
