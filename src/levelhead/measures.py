"""The one registry of all measures and schemes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from levelhead.errors import MeasureError
from levelhead.scoring.definitions import DEFINITIONS
from levelhead.scoring.measure import Definition, Measure, split
from levelhead.scoring.selection import STANDARD as STANDARD_SCHEMES
from levelhead.scoring.selection import Schemes, check

REGISTRY: Mapping[str, Definition] = MappingProxyType({definition.name: definition for definition in DEFINITIONS})
"""All shipped measures by name."""


class Registry(NamedTuple):
    """The measures and schemes that can be named.

    Args:
        measures: all measures by name.
        schemes: all schemes, and which is the default.
        sha256: the hashes of the files that added to it.
    """

    measures: Mapping[str, Definition] = REGISTRY
    schemes: Schemes = STANDARD_SCHEMES
    sha256: tuple[str, ...] = ()

    def with_default(self, scheme: str) -> Registry:
        """Return the registry with another scheme for classes that are not qualified.

        Args:
            scheme: its name.

        Raises:
            MeasureError: there is no such scheme.
        """
        if scheme not in self.schemes.by_name:
            known = ", ".join(self.schemes.by_name)
            raise MeasureError(f"there is no scheme {scheme!r}; there are {known}", "unknown-measure")
        return self._replace(schemes=self.schemes._replace(default=scheme))


STANDARD = Registry()
"""What is shipped, and nothing else."""


def parse_measure(text: str, registry: Registry = STANDARD) -> Measure:
    """Return the measure that a text names; `parse_measure(str(m)) == m`.

    Args:
        text: for example `LAS`, `LAS(full)`, `CLAS.recall`, `LAS@CORE`, `LAS-FUN-PUNCT`.
        registry: the measures and schemes that there are.

    Raises:
        MeasureError: there is no such measure, class or relation; the message lists the nearest.
    """
    measure = split(text, registry.schemes.by_name)
    definition = registry.measures.get(measure.name)
    if definition is None:
        near = ", ".join(_nearest(measure.name, registry.measures))
        raise MeasureError(f"there is no measure {measure.name!r}; the nearest are {near}", "unknown-measure")
    _check_argument(measure, definition)
    if (measure.only or measure.without) and definition.unit not in {"words", "exact"}:
        raise MeasureError(f"{measure.name} does not count words, and has no classes", "unknown-measure")
    check(measure, registry.schemes)
    return measure


def _nearest(name: str, known: Iterable[str]) -> Iterable[str]:
    import difflib

    by_lower = {one.lower(): one for one in known}
    return [by_lower[match] for match in difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.0)]


def _check_argument(measure: Measure, definition: Definition) -> None:
    options = definition.options()
    if measure.argument is not None and definition.argument is None:
        raise MeasureError(f"{measure.name} takes no argument", "unknown-measure")
    if measure.argument is None and definition.takes_weights:
        raise MeasureError(f"{measure.name} needs an argument: {definition.argument}", "unknown-measure")
    if options and measure.argument is not None and not set(measure.argument.split(",")) <= set(options):
        raise MeasureError(f"{measure.name} knows no {measure.argument!r}: {definition.argument}", "unknown-measure")
