"""Scores: a value with the counts behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partialmethod
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from levelhead.errors import Fault, InputError, MalformedDeps, MeasureError, Place
from levelhead.immutable import immutable
from levelhead.scoring.counts import (
    Counts,
    count_edges,
    count_empty_nodes,
    count_exact,
    count_paired,
    count_roots,
    count_spans,
    count_trees,
    count_words,
)
from levelhead.scoring.matches import Agree, Matches, TreebankPair, match
from levelhead.scoring.measure import NOTHING, annotates
from levelhead.scoring.selection import STANDARD, Schemes, selection_for

if TYPE_CHECKING:
    from fractions import Fraction

    from levelhead.scoring.measure import Component, Definition, Measure
    from levelhead.scoring.partial_matches import PartialMatches
    from levelhead.scoring.rules import Rules
    from levelhead.treebank import Treebank

_MOST_SURPRISE = 308  # larger powers of ten exceed the range of floats


class Valued:
    """A number for `float`, comparisons and formats: `score > 85`, `f"{score:.1f}"`; text: `LAS 89.02 [83.4, 93.6]`."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def measure(self) -> Any: ...
        @property
        def value(self) -> float | None: ...
        @property
        def interval(self) -> tuple[float, float] | None: ...

    def __str__(self) -> str:
        interval = f" [{self.interval[0]:.1f}, {self.interval[1]:.1f}]" if self.interval else ""
        return f"{self.measure} {'-' if self.value is None else f'{self.value:.2f}'}{interval}"

    def __float__(self) -> float:
        if self.value is None:
            reason = getattr(self, "reason", None) or "there is nothing to count"
            raise ValueError(f"{self.measure} has no value: {reason}")
        return self.value

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def _ordered(self, other: object, operator: Callable[[Any, Any], Any]) -> bool:
        if not isinstance(other, Valued | int | float):
            return NotImplemented  # type: ignore[no-any-return]
        value, another = self.value, other.value if isinstance(other, Valued) else other
        return value is not None and another is not None and bool(operator(value, another))

    __lt__ = partialmethod(_ordered, operator=lt)
    __le__ = partialmethod(_ordered, operator=le)
    __gt__ = partialmethod(_ordered, operator=gt)
    __ge__ = partialmethod(_ordered, operator=ge)


