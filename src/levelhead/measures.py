"""The one registry of all measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from levelhead.errors import MeasureError
from levelhead.scoring.definitions import DEFINITIONS
from levelhead.scoring.measure import Definition, Measure, split

REGISTRY: Mapping[str, Definition] = MappingProxyType({definition.name: definition for definition in DEFINITIONS})
"""All measures by name."""


def parse_measure(text: str) -> Measure:
    """Return the measure that a text names; `parse_measure(str(m)) == m`.

    Args:
        text: for example `LAS`, `LAS(full)`, `CLAS.recall`.

    Raises:
        MeasureError: there is no such measure; the message lists the nearest names.
    """
    measure = split(text)
    definition = REGISTRY.get(measure.name)
    if definition is None:
        near = ", ".join(_nearest(measure.name))
        raise MeasureError(f"there is no measure {measure.name!r}; the nearest are {near}", "unknown-measure")
    _check_argument(measure, definition)
    return measure


def _nearest(name: str) -> Iterable[str]:
    import difflib

    by_lower = {known.lower(): known for known in REGISTRY}
    return [by_lower[match] for match in difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.0)]


def _check_argument(measure: Measure, definition: Definition) -> None:
    if measure.argument is not None and definition.argument is None:
        raise MeasureError(f"{measure.name} takes no argument", "unknown-measure")
    if measure.argument is None and definition.argument is not None and not definition.variants:
        raise MeasureError(f"{measure.name} needs an argument: {definition.argument}", "unknown-measure")
    if definition.variants and measure.argument is not None and measure.argument not in dict(definition.variants):
        raise MeasureError(f"{measure.name} knows no {measure.argument!r}: {definition.argument}", "unknown-measure")
