"""Small statistics that several studies need: correlations with None for what is not defined, means, roundings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from levelhead.correlation.coefficients import p_value

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

    Args:
        pairs: as in `pearson`.
    """
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    return pearson(zip(_ranks([x for x, _ in known]), _ranks([y for _, y in known])))


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
    return abs(ours - printed) <= 0.5 * 10**-places + 1e-9


def shown(value: Cell, places: int = 2) -> str:
    """Return a number as text, a dash if there is none.

    Args:
        value: the number.
        places: digits after the point.
    """
    return "-" if value is None else f"{value:.{places}f}"


def counted(found: Mapping[str, bool | None]) -> str:
    """Return "12 of 13 (not: fi)" for yes and no by name; None is not counted.

    Args:
        found: yes, no or None by name.
    """
    known = {name: value for name, value in found.items() if value is not None}
    failing = [name for name, value in known.items() if not value]
    return f"{len(known) - len(failing)} of {len(known)}" + (f" (not: {', '.join(failing)})" if failing else "")
