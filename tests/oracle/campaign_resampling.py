"""Tests of rankings by enumeration: every way to swap sentences between two systems."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

TestSet = Sequence[Sequence[tuple[int, int]]]
"""Of each sentence numerator and denominator of each system."""


def ratio(parts: Sequence[tuple[int, int]]) -> Fraction:
    whole = sum(part[1] for part in parts)
    return Fraction(sum(part[0] for part in parts), whole) if whole else Fraction(0)


def averages(test_sets: Sequence[TestSet]) -> list[Fraction]:
    """Give each system's mean over test sets."""
    n_systems = len(test_sets[0][0])
    ratios = [[ratio([row[system] for row in one]) for one in test_sets] for system in range(n_systems)]
    return [sum(own) / len(test_sets) for own in ratios]


def as_far(test_sets: Sequence[TestSet], one: int, other: int) -> Fraction:
    """Give the share of swaps of sentences after which two systems' averages are at least as far apart as they are."""
    n = [len(test_set) for test_set in test_sets]
    found, observed = [], None
    for swaps in product(*(product((False, True), repeat=length) for length in n)):
        swapped = [
            [(row[other], row[one]) if swap else (row[one], row[other]) for swap, row in zip(some, test_set)]
            for some, test_set in zip(swaps, test_sets)
        ]
        first, second = averages(swapped)
        observed = abs(first - second) if observed is None else observed  # the first swaps nothing
        found.append(abs(first - second) >= observed)
    return Fraction(sum(found), len(found))
