"""Wins over treebanks: the number of treebanks on which a system is better, with tests over treebanks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from levelhead.significance.corrections import holm, sign_test, signed_rank_test
from levelhead.significance.differences import SystemResult


class Wins(NamedTuple):
    """The wins of a system against the baseline.

    Args:
        measure: the measure.
        system: the system.
        won: treebanks on which it is significantly better: p below the level, corrected for the number of treebanks.
        tied: treebanks without a significant difference.
        lost: treebanks on which it is significantly worse.
        better: treebanks on which its value is better, significantly or not.
        worse: treebanks on which its value is worse.
        sign_p: the p-value of the sign test over votes; None if all votes are ties.
        wilcoxon_p: the p-value of Wilcoxon's signed-rank test over votes; None if not requested.
        votes: the number of votes in these two tests.
        better_on_at_least: the minimum number of treebanks on which it is better, at the level of the intervals.
        worse_on_at_least: the minimum number of treebanks on which it is worse.
    """

    measure: str
    system: str
    won: int
    tied: int
    lost: int
    better: int
    worse: int
    sign_p: float | None
    wilcoxon_p: float | None = None
    votes: int = 0
    better_on_at_least: int = 0
    worse_on_at_least: int = 0


def count_wins(
    results: Sequence[SystemResult], voters: Mapping[str, str], level: float, *, sign: int, wilcoxon: bool
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
    corrected = holm([result.p for result in results])
    real = [result.enough_runs and p is not None and p < level for result, p in zip(results, corrected, strict=True)]
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
    """Return the vote of each voter: the mean of the differences on its treebanks.

    Args:
        differences: the difference on each treebank.
        voters: the voter of each treebank.
    """
    own: dict[str, list[float]] = {}
    for treebank, difference in differences.items():
        own.setdefault(voters[treebank], []).append(difference)
    return [math.fsum(some) / len(some) for some in own.values()]


def better_on_at_least(one_sided: Sequence[float], level: float) -> int:
    """Return the largest k for which "better on at least k treebanks" is shown (Dror et al. 2017, k by Bonferroni).

    "Better on at least k of n" has the p-value (n - k + 1) times the k-th smallest p-value, the partial conjunction
    by Bonferroni (Benjamini and Heller 2008), which is valid for any dependence between treebanks. The largest k for
    which this p-value and those of all smaller k are below the level is the number of treebanks that Holm's method
    finds.

    Args:
        one_sided: the p-value of each treebank, of the hypothesis that the system is not better.
        level: the probability of claiming too many treebanks.
    """
    return sum(p is not None and p < level for p in holm(one_sided))


def _better_on_at_least(results: Sequence[SystemResult], sign: int, level: float) -> int:
    tested = [result for result in results if result.p is not None and result.enough_runs]
    return better_on_at_least([_one_sided(result, sign) for result in tested], level)


def _one_sided(result: SystemResult, sign: int) -> float:
    half = (result.p or 0.0) / 2
    return half if sign * (result.difference or 0.0) > 0 else 1 - half
