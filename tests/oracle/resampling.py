"""Randomization by enumeration: every way to swap two systems in units, each as likely as the others."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

Part = tuple[int, int]
"""Numerator and denominator of a ratio in one sentence."""

Table = Sequence[Sequence[Part]]
"""Of each sentence the parts of each system; the first is the baseline."""


def ratio(parts: Sequence[Part]) -> Fraction | None:
    whole = sum(part[1] for part in parts)
    return Fraction(sum(part[0] for part in parts), whole) if whole else None


def values(table: Table) -> list[Fraction | None]:
    """Give the value of each system."""
    return [ratio([sentence[system] for sentence in table]) for system in range(len(table[0]))]


def differences(table: Table) -> list[Fraction | None]:
    baseline, *others = values(table)
    return [None if baseline is None or other is None else other - baseline for other in others]


def permutations(table: Table, system: int) -> Iterator[Table]:
    """Give all 2^n ways of swapping the baseline and a system in sentences."""
    for swaps in product((False, True), repeat=len(table)):
        yield [(row[system], row[0]) if swap else (row[0], row[system]) for swap, row in zip(swaps, table)]


def permutation_share(table: Table, system: int) -> Fraction:
    """Give the share of permutations whose difference is at least as far from 0 as the observed one.

    One with nothing to count on a side has no difference and is taken for as far.
    """
    observed = differences(table)[system - 1]
    found = [differences(one)[0] for one in permutations(table, system)]
    return Fraction(sum(one is None or abs(one) >= abs(observed) for one in found), len(found))


def binomial_two_sided(positive: int, negative: int) -> Fraction:
    """Add up the probabilities of all outcomes of fair throws that are no likelier than the one seen."""
    n = positive + negative
    row = [Fraction(1)]
    for _ in range(n):
        row = [(one + other) / 2 for one, other in zip([Fraction(0), *row], [*row, Fraction(0)])]
    return sum((share for share in row if share <= row[positive]), Fraction(0))


def kappa(one: Sequence[str], other: Sequence[str]) -> Fraction | None:
    """Give Cohen's kappa of two lists of labels (Cohen 1960, equation 1)."""
    n = len(one)
    observed = Fraction(sum(a == b for a, b in zip(one, other)), n)
    expected = sum(
        (Fraction(one.count(label), n) * Fraction(other.count(label), n) for label in {*one, *other}), Fraction(0)
    )
    return None if expected == 1 else (observed - expected) / (1 - expected)
