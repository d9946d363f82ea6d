"""Scores by properties of words, and the gains and losses of systems compared with the first one."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import Annotated, Any, ClassVar, NamedTuple

from levelhead.analysis.breakdown import (
    Average,
    Breakdown,
    averages,
    break_down,
    bucket_scores,
    bucket_words,
    check_breakable,
    leave_out,
    unit_estimates,
    with_same_buckets,
)
from levelhead.analysis.word_properties import PropertySettings, RequestedNames, property_named
from levelhead.campaign.outputs import Output
from levelhead.campaign.plan import Plan
from levelhead.comparison.system_errors import (
    BASELINE_COLUMN,
    COVERAGE_LAYOUT,
    DIFFERENCE_COLUMNS,
    ESTIMATE_COLUMNS,
    WithIntervals,
    check_several,
    estimate_cells,
    estimate_columns,
    estimate_notes,
    estimate_values,
    notes_on_coverage,
    with_intervals,
)
from levelhead.errors import number_of, with_minus
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.measures.registry import Registry
from levelhead.scoring import Measure
from levelhead.significance.estimates import STANDARD, InferenceSettings
from levelhead.significance.jackknife import BucketEstimate, IntervalSettings, mean_estimate
from levelhead.significance.units import UNITS
from levelhead.tables.data import (
    MEASURE_COLUMN,
    NOT_A_COLUMN,
    SYSTEM_COLUMN,
    TREEBANK_COLUMN,
    Change,
    DataColumn,
    Layout,
    Percent,
    Points,
    table_of,
)
from levelhead.tables.table import Cell, Column, Detail, Table, starts_of

VALUE_COLUMN = DataColumn("by_{property}", "text", "The value of this property; null if `by` has others", "", True)
_BY = DataColumn("by", "text", "The property, or several separated by commas"), VALUE_COLUMN, MEASURE_COLUMN


class BucketScore(NamedTuple):
    """The score of all words with the same properties.

    Args:
        value: the ratio that the measure names (as in `LAS.recall`), by default F1.
        precision: 100 * correct / predicted.
        recall: 100 * correct / gold.
        f1: the harmonic mean of precision and recall.
        correct: the number of correct words.
        gold: the number of words in gold.
        predicted: the number of words in the system's output.
        without: the score of all other words; only for classes and relations.
        difference: `without` minus the score of all words, including those in `without`.
    """

    value: Percent | None
    precision: Percent | None
    recall: Percent | None
    f1: Percent | None
    correct: int
    gold: int
    predicted: int
    without: Percent | None
    difference: Points | None


class Gain(NamedTuple):
    """A system's gain over the baseline on words with the same properties.

    Args:
        values: one value of each property, such as the relation obl; the row is about the words with these values.
        system: the system.
        gold: the number of gold words with these values.
        baseline_value: the score of the baseline.
        value: the score of the system.
        difference: `value` minus `baseline_value`.
        more_correct: how many more words the system gets right than the baseline.
        estimate: the difference and its confidence interval; None if intervals are not requested.
    """

    values: Annotated[tuple[str, ...], NOT_A_COLUMN]
    system: str
    gold: int
    baseline_value: Percent | None
    value: Percent | None
    difference: Points | None
    more_correct: Change
    estimate: Annotated[BucketEstimate | None, NOT_A_COLUMN] = None


class AverageGain(NamedTuple):
    """The mean of a `Gain` over several treebanks.

    Args:
        values: one value of each property, such as the relation obl; the row is about the words with these values.
        system: the system.
        n_treebanks: the number of treebanks on which system and baseline have a score for these words.
        gold: the number of gold words with these values, summed over all treebanks.
        difference: the mean difference over these treebanks; null if `n_treebanks` is 0.
        more_correct: how many more words the system gets right than the baseline, in total.
        estimate: the mean difference and its confidence interval; None if intervals are not requested.
    """

    values: Annotated[tuple[str, ...], NOT_A_COLUMN]
    system: str
    n_treebanks: int
    gold: int
    difference: Points | None
    more_correct: Change
    estimate: Annotated[BucketEstimate | None, NOT_A_COLUMN] = None


@immutable
class Breakdowns(WithIntervals[Sequence[Breakdown]]):
    """Scores by properties of words, for each system and treebank.

    Args:
        gains: a mapping from each treebank to the gains of all other systems over the first system; empty if there is
            a single system.
    """

    KIND: ClassVar[str] = "breakdown"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "scores": (TREEBANK_COLUMN, SYSTEM_COLUMN, *_BY, BucketScore, *ESTIMATE_COLUMNS),
        "averages": (SYSTEM_COLUMN, *_BY, Average, *ESTIMATE_COLUMNS),
        "gains": (TREEBANK_COLUMN, BASELINE_COLUMN, *_BY, Gain, *DIFFERENCE_COLUMNS),
        "average_gains": (BASELINE_COLUMN, *_BY, AverageGain, *DIFFERENCE_COLUMNS),
        "coverage": COVERAGE_LAYOUT,
        "units": UNITS,
    }

    gains: Mapping[str, Sequence[Gain]] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, the baseline first."""
        return tuple(dict.fromkeys(breakdown.system for some in self.treebanks.values() for breakdown in some))

    @property
    def average_gains(self) -> list[AverageGain]:
        """The mean gains over all treebanks; empty if there is only one treebank."""
        return average_gains(self.gains.values(), self._level) if len(self.gains) > 1 else []

    @property
    def verdict(self) -> str:
        """A sentence that names the words with the most errors.

        For several systems, it names the words on which each system gains and loses most compared with the first.
        """
        return self._largest_gains() if self.gains else self._most_errors()

    def _most_errors(self) -> str:
        first = self._first[0].by
        gold, wrong = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
        for row in self._scores_rows():
            if row.by == first and isinstance(row.numbers, BucketScore):
                gold[row.values] += row.numbers.gold
                wrong[row.values] += row.numbers.gold - row.numbers.correct
        if not wrong.total():
            return f"By {self.measure}, no gold word is wrong."
        ((values, n),) = wrong.most_common(1)
        names = ", ".join(f"{name} {value}" for name, value in zip(first, values, strict=True))
        are = f"{n:,} of {number_of(gold[values], 'word')} {'is' if n == 1 else 'are'} wrong"
        by = f"By {self.measure}" + (" with subtypes" if "deprel" in first else "")
        return f"{by}, the most errors are in {names}: {are}, {n / wrong.total():.1%} of all errors."

    def _largest_gains(self) -> str:
        changes = []
        for system in self.systems[1:]:
            own = [gain for gain in self.average_gains or chain(*self.gains.values()) if gain.system == system]
            for verb, extreme in (("gains", max), ("loses", min)):
                gain = extreme(own, key=lambda gain: gain.more_correct)
                n, between = gain.more_correct, gain.estimate and gain.estimate.interval
                if n and (n > 0) == (verb == "gains"):
                    chance = ", but the interval contains 0" if between is None or between[0] <= 0 <= between[1] else ""
                    words = f"{with_minus(f'{n:+,}')} correct words{chance}"
                    changes.append(f"{system} {verb} most in {', '.join(gain.values)} ({words})")
        found = "; ".join(changes) or "no system has more or fewer correct words"
        return f"By {self.measure}, compared with {self.systems[0]}, {found}."

    def records(self, name: str) -> Any:
        """Return the rows of a table; `name` is a key of `layouts`, such as "scores". Each property has a column."""
        if name in {"coverage", "units"}:
            return super().records(name)
        every: list[_Row] = list(super().records(name))
        of_treebanks, of_gains = name in {"scores", "gains"}, "gains" in name
        properties = list(dict.fromkeys(name for row in every for name in row.by))
        columns = [VALUE_COLUMN._replace(name=f"by_{re.sub('[-:]', '_', name, count=1)}") for name in properties]
        layout = self.LAYOUTS[name]
        place = layout.index(VALUE_COLUMN)

        def cells(row: _Row) -> tuple[Any, ...]:
            values = dict(zip(row.by, row.values, strict=True))
            start = *[row.treebank] * of_treebanks, self.systems[0] if of_gains else row.system, ",".join(row.by)
            return *start, *map(values.get, properties), self.measure, row.numbers, *estimate_values(row.estimate)

        return table_of((*layout[:place], *columns, *layout[place + 1 :]), map(cells, every))

    def _scores_rows(self) -> Iterator[_Row]:
        for treebank, breakdown in ((name, one) for name, some in self.treebanks.items() for one in some):
            for values, score in breakdown.rows:
                without, difference = breakdown.without.get(values), breakdown.difference(values)
                numbers = BucketScore(
                    *(score.value, score.precision, score.recall, score.f1),
                    *(int(score.correct), int(score.gold), int(score.system)),
                    None if without is None else without.value,
                    None if difference is None else float(difference),
                )
                estimate = breakdown.estimates.get(values)
                yield _Row(treebank, breakdown.system, breakdown.by, values, numbers, estimate)

    def _averages_rows(self) -> Iterator[_Row]:
        for some in zip(*self.treebanks.values(), strict=True) if len(self.treebanks) > 1 else ():
            for mean in averages(some, self._level):
                yield _Row(
                    f"Average of {mean.n_treebanks}", some[0].system, some[0].by, mean.values, mean, mean.estimate
                )

    def _gains_rows(self) -> Iterator[_Row]:
        for treebank, gain in ((name, gain) for name, some in self.gains.items() for gain in some):
            yield _Row(treebank, gain.system, self._first[0].by, gain.values, gain, gain.estimate)

    def _average_gains_rows(self) -> Iterator[_Row]:
        for mean in self.average_gains:
            start = f"Average of {mean.n_treebanks}", mean.system, self._first[0].by
            yield _Row(*start, mean.values, mean, mean.estimate)

    @property
    def _first(self) -> Sequence[Breakdown]:
        return next(iter(self.treebanks.values()))

    @property
    def _level(self) -> float:
        return float(self.provenance.signature.get("level", 0.95))

    def table(self) -> Table:
        """Return a table of scores by treebank and property of words; for several systems, a table of gains."""
        return self._table_of_gains() if self.gains else self._table_of_scores()

    def _table_of_scores(self) -> Table:
        scores = list(self._scores_rows())
        estimates = [row.estimate for row in scores if row.estimate]
        bys = tuple(dict.fromkeys(breakdown.by for breakdown in self._first))
        several = len(self.treebanks) > 1
        properties = bys[0] if len(bys) == 1 else ("by", *[""] * max(map(len, bys)))
        certain = estimate_columns(self._level, estimates)
        without = any(breakdown.whole for breakdown in self._first)
        shown = {"Gold": "gold", "System": "predicted", "Correct": "correct"}
        if without and certain:  # to fit into 100 columns
            del shown["Correct"]
        ratios = {"Precision": "precision", "Recall": "recall", "F1": "f1"}
        columns = (
            *(Column(name, "text") for name in (*["Treebank"] * several, *properties)),
            *(Column(name, "number", rank=3) for name in shown),
            *(Column(name, "percent", rank=int(name in {"Precision", "Recall"})) for name in ratios),
            *certain,
            *([Column("Without", "percent", rank=2), Column("Diff.", "points", rank=2)] if without else []),
        )
        last = ("without", "difference") if without else ()

        def cells(row: _Row) -> tuple[Cell, ...]:
            start = *[row.treebank] * several, *[",".join(row.by)] * (len(bys) > 1), *row.values
            empty = [""] * (several + len(properties) - len(start))
            numbers = (getattr(row.numbers, name, None) for name in (*shown.values(), *ratios.values()))
            others = (getattr(row.numbers, name) for name in last)
            return *start, *empty, *numbers, *estimate_cells(row.estimate)[: len(certain)], *others

        starts = starts_of((row.treebank, row.by) for row in scores)
        notes = *_notes(self._first), *estimate_notes(estimates, self.units), *notes_on_coverage(self.coverage)
        summary = tuple(map(cells, self._averages_rows()))
        return Table(columns, tuple(map(cells, scores)), notes, starts, summary).signed(self.provenance)

    def _table_of_gains(self) -> Table:
        gains = list(self._gains_rows())
        estimates = [row.estimate for row in gains if row.estimate]
        several, baseline = len(self.treebanks) > 1, self.systems[0]
        certain = estimate_columns(self._level, estimates, "points")
        columns = (
            *(Column(name, "text") for name in (*["Treebank"] * several, "System", *self._first[0].by)),
            *(Column("Gold", "number", rank=1), Column(baseline, "percent"), Column("Score", "percent")),
            *(Column("Diff.", "points"), *certain, Column("Words", "number", rank=2)),
        )

        def cells(row: _Row) -> tuple[Cell, ...]:
            numbers = (getattr(row.numbers, name, None) for name in ("gold", "baseline_value", "value", "difference"))
            between = estimate_cells(row.estimate)[: len(certain)]
            start = *[row.treebank] * several, row.system, *row.values
            return *start, *numbers, *between, getattr(row.numbers, "more_correct", None)

        starts = starts_of((row.treebank, row.system) for row in gains)
        meaning = Detail(f"{self.measure}; Words: gain in correct words over {baseline}; largest changes first")
        notes = meaning, *estimate_notes(estimates, self.units), *notes_on_coverage(self.coverage)
        summary = tuple(map(cells, self._average_gains_rows()))
        return Table(columns, tuple(map(cells, gains)), notes, starts, summary).signed(self.provenance)


