"""The counts of a measure, broken down by properties of words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.word_properties import PropertySettings, Values, property_named
from levelhead.errors import MeasureError
from levelhead.measures.registry import STANDARD, Registry
from levelhead.scoring import Counts, Matches, Measure, Score
from levelhead.scoring.counts import with_missing_words
from levelhead.scoring.measure import Component, Definition
from levelhead.scoring.score import check_annotated, count, score_of
from levelhead.scoring.selection import Selection, is_class, selection_for
from levelhead.scoring.word_columns import WordColumns, correct_pairs
from levelhead.significance.histograms import Cells, UnitHistogram
from levelhead.significance.jackknife import (
    BucketEstimate,
    IntervalSettings,
    UnitParts,
    bucket_estimates,
    mean_estimate,
)
from levelhead.significance.units import Units
from levelhead.tables.data import NOT_A_COLUMN, Percent, Points


class BucketWords(NamedTuple):
    """The words of each bucket that a measure counts."""

    names: Sequence[tuple[str, ...]]  # the values of each bucket
    # the buckets of correct pairs, gold words, system words and aligned gold words, each with the gold sentence of each
    # word; int64, shapes (words,)
    kinds: tuple[tuple[Values, Values], ...]


COMPONENTS: tuple[Component, ...] = ("precision", "recall", "f1")


class Breakdown(NamedTuple):
    """Scores by properties of words.

    Args:
        by: the names of the properties.
        measure: the measure.
        rows: the values and the score of each bucket. A bucket consists of all words with the same values of the
            properties, such as the relation nsubj. Buckets without words are left out.
        whole: the score of all words, with which the scores in `without` are compared; None if `without` is empty.
        without: for a breakdown by class or by relation, a mapping from each of them to the score of all other words,
            as in Tables 2 and 3 of Nivre and Fang (2017). For example, `without["nsubj",]` is the score if words with
            the relation nsubj do not count. Empty for breakdowns by other properties.
        estimates: a mapping from the values of each bucket to its score with a confidence interval.
        system: the name of the system.
    """

    by: tuple[str, ...]
    measure: Measure
    rows: tuple[tuple[tuple[str, ...], Score], ...]
    whole: Score | None = None
    without: Mapping[tuple[str, ...], Score] = MappingProxyType({})
    estimates: Mapping[tuple[str, ...], BucketEstimate] = MappingProxyType({})
    system: str = ""

    def difference(self, values: tuple[str, ...]) -> Fraction | None:
        """Return the score without the words of the bucket `values`, minus the score of all words, in points."""
        if self.whole is None or self.whole.exact is None:
            return None
        without = self.without.get(values, self.whole).exact
        return None if without is None else without - self.whole.exact


def break_down(
    matches: Matches,
    measure: Measure,
    by: Sequence[str],
    settings: PropertySettings,
    intervals: IntervalSettings,
    *,
    registry: Registry = STANDARD,
) -> Breakdown:
    """Return a measure by one or several properties of words; a correct word has the same bucket on both sides."""
    words = bucket_words(matches, measure, by, settings, registry=registry)
    scores = bucket_scores(words, measure, matches.rules.undefined)
    return _occurring(by, measure, words.names, scores, unit_estimates([words], measure, intervals))


def _occurring(
    by: Sequence[str],
    measure: Measure,
    names: Sequence[tuple[str, ...]],
    scores: Sequence[Score],
    estimates: Sequence[BucketEstimate],
) -> Breakdown:
    rows = [row for row in zip(names, scores, estimates, strict=True) if row[1].gold or row[1].system]
    return Breakdown(
        tuple(by),
        measure,
        tuple((values, score) for values, score, _ in rows),
        estimates={values: estimate for values, _, estimate in rows},
    )


def unit_estimates(
    systems: Sequence[BucketWords], measure: Measure, intervals: IntervalSettings
) -> list[BucketEstimate]:
    """Return the estimate of each bucket, or of the difference of two systems; averages use errors of documents."""
    units = intervals.units
    own = bucket_estimates(parts_of(systems, measure, units.own()), intervals.level)
    of_documents = bucket_estimates(parts_of(systems, measure, units), intervals.level) if units.few else own
    return [*map(averaged_by, own, of_documents)]


def with_averages(own: Breakdown, documents: Breakdown) -> Breakdown:
    """Return the breakdown of a test set with few documents, see `averaged_by`."""
    estimates = ((values, averaged_by(one, documents.estimates[values])) for values, one in own.estimates.items())
    return own._replace(estimates=dict(estimates))


def averaged_by(own: BucketEstimate, documents: BucketEstimate) -> BucketEstimate:
    """Return the estimate of a test set with few documents: its own interval, and the error of documents."""
    return own._replace(jackknife=documents.jackknife, observation=documents.observation)


def breakdown_of(
    by: Sequence[str],
    measure: Measure,
    names: Sequence[tuple[str, ...]],
    found: UnitHistogram,
    undefined: float | None,
    level: float,
) -> Breakdown:
    totals = np.zeros((len(names), 4), dtype=np.int64)
    totals[found.totals.groups] = found.totals.counts
    parts = UnitParts(found.groups, found.parts[:, None], found.n_units, len(names))
    return _occurring(by, measure, names, scores_of(totals, measure, undefined), bucket_estimates(parts, level))


def bucket_words(
    matches: Matches, measure: Measure, by: Sequence[str], settings: PropertySettings, *, registry: Registry = STANDARD
) -> BucketWords:
    """Return the words that a measure counts in each bucket; see `break_down` for arguments and errors."""
    first, *others = (property_named(name).of(matches, settings) for name in by)
    names: list[tuple[str, ...]] = [(name,) for name in first.names]
    gold, system = first.gold, first.system
    for part in others:  # one bucket per occurring combination of values, in the order of the values
        n_names = len(part.names)
        both = np.concatenate([gold * n_names + part.gold, system * n_names + part.system])
        kept, numbers = np.unique(both, return_inverse=True)
        names = [(*names[number // n_names], part.names[number % n_names]) for number in kept.tolist()]
        gold, system = numbers[: len(gold)], numbers[len(gold) :]
    return words_in(names, gold, system, matches, measure, registry)


def words_in(
    names: Sequence[tuple[str, ...]],
    of_gold: Values,
    of_system: Values,
    matches: Matches,
    measure: Measure,
    registry: Registry,
) -> BucketWords:
    """Return the words that a measure counts in each bucket, from the bucket of each gold word and system word."""
    definition = check_breakable(measure, registry)
    check_annotated(matches, measure, definition)
    gold, system, right, _ = counted_words(matches, measure, definition, registry)
    gold_of_pair, system_of_pair = matches.alignment.gold, matches.alignment.system
    missing = missing_words(matches, gold, system)
    right &= of_gold[gold_of_pair] == of_system[system_of_pair]
    rows, rows_of_system = matches.gold.sentence_of_word.astype(np.int64), matches.row_of_system.astype(np.int64)
    correct, every, aligned, missed = (
        (of_gold[words], rows[words])
        for words in (gold_of_pair[right], gold, gold_of_pair[gold[gold_of_pair]], missing)
    )
    of_words = np.append(of_system[system], missed[0]), np.append(rows_of_system[system], missed[1])
    return BucketWords(names, (correct, every, of_words, aligned))


def counted_words(
    matches: Matches, measure: Measure, definition: Definition, registry: Registry
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_], Selection | None]:
    """Return which gold and system words a measure counts, which pairs are correct, and the selection of words."""
    selection = selection_for(matches, measure, definition, registry.schemes)
    gold, system = matches.values(selection)
    agree = correct_pairs(matches, measure, definition, registry.schemes)
    if any(values.dtype.kind == "f" for values in (gold, system, agree)):
        raise _weighted(measure)
    return gold, system, agree & gold[matches.alignment.gold] & system[matches.alignment.system], selection


def missing_words(matches: Matches, gold: NDArray[np.bool_], system: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the gold words that a partial score counts as words of the system, see `with_missing_words`."""
    # the first without a counterpart that counts, in sentences that lack words
    if matches.lacking is None or not matches.lacking.any():
        return np.zeros(0, dtype=np.int64)
    rows, n = matches.gold.sentence_of_word, len(matches.gold)
    n_gold, n_system = np.bincount(rows[gold], minlength=n), np.bincount(matches.row_of_system[system], minlength=n)
    n_missing = np.where(matches.lacking, (n_gold - n_system).clip(min=0), 0)
    alone = gold.copy()
    alone[matches.alignment.gold[system[matches.alignment.system]]] = False
    words = np.flatnonzero(alone)
    place = np.arange(len(words)) - np.searchsorted(rows[words], np.arange(n))[rows[words]]
    return words[place < n_missing[rows[words]]]


