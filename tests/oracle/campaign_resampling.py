"""Certainty of rankings by enumeration: every sample of the sentences of each test set, each as likely as the others."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

TestSet = Sequence[Sequence[tuple[int, int]]]
"""Of each sentence numerator and denominator of each system."""


def ratio(parts: Sequence[tuple[int, int]]) -> Fraction:
    whole = sum(part[1] for part in parts)
    return Fraction(sum(part[0] for part in parts), whole) if whole else Fraction(0)


def samples(test_set: TestSet) -> Iterator[TestSet]:
    """Give all n^n samples of as many sentences with replacement."""
    for chosen in product(range(len(test_set)), repeat=len(test_set)):
        yield [test_set[sentence] for sentence in chosen]


def averages(test_sets: Sequence[TestSet]) -> list[Fraction]:
    """Give each system's mean over test sets."""
    n_systems = len(test_sets[0][0])
    ratios = [[ratio([row[system] for row in one]) for one in test_sets] for system in range(n_systems)]
    return [sum(own) / len(test_sets) for own in ratios]


def ranks(test_sets: Sequence[TestSet], system: int) -> Counter[int]:
    """Count in how many resamples, drawn within each test set, a system has which rank."""
    found: Counter[int] = Counter()
    for drawn in product(*map(list, map(samples, test_sets))):
        values = averages(drawn)
        found[1 + sum(other > values[system] for other in values)] += 1
    return found


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