@immutable
class Score(Valued):
    """A system's score by one measure, in percent; it can be used as a number.

    If `value` is None, `float` raises ValueError, and comparisons are false.

    Args:
        measure: the measure.
        correct: the number of correct items; for weighted measures, the sum of the weights of these items.
        gold: the number of items in gold.
        system: the number of items in the system's output.
        aligned: the number of aligned gold items; None for measures of segmentation and of graphs.
        undefined: the value if there is nothing to count; 0.0 under the rules of the official scorers, otherwise None.
        reason: the reason why the value is missing; None if there is a value.
        signature: a mapping from the name of each setting that determines the score to its value.
        perplexity: whether the value is a perplexity, not a percentage. Then `correct` is a sum of negative log10
            probabilities, and the value is 10 ** (correct / gold).
        interval: the 95% confidence interval of the value; None if not requested, or for fewer than 10 sampling units.
    """

    measure: Measure
    correct: float
    gold: float
    system: float
    aligned: float | None
    undefined: float | None = None
    reason: str | None = None
    signature: Mapping[str, str] | None = None
    perplexity: bool = False
    interval: tuple[float, float] | None = None

    @property
    def precision(self) -> float | None:
        """100 * correct / system."""
        return self.percentage("precision")

    @property
    def recall(self) -> float | None:
        """100 * correct / gold."""
        return self.percentage("recall")

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall: 100 * 2 correct / (system + gold)."""
        return self.percentage("f1")

    @property
    def aligned_accuracy(self) -> float | None:
        """100 * correct / aligned."""
        return self.percentage("aligned_accuracy")

    @property
    def value(self) -> float | None:
        """F1 in percent, another ratio if the name of the measure requests it (`LAS.recall`), or the perplexity."""
        if self.perplexity:
            surprise = self.correct / self.gold if self.gold else math.inf
            return 10.0**surprise if surprise < _MOST_SURPRISE else None
        return self.percentage(self.component)

    __repr__ = Valued.__str__

    @property
    def component(self) -> Component:
        """The name of the ratio that `value` is, such as "f1" or "recall"; has no meaning for perplexities."""
        return self.measure.component or "f1"

    @property
    def exact(self) -> Fraction | None:
        """`value` as a `fractions.Fraction`, without rounding errors; None if there is no value."""
        ratio = self.exact_ratio
        return ratio if ratio is None or self.perplexity else 100 * ratio

    @property
    def exact_ratio(self) -> Fraction | None:
        """`exact` divided by 100, or `exact` itself if the score is a perplexity; None if there is no value."""
        from fractions import Fraction

        if self.value is None:
            return None
        if self.perplexity:
            return Fraction(self.value)
        part, whole = self._parts(self.component)
        return Fraction(part) / Fraction(whole) if whole else Fraction(self.value)  # 0

    def percentage(self, component: Component) -> float | None:
        """Return one of the ratios in percent; `component` is "precision", "recall", "f1" or "aligned_accuracy"."""
        return self.ratio(component, 100)

    def ratio(self, component: Component, scale: int = 1) -> float | None:
        """Return one of the ratios (see `percentage`) multiplied by `scale`; None if the ratio is undefined."""
        if self.reason is not None or self.perplexity or (component == "aligned_accuracy" and self.aligned is None):
            return None
        part, whole = self._parts(component)
        return scale * part / whole if whole else self.undefined

    def _parts(self, component: Component) -> tuple[float, float]:
        if component == "f1":
            return 2 * self.correct, self.system + self.gold
        wholes = {"precision": self.system, "aligned_accuracy": self.aligned or 0}
        return self.correct, wholes.get(component, self.gold)


def match_pair(gold: Treebank, system: Treebank, rules: Rules) -> TreebankPair:
    if not rules.content:
        return match(gold, system, rules)
    from levelhead.scoring.morphosyntactic_matches import match_content

    return match_content(gold, system, rules)


def count(
    matches: TreebankPair,
    measure: Measure,
    definition: Definition,
    *,
    schemes: Schemes = STANDARD,
    weights: Any = None,
    by_sentence: bool = False,
    before: Counts | None = None,
    paired: PartialMatches | None = None,
) -> Counts:
    """Return the counts of a measure; measures of whole sentences count pairs of sentences if these are `paired`."""
    if not isinstance(matches, Matches):
        from levelhead.scoring.morphosyntactic_matches import count_content

        return count_content(matches, measure.name, by_sentence=by_sentence, before=before)
    if definition.counter is not None:
        return definition.counter(matches, weights, by_sentence=by_sentence, before=before)
    if definition.correct is not None:
        from levelhead.scoring.word_columns import correct_pairs  # rarely needed

        selection = selection_for(matches, measure, definition, schemes)
        right = correct_pairs(matches, measure, definition, schemes)
        return count_words(matches, NOTHING, selection, by_sentence=by_sentence, before=before, right=right)
    if before is not None and not definition.takes_weights:
        return before.plus(count(matches, measure, definition, schemes=schemes))
    needs = definition.needs_for(measure.argument)
    selection = selection_for(matches, measure, definition, schemes, weights)
    if before is not None:  # sums of weights depend on the order of words
        return count_words(matches, needs, selection, before=before)
    return COUNTERS[definition.counted_item](matches, needs, selection, by_sentence, paired)


def count_by_sentence(
    matches: TreebankPair,
    measure: Measure,
    definition: Definition,
    *,
    schemes: Schemes = STANDARD,
    weights: Mapping[str, float] | None = None,
) -> Counts:
    if missing := without_trees(matches, measure, definition):
        side = matches.system if matches.gold.has_trees else matches.gold
        raise InputError(Fault("not-annotated", f"{measure}: {missing}", Place(side.source.path)))
    try:
        return count(matches, measure, definition, schemes=schemes, weights=weights, by_sentence=True)
    except MalformedDeps as error:
        files = " or ".join(str(Place(side.source.path)) for side in (matches.gold, matches.system))
        raise InputError(Fault("unreadable-deps", f"{measure}: DEPS of {files} cannot be read: {error}")) from error


def _refuse(*_: object, **__: object) -> Counts:
    raise MeasureError("measures of content words require the rules msp25 or msp25-sorted", "unknown-measure")


# What counts each of `COUNTED_ITEMS`, given what must agree, which words are selected, whether by sentence, and the
# pairs of sentences, if they are paired: then whole sentences count by pairs, since some have none or another text.
COUNTERS: Mapping[str, Callable[..., Counts]] = MappingProxyType(
    {
        "words": lambda matches, needs, chosen, each, _: count_words(matches, needs, chosen, by_sentence=each),
        "exact": lambda matches, needs, chosen, each, paired: count_exact(
            matches, needs, chosen, by_sentence=each, same_text=paired.same_text if paired else None
        ),
        "edges": lambda matches, needs, _, each, __: count_edges(matches, needs, by_sentence=each),
        "empty": lambda matches, needs, _, each, __: count_empty_nodes(matches, needs, by_sentence=each),
        "roots": lambda matches, needs, _, each, __: count_roots(matches, needs, by_sentence=each),
        "tokens": lambda matches, _, __, each, ___: count_spans(matches, "tokens", by_sentence=each),
        "sentences": lambda matches, _, __, each, paired: (
            count_paired(paired.same_text) if paired else count_spans(matches, "sentences", by_sentence=each)
        ),
        "aligned": lambda matches, _, __, each, ___: replace(
            count_words(matches, NOTHING, by_sentence=each), aligned=None
        ),
        "trees": lambda matches, _, __, each, paired: (
            count_paired(paired.is_tree) if paired else count_trees(matches, by_sentence=each)
        ),
        "content": _refuse,
    }
)


def score_of(total: Counts, measure: Measure, undefined: float | None = None, **how: Any) -> Score:
    """Return the score for counts, with other fields of `Score`."""
    aligned = None if total.aligned is None else total.aligned[0].item()
    numbers = (total.correct[0].item(), total.gold[0].item(), total.system[0].item())
    return Score(measure, *numbers, aligned, undefined, **how)


_OF_TREES = Agree.HEAD | Agree.RELATION | Agree.FULL_RELATION | Agree.CHILDREN
_OF_OUTPUT = frozenset({"trees", "perplexity"})  # units that do not require gold trees


def without_trees(matches: TreebankPair, measure: Measure, definition: Definition) -> str | None:
    """Return which side lacks heads or relations that a measure compares or selects words by; otherwise None."""
    if matches.gold.has_trees and matches.system.has_trees:
        return None
    compares_trees = (
        definition.counted_item not in {"edges", "empty"} and definition.needs_for(measure.argument) & _OF_TREES
    )
    if not (compares_trees or measure.only or measure.without):
        return None
    if not (matches.gold.has_trees or definition.counted_item in _OF_OUTPUT):
        return "not annotated in gold: HEAD"
    return None if matches.system.has_trees else "not annotated in the system's output: HEAD"


def check_annotated(matches: TreebankPair, measure: Measure, definition: Definition) -> None:
    """Refuse gold that lacks a column or trees that a measure requires."""
    missing = without_trees(matches, measure, definition)
    if missing is None and matches.rules.unannotated:
        columns = [name for name in definition.columns_for(measure.argument) if annotates(matches.gold, name)]
        if absent := definition.absent(measure.argument, columns):
            missing = f"not annotated in gold: {', '.join(absent)}"
    if missing:
        raise InputError(Fault("not-annotated", f"{measure}: {missing}", Place(matches.gold.source.path)))
