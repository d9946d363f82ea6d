"""The four verdicts on a claim, and how facts, intervals and correlations lead to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Verdict = Literal["holds", "does not hold", "inconclusive", "no data"]
"""What our numbers say about a claim.

`holds` and `does not hold`: the numbers decide. `inconclusive`: the claim was tested, and the test does not decide; the
evidence gives the interval or p. `no data`: what the test needs is missing.
"""

Sign = Literal[1, -1]
"""The direction of a claim: 1 for more, -1 for less."""

LEVEL = 0.05
"""The level of all tests; intervals are of 1 - LEVEL."""


class ValueWithInterval(NamedTuple):
    """A value with its 95% confidence interval."""

    value: float
    low: float
    high: float


def verdict_of_fact(holds: bool | None) -> Verdict:
    """Return the verdict on a claim that needs no test, such as an equality or a count.

    Args:
        holds: whether it is so; None if the numbers for it are missing.
    """
    if holds is None:
        return "no data"
    return "holds" if holds else "does not hold"


def verdict_of_effect(estimate: ValueWithInterval | None, sign: Sign) -> Verdict:
    """Return the verdict on a claim about a direction: the whole interval must lie on one side of 0.

    Args:
        estimate: the effect; None if it cannot be estimated.
        sign: the claimed direction.
    """
    if estimate is None:
        return "no data"
    if estimate.low <= 0 <= estimate.high:
        return "inconclusive"
    return verdict_of_fact(sign * estimate.low > 0)


def verdict_of_correlation(r: float | None, p: float | None, sign: Sign) -> Verdict:
    """Return the verdict on a claim about the direction of a correlation: p must be below `LEVEL`.

    Args:
        r: the correlation; None if it is undefined.
        p: its two-sided p; None if it is undefined.
        sign: the claimed direction.
    """
    if r is None or p is None:
        return "no data"
    return verdict_of_fact(sign * r > 0) if p < LEVEL else "inconclusive"


def joint_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a claim of several parts: it holds if all parts hold, and not if one does not.

    Otherwise it is inconclusive if one part is, and without data if a part has none or there are no parts.

    Args:
        verdicts: the verdicts on the parts.
    """
    found = set(verdicts)
    for verdict in _STRONGEST_FIRST:
        if verdict in found:
            return verdict
    return "holds" if found else "no data"


_STRONGEST_FIRST: tuple[Verdict, ...] = ("does not hold", "inconclusive", "no data")
"""Verdicts on one part that decide about the whole claim."""


def agreed_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict that several ways to measure the same thing share; inconclusive if they disagree.

    Args:
        verdicts: the verdicts, one per way to measure.
    """
    found = set(verdicts)
    return found.pop() if len(found) == 1 else "inconclusive" if found else "no data"
