"""Scores: a value with the counts behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from levelhead.errors import Fault, InputError, MalformedDeps, MeasureError, Place
from levelhead.immutable import immutable
from levelhead.scoring.counts import (
    Counts,
    count_aligned,
    count_edges,
    count_exact,
    count_roots,
    count_sentences,
    count_tokens,
    count_trees,
    count_words,
)
from levelhead.scoring.matches import Agree, Matches, TreebankPair
from levelhead.scoring.punctuation import PUNCT, callin_punctuation
from levelhead.scoring.selection import STANDARD, Schemes, Selection, selection_of
from levelhead.scoring.weights import default_weight

if TYPE_CHECKING:
    from fractions import Fraction

    from levelhead.scoring.measure import Component, Definition, Measure, Unit


_MOST_SURPRISE = 308
"""Larger powers of ten exceed the range of floats."""


@immutable(eq=True)
class Score:
    """The score of a system by one measure.

    Args:
        measure: the measure.
        correct: the number of correct items (or the sum of their weights).
        gold: the number of items in gold.
        system: the number of items in the system's output.
        aligned: the number of aligned gold items; None for measures of segmentation and of graphs.
        undefined: the value of a ratio with nothing to count: None, or 0.0 as the official scorers print it.
        reason: why there is no value; None if there is a value.
        signature: everything that determines the score, by name.
        perplexity: whether the value is the perplexity 10 ** (correct / gold), not a ratio.
    """

    measure: Measure
    correct: float
    gold: float
    system: float
    aligned: float | None
    undefined: float | None = None
    reason: str | None = None
    signature: Mapping[str, str] | None = field(default=None, hash=False)
    perplexity: bool = False

    @property
    def precision(self) -> float | None:
        """Correct / system."""
        return self._ratio("precision")

    @property
    def recall(self) -> float | None:
        """Correct / gold."""
        return self._ratio("recall")

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall: 2 correct / (system + gold)."""
        return self._ratio("f1")

    @property
    def aligned_accuracy(self) -> float | None:
        """Correct / aligned."""
        return None if self.aligned is None else self._ratio("aligned_accuracy")

    @property
    def value(self) -> float | None:
        """The value of the measure's component, F1 by default."""
        if self.perplexity:
            surprise = self.correct / self.gold if self.gold else math.inf
            return 10.0**surprise if surprise < _MOST_SURPRISE else None
        return getattr(self, self.component)  # type: ignore[no-any-return]

    @property
    def component(self) -> Component:
        """The component that is the value."""
        return self.measure.component or "f1"

    @property
    def exact(self) -> Fraction | None:
        """The value without rounding; None without a value."""
        from fractions import Fraction

        if self.value is None:
            return None
        if self.perplexity:
            return Fraction(self.value)
        part, whole = self._parts(self.component)
        return Fraction(part) / Fraction(whole) if whole else Fraction(self.value)

    def _parts(self, component: Component) -> tuple[float, float]:
        if component == "f1":
            return 2 * self.correct, self.system + self.gold
        wholes = {"precision": self.system, "aligned_accuracy": self.aligned or 0}
        return self.correct, wholes.get(component, self.gold)

    def _ratio(self, component: Component) -> float | None:
        if self.reason is not None or self.perplexity:
            return None
        part, whole = self._parts(component)
        return part / whole if whole else self.undefined


def count(
    matches: TreebankPair,
    measure: Measure,
    definition: Definition,
    *,
    schemes: Schemes = STANDARD,
    weights: Any = None,
    by_sentence: bool = False,
    before: Counts | None = None,
) -> Counts:
    """Return the counts of a measure."""
    if not isinstance(matches, Matches):
        from levelhead.scoring.content_matches import count_content

        return count_content(matches, measure.name, by_sentence=by_sentence, before=before)
    if definition.unit == "content":
        raise MeasureError(f"{measure} requires the rules msp25 or msp25-sorted", "unknown-measure")
    if definition.counter is not None:
        return definition.counter(matches, weights, by_sentence=by_sentence, before=before)
    needs = definition.needs_for(measure.argument)
    if before is not None and not definition.takes_weights:
        return before.plus(count(matches, measure, definition, schemes=schemes))
    if definition.unit in _OF_WORDS:
        selection = selection_for(matches, measure, definition, schemes, weights)
        if before is not None:
            return count_words(matches, needs, selection, before=before)
        return _OF_WORDS[definition.unit](matches, needs, selection, by_sentence=by_sentence)
    if definition.unit in _OF_SPANS:
        return _OF_SPANS[definition.unit](matches, by_sentence=by_sentence)
    return (count_edges if definition.unit == "edges" else count_roots)(matches, needs, by_sentence=by_sentence)


