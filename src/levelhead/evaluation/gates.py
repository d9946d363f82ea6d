"""Gates: bounds of measures."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from levelhead.scoring.score import Score

_SUSPECT = 1  # a percentage up to this bound was probably meant as a share

# Numbers with longer exponents would take hours to compute.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)")


class Gate(NamedTuple):
    """A bound of a measure."""

    measure: str  # its text
    bound: Fraction  # a percentage, or a perplexity
    highest: bool  # whether the bound is an upper bound, as for perplexities

    def broken(self, score: Score) -> str | None:
        if (value := score.exact) is None:
            return f"{self.measure} has no value: {score.reason or 'there is nothing to count'}"
        if value > self.bound if self.highest else value < self.bound:
            return f"{self.measure} is {float(value):.4f}, {'over' if self.highest else 'under'} {float(self.bound):g}"
        return None


def bound_of(number: str | float | Fraction) -> Fraction | None:
    """Return a bound as an exact number; None if it is not a number, or beyond the range of a float."""
    if isinstance(number, str) and not _NUMBER.fullmatch(number.strip()):
        return None
    try:
        bound = Fraction(number if isinstance(number, str | Fraction) else float(number))
        float(bound)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return bound


def percentage_warning(measure: str, bound: Fraction, *, highest: bool) -> str | None:
    """Return a warning if a percentage is so low that a share was probably meant, or above 100; else None."""
    if not highest and bound > 100:
        return "no score is above 100"
    if not highest and 0 < bound <= _SUSPECT:
        return f"scores are percentages; if you meant a share, write {measure}={float(100 * bound):g}"
    return None
