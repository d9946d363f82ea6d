"""The gains and losses of a system compared with another, by properties of words and by sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from levelhead.analysis.breakdown import averaged_by, bucket_scores, bucket_words, parts_of, with_same_buckets
from levelhead.analysis.word_properties import PropertySettings, RequestedNames
from levelhead.campaign.outputs import Output, read_outputs
from levelhead.campaign.plan import Plan
from levelhead.comparison.breakdowns import estimate_cells, estimate_columns, estimate_document, estimate_notes
from levelhead.comparison.system_errors import DRAWN
from levelhead.comparison.tree_text import draw_contrasts
from levelhead.errors import Fault, InputError, MeasureError
from levelhead.evaluation.coverage import PartialCoverage
from levelhead.evaluation.provenance import Provenance, comparison_provenance, sources_of
from levelhead.evaluation.score_tables import coverage_document, coverage_notes, units_document
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.measures.registry import Registry
from levelhead.scoring import Counts, Matches, Measure, Score
from levelhead.scoring.score import check_annotated, count_by_sentence
from levelhead.significance import STANDARD, InferenceSettings, Units, unit_line, unit_notes, units_of
from levelhead.significance.jackknife import BucketEstimate, IntervalSettings, bucket_estimates, mean_estimate
from levelhead.significance.units import units_signature
from levelhead.tables.documents import header, points, signature_line
from levelhead.tables.table import Cell, Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import sources_document

__all__ = ["AverageGain", "Contrast", "Contrasts", "Gain", "Gains"]

_EQUAL = 1e-9  # sums of weights with a smaller difference are equal


class Gain(NamedTuple):
    """The gain of one system in one bucket of words.

    Args:
        values: the value of each property.
        system: the system.
        baseline: the baseline's score in the bucket.
        score: the system's score.
        estimate: the difference with its confidence interval; None if intervals are not requested.
    """

    values: tuple[str, ...]
    system: str
    baseline: Score
    score: Score
    estimate: BucketEstimate | None = None

    @property
    def more_correct(self) -> float:
        """The number of additional correct words of the system in the bucket."""
        return self.score.correct - self.baseline.correct

    @property
    def difference(self) -> float | None:
        """The difference of the values."""
        one, other = self.score.value, self.baseline.value
        return None if one is None or other is None else one - other


class AverageGain(NamedTuple):
    """The gain of one system in one bucket of words over several treebanks.

    Args:
        values: the value of each property.
        system: the system.
        n_treebanks: the number of treebanks on which both scores have a value in the bucket.
        gold: the number of gold words in the bucket on all treebanks.
        more_correct: the number of additional correct words of the system on all treebanks.
        difference: the mean difference over the treebanks with a difference; None without any.
        estimate: the mean with its confidence interval; None if intervals are not requested.
    """

    values: tuple[str, ...]
    system: str
    n_treebanks: int
    gold: float
    more_correct: float
    difference: float | None
    estimate: BucketEstimate | None = None


class Contrast(NamedTuple):
    """One gold sentence on which two systems differ.

    Args:
        sentence: its index.
        baseline: the number of correct words of the baseline, or the sum of their weights.
        system: the same for the system.
        gold: the number of gold words, or the sum of their weights.
    """

    sentence: int
    baseline: float
    system: float
    gold: float


Coverages = Mapping[str, Mapping[str, PartialCoverage]]
"""The share of gold that each system covers, by treebank and system."""


def _coverages(outputs: Iterable[Output]) -> dict[str, PartialCoverage]:
    return {output.name: output.coverage for output in outputs if output.coverage is not None}


def _coverage_notes(coverage: Coverages) -> list[str]:
    return coverage_notes(pair for some in coverage.values() for pair in some.items())


def _coverage_document(coverage: Coverages) -> dict[str, Any]:
    return (
        {"coverage": {code: coverage_document(some)["coverage"] for code, some in coverage.items()}} if coverage else {}
    )


@immutable
class Gains(Tabular):
    """The gains of systems over the first system on each treebank.

    Args:
        by: the properties.
        measure: the measure.
        baseline: the first system.
        treebanks: the gains on each treebank.
        provenance: the provenance of the numbers.
        units: the units of each treebank.
        coverage: for partial scores, the share of gold that each system covers, by treebank and system.
    """

    by: tuple[str, ...]
    measure: str
    baseline: str
    treebanks: Mapping[str, Sequence[Gain]]
    provenance: Provenance
    units: Mapping[str, Units] = field(default_factory=dict)
    coverage: Coverages = field(default_factory=dict)

    @property
    def averages(self) -> list[AverageGain]:
        """The means over treebanks, see `average_gains`; empty with a single treebank."""
        level = float(self.provenance.signature.get("level", 0.95))
        return average_gains(self.treebanks.values(), level) if len(self.treebanks) > 1 else []

    def table(self) -> Table:
        """Return one row per bucket and system: both scores, and the gain in correct words."""
        several, signature = len(self.treebanks) > 1, self.provenance.signature
        estimates = [gain.estimate for gains in self.treebanks.values() for gain in gains if gain.estimate]
        columns = (
            *([Column("Treebank", "text")] if several else []),
            *(Column("System", "text"), *(Column(name, "text") for name in self.by), Column("Gold", "number")),
            *(
                Column(self.baseline, key="Baseline score"),
                Column("System", key="System score"),
                Column("Diff.", "difference", key="Diff"),
            ),
            *(estimate_columns(signature["level"], estimates, difference=True) if estimates else ()),
            Column("Words", "number"),
        )

        def row(treebank: str, gain: Gain | AverageGain, *numbers: Cell) -> tuple[Cell, ...]:
            start = (treebank,) if several else ()
            between = estimate_cells(gain.estimate) if estimates else ()
            return (*start, gain.system, *gain.values, *numbers, gain.difference, *between, gain.more_correct)

        rows = [
            row(name, gain, gain.score.gold, gain.baseline.value, gain.score.value)
            for name, gains in self.treebanks.items()
            for gain in gains
        ]
        averages = [row(f"Average of {mean.n_treebanks}", mean, mean.gold, None, None) for mean in self.averages]
        systems = [cells[: 1 + several] for cells in rows]
        rules = frozenset(i for i in range(1, len(systems)) if systems[i] != systems[i - 1])
        notes = (
            f"{self.measure}; Words: gain in correct words over {self.baseline}; largest changes first",
            *estimate_notes(estimates),
            *([unit_line(self.units, "confidence intervals")] if self.units else []),
            *_coverage_notes(self.coverage),
            signature_line(signature),
        )
        return Table(columns, tuple(rows), notes, rules, tuple(averages))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""

        def document(gain: Gain | AverageGain, numbers: Mapping[str, float | None]) -> dict[str, Any]:
            return {
                **dict(zip(self.by, gain.values, strict=True)),
                "system": gain.system,
                **numbers,
                "difference": points(gain.difference),
                **estimate_document(gain.estimate),
                "more_correct": gain.more_correct,
            }

        averages = [document(mean, {"treebanks": mean.n_treebanks, "gold": mean.gold}) for mean in self.averages]
        treebanks: dict[str, list[dict[str, Any]]] = {name: [] for name in self.treebanks}
        for name, gain in ((name, gain) for name, gains in self.treebanks.items() for gain in gains):
            values = {"baseline_value": points(gain.baseline.value), "value": points(gain.score.value)}
            treebanks[name].append(document(gain, {"gold": gain.score.gold, **values}))
        return {
            **header("gains", self.provenance.signature),
            "measure": self.measure,
            "by": list(self.by),
            "baseline": self.baseline,
            "treebanks": treebanks,
            **({"averages": averages} if averages else {}),
            "units": units_document(self.units),
            **_coverage_document(self.coverage),
            **sources_document(self.provenance),
        }


SentencesOfOutput = tuple[str, Output, Output, Sequence[Contrast], Sequence[Contrast]]
"""A treebank, the outputs of the baseline and of a system, and the sentences in which the system gains and loses."""


@immutable
class Contrasts(Tabular):
    """Sentences in which systems gain or lose most.

    Args:
        measure: the measure.
        outputs: for each treebank and system: the outputs of the baseline and of the system, all gains, all losses.
        limit: the maximum number of gains, and of losses, to show; if None, 5 are drawn, and tables and JSON have all.
        provenance: the provenance of the numbers.
        setup: the settings.
        coverage: for partial scores, the share of gold that each system covers, by treebank and system.
    """

    measure: Measure
    outputs: Sequence[SentencesOfOutput]
    limit: int | None
    provenance: Provenance
    setup: Setup
    coverage: Coverages = field(default_factory=dict)

    @property
    def _notes(self) -> tuple[str, ...]:
        return (*_coverage_notes(self.coverage), signature_line(self.provenance.signature))

    @property
    def listed(self) -> Sequence[SentencesOfOutput]:
        """The sentences in tables and JSON, as in `outputs`."""
        return self._first(self.limit)

    @property
    def drawn(self) -> Sequence[SentencesOfOutput]:
        """The sentences that are drawn, as in `outputs`."""
        return self._first(self.limit or DRAWN)

    def _first(self, n: int | None) -> list[SentencesOfOutput]:
        return [(name, one, other, gained[:n], lost[:n]) for name, one, other, gained, lost in self.outputs]

    def table(self) -> Table:
        """Return one row per sentence with a difference."""
        columns = (
            *(Column("Treebank", "text"), Column("System", "text")),
            *(Column("Sentence", "position"), Column("sent_id", "text")),
            *(Column(name, "number") for name in ("Baseline correct", "System correct", "Words")),
        )
        rows = (
            (name, system.name, contrast.sentence + 1, baseline.matches.gold[contrast.sentence].id, *contrast[1:])
            for name, baseline, system, gained, lost in self.listed
            for contrast in (*gained, *lost)
        )
        return Table(columns, tuple(rows), self._notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the sentences for JSON: by number and sent_id, with the numbers of correct words."""
        systems = [
            {"treebank": name, "baseline": baseline.name, "system": system.name}
            | {
                kind: [
                    {**contrast._asdict(), "sentence": i + 1, "sent_id": baseline.matches.gold[i].id}
                    for contrast in some
                    for i in [contrast.sentence]
                ]
                for kind, some in (("gains", gained), ("loses", lost))
            }
            for name, baseline, system, gained, lost in self.listed
        ]
        return {
            **header("contrasts", self.provenance.signature),
            "measure": str(self.measure),
            "systems": systems,
            **_coverage_document(self.coverage),
            **sources_document(self.provenance),
        }

    def __str__(self) -> str:
        texts = (
            f"{name}: {draw_contrasts(baseline, system, gained, lost, self.setup)}"
            for name, baseline, system, gained, lost in self.drawn
        )
        return "".join(texts) + "\n".join(self._notes)


