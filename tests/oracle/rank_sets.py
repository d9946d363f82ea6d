"""Confidence sets of ranks and letters from the definition, one pair at a time, in plain Python."""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

Pair = tuple[int, int]


def spread(covariance: Sequence[Sequence[float]], i: int, j: int) -> float:
    """Give the standard error of a difference."""
    return math.sqrt(covariance[i][i] + covariance[j][j] - 2 * covariance[i][j])


def rejected(
    observed: Sequence[float],
    covariance: Sequence[Sequence[float]],
    draws: Sequence[Sequence[float]],
    pairs: Iterable[Pair],
    level: float,
) -> set[Pair]:
    """Give the pairs (i, j) for which "i is not better than j" is rejected, step by step."""
    left, found = set(pairs), set()
    while left:
        largest = sorted(max((row[i] - row[j]) / spread(covariance, i, j) for i, j in left) for row in draws)
        place = math.ceil(level * (len(largest) + 1) - 1e-9)
        if place > len(largest):
            break
        critical = max(0, largest[place - 1])
        new = {(i, j) for i, j in left if (observed[i] - observed[j]) / spread(covariance, i, j) > critical}
        if not new:
            break
        found |= new
        left -= new
    return found


def all_pairs(n_systems: int) -> set[Pair]:
    return {(i, j) for i in range(n_systems) for j in range(n_systems) if i != j}


def ranks(better: set[Pair], system: int, n_systems: int) -> tuple[int, int]:
    """Give the ranks below all better systems and above all worse ones."""
    above = sum((other, system) in better for other in range(n_systems))
    below = sum((system, other) in better for other in range(n_systems))
    return 1 + above, n_systems - below


def cliques(differ: set[frozenset[int]], n_systems: int) -> list[set[int]]:
    """Give all largest groups without a pair that differs."""
    groups = [
        set(some)
        for size in range(1, n_systems + 1)
        for some in combinations(range(n_systems), size)
        if not any(frozenset(pair) in differ for pair in combinations(some, 2))
    ]
    return [one for one in groups if not any(one < other for other in groups)]


def evident(scores: Sequence[tuple[float | None, float | None]]) -> float:
    """Give what is left of the difference of two averages (None: failed) if failures may add nothing to it."""
    whole = sum((one or 0) - (other or 0) for one, other in scores) / len(scores)
    rest = sum(one - other for one, other in scores if one is not None and other is not None) / len(scores)
    if whole * rest <= 0:
        return 0.0
    return whole if abs(whole) < abs(rest) else rest