class _Row(NamedTuple):
    """The numbers of a bucket of words on a treebank, or their average."""

    treebank: str
    system: str
    by: tuple[str, ...]
    values: tuple[str, ...]  # of the properties
    numbers: BucketScore | Average | Gain | AverageGain
    estimate: BucketEstimate | None


def _notes(breakdowns: Sequence[Breakdown]) -> list[str]:
    """Notes on how each property is assigned to system words, and on the columns of `without`."""
    measure = str(breakdowns[0].measure)
    properties: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for breakdown in breakdowns for name in breakdown.by):
        properties.setdefault(property_named(name).whose, []).append(name)
    notes = [measure, *(f"{', '.join(names)}: {whose}" for whose, names in properties.items())]
    if len(properties) == 1:
        notes = [f"{measure}, {next(iter(properties))}"]
    if any(breakdown.whole for breakdown in breakdowns):
        notes.append(f"Without: {measure} of all other words; Diff.: Without minus {measure} of all words")
    return list(map(Detail, notes))


def break_down_outputs(
    plan: Plan,
    setup: Setup,
    by: Sequence[Sequence[str]],
    settings: PropertySettings,
    tests: InferenceSettings = STANDARD,
) -> Breakdowns:
    """Return a breakdown of a measure per output and combination of properties, and the gains over the first system."""
    several = len(plan.systems) > 1
    if several:
        check_several(plan)
    (measure,) = setup.measures
    check_breakable(measure, setup.registry)
    names = [name for properties in by for name in properties]
    for name in names:
        property_named(name)
    requested = RequestedNames(names)
    gains: list[list[Gain]] = []

    def broken_down(outputs: Sequence[Output], how: IntervalSettings) -> list[Breakdown]:
        requested.see(outputs[0].matches.gold)
        if several:
            gains.append(gains_by(outputs, measure, by[0], settings, setup.registry, how))
        every = (
            (one, break_down(one.matches, measure, some, settings, how, registry=setup.registry))
            for one in outputs
            for some in by
        )
        return [leave_out(breakdown, one.matches, setup.registry)._replace(system=one.name) for one, breakdown in every]

    scheme = (settings.scheme, "--by class") if "class" in names else None
    compared = {"measure": str(measure), "by": "+".join(names), **setup.signature_of_measures()}
    compared |= {"train": settings.training.hashes} if settings.training else {}
    result = Breakdowns(*with_intervals(plan, setup, broken_down, tests, scheme, compared), str(measure))
    requested.check()
    return replace(result, gains=dict(zip(result.treebanks, gains)))


