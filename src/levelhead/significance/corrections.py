"""Corrections for many tests, tests over treebanks, and tests of all pairs of systems of a ranking."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from string import ascii_letters
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from levelhead.extras import require
from levelhead.significance.estimates import Estimate, Sums
from levelhead.significance.scopes import Scope
from levelhead.tables.data import Probability

if TYPE_CHECKING:
    from levelhead.significance.differences import ComparedScore

_P = TypeVar("_P", bound="float | None")


def corrected(p: _P, n_tests: int) -> _P | float:
    """Return a p-value corrected for the number of tests by Sidak's (1967) bound on the largest |t|.

    Args:
        p: the p-value of a single test; None stays None.
        n_tests: the number of tests.
    """
    return p if p is None or n_tests == 1 else -math.expm1(n_tests * math.log1p(-p)) if p < 1 else 1.0


def level_of_each(level: float, n_intervals: int) -> float:
    """Return the level of each of several intervals that hold simultaneously, by Sidak's (1967) bound."""
    return float(level ** (1 / n_intervals))


def sign_test(differences: Sequence[float]) -> float | None:
    """Return the exact two-sided p-value of the sign test; None if all differences are zero.

    Args:
        differences: one difference per treebank; zeros are left out.
    """
    positive = sum(difference > 0 for difference in differences)
    if not (n := positive + sum(difference < 0 for difference in differences)):
        return None
    tail = sum(math.comb(n, k) for k in range(min(positive, n - positive) + 1))
    return float(min(1.0, 2 * tail / 2**n))


