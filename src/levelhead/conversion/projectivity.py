"""Which arcs are not projective."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from levelhead.kernels import conversion as kernel

if TYPE_CHECKING:
    from levelhead.treebank.strings import Codes


def nonprojective_arcs(heads: Codes) -> NDArray[np.bool_]:
    """Say of each word whether the arc to it is not projective: its head does not dominate all words between them.

    Arcs to roots are projective.

    Args:
        heads: the heads of trees as indices into all words, -1 for roots, int32, shape (words,).

    Returns:
        bool, shape (words,).
    """
    order = kernel.visits(heads)
    rank, last = _ranks(order)
    first = last - kernel.subtree_sizes(heads, order) + 1
    words = np.flatnonzero((heads >= 0) & (np.abs(heads - np.arange(len(heads))) > 1))
    governors = heads[words]
    between = np.minimum(words, governors) + 1, np.maximum(words, governors)
    lowest, highest = _extremes(rank, *between)
    outside = np.zeros(len(heads), dtype=bool)
    outside[words] = (lowest < first[governors]) | (highest > last[governors])
    return outside


def _ranks(order: Codes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rank all words in-order, so that each subtree has consecutive ranks; give each word's, and its subtree's last."""
    is_left = order >= 0
    done = np.cumsum(is_left) - 1
    rank = np.empty(len(order) // 2, dtype=np.intp)
    last = np.empty_like(rank)
    rank[order[is_left]] = done[is_left]
    last[-1 - order[~is_left]] = done[~is_left]
    return rank, last


def _extremes(
    values: NDArray[np.intp], begins: NDArray[np.intp], ends: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the least and greatest value in each range [begin, end), none of which is empty.

    Windows of 1, 2, 4 ... values are made one size after the other; two windows cover a range.
    """
    lowest, highest = np.empty_like(begins), np.empty_like(begins)
    level = np.frexp(ends - begins)[1] - 1  # the largest power of two that is not longer than the range
    low = high = values
    for k in range(int(level.max(initial=-1)) + 1):
        chosen = np.flatnonzero(level == k)
        one, other = begins[chosen], ends[chosen] - (1 << k)
        lowest[chosen] = np.minimum(low[one], low[other])
        highest[chosen] = np.maximum(high[one], high[other])
        low = np.minimum(low[: -(1 << k)], low[1 << k :])
        high = np.maximum(high[: -(1 << k)], high[1 << k :])
    return lowest, highest