def compare_by(
    plan: Plan, by: Sequence[str], settings: PropertySettings, setup: Setup, tests: InferenceSettings = STANDARD
) -> Gains:
    """Return the gains of systems over the first system, by properties of words."""
    _check_systems(plan)
    treebanks = {}
    sources = {}
    units = {}
    coverage: dict[str, dict[str, PartialCoverage]] = {}
    requested = RequestedNames(by)
    (measure,) = setup.measures
    with closing(read_outputs(plan, setup)) as outputs:
        for name, some in outputs:
            gold = some[0].matches.gold
            requested.see(gold)
            units[name] = units_of(gold, tests.resample_by)
            intervals = IntervalSettings(units[name], tests.level)
            treebanks[name] = gains_by(some, measure, by, settings, setup.registry, intervals)
            sources[name] = sources_of({output.name: (output.matches, output.summary) for output in some}, setup)
            if setup.partial:
                coverage[name] = _coverages(some)
    requested.check()
    parts = {"measure": str(measure), "by": "+".join(by), **setup.signature_of_measures()}
    parts |= {"train": settings.training.hashes} if settings.training else {}
    parts |= {"scheme": settings.scheme.name} if "class" in by else {}
    parts |= {"level": f"{tests.level:g}", "resample-by": units_signature(units)}
    provenance = comparison_provenance(sources, setup, parts, unit_notes(units, "intervals"))
    return Gains(tuple(by), str(measure), some[0].name, treebanks, provenance, units, coverage)


