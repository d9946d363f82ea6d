"""Equivalence tests: is a difference smaller than a margin?"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from levelhead.errors import Fault, InputError
from levelhead.significance.estimates import Estimate

ALPHA = 0.05
"""The level of each of the two one-sided tests."""


class Equivalence(NamedTuple):
    """The result of an equivalence test.

    Args:
        shown: "yes" (the difference is smaller than the margin), "no" (it is larger), or "not shown" (undecided).
        p: the p-value of the two one-sided tests.
    """

    shown: Literal["yes", "no", "not shown"]
    p: float


def equivalence(difference: Estimate, margin: float) -> Equivalence | None:
    """Return the result of two one-sided tests of a difference against a margin (Schuirmann 1987).

    "yes" if the 90% interval is inside (-margin, margin), "no" if it is outside.

    Args:
        difference: the difference.
        margin: the largest irrelevant difference, in the unit of the difference.

    Returns:
        None if there are too few units.
    """
    p = difference.p_within(margin)
    return None if p is None else Equivalence("yes" if p < ALPHA else "no" if p > 1 - ALPHA else "not shown", p)


def margin_of(margin: float, *, perplexity: bool) -> float:
    """Return a margin in the unit of differences: a share of 1, or the logarithm of a ratio of perplexities."""
    return math.log(margin) if perplexity else margin / 100


def check_margin(margin: float | None, n_systems: int, n_measures: int, n_perplexities: int) -> None:
    """Refuse a margin that cannot be tested.

    Args:
        margin: as in `margin_of`, or None.
        n_systems: the number of systems.
        n_measures: the number of measures.
        n_perplexities: the number of measures that are perplexities.

    Raises:
        InputError: the margin is not positive, is above 100 points, is a ratio of at most 1, or there is only one
            system.
    """
    if margin is None:
        return
    if n_systems < 2:
        raise _refusal("requires at least two systems")
    if not math.isfinite(margin) or margin <= 0:
        raise _refusal(f"must be a number above 0, not {margin:g}")
    if 0 < n_perplexities < n_measures:
        raise _refusal("is in points for scores, and a ratio for perplexities: compare them separately")
    if not n_perplexities and margin > 100:
        raise _refusal(f"is in points and must be at most 100, not {margin:g}")
    if n_perplexities and margin <= 1:
        raise _refusal(f"is a ratio of perplexities and must be above 1, not {margin:g}: 1.05 allows 5%")


def _refusal(reason: str) -> InputError:
    return InputError(Fault("invalid-margin", f"the margin {reason}"))
