"""The four verdicts on a claim, and how they follow from facts, intervals and correlations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Verdict = Literal["holds", "does not hold", "inconclusive", "no data"]
"""What our numbers say about a claim.

`holds` and `does not hold`: the numbers decide. `inconclusive`: the claim was tested, but the test does not decide; the
evidence gives the interval or p. `no data`: the data for the test are missing.
"""

Sign = Literal[1, -1]
"""The direction of a claimed effect: 1 for more, -1 for less."""

LEVEL = 0.05
"""The significance level of all tests; the confidence level of intervals is 1 - LEVEL."""


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
    """Return the verdict on a claim with several parts: it holds if all parts hold, and does not if one does not.

    Otherwise, it is inconclusive if a part is; else there is no data. Without any parts, there is no data either.
    """
    distinct = set(verdicts)
    for verdict in _STRONGEST_FIRST:
        if verdict in distinct:
            return verdict
    return "holds" if distinct else "no data"


_STRONGEST_FIRST: tuple[Verdict, ...] = ("does not hold", "inconclusive", "no data")
"""The verdicts on a single part that decide the verdict on the whole claim."""


def agreed_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the common verdict of several ways to measure the same thing; inconclusive if they disagree."""
    distinct = set(verdicts)
    return distinct.pop() if len(distinct) == 1 else "inconclusive" if distinct else "no data"