def compare_sentences(plan: Plan, limit: int | None, setup: Setup) -> Contrasts:
    """Return the sentences with the largest gains and losses of each system compared with the first."""
    _check_systems(plan)
    setup = setup.for_pair()
    pairs = []
    sources = {}
    coverage: dict[str, dict[str, PartialCoverage]] = {}
    (measure,) = setup.measures
    with closing(read_outputs(plan, setup)) as outputs:
        for name, some in outputs:
            baseline, *others = some
            sources[name] = sources_of({output.name: (output.matches, output.summary) for output in some}, setup)
            if setup.partial:
                coverage[name] = _coverages(some)
            pairs += [(name, baseline, other, *contrasts(baseline.matches, other.matches, setup)) for other in others]
    provenance = comparison_provenance(sources, setup, {"measure": str(measure), **setup.signature_of_measures()})
    return Contrasts(measure, pairs, limit, provenance, setup, coverage)


def _check_systems(plan: Plan) -> None:
    """Refuse a single system, and systems with several runs."""
    runs = any(system.run for system in plan.systems)
    if runs or len(plan.systems) < 2:
        single = "only single outputs can be compared here: name one run of each system"
        raise InputError(Fault("no-pairs", single if runs else "give at least two systems"))


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
        units = intervals.units
        estimates = bucket_estimates(parts_of(both, measure, units.own()), intervals.level)
        if units.few:
            estimates = [
                *map(averaged_by, estimates, bucket_estimates(parts_of(both, measure, units), intervals.level))
            ]
        gains += [
            Gain(values, output.name, before, after, estimate)
            for values, before, after, estimate in zip(both[0].names, *scores, estimates, strict=True)
            if before.gold or before.system or after.system
        ]
    return sorted(gains, key=lambda gain: (gain.system, -abs(gain.more_correct)))


