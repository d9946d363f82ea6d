"""Rankings of the shared tasks, in whole numbers of hundredths of a percent (READMEs of the tasks' archives)."""

from decimal import ROUND_HALF_EVEN, Decimal
from math import lcm


def hundredths(correct: int, total: int) -> int:
    """A score as it was printed: a percentage with two decimals of the float that a division gives."""
    return int((Decimal(100 * (correct / total)).quantize(Decimal("0.01"), ROUND_HALF_EVEN) * 100).to_integral_value())


def order(counts: dict[str, list[tuple[int, int]]], rule: str) -> list[tuple[int, str]]:
    """Rank and name of each system, given its (correct, total) on each test set.

    2017: sums of printed scores. 2018: their averages, printed with two decimals. Else: sums over a common denominator.
    """
    n = len(next(iter(counts.values())))
    whole = lcm(*(total for pairs in counts.values() for _, total in pairs))
    points = {}
    for system, pairs in counts.items():
        printed = sum(hundredths(*pair) for pair in pairs)
        exact = sum(correct * (whole // total) for correct, total in pairs)
        points[system] = {"conll17": printed, "conll18": (2 * printed + n) // (2 * n), "exact": exact}[rule]
    places = []
    for system in sorted(counts, key=lambda name: (-points[name], name)):
        better = sum(other > points[system] for other in points.values())
        places.append((better + 1, system))
    return places
