"""Confidence sets of ranks and letters from the definition, one pair at a time, in plain Python."""

from collections.abc import Sequence
from itertools import combinations

Pair = tuple[int, int]


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
