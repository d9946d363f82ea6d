"""Small statistics that several studies need: correlations with None for what is not defined, means, roundings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from levelhead.correlation.coefficients import MOST_EXACT, correlations, exact_p_value, p_value

Cell = float | None


def pearson(pairs: Iterable[tuple[Cell, Cell]]) -> tuple[Cell, Cell, int]:
    """Return Pearson's correlation, its two-sided p by Student's t, and how many pairs have both values.

    Args:
        pairs: pairs of values; those with a None are left out. Fewer than three have no correlation.
    """
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    if len(known) < 3 or min(len({x for x, _ in known}), len({y for _, y in known})) < 2:
        return None, None, len(known)
    r = float(np.corrcoef(np.array(known).T)[0, 1])
    return r, p_value(r, len(known), 0), len(known)


def spearman(pairs: Iterable[tuple[Cell, Cell]]) -> tuple[Cell, Cell, int]:
    """Return Spearman's rank correlation, its two-sided p, and how many pairs have both values.

    The p is that of all permutations where there are few pairs, by Student's t where there are more.

    Args:
        pairs: as in `pearson`.
    """
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    one, other = [x for x, _ in known], [y for _, y in known]
    rank, p, n = pearson(zip(_ranks(one), _ranks(other)))
    if rank is not None and n <= MOST_EXACT:
        p = exact_p_value(np.array(one), np.array(other))
    return rank, p, n


def _ranks(values: Sequence[float]) -> list[float]:
    array = np.array(values)
    return [float((array < value).sum() + ((array == value).sum() - 1) / 2) for value in values]


def mean(values: Iterable[Cell]) -> Cell:
    """Return the mean of the values that there are, None if there is none.

    Args:
        values: the values.
    """
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def agrees(ours: Cell, printed: Cell, places: int = 2) -> bool | None:
    """Say whether a number equals a printed one to the digits printed; None where either is missing.

    Half a unit of the last digit is allowed, both ways of rounding a half.

    Args:
        ours: our number.
        printed: the printed one.
        places: the digits it is printed with.
    """
    if ours is None or printed is None:
        return None
    return bool(abs(ours - printed) <= 0.5 * 10.0**-places + 1e-9)


def shown(value: Cell, places: int = 2) -> str:
    """Return a number as text, a dash if there is none.

    Args:
        value: the number.
        places: digits after the point.
    """
    return "-" if value is None else f"{value:.{places}f}"


def p_shown(p: Cell, places: int = 3) -> str:
    """Return a p with its sign, `p = 0.024`, or `p < 0.001` where all digits would be 0.

    Args:
        p: the probability.
        places: digits after the point.
    """
    least = 10.0**-places
    return f"p < {least:.{places}f}" if p is not None and p < least / 2 else f"p = {shown(p, places)}"


def counted(found: Mapping[str, bool | None]) -> str:
    """Return "12 of 13 (not: fi)" for yes and no by name; None is not counted.

    Args:
        found: yes, no or None by name.
    """
    known = {name: value for name, value in found.items() if value is not None}
    failing = [name for name, value in known.items() if not value]
    return f"{len(known) - len(failing)} of {len(known)}" + (f" (not: {', '.join(failing)})" if failing else "")


def share_greater(
    one: Sequence[float], other: Sequence[float], target: Sequence[float], resamples: int, seed: int
) -> float | None:
    """Return in which share of bootstrap samples of treebanks one column correlates with a target more than another.

    Args:
        one: a column of numbers.
        other: another.
        target: what both are correlated with (Pearson).
        resamples: how many samples.
        seed: of the draws.

    Returns:
        The share; None with fewer than four rows.
    """
    n = len(target)
    if n < 4:
        return None
    weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)
    table = np.array([one, other, target], dtype=np.float64).T
    matrices = correlations(table, weights.astype(np.float64))
    return float(np.mean(matrices[:, 0, 2] > matrices[:, 1, 2]))


def share_above(values: Iterable[Cell], resamples: int, seed: int) -> float | None:
    """Return in which share of bootstrap samples the mean is above 0.

    Args:
        values: the values, one a treebank; those that are None are left out.
        resamples: how many samples.
        seed: of the draws.

    Returns:
        The share; None with fewer than four values.
    """
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    if len(known) < 4:
        return None
    draws = np.random.default_rng(seed).integers(0, len(known), size=(resamples, len(known)))
    return float(np.mean(known[draws].mean(axis=1) > 0))


def all_decided(shares: Iterable[Cell]) -> bool | None:
    """Return whether all shares are high: no where one is low, None where one is neither.

    Args:
        shares: shares of resamples, as `decided` takes them.
    """
    verdicts = [decided(share) for share in shares]
    return False if False in verdicts else None if None in verdicts or not verdicts else True


def decided(share: Cell, level: float = 0.95) -> bool | None:
    """Turn a share of resamples into a verdict: yes, no, or None where it is neither high nor low.

    Args:
        share: the share.
        level: from where it counts as yes; as far from 0 it counts as no.
    """
    if share is None or 1 - level < share < level:
        return None
    return share >= level
