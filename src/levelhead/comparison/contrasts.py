"""The gains of a system over another, by properties of words and by sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from levelhead.analysis.breakdown import bucket_scores, bucket_words, parts_of, with_same_buckets
from levelhead.analysis.word_properties import PropertySettings, RequestedNames
from levelhead.campaign.outputs import Output, read_outputs
from levelhead.campaign.plan import Plan
from levelhead.comparison.examples import DRAWN
from levelhead.comparison.intervals import STANDARD_INTERVALS, Intervals
from levelhead.errors import Fault, InputError, MeasureError
from levelhead.evaluation.by_sentence import counts_of
from levelhead.evaluation.provenance import Provenance, comparison_provenance, sources_of
from levelhead.evaluation.setup import Setup
from levelhead.measures.registry import STANDARD, Registry
from levelhead.scoring.matches import Agree, Matches
from levelhead.scoring.measure import Measure
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.scoring.score import Score
from levelhead.significance import units_of
from levelhead.significance.bucket_estimates import BucketEstimate, IntervalSettings, bucket_estimates, mean_estimate
from levelhead.significance.units import Units, unit_notes
from levelhead.tabular import Tabular

__all__ = ["AverageGain", "Contrast", "Contrasts", "Gain", "Gains"]

_EQUAL = 1e-9
"""Sums of weights with a smaller difference are equal."""


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


@dataclass(frozen=True, repr=False)
class Gains(Tabular):
    """The gains of systems over the first system on each treebank.

    Args:
        by: the properties.
        measure: the measure.
        baseline: the first system.
        treebanks: the gains on each treebank.
        provenance: the provenance of the numbers.
        units: the units of each treebank.
    """

    by: tuple[str, ...]
    measure: str
    baseline: str
    treebanks: Mapping[str, Sequence[Gain]]
    provenance: Provenance
    units: Mapping[str, Units] = field(default_factory=dict)

    @property
    def averages(self) -> list[AverageGain]:
        """The means over treebanks, see `average_gains`; empty with a single treebank."""
        level = float(self.provenance.signature.get("level", 0.95))
        return average_gains(list(self.treebanks.values()), level) if len(self.treebanks) > 1 else []


SentencesOfOutput = tuple[str, Output, Output, Sequence[Contrast], Sequence[Contrast]]
"""A treebank, the outputs of the baseline and of a system, and the sentences in which the system gains and loses."""


@dataclass(frozen=True, repr=False)
class Contrasts(Tabular):
    """Sentences in which systems gain or lose most.

    Args:
        measure: the measure.
        outputs: for each treebank and system: the outputs of the baseline and of the system, all gains, all losses.
        limit: the maximum number of gains, and of losses, to show; if None, 5 are drawn, and tables and JSON have all.
        provenance: the provenance of the numbers.
        needs: the properties that must agree for a word to be correct.
    """

    measure: Measure
    outputs: Sequence[SentencesOfOutput]
    limit: int | None
    provenance: Provenance
    needs: Agree = ATTACHED

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


def compare_by(
    plan: Plan,
    by: Sequence[str],
    settings: PropertySettings,
    setup: Setup,
    decided: Mapping[str, str] | None = None,
    intervals: Intervals = STANDARD_INTERVALS,
) -> Gains:
    """Return the gains of systems over the first system, by properties of words."""
    _check_systems(plan)
    breakdowns, sources, units, baseline, requested = {}, {}, {}, "", RequestedNames(by)
    (measure,) = setup.measures
    with read_outputs(plan, setup) as outputs:
        for name, some in outputs:
            requested.see(some[0].matches.gold)
            units[name] = units_of(some[0].matches.gold, intervals.resample_by)
            how = IntervalSettings(units[name], intervals.level)
            breakdowns[name] = gains_by(some, measure, by, settings, setup.registry, how)
            sources[name], baseline = sources_of({output.name: output.matches for output in some}, setup), some[0].name
    requested.check()
    parts = {"measure": str(measure), "by": "+".join(by), **setup.signature_of_measures(), **(decided or {})}
    if "class" in by:
        parts["scheme"] = settings.scheme.name
    provenance = comparison_provenance(sources, setup, {**parts, **intervals.signature}, unit_notes(units, "intervals"))
    return Gains(tuple(by), str(measure), baseline, breakdowns, provenance, units)


def compare_sentences(plan: Plan, limit: int | None, setup: Setup) -> Contrasts:
    """Return the sentences with the largest gains and losses of each system compared with the first."""
    _check_systems(plan)
    ready = setup.single()
    ((measure, definition),) = ready.defined
    pairs, sources = [], {}
    with read_outputs(plan, ready) as outputs:
        for name, (baseline, *others) in outputs:
            sources[name] = sources_of({output.name: output.matches for output in (baseline, *others)}, ready)
            for other in others:
                both = contrasts(baseline.matches, other.matches, None, ready)
                pairs.append((name, baseline, other, *both))
    parts = {"measure": str(measure), **ready.signature_of_measures()}
    provenance = comparison_provenance(sources, ready, parts)
    return Contrasts(measure, pairs, limit, provenance, definition.needs_for(measure.argument))


def _check_systems(plan: Plan) -> None:
    """Refuse a single system, and systems with several runs."""
    if any(system.run for system in plan.systems):
        raise InputError(Fault("no-pairs", "only single outputs can be compared here: name one run of each system"))
    if len(plan.systems) < 2:
        raise InputError(Fault("no-pairs", "give at least two systems"))


def gains_by(
    outputs: Sequence[Output],
    measure: Measure,
    by: Sequence[str],
    settings: PropertySettings,
    registry: Registry = STANDARD,
    intervals: IntervalSettings | None = None,
) -> list[Gain]:
    """Return the gains of every system over the first by properties of words."""
    undefined = outputs[0].matches.rules.undefined
    first, *others = [bucket_words(output.matches, measure, by, settings, registry=registry) for output in outputs]
    gains = []
    for output, own in zip(outputs[1:], others, strict=True):
        both = with_same_buckets(first, own)
        before, after = (bucket_scores(words, measure, undefined) for words in both)
        estimates: Sequence[BucketEstimate | None] = [None] * len(before)
        if intervals is not None:
            estimates = bucket_estimates(parts_of(both, measure, intervals.units), intervals.level)
        gains += [
            Gain(values, output.name, one, other, estimate)
            for values, one, other, estimate in zip(both[0].names, before, after, estimates, strict=True)
            if one.gold or one.system or other.system
        ]
    return sorted(gains, key=lambda gain: (gain.system, -abs(gain.more_correct)))


def average_gains(treebanks: Sequence[Sequence[Gain]], level: float = 0.95) -> list[AverageGain]:
    """Return the mean difference of every system in every bucket over the treebanks with the bucket."""
    buckets: dict[tuple[str, tuple[str, ...]], list[Gain]] = {}
    for gain in (gain for gains in treebanks for gain in gains):
        buckets.setdefault((gain.system, gain.values), []).append(gain)
    averages = [_average_gain(gains, level) for gains in buckets.values()]
    return sorted(averages, key=lambda gain: (gain.system, -abs(gain.more_correct)))


def _average_gain(gains: Sequence[Gain], level: float) -> AverageGain:
    known = [gain for gain in gains if gain.difference is not None]
    differences = [gain.difference for gain in known if gain.difference is not None]
    estimates = [gain.estimate for gain in known if gain.estimate is not None]
    return AverageGain(
        gains[0].values,
        gains[0].system,
        len(known),
        sum(gain.score.gold for gain in gains),
        sum(gain.more_correct for gain in gains),
        math.fsum(differences) / len(differences) if differences else None,
        mean_estimate(estimates, level, difference=True) if estimates else None,
    )


def contrasts(
    baseline: Matches, system: Matches, how_many: int | None, ready: Setup
) -> tuple[list[Contrast], list[Contrast]]:
    """Return the sentences in which a system gains most, and the sentences in which it loses most."""
    ((measure, definition),) = ready.defined
    if definition.unit != "words":
        raise MeasureError(f"{measure} does not count words, so it cannot select sentences", "unknown-measure")
    both = [counts_of(matches, ready)[str(measure)][0] for matches in (baseline, system)]
    one, other = (counts.correct for counts in both)
    change = other - one
    order = np.argsort(-change, kind="stable").tolist()
    gained = [i for i in order if change[i] > _EQUAL][:how_many]
    lost = [i for i in reversed(order) if change[i] < -_EQUAL][:how_many]
    gold = both[0].gold
    first, second = (
        [Contrast(i, one[i].item(), other[i].item(), gold[i].item()) for i in some] for some in (gained, lost)
    )
    return first, second