def gains_by(
    outputs: Sequence[Output],
    measure: Measure,
    by: Sequence[str],
    settings: PropertySettings,
    registry: Registry,
    intervals: IntervalSettings,
) -> list[Gain]:
    """Return the gains of every system over the first by properties of words."""
    baseline, *others = [bucket_words(output.matches, measure, by, settings, registry=registry) for output in outputs]
    gains = []
    for output, words in zip(outputs[1:], others, strict=True):
        both = with_same_buckets(baseline, words)
        scores = (bucket_scores(side, measure, outputs[0].matches.rules.undefined) for side in both)
        estimates = unit_estimates(both, measure, intervals)
        gains += [
            Gain(
                values,
                output.name,
                int(after.gold),
                before.value,
                after.value,
                None if before.value is None or after.value is None else after.value - before.value,
                int(after.correct - before.correct),
                estimate,
            )
            for values, before, after, estimate in zip(both[0].names, *scores, estimates, strict=True)
            if before.gold or before.system or after.system
        ]
    return sorted(gains, key=lambda gain: (gain.system, -abs(gain.more_correct)))


def average_gains(treebanks: Iterable[Sequence[Gain]], level: float = 0.95) -> list[AverageGain]:
    """Return the mean gain of each system in each bucket of words over the treebanks on which the bucket occurs."""
    buckets: dict[tuple[str, tuple[str, ...]], list[Gain]] = {}
    for gain in chain.from_iterable(treebanks):
        buckets.setdefault((gain.system, gain.values), []).append(gain)
    averages = []
    for (system, values), gains in buckets.items():
        differences = [gain.difference for gain in gains if gain.difference is not None]
        estimates = [gain.estimate for gain in gains if gain.difference is not None and gain.estimate is not None]
        mean = math.fsum(differences) / len(differences) if differences else None
        estimate = mean_estimate(estimates, level, difference=True) if estimates else None
        gold, more_correct = sum(gain.gold for gain in gains), sum(gain.more_correct for gain in gains)
        averages.append(AverageGain(values, system, len(differences), gold, mean, more_correct, estimate))
    return sorted(averages, key=lambda gain: (gain.system, -abs(gain.more_correct)))
