"""The spread of scores over test sets on four scales, and its difference from LAS, written out in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence


def deviation(values: Sequence[float]) -> float:
    """The standard deviation of a sample."""
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def spread(values: Sequence[float], scale: str) -> float:
    """The spread of the scores of one system."""
    mean = sum(values) / len(values)
    if scale == "in points":
        return deviation(values)
    if scale == "as a share of the mean score":
        return deviation(values) / mean
    if scale == "as a share of the mean error":
        return deviation(values) / (1 - mean)
    assert scale == "in log odds"
    return deviation([math.log(value / (1 - value)) for value in values])


def mean_spread(scores: Sequence[Sequence[float | None]], scale: str) -> float:
    """The mean over systems; scores[test set][system], without test sets that have no score."""
    known = [row for row in scores if None not in row]
    systems = [[row[system] for row in known] for system in range(len(known[0]))]
    return sum(spread(values, scale) for values in systems) / len(systems)


def relative_variance(las: Sequence[float], wlas: Sequence[float], best: int, scale: str) -> float:
    """The variance of the best values of WLAS over that of LAS, minus 1; each in its own order."""
    one, other = (sorted(values, reverse=True)[:best] for values in (las, wlas))
    return spread(other, scale) ** 2 / spread(one, scale) ** 2 - 1
