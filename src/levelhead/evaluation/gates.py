"""Gates: bounds of measures, which a value meets or does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

_SUSPECT = 1
"""A percentage that is not above it was meant as a share, most likely."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)")
"""Longer exponents would take hours to compute."""


class Gate(NamedTuple):
    """A bound of a measure.

    Args:
        measure: its text.
        bound: in the unit of the value: a ratio, or a perplexity.
        highest: whether the bound is an upper one, as of perplexities.
    """

    measure: str
    bound: Fraction
    highest: bool

    def broken(self, value: Fraction | float | None) -> str | None:
        """Return how a value breaks the bound; None if it does not."""
        unit = 1 if self.highest else 100
        where, bound = ("over" if self.highest else "under"), f"{float(unit * self.bound):g}"
        if value is None:
            return f"{self.measure} has no value, {where} {bound}"
        if value > self.bound if self.highest else value < self.bound:
            return f"{self.measure} is {float(unit * value):.4f}, {where} {bound}"
        return None


def gate_of(measure: str, bound: Fraction, *, highest: bool) -> Gate:
    """Return the gate of a bound as people write it.

    Args:
        measure: the text of a measure.
        bound: a percentage, or a perplexity.
        highest: whether it is a perplexity, and the bound an upper one.
    """
    return Gate(measure, bound if highest else bound / 100, highest)


def bound_of(number: str | float | Fraction) -> Fraction | None:
    """Return a bound as an exact number; None if it is not a number, or beyond the range of a float.

    Args:
        number: what was given.
    """
    from fractions import Fraction

    if isinstance(number, str) and not _NUMBER.fullmatch(number.strip()):
        return None
    try:
        bound = Fraction(number if isinstance(number, str | Fraction) else float(number))
        float(bound)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return bound


def percentage_warning(measure: str, bound: Fraction, *, highest: bool) -> str | None:
    """Return a warning if a percentage is so low that a share was probably meant; None otherwise.

    Args:
        measure: the measure as it was given.
        bound: a percentage, or a perplexity.
        highest: whether it is a perplexity.
    """
    if highest or not 0 < bound <= _SUSPECT:
        return None
    return f"scores are percentages; if a share was meant, write {measure}={float(100 * bound):g}"
