"""The scores of rankings from the counts of sentences."""

from collections.abc import Sequence
from fractions import Fraction

TestSet = Sequence[Sequence[tuple[int, int]]]
"""Of each sentence numerator and denominator of each system."""


def ratio(parts: Sequence[tuple[int, int]]) -> Fraction:
    whole = sum(part[1] for part in parts)
    return Fraction(sum(part[0] for part in parts), whole) if whole else Fraction(0)
