"""The counts of a measure, broken down by properties of words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.word_properties import Buckets, PropertySettings, property_named
from levelhead.errors import MeasureError
from levelhead.measures.registry import STANDARD, Registry
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure import Component, Definition, Measure
from levelhead.scoring.score import Score, count, score_of, selection_for


class _Numbers(NamedTuple):
    """How many buckets there are, and the bucket of each gold and each system word."""

    size: int
    gold: NDArray[np.int64]
    system: NDArray[np.int64]


RELATIONS = ("class", "deprel")
"""The properties whose values a measure can leave out."""

COMPONENTS: tuple[Component, ...] = ("precision", "recall", "f1")


class Breakdown(NamedTuple):
    """One score for each bucket of words that occurs.

    Args:
        by: the properties.
        measure: the measure.
        rows: the value of each property, and the score.
        whole: the score of all words; None where `without` is empty.
        without: by the values of a row, the score of all other words (Nivre and Fang 2017, Tables 2 and 3).
    """

    by: tuple[str, ...]
    measure: Measure
    rows: tuple[tuple[tuple[str, ...], Score], ...]
    whole: Score | None = None
    without: Mapping[tuple[str, ...], Score] = MappingProxyType({})

    def difference(self, values: tuple[str, ...]) -> Fraction | None:
        """Return the score without a bucket minus the score of all words: negative where its words are easy.

        Args:
            values: the values of a row; where no word has them, nothing is left out.
        """
        if self.whole is None or self.whole.exact is None:
            return None
        without = self.without.get(values, self.whole).exact
        return None if without is None else without - self.whole.exact


def break_down(
    matches: Matches,
    measure: Measure,
    by: Sequence[str],
    settings: PropertySettings,
    *,
    registry: Registry = STANDARD,
) -> Breakdown:
    """Count a measure separately for each value of a property, or each combination of values of several.

    A word is right in a bucket if it is right and both sides have it there.

    Args:
        matches: the aligned words.
        measure: a measure of words.
        by: the names of properties (`PROPERTIES`), or `comment:NAME`.
        settings: what properties may need.
        registry: the available measures and schemes.

    Raises:
        MeasureError: the property is unknown, or the measure is weighted or does not count words.
    """
    definition = check_breakable(measure, registry)
    parts = [property_named(name).of(matches, settings) for name in by]
    buckets = _combined(parts)
    selection = selection_for(matches, measure, definition, registry.schemes)
    gold, system = matches.values(selection) if selection else _every_word(matches)
    counts = _count(matches, buckets, gold, system, matches.agree(definition.needs_for(measure.argument)))
    rows = [
        (tuple(names), _score(counts, number, measure, matches.rules.undefined))
        for number, names in enumerate(product(*(part.names for part in parts)))
        if counts.gold[number] or counts.system[number]
    ]
    return Breakdown(tuple(by), measure, tuple(rows))


def leave_out(breakdown: Breakdown, matches: Matches, registry: Registry = STANDARD) -> Breakdown:
    """Return a breakdown with the score without each class or relation; unchanged if it is by another property.

    Args:
        breakdown: the breakdown.
        matches: the aligned words.
        registry: the available measures and schemes; its default scheme is that of the classes.
    """
    measure = breakdown.measure
    if len(breakdown.by) > 1 or breakdown.by[0] not in RELATIONS or measure.only or measure.without:
        return breakdown
    definition = registry.measures[measure.name]

    def counted(without: tuple[str, ...]) -> Score:
        one = replace(measure, without=without)
        return score_of(count(matches, one, definition, schemes=registry.schemes), one, matches.rules.undefined)

    return breakdown._replace(whole=counted(()), without={values: counted(values) for values, _ in breakdown.rows})


class Average(NamedTuple):
    """The means of one bucket over treebanks.

    Args:
        values: the value of each property.
        n_treebanks: how many treebanks have words in the bucket.
        means: `precision`, `recall` and `f1` over these treebanks; `without` and `difference`, where they are known,
            over all treebanks: where no word is in the bucket, nothing is left out.
    """

    values: tuple[str, ...]
    n_treebanks: int
    means: Mapping[str, Fraction | None]


def averages(breakdowns: Sequence[Breakdown]) -> list[Average]:
    """Return the means of every bucket over treebanks; a class or relation need not occur in each.

    Args:
        breakdowns: one breakdown for each treebank, all by the same properties.
    """
    return [_average(values, breakdowns) for values in dict.fromkeys(row[0] for one in breakdowns for row in one.rows)]


def _average(values: tuple[str, ...], breakdowns: Sequence[Breakdown]) -> Average:
    scores = [score for one in breakdowns for own, score in one.rows if own == values]
    means: dict[str, Fraction | None] = {
        name: _mean(_component(score, name) for score in scores) for name in COMPONENTS
    }
    left_out = {}
    if breakdowns[0].whole:
        left_out["without"] = _mean(score.exact for one in breakdowns if (score := one.without.get(values, one.whole)))
        left_out["difference"] = _mean(one.difference(values) for one in breakdowns)
    return Average(values, len(scores), {**means, **left_out})


def _component(score: Score, name: Component) -> Fraction | None:
    return replace(score, measure=replace(score.measure, component=name)).exact


def _mean(numbers: Iterable[Fraction | None]) -> Fraction | None:
    known = [number for number in numbers if number is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def check_breakable(measure: Measure, registry: Registry = STANDARD) -> Definition:
    """Return the definition of a measure that can be broken down.

    Args:
        measure: any measure.
        registry: the available measures and schemes.

    Raises:
        MeasureError: the measure is weighted or does not count words.
    """
    definition = registry.measures[measure.name]
    if definition.takes_weights:
        raise MeasureError(f"{measure} is weighted: weighted measures cannot be broken down", "not-broken-down")
    if definition.unit != "words":
        raise MeasureError(f"{measure} does not count words, and cannot be broken down", "not-broken-down")
    return definition


def _combined(parts: Sequence[Buckets]) -> _Numbers:
    """One bucket for each combination, in the order of `itertools.product`."""
    size, gold, system = len(parts[0].names), parts[0].gold, parts[0].system
    for part in parts[1:]:
        n_names = len(part.names)
        size, gold, system = size * n_names, gold * n_names + part.gold, system * n_names + part.system
    return _Numbers(size, gold, system)


def _every_word(matches: Matches) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.ones(matches.gold.n_words, dtype=bool), np.ones(matches.system.n_words, dtype=bool)


def _count(
    matches: Matches, buckets: _Numbers, gold: NDArray[Any], system: NDArray[Any], agree: NDArray[np.bool_]
) -> Counts:
    ours, theirs = matches.alignment.gold, matches.alignment.system
    right = agree & gold[ours] & system[theirs] & (buckets.gold[ours] == buckets.system[theirs])
    aligned = gold[ours]
    chosen = (buckets.gold[ours][right], buckets.gold[gold], buckets.system[system], buckets.gold[ours][aligned])
    return Counts(*(np.bincount(numbers, minlength=buckets.size) for numbers in chosen))


def _score(counts: Counts, number: int, measure: Measure, undefined: float | None) -> Score:
    one = slice(number, number + 1)
    aligned = None if counts.aligned is None else counts.aligned[one]
    return score_of(Counts(counts.correct[one], counts.gold[one], counts.system[one], aligned), measure, undefined)
