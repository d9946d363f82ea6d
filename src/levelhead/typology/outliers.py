"""Outliers by Tukey's fences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

FEWEST = 5
"""The minimum number of values for outliers."""

_REACH = 1.5  # interquartile ranges (Tukey 1977)


class Quartiles(NamedTuple):
    """The quartiles of values.

    Args:
        low: the first.
        median: the second.
        high: the third.
    """

    low: float
    median: float
    high: float

    def is_outlier(self, value: float) -> bool:
        """Whether a value lies more than 1.5 interquartile ranges below the first or above the third quartile."""
        reach = _REACH * (self.high - self.low)
        return value < self.low - reach or value > self.high + reach


def quartiles(values: Iterable[float | None]) -> Quartiles | None:
    """Return the quartiles of values, with linear interpolation; None for fewer than five values."""
    known = [value for value in values if value is not None]
    return Quartiles(*map(float, np.quantile(known, (0.25, 0.5, 0.75)))) if len(known) >= FEWEST else None
