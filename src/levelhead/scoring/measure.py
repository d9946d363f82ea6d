"""Measures as values: a name with an argument and a component, whose text is its identity."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

from levelhead.errors import MeasureError
from levelhead.scoring.matches import Agree

Unit = Literal["tokens", "sentences", "aligned", "words", "edges"]
Component = Literal["precision", "recall", "f1", "aligned_accuracy"]

NOTHING = Agree(0)
"""What a word must agree in to be aligned: no more."""

COMPONENTS: tuple[Component, ...] = ("precision", "recall", "f1", "aligned_accuracy")
_TEXT = re.compile(r"(?P<name>[A-Za-z]+)(?:\((?P<argument>.+)\))?(?:\.(?P<component>[a-z1_]+))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure as it is named: `LAS`, `LAS(full)`, `WeightedLAS(weights.tsv)`, `CLAS.precision`.

    Args:
        name: its name in the registry.
        argument: what stands in parentheses, or None.
        component: which ratio is its value, or None for the F1 score.
    """

    name: str
    argument: str | None = None
    component: Component | None = None

    def __str__(self) -> str:
        """Give the text that `parse_measure` reads back."""
        argument = f"({self.argument})" if self.argument is not None else ""
        return f"{self.name}{argument}{f'.{self.component}' if self.component else ''}"


class Definition(NamedTuple):
    """What a measure counts, and what it is.

    Args:
        name: its name.
        meaning: its definition in one sentence.
        formula: what is correct, and of what.
        source: where it comes from.
        unit: what is counted.
        needs: what must agree for a word to be correct.
        only: the class of the rules' scheme to which it is restricted, or None.
        columns: the columns without which in gold there is nothing to measure.
        argument: what its argument means, or None if it has none.
        variants: arguments that change what must agree.
        takes_weights: whether the argument names a file of weights.
    """

    name: str
    meaning: str
    formula: str
    source: str
    unit: Unit = "words"
    needs: Agree = NOTHING
    only: str | None = None
    columns: tuple[str, ...] = ()
    argument: str | None = None
    variants: tuple[tuple[str, Agree], ...] = ()
    takes_weights: bool = False

    def needs_for(self, argument: str | None) -> Agree:
        """Return what must agree, given the argument."""
        return dict(self.variants).get(argument or "", self.needs)


def split(text: str) -> Measure:
    """Read the text of a measure, without asking whether there is such a measure.

    Raises:
        MeasureError: the text is not of the form NAME(argument).component.
    """
    match = _TEXT.fullmatch(text.strip())
    if not match:
        raise MeasureError(f"{text!r} is not written NAME, NAME(argument) or NAME.component", "unknown-measure")
    component = match["component"]
    if component is not None and component not in COMPONENTS:
        raise MeasureError(f"{component!r} is none of {', '.join(COMPONENTS)}", "unknown-measure")
    return Measure(match["name"], match["argument"], cast("Component | None", component))