def bucket_cells(systems: Sequence[BucketWords], of_sentence: Values) -> Cells:
    """Return the correct, gold, system and aligned words of each unit and bucket."""
    kinds = [kind for words in systems for kind in words.kinds]
    n_names = len(systems[0].names)
    of_kinds = [np.unique(of_sentence[rows] * n_names + buckets, return_counts=True) for buckets, rows in kinds]
    keys, _ = np.unique(np.concatenate([own for own, _ in of_kinds]), return_counts=True)  # sorts, faster than hashing
    counts = np.zeros((len(keys), len(kinds)), dtype=np.int64)
    for kind, (own, n) in enumerate(of_kinds):
        counts[np.searchsorted(keys, own), kind] = n
    return Cells(keys // n_names, keys % n_names, counts)


def ratio_parts(counts: Values, measure: Measure) -> NDArray[np.float64]:
    """Return numerators and denominators of a measure, shape (..., 2)."""
    correct, gold, system, aligned = np.moveaxis(counts.astype(np.float64), -1, 0)
    whole = {"precision": system, "recall": gold, "aligned_accuracy": aligned}.get(measure.component or "f1")
    return np.stack([2 * correct, gold + system] if whole is None else [correct, whole], axis=-1)


def parts_of(systems: Sequence[BucketWords], measure: Measure, units: Units) -> UnitParts:
    """Return the numerators and denominators of a measure in each unit and bucket."""
    cells = bucket_cells(systems, units.of_sentence)
    parts = ratio_parts(cells.counts.reshape(-1, len(systems), 4), measure)
    return UnitParts(cells.groups, parts, np.ones(len(cells.units), dtype=np.int64), len(systems[0].names))


def bucket_scores(words: BucketWords, measure: Measure, undefined: float | None) -> list[Score]:
    n = len(words.names)
    return scores_of(np.stack([np.bincount(kind, minlength=n) for kind, _ in words.kinds], 1), measure, undefined)


def scores_of(counts: Values, measure: Measure, undefined: float | None) -> list[Score]:
    return [score_of(Counts(*row.reshape(4, 1)), measure, undefined) for row in counts]


def with_same_buckets(*systems: BucketWords) -> list[BucketWords]:
    """Return the words of systems with the same numbers for the same buckets."""
    number = {values: i for i, values in enumerate(dict.fromkeys(name for words in systems for name in words.names))}
    numbers = [np.array([number[values] for values in words.names], dtype=np.int64) for words in systems]
    return [
        BucketWords([*number], tuple((new[buckets], rows) for buckets, rows in words.kinds))
        for new, words in zip(numbers, systems)
    ]


def leave_out(breakdown: Breakdown, matches: Matches, registry: Registry = STANDARD) -> Breakdown:
    """Return a breakdown with the score without each class or relation; unchanged for other properties."""
    measure = breakdown.measure
    if len(breakdown.by) > 1 or breakdown.by[0] not in {"class", "relation"} or measure.only or measure.without:
        return breakdown
    definition = registry.measures[measure.name]

    def counted(without: tuple[str, ...]) -> Score:
        one, lacking = replace(measure, without=without), matches.lacking
        how: tuple[Measure, Definition] = (one, definition)
        if breakdown.by == ("relation",) and any(map(is_class, without)):  # in a measure, it would be a class
            how = (measure, _without_relation(definition, *without))
        total = count(matches, *how, schemes=registry.schemes, by_sentence=lacking is not None)
        total = total if lacking is None else with_missing_words(total, lacking).total()
        return score_of(total, one, matches.rules.undefined)

    return breakdown._replace(whole=counted(()), without={values: counted(values) for values, _ in breakdown.rows})


def _without_relation(definition: Definition, relation: str) -> Definition:

    def weight(words: WordColumns) -> NDArray[Any]:
        others: NDArray[Any] = words["relation"] != relation
        return others if definition.weight is None else others * definition.weight(words)

    return replace(definition, weight=weight)


class Average(NamedTuple):
    """The scores of words with the same property values, averaged over treebanks.

    Args:
        values: the value of each property. All words with these values form a bucket.
        n_treebanks: the number of treebanks with words in the bucket; scores are means over these treebanks.
        value: the mean score of these words.
        precision: the mean precision.
        recall: the mean recall.
        f1: the mean F1 score.
        without: the score of words outside the bucket, averaged over all treebanks.
        difference: `without` minus the mean score of all words, in points.
        estimate: the mean score with its confidence interval; None if intervals are not requested.
    """

    values: Annotated[tuple[str, ...], NOT_A_COLUMN]
    n_treebanks: int
    value: Percent | None
    precision: Percent | None
    recall: Percent | None
    f1: Percent | None
    without: Percent | None = None
    difference: Points | None = None
    estimate: Annotated[BucketEstimate | None, NOT_A_COLUMN] = None


def averages(breakdowns: Sequence[Breakdown], level: float = 0.95) -> list[Average]:
    """Return the means of each bucket over treebanks, including buckets that occur only in some treebanks."""
    rows: dict[tuple[str, ...], list[Score]] = {}
    for breakdown in breakdowns:
        for values, score in breakdown.rows:
            rows.setdefault(values, []).append(score)
    means_of_rows = []
    for values, scores in rows.items():
        estimates = [breakdown.estimates[values] for breakdown in breakdowns if values in breakdown.estimates]
        known = [estimate for estimate in estimates if not math.isnan(estimate.jackknife.value)]
        ratios = (
            _mean(replace(score, measure=replace(score.measure, component=name)).exact for score in scores)
            for name in COMPONENTS
        )
        precision, recall, f1 = ratios
        value = _mean(score.exact for score in scores)
        average = Average(values, len(scores), value, precision, recall, f1)
        if breakdowns[0].whole:
            without = (breakdown.without.get(values, breakdown.whole) for breakdown in breakdowns)
            average = average._replace(
                without=_mean(score.exact for score in without if score),
                difference=_mean(breakdown.difference(values) for breakdown in breakdowns),
            )
        means_of_rows.append(average._replace(estimate=mean_estimate(known, level) if known else None))
    return means_of_rows


def _mean(numbers: Iterable[Fraction | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return float(sum(known, Fraction(0)) / len(known)) if known else None


def check_breakable(measure: Measure, registry: Registry = STANDARD) -> Definition:
    """Return the definition of a measure, checking that it can be broken down."""
    definition = registry.measures[measure.name]
    if definition.takes_weights:
        raise _weighted(measure)
    if not definition.selects_words:
        raise MeasureError(f"{measure} does not count words, so it cannot be broken down", "not-broken-down")
    return definition


def _weighted(measure: Measure) -> MeasureError:
    return MeasureError(f"{measure} is weighted: weighted measures cannot be broken down", "not-broken-down")
