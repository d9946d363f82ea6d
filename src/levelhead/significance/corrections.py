"""Corrections for many tests, and tests over treebanks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from levelhead.errors import InputError
from levelhead.extras import missing_library


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected for several hypotheses by Holm's (1979) method, which controls the family-wise error.

    Args:
        p_values: the p-values of one family; None values are not counted.

    Returns:
        The adjusted p-values in the same order, at most 1.
    """
    known = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, i) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[i] = highest
    return adjusted


def sign_test(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of the sign test of positive against negative differences.

    Args:
        differences: one difference per treebank; zeros are left out.

    Returns:
        The exact binomial p-value; None if all differences are zero.
    """
    positive = sum(difference > 0 for difference in differences)
    n = positive + sum(difference < 0 for difference in differences)
    if not n:
        return None
    tail = sum(math.comb(n, k) for k in range(min(positive, n - positive) + 1))
    return float(min(1.0, 2 * tail / 2**n))


def signed_rank_test(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test over treebanks (scipy's; zeros are left out).

    Args:
        differences: one difference per treebank.

    Raises:
        InputError: scipy is not installed; its slug is `missing-extra`.
    """
    if not any(differences):
        return None
    try:
        from scipy.stats import wilcoxon  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise InputError(missing_library("scipy", "Wilcoxon tests")) from error
    return float(wilcoxon(differences).pvalue)