def count_by_sentence(
    matches: TreebankPair,
    measure: Measure,
    definition: Definition,
    *,
    schemes: Schemes = STANDARD,
    weights: Mapping[str, float] | None = None,
) -> Counts:
    """Return the counts of a measure, one row per gold sentence."""
    if missing := without_trees(matches, measure, definition):
        side = matches.system if matches.gold.has_trees else matches.gold
        raise InputError(Fault("not-annotated", f"{measure}: {missing}", Place(side.source.path)))
    try:
        return count(matches, measure, definition, schemes=schemes, weights=weights, by_sentence=True)
    except MalformedDeps as error:
        files = " or ".join(str(Place(side.source.path)) for side in (matches.gold, matches.system))
        raise InputError(Fault("unreadable-deps", f"{measure}: DEPS of {files} cannot be read: {error}")) from error


def selection_for(
    matches: Matches,
    measure: Measure,
    definition: Definition,
    schemes: Schemes = STANDARD,
    weights: Mapping[str, float] | None = None,
) -> Selection | None:
    """Return the weight of each word in a measure; None if every word counts 1."""
    punctuation = PUNCT
    if definition.punctuation_for(measure.argument) == "callin":
        punctuation = matches.punctuation or callin_punctuation([matches.gold])
    return selection_of(
        measure,
        definition,
        matches.rules,
        schemes,
        punctuation=punctuation,
        weights=weights,
        default=default_weight(measure, definition),
    )


_OF_WORDS: Mapping[Unit, Callable[..., Counts]] = MappingProxyType({"words": count_words, "exact": count_exact})
_OF_SPANS: Mapping[Unit, Callable[..., Counts]] = MappingProxyType(
    {"tokens": count_tokens, "sentences": count_sentences, "aligned": count_aligned, "trees": count_trees}
)


def score_measure(
    matches: TreebankPair,
    measure: Measure,
    definition: Definition,
    *,
    schemes: Schemes = STANDARD,
    weights: Any = None,
) -> Score:
    """Score a system by one measure."""
    missing = not_annotated(matches, measure, definition)
    nothing = Score(measure, 0, 0, 0, None, matches.rules.undefined)
    if missing:
        return replace(nothing, reason=missing)
    try:
        total = count(matches, measure, definition, schemes=schemes, weights=weights)
    except MalformedDeps as error:
        return replace(nothing, reason=reason_of_malformed_deps(error))
    except InputError as error:  # only this measure has no value, for example because a tree has no derivation
        return replace(nothing, reason=str(error.faults[0]))
    return score_of(total, measure, matches.rules.undefined, perplexity=definition.lower_is_better)


def reason_of_malformed_deps(error: MalformedDeps) -> str:
    """Return why a measure of enhanced graphs has no value."""
    return f"DEPS cannot be read: {error}"


def score_of(total: Counts, measure: Measure, undefined: float | None = None, *, perplexity: bool = False) -> Score:
    """Return the score for counts."""
    aligned = None if total.aligned is None else total.aligned[0].item()
    numbers = (total.correct[0].item(), total.gold[0].item(), total.system[0].item())
    return Score(measure, *numbers, aligned, undefined, perplexity=perplexity)


_OF_TREES = Agree.HEAD | Agree.RELATION | Agree.FULL_RELATION | Agree.CHILDREN
_OF_OUTPUT = frozenset({"trees", "perplexity"})
"""Units that do not require gold trees."""


def needs_trees(measure: Measure, definition: Definition) -> bool:
    """Return whether a measure requires heads or relations, including to select words."""
    if definition.unit in {"exact", "roots", "content", *_OF_OUTPUT} or measure.only or measure.without:
        return True
    return definition.unit == "words" and bool(definition.needs_for(measure.argument) & _OF_TREES)


def without_trees(matches: TreebankPair, measure: Measure, definition: Definition) -> str | None:
    """Return which side lacks trees that a measure requires; otherwise None."""
    if not needs_trees(measure, definition):
        return None
    if not (matches.gold.has_trees or definition.unit in _OF_OUTPUT):
        return "not annotated in gold: HEAD"
    return None if matches.system.has_trees else "not annotated in the system's output: HEAD"


def not_annotated(matches: TreebankPair, measure: Measure, definition: Definition) -> str | None:
    """Return which columns that a measure requires have no values, if the rules report this; otherwise None."""
    if missing := without_trees(matches, measure, definition):
        return missing
    if not matches.rules.unannotated:
        return None
    columns = [name for name in definition.columns_for(measure.argument) if getattr(matches.gold, name).has_values]
    return reason_of_absence(definition.absent(measure.argument, columns))


def check_annotated(matches: TreebankPair, measure: Measure, definition: Definition) -> None:
    """Refuse gold that lacks a column or trees that a measure requires."""
    if missing := not_annotated(matches, measure, definition):
        raise InputError(Fault("not-annotated", f"{measure}: {missing}", Place(matches.gold.source.path)))


def reason_of_absence(columns: Collection[str]) -> str | None:
    """Return why a measure has no value if gold has no values in columns that it requires; None without columns."""
    return f"not annotated in gold: {', '.join(columns)}" if columns else None
