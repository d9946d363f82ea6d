"""Corrections for many tests, and tests over treebanks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from levelhead.errors import InputError
from levelhead.extras import missing_library
from levelhead.tables.data import Probability

if TYPE_CHECKING:
    from levelhead.significance.differences import ComparedScore

_P = TypeVar("_P", bound="float | None")


def corrected(p: _P, n_tests: int) -> _P | float:
    """Return a p-value corrected for the number of tests by Sidak's (1967) bound on the largest |t|.

    Args:
        p: the p-value of one test, or None.
        n_tests: the number of tests.
    """
    return p if p is None or n_tests == 1 else -math.expm1(n_tests * math.log1p(-p)) if p < 1 else 1.0


def level_of_each(level: float, n_intervals: int) -> float:
    """Return the level of each of several intervals that hold simultaneously, by Sidak's (1967) bound."""
    return float(level ** (1 / n_intervals))


def sign_test(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of the sign test of positive against negative differences.

    Args:
        differences: one difference per treebank; zeros are left out.

    Returns:
        The exact binomial p-value; None if all differences are zero.
    """
    positive = sum(difference > 0 for difference in differences)
    if not (n := positive + sum(difference < 0 for difference in differences)):
        return None
    tail = sum(math.comb(n, k) for k in range(min(positive, n - positive) + 1))
    return float(min(1.0, 2 * tail / 2**n))


def signed_rank_test(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test over treebanks (scipy's; zeros are left out).

    Args:
        differences: one difference per treebank.

    Raises:
        InputError: scipy is not installed; its slug is `missing-extra`.
    """
    if not any(differences):
        return None
    try:
        from scipy.stats import wilcoxon  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise InputError(missing_library("scipy", "Wilcoxon tests")) from error
    return float(wilcoxon(differences).pvalue)


class Wins(NamedTuple):
    """The wins of a system against the baseline over treebanks; p-values are corrected for their number.

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
        votes: the number of votes in both tests.
        better_on_at_least: a lower bound of the number of treebanks on which it is better.
        worse_on_at_least: a lower bound of the number of treebanks on which it is worse.
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
    """Return the number of treebanks on which a system is better than the baseline, with tests over treebanks.

    Args:
        results: the results of a system for a measure, one per treebank with a difference; at least one.
        voters: the voter of each treebank in tests over treebanks: itself, its language or its family.
        level: the p-value below which a difference is significant.
        sign: 1 if higher values are better, -1 if lower values are.
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
    """Return the vote of each voter: the mean of the differences on its treebanks."""
    by_voter: dict[str, list[float]] = {}
    for treebank, difference in differences.items():
        by_voter.setdefault(voters[treebank], []).append(difference)
    return [math.fsum(votes) / len(votes) for votes in by_voter.values()]


def better_on_at_least(p_values: Sequence[float], level: float) -> int:
    """Return the largest k for which "better on at least k treebanks" is shown (Dror et al. 2017, k by Bonferroni).

    "Better on at least k of n" has the p-value (n - k + 1) times the k-th smallest p-value, the partial conjunction
    by Bonferroni (Benjamini and Heller 2008), which is valid for any dependence between treebanks. This p-value and
    those of all smaller k must be below the level.

    Args:
        p_values: the p-value of each treebank, of the hypothesis that the system is not better.
        level: the probability of claiming too many treebanks.
    """
    n = len(p_values)
    failing = (k for k, p in enumerate(sorted(p_values)) if (n - k) * p >= level)
    return next(failing, n)


def _better_on_at_least(results: Sequence[ComparedScore], sign: int, level: float) -> int:
    """By two-sided p-values, so that both directions hold jointly, and never on more treebanks than are won."""
    tested = [(result.p, sign * (result.difference or 0.0)) for result in results if result.enough_runs]
    return better_on_at_least([p if change > 0 else 1.0 for p, change in tested if p is not None], level)
