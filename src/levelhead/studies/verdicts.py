"""The four verdicts on a claim, and the statistics from which they follow; None stands for missing values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.correlation.coefficients import Method, correlations, fisher_z
from levelhead.significance.resampling import resampled, resampled_weights

Verdict = Literal["holds", "does not hold", "inconclusive", "no data"]
"""What our numbers say about a claim.

`holds` and `does not hold`: the numbers decide. `inconclusive`: the claim was tested, but the test does not decide; the
evidence gives the interval or p. `no data`: the data for the test are missing.
"""

Sign = Literal[1, -1]  # the direction of a claimed effect: 1 for more, -1 for less

LEVEL = 0.05  # the significance level of all tests; the confidence level of intervals is 1 - LEVEL


class ValueWithInterval(NamedTuple):
    """A value with its 95% confidence interval."""

    value: float
    low: float
    high: float


def verdict_of_fact(holds: bool | None) -> Verdict:
    """Return the verdict on a claim that needs no test, such as an equality or a count."""
    if holds is None:
        return "no data"
    return "holds" if holds else "does not hold"


def verdict_of_effect(estimate: ValueWithInterval | None, sign: Sign) -> Verdict:
    """Return the verdict on a claimed effect: it is decided if the whole interval lies on one side of 0."""
    if estimate is None:
        return "no data"
    if estimate.low <= 0 <= estimate.high:
        return "inconclusive"
    return verdict_of_fact(sign * estimate.low > 0)


def verdict_of_correlation(r: float | None, p: float | None, sign: Sign) -> Verdict:
    """Return the verdict on a claimed correlation: it is decided if p is below `LEVEL`."""
    if r is None or p is None:
        return "no data"
    return verdict_of_fact(sign * r > 0) if p < LEVEL else "inconclusive"


def joint_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a claim with several parts: the strongest of their verdicts; no data without parts."""
    strongest_first: tuple[Verdict, ...] = ("does not hold", "inconclusive", "no data", "holds")
    return min(verdicts, key=strongest_first.index, default="no data")


def agreed_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the common verdict of several ways to measure the same thing; inconclusive if they disagree."""
    distinct = set(verdicts)
    return distinct.pop() if len(distinct) == 1 else "inconclusive" if distinct else "no data"


Cell = float | None
Numbers = NDArray[np.float64]

FEWEST = 4  # the smallest number of treebanks for which intervals are computed by resampling treebanks


def pearson(pairs: Iterable[tuple[Cell, Cell]], method: Method = "pearson") -> tuple[Cell, Cell, int]:
    """Return Pearson's correlation, its two-sided p as by `correlate`, and the number of complete pairs."""
    known = np.array([pair for pair in pairs if None not in pair], dtype=np.float64).reshape(-1, 2)
    if len(known) < 3 or (known == known[0]).all(axis=0).any():
        return None, None, len(known)
    found = fisher_z(known, method)
    return float(found.r[0, 1]), found.test(0, 1, 1 - LEVEL)[2], len(known)


def spearman(pairs: Iterable[tuple[Cell, Cell]]) -> tuple[Cell, Cell, int]:
    """Return Spearman's rank correlation, its two-sided p as by `correlate`, and the number of complete pairs."""
    return pearson(pairs, "spearman")


def mean(values: Iterable[Cell]) -> Cell:
    """Return the mean of the values that are not None; None if there are none."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def ratio(value: Fraction | None) -> Cell:
    return None if value is None else float(value)


def points(share: Cell) -> Cell:
    return None if share is None else 100 * share


def difference(x: Cell, y: Cell) -> Cell:
    return None if x is None or y is None else x - y


def agrees(ours: Cell, printed: Cell, places: int = 2) -> bool | None:
    """Return whether our number equals a printed number to its decimals, however it is rounded; None if missing."""
    apart = difference(ours, printed)
    return None if apart is None else bool(abs(apart) <= 0.5 * 10.0**-places + 1e-9)


def shown(value: Cell, places: int = 2, scale: float = 1) -> str:
    """Return a number as text; a dash for None."""
    return "-" if value is None else f"{scale * value:.{places}f}"


def p_shown(p: Cell, places: int = 3) -> str:
    """Return a p-value as text: `p = 0.024`, or `p < 0.001` if all decimals would be 0."""
    least = 10.0**-places
    return f"p < {least:.{places}f}" if p is not None and p < least / 2 else f"p = {shown(p, places)}"


def count_of_true(outcomes: Mapping[str, bool | None]) -> str:
    """Return how many outcomes are true, and which are false, as text: "12 of 13 (not: fi)"."""
    known = {name: value for name, value in outcomes.items() if value is not None}
    failing = [name for name, value in known.items() if not value]
    return f"{len(known) - len(failing)} of {len(known)}" + (f" (not: {', '.join(failing)})" if failing else "")


def mean_interval(values: Iterable[Cell], resamples: int, seed: int) -> ValueWithInterval | None:
    """Return a mean over treebanks with its 95% percentile interval from resampled treebanks."""
    known = np.array([[value] for value in values if value is not None], dtype=np.float64).reshape(-1, 1)
    return resampled_estimate(known, lambda means: means[..., 0], resamples, seed)


def resampled_estimate(
    rows: Numbers, statistic: Callable[[Numbers], Numbers], resamples: int, seed: int
) -> ValueWithInterval | None:
    """Return a statistic of means over treebanks with its 95% percentile interval from resampled treebanks."""
    if len(rows) < FEWEST:
        return None
    means = resampled(rows, resamples, seed) / len(rows)
    return percentile_estimate(float(statistic(rows.mean(axis=0))), statistic(means))


def contrast_interval(
    columns: Sequence[Sequence[float]],
    target: Sequence[float],
    contrast: Callable[[Numbers], Numbers],
    resamples: int,
    seed: int,
) -> ValueWithInterval | None:
    """Return a contrast of correlations with a target, with its 95% percentile interval from resampled treebanks."""
    n = len(target)
    if n < FEWEST:
        return None
    table = np.array([*columns, target], dtype=np.float64).T
    matrices = correlations(table, np.concatenate([np.ones((1, n)), resampled_weights(n, resamples, seed)]))
    contrasts = contrast(matrices[:, -1, :-1])
    return percentile_estimate(float(contrasts[0]), contrasts[1:])


def percentile_estimate(value: float, statistics: Numbers) -> ValueWithInterval | None:
    """Return a value with its 95% percentile interval; None if the value is undefined (nan)."""
    known = statistics[~np.isnan(statistics)]
    if math.isnan(value) or not len(known):
        return None
    low, high = np.quantile(known, [LEVEL / 2, 1 - LEVEL / 2])
    return ValueWithInterval(value, float(low), float(high))


def estimate_shown(estimate: ValueWithInterval | None, places: int = 2, scale: float = 1) -> str:
    """Return an estimate as text: `+0.12 (95% CI -0.82 to +1.10)`, or why it is missing."""
    if estimate is None:
        return f"not tested (fewer than {FEWEST} values, or undefined)"
    value, low, high = (f"{scale * number:+.{places}f}" for number in estimate)
    return f"{value} (95% CI {low} to {high})"