def average_gains(treebanks: Iterable[Sequence[Gain]], level: float = 0.95) -> list[AverageGain]:
    """Return the mean difference of every system in every bucket over the treebanks with the bucket."""
    buckets: dict[tuple[str, tuple[str, ...]], list[Gain]] = {}
    for gain in chain.from_iterable(treebanks):
        buckets.setdefault((gain.system, gain.values), []).append(gain)
    averages = []
    for (system, values), gains in buckets.items():
        differences = [gain.difference for gain in gains if gain.difference is not None]
        estimates = [gain.estimate for gain in gains if gain.difference is not None and gain.estimate is not None]
        mean = math.fsum(differences) / len(differences) if differences else None
        estimate = mean_estimate(estimates, level, difference=True) if estimates else None
        sums = sum(gain.score.gold for gain in gains), sum(gain.more_correct for gain in gains)
        averages.append(AverageGain(values, system, len(differences), *sums, mean, estimate))
    return sorted(averages, key=lambda gain: (gain.system, -abs(gain.more_correct)))


def contrasts(baseline: Matches, system: Matches, setup: Setup) -> tuple[list[Contrast], list[Contrast]]:
    """Return the sentences in which a system gains, and those in which it loses, the largest differences first."""
    ((measure, definition),) = setup.defined
    if not definition.selects_words:
        raise MeasureError(f"{measure} does not count words, so it cannot select sentences", "unknown-measure")
    both = [_counts_by_sentence(matches, setup) for matches in (baseline, system)]
    change = both[1].correct - both[0].correct
    numbers = [counts.tolist() for counts in (both[0].correct, both[1].correct, both[0].gold)]
    every = [Contrast(i, *(column[i] for column in numbers)) for i in np.argsort(-change, kind="stable").tolist()]
    return (
        [contrast for contrast in every if change[contrast.sentence] > _EQUAL],
        [contrast for contrast in reversed(every) if change[contrast.sentence] < -_EQUAL],
    )


def _counts_by_sentence(matches: Matches, setup: Setup) -> Counts:
    """The counts of the only measure in every sentence."""
    ((measure, definition),) = setup.defined
    check_annotated(matches, measure, definition)
    how = {"schemes": setup.registry.schemes, "weights": setup.values_of(measure)}
    return count_by_sentence(matches, measure, definition, **how)


class WorseSentence(NamedTuple):
    """A sentence in which a system is worse than the first."""

    treebank: str
    system: str
    sentence: int  # from 1
    sent_id: str | None
    baseline: float  # the number of correct words (the mean of its runs), or the sum of their weights
    right: float  # the same for the system
    words: float
    text: str


def worst_sentences(treebank: str, outputs: Sequence[Output], *, setup: Setup) -> list[WorseSentence]:
    """Return the ten sentences in which each system loses most compared with the first; called by the engine."""
    counts: dict[str, list[Any]] = {}
    for output in outputs:
        counts.setdefault(output.system, []).append(_counts_by_sentence(output.matches, setup))
    correct = {name: np.mean([run.correct for run in runs], axis=0) for name, runs in counts.items()}
    baseline, *others = correct
    gold, words = outputs[0].matches.gold, counts[baseline][0].gold
    sentences = []
    for system in others:
        change = correct[system] - correct[baseline]
        for i in np.argsort(change, kind="stable")[:10].tolist():
            if change[i] < -_EQUAL:
                before, after, of_gold = (column[i].item() for column in (correct[baseline], correct[system], words))
                text = " ".join(gold[i].forms)
                sentences.append(WorseSentence(treebank, system, i + 1, gold[i].id, before, after, of_gold, text))
    return sentences
