"""Gates of `levelhead score`: bounds of measures that decide its exit code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from levelhead.cli.program import DONE, GATE, say
from levelhead.errors import Fault, InputError
from levelhead.measures import parse_measure

if TYPE_CHECKING:
    from levelhead.measures import Registry


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

    def broken(self, value: Fraction | None) -> str | None:
        """Say how a value breaks the bound; None if it does not."""
        unit = 1 if self.highest else 100
        where, bound = ("over" if self.highest else "under"), f"{float(unit * self.bound):g}"
        if value is None:
            return f"{self.measure} has no value, {where} {bound}"
        if value > self.bound if self.highest else value < self.bound:
            return f"{self.measure} is {float(unit * value):.4f}, {where} {bound}"
        return None


_SUSPECT = Fraction(1)
"""A percentage that is not above it was meant as a share, most likely."""


def gates(under: Iterable[str], over: Iterable[str], registry: Registry) -> Iterator[Gate]:
    """Give the gates that the command line asks for.

    Args:
        under: the values of `--fail-under`: percentages.
        over: the values of `--fail-over`: perplexities.
        registry: the measures that there are.

    Raises:
        InputError: one is not MEASURE=NUMBER, or of the other kind of measure.
        MeasureError: there is no such measure.
    """
    for option, texts in (("--fail-under", under), ("--fail-over", over)):
        for text in texts:
            name, bound = _parts(text)
            measure = parse_measure(name, registry)
            lower = registry.measures[measure.name].lower_is_better
            if lower != (option == "--fail-over"):
                kind, other = ("lower", "--fail-over") if lower else ("higher", "--fail-under")
                raise InputError(Fault("invalid-gate", f"{option} {text}: {kind} values are better; use {other}"))
            if not lower and 0 < bound <= _SUSPECT:
                meant = f"{name}={float(100 * bound):g}"
                say(f"warning: {option} {text}: scores are percentages; if a share was meant, write {meant}")
            yield Gate(str(measure), bound if lower else bound / 100, lower)


def _parts(text: str) -> tuple[str, Fraction]:
    name, equals, bound = text.rpartition("=")
    try:
        number = Fraction(bound)
    except (ValueError, ZeroDivisionError):
        equals = ""
    if not (name and equals):
        raise InputError(Fault("invalid-gate", f"{text!r} is not MEASURE=NUMBER"))
    return name, number


def passed(values: Mapping[str, Fraction | None], wanted: Iterable[Gate]) -> int:
    """Say which gates are not met, and return the exit code.

    Args:
        values: the value of each measure.
        wanted: the gates.
    """
    broken = [message for gate in wanted if (message := gate.broken(values[gate.measure]))]
    for message in broken:
        say(message)
    return GATE if broken else DONE
