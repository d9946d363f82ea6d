"""Tests over treebanks from their definitions: votes of groups, and on how many treebanks a system is better."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations


def partial_conjunction_p(p_values: Sequence[Fraction], k: int) -> Fraction:
    """Give the p-value of "better on fewer than k treebanks": the worst Bonferroni p of any n - k + 1 treebanks.

    If the system is better on fewer than k treebanks, it is not better on some n - k + 1 of them.
    """
    size = len(p_values) - k + 1
    return max(min(Fraction(1), size * min(some)) for some in combinations(p_values, size))


def better_on_at_least(p_values: Sequence[Fraction], level: Fraction) -> int:
    """Give the largest k such that all hypotheses "better on fewer than j", j = 1, ..., k, are rejected."""
    found = 0
    while found < len(p_values) and partial_conjunction_p(p_values, found + 1) < level:
        found += 1
    return found


def votes(differences: Mapping[str, Fraction], voters: Mapping[str, str]) -> dict[str, Fraction]:
    """Give the mean difference of each voter's treebanks."""
    return {
        voter: sum((differences[code] for code in own), Fraction(0)) / len(own)
        for voter in sorted({voters[code] for code in differences})
        for own in [[code for code in differences if voters[code] == voter]]
    }