def signed_rank_test(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test over treebanks; None if all differences are zero.

    Args:
        differences: one difference per treebank; zeros are left out.

    Raises:
        InputError: scipy is not installed (error `missing-extra`).
    """
    if not any(differences):
        return None
    require("scipy", "Wilcoxon tests")
    from scipy.stats import wilcoxon  # type: ignore[import-untyped,unused-ignore]

    return float(wilcoxon(differences).pvalue)


class Wins(NamedTuple):
    """The numbers of treebanks on which a system is better or worse than the baseline, with tests.

    Args:
        measure: the measure.
        system: the system.
        won: the number of treebanks on which it is significantly better.
        tied: the number of treebanks without a significant difference.
        lost: the number of treebanks on which it is significantly worse.
        better: the number of treebanks on which it has a better score.
        worse: the number of treebanks on which it has a worse score.
        sign_p: the p-value of the sign test; null if no treebank has a difference.
        wilcoxon_p: the p-value of Wilcoxon's test; null if it was not requested.
        votes: the number of observations in each test.
        better_on_at_least: a lower bound for the number of treebanks on which it is better.
        worse_on_at_least: a lower bound for the number of treebanks on which it is worse.
    """

    measure: str
    system: str
    won: int
    tied: int
    lost: int
    better: int
    worse: int
    sign_p: Probability | None
    wilcoxon_p: Probability | None = None
    votes: int = 0
    better_on_at_least: int = 0
    worse_on_at_least: int = 0


def count_wins(
    results: Sequence[ComparedScore],
    voters: Mapping[str, str],
    level: float,
    *,
    sign: int,
    wilcoxon: bool,
) -> Wins:
    """Return the numbers of treebanks on which a system is better or worse than the baseline, with tests.

    Args:
        results: the system's results for one measure on all treebanks where the difference is known. There must be at
            least one such treebank.
        voters: for each treebank, the name under which it counts in the tests: the name of the treebank, of its
            language or of its language family. Treebanks with the same name are averaged and count once.
        level: the p-value below which a difference is significant.
        sign: 1 if higher values of the measure are better, -1 if lower values are better.
        wilcoxon: whether to compute Wilcoxon's test as well.
    """
    changes = {result.treebank: sign * (result.difference or 0.0) for result in results}
    real = [result.enough_runs and result.p is not None and result.p < level for result in results]
    won = sum(yes and change > 0 for yes, change in zip(real, changes.values(), strict=True))
    lost = sum(yes and change < 0 for yes, change in zip(real, changes.values(), strict=True))
    votes = mean_votes(changes, voters)
    return Wins(
        measure=results[0].measure,
        system=results[0].system,
        won=won,
        tied=len(results) - won - lost,
        lost=lost,
        better=sum(change > 0 for change in changes.values()),
        worse=sum(change < 0 for change in changes.values()),
        sign_p=sign_test(votes),
        wilcoxon_p=signed_rank_test(votes) if wilcoxon else None,
        votes=len(votes),
        better_on_at_least=_better_on_at_least(results, sign, level),
        worse_on_at_least=_better_on_at_least(results, -sign, level),
    )


def mean_votes(differences: Mapping[str, float], voters: Mapping[str, str]) -> list[float]:
    by_voter: dict[str, list[float]] = {}
    for treebank, difference in differences.items():
        by_voter.setdefault(voters[treebank], []).append(difference)
    return [math.fsum(votes) / len(votes) for votes in by_voter.values()]


def better_on_at_least(p_values: Sequence[float], level: float) -> int:
    """Return the largest k for which a system is significantly better on at least k treebanks (Dror et al. 2017).

    The p-value of the claim "better on at least k of n treebanks" is the k-th smallest of `p_values`, multiplied by
    n - k + 1. This is the partial conjunction test with the Bonferroni correction (Benjamini and Heller 2008), which is
    valid for any dependence between treebanks. The claims for 1, 2, ..., k must all have p-values below `level`.

    Args:
        p_values: for each treebank, the p-value of the hypothesis that the system is not better on this treebank.
        level: the maximum probability that the returned number of treebanks is too high.
    """
    n = len(p_values)
    failing = (k for k, p in enumerate(sorted(p_values)) if (n - k) * p >= level)
    return next(failing, n)


def _better_on_at_least(results: Sequence[ComparedScore], sign: int, level: float) -> int:
    """By two-sided p-values, so that both directions hold jointly, and never on more treebanks than are won."""
    tested = [(result.p, sign * (result.difference or 0.0)) for result in results if result.enough_runs]
    return better_on_at_least([p if change > 0 else 1.0 for p, change in tested if p is not None], level)


Flags = NDArray[np.bool_]


def evidence(scores: Sums, failed: Flags) -> tuple[Sums, Sums]:
    """Return the tested differences of all pairs of systems (row minus column), and p-values of tests of failures."""
    # A difference is the smaller of those with zeros for failures and without failed test sets, or 0 if their signs
    # differ. With more failures of only one than common test sets, a sign test counts each failure as one event.
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
    """Return letters so that two systems share one if and only if they do not differ significantly (Piepho 2004)."""
    # each letter is a maximal group around a pair that shares none yet, so there are never more letters than pairs
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


class PairTests(NamedTuple):
    """The tests of all pairs of systems in one scope."""

    # whether a system (row) is significantly better than another (column), bool, shape (systems, systems)
    better: Flags
    # the p-value of each pair of systems, the first in their order before the other, corrected for the number of
    # pairs; None if it cannot be tested
    p: Mapping[tuple[int, int], float | None]
    # the differences of two systems with a unit that causes more than a third of their variance
    influenced: tuple[tuple[tuple[int, int], Estimate], ...]

    def ranks(self, system: int) -> tuple[int, int]:
        """Return the best and the worst rank of a system; those of all hold jointly (Mogstad et al. 2024)."""
        return 1 + int(self.better[:, system].sum()), len(self.better) - int(self.better[system].sum())

    def letters(self, order: Sequence[int]) -> list[str]:
        """Return the letters of systems in their order, see `compact_letters`."""
        return compact_letters(self.better[np.ix_(order, order)])

    def lines(self, order: Sequence[int]) -> frozenset[int]:
        """Return the places in `order` (from 1) whose system differs significantly from the next system."""
        differ = self.better | self.better.T
        return frozenset(place for place, pair in enumerate(pairwise(order), 1) if differ[pair])


def compare_pairs(scope: Scope, failed: Flags, level: float) -> PairTests | None:
    """Return joint tests of all pairs of systems, given which failed, shape (test sets, systems); None if few units."""
    systems = range(failed.shape[1])
    if not all(estimate.has_tests for _, estimate in scope.with_spreads([[[s]] for s in systems], 0)):
        return None
    pairs = list(combinations(systems, 2))
    evident, failure_p = evidence(scope.scores[:, :, 0], failed)
    better = np.zeros(evident.shape, dtype=bool)
    p_values = dict[tuple[int, int], float | None]()
    influenced: list[tuple[tuple[int, int], Estimate]] = []
    for pair, (part, estimate) in _differences(scope, pairs, failed).items():
        tested = _moved(estimate, float(evident[pair]) * len(failed) / len(part.test_sets) - estimate.value)
        p = tested.p() if np.isnan(failure_p[pair]) else float(failure_p[pair])
        p_values[pair] = p = corrected(p, len(pairs))
        if p is not None and p < round(1 - level, 12):
            better[pair if evident[pair] > 0 else pair[::-1]] = True
        if tested.influence:
            influenced.append((pair, tested))
    return PairTests(better, p_values, tuple(influenced))


def _differences(
    scope: Scope, pairs: Sequence[tuple[int, int]], failed: Flags
) -> dict[tuple[int, int], tuple[Scope, Estimate]]:
    """The difference of each pair on the test sets where neither failed, or on all if there are none."""
    groups = dict[bytes, list[tuple[int, int]]]()
    for pair in pairs:
        groups.setdefault(failed[:, pair].any(axis=1).tobytes(), []).append(pair)
    found = dict[tuple[int, int], tuple[Scope, Estimate]]()
    for flags, some in groups.items():
        common = ~np.frombuffer(flags, dtype=bool)
        part = scope.on(common) if common.any() else scope
        estimates = part.estimates([[[one], [other]] for one, other in some], 0)
        found |= {pair: (part, estimate) for pair, estimate in zip(some, estimates, strict=True)}
    return {pair: found[pair] for pair in pairs}


def _moved(estimate: Estimate, change: float) -> Estimate:
    moved, influence = estimate._replace(value=estimate.value + change), estimate.influence
    return moved._replace(influence=influence and influence._replace(without=_moved(influence.without, change)))
