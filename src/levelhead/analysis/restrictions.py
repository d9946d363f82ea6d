"""What a measure gives for each class of relations alone, and how it changes when one is left out.

Nivre and Fang (2017), Tables 2 and 3. A difference is restricted minus full, so that a loss is negative.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple

from levelhead.errors import MeasureError
from levelhead.evaluation.pair import Evaluation
from levelhead.measures.registry import STANDARD, Registry, parse_measure
from levelhead.scoring.measure import Measure
from levelhead.treebank.schemes import Scheme

Kind = Literal["classes", "relations", "all-relations"]

_FUNCTION = ("FUN", "FUNCTION")


class Exclusions(NamedTuple):
    """Which measures make a table of restrictions.

    Args:
        whole: the measure over all words.
        alone: the measures over one class each.
        compared: other measures whose difference to the whole is of interest, CLAS beside LAS.
        without: the measures without one class or relation each.
    """

    whole: Measure
    alone: tuple[Measure, ...]
    compared: tuple[Measure, ...]
    without: tuple[Measure, ...]

    def occurring(self, rows: Iterable[Values]) -> Exclusions:
        """Leave out the classes of which no treebank has a word (UNKNOWN, as a rule).

        Args:
            rows: the values of every treebank.
        """
        found = {str(one.only) for row in rows for one in self.alone if row[str(one)] is not None}
        alone = tuple(one for one in self.alone if one.only in found)
        without = tuple(one for one in self.without if not self.alone or one.without[0] in found)
        return self._replace(alone=alone, without=without)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All of them."""
        return (self.whole, *self.alone, *self.compared, *self.without)


Values = Mapping[str, Fraction | None]
"""Values by the text of the measure."""


def exclusions_of(text: str, kind: Kind, registry: Registry = STANDARD) -> Exclusions:
    """Return the measures of a table of restrictions.

    Args:
        text: the measure over all words, LAS for the tables of the paper.
        kind: "classes": each class of the default scheme alone, and left out (their Table 2). "relations": each
            relation of function words left out (their Table 3). "all-relations": each relation of the scheme.
        registry: the measures and schemes that there are.

    Raises:
        MeasureError: there is no such measure, or it cannot be restricted.
    """
    whole = parse_measure(text, registry)
    if whole.only or whole.without:
        raise MeasureError(f"{whole} is restricted already; the table is of a measure of all words", "unknown-measure")
    scheme = registry.schemes.by_name[registry.schemes.default]

    def restricted(only: str | None = None, without: str | None = None) -> Measure:
        measure = Measure(whole.name, whole.argument, only, (without,) if without else (), whole.component)
        return parse_measure(str(measure), registry)

    if kind == "classes":
        alone = tuple(restricted(only=name) for name in scheme.names)
        return Exclusions(whole, alone, (), tuple(restricted(without=name) for name in scheme.names))
    compared = (parse_measure("CLAS"),) if str(whole) == "LAS" else ()
    names = _relations(scheme, kind)
    return Exclusions(whole, (), compared, tuple(restricted(without=name) for name in names))


def _relations(scheme: Scheme, kind: Kind) -> list[str]:
    chosen = [label for label in scheme.classes if kind == "all-relations" or label in _FUNCTION]
    return sorted(relation for label in chosen for relation in scheme.classes[label])


def values_of(evaluation: Evaluation) -> Values:
    """Return the exact values of an evaluation by the text of the measure."""
    return {name: score.exact for name, score in evaluation.items()}


def difference(values: Values, measure: Measure, whole: Measure) -> Fraction | None:
    """Return a measure minus another; None where either has no value.

    Args:
        values: the values of all measures.
        measure: the restricted measure.
        whole: the full one.
    """
    one, other = values[str(measure)], values[str(whole)]
    return None if one is None or other is None else one - other
