"""The discounts of modified Kneser-Ney smoothing, estimated from counts of counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FALLBACK = (0.5, 1.0, 1.5)
"""The discounts if they cannot be estimated, as in KenLM's `--discount_fallback`."""


class Discounts(NamedTuple):
    """The discounts of the counts of one order of n-grams (Chen & Goodman 1998, equation 26).

    Args:
        one: the discount of n-grams counted once.
        two: of n-grams counted twice.
        more: of all others.
        estimated: whether they were estimated; if not, they are `FALLBACK`.
    """

    one: float
    two: float
    more: float
    estimated: bool

    def of(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the discount of each count.

        Args:
            counts: counts of n-grams, int64.
        """
        table: NDArray[np.float64] = np.array([0.0, self.one, self.two, self.more])
        return table[np.minimum(counts, 3)]


def estimate_discounts(counts: NDArray[np.int64]) -> Discounts:
    """Return the estimated discounts of one order.

    They cannot be estimated if no n-gram has a count of 1, 2 or 3, or if a discount would not be above 0 and at most
    its count; then all three are `FALLBACK`.
    """
    n1, n2, n3, n4 = np.bincount(np.minimum(counts, 5), minlength=5)[1:5].tolist()
    if not (n1 and n2 and n3):
        return Discounts(*FALLBACK, estimated=False)
    y = n1 / (n1 + 2 * n2)
    discounts = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
    if not all(0 < discount <= count for count, discount in enumerate(discounts, 1)):
        return Discounts(*FALLBACK, estimated=False)
    return Discounts(*discounts, estimated=True)
