"""Cumulative variance: the variance of scores among the best two, three, ... up to all treebanks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError


class CumulativeVariance(NamedTuple):
    """The variance of a measure as treebanks are added in top-scoring order.

    Args:
        treebanks: the treebanks in the order in which they are added.
        variances: the variances of the first two, three, ... of them, float64, shape (treebanks - 1,).
    """

    treebanks: tuple[str, ...]
    variances: NDArray[np.float64]


def cumulative_variance(treebanks: tuple[str, ...], scores: NDArray[np.float64]) -> CumulativeVariance:
    """Return the variance of the best k scores for every k from 2 (Callin, figure 5).

    It is the sample variance (n - 1), as in his program. Each measure has its own order.

    Args:
        treebanks: their names.
        scores: the scores, shape (treebanks,); treebanks without one (NaN) are left out.

    Raises:
        InputError: fewer than two treebanks have a score.
    """
    known = np.flatnonzero(~np.isnan(scores))
    if len(known) < 2:
        raise InputError(Fault("too-few-treebanks", f"a variance requires at least two treebanks, not {len(known)}"))
    order = known[np.argsort(-scores[known], kind="stable")]
    best = scores[order]
    variances = np.array([best[:k].var(ddof=1) for k in range(2, len(best) + 1)])
    return CumulativeVariance(tuple(treebanks[i] for i in order), variances)
