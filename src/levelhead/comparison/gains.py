"""The gains and losses of systems compared with the first one, by properties of words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Annotated, NamedTuple

from levelhead.analysis.breakdown import averaged_by, bucket_scores, bucket_words, parts_of, with_same_buckets
from levelhead.analysis.word_properties import PropertySettings
from levelhead.campaign.outputs import Output
from levelhead.campaign.plan import Plan
from levelhead.errors import Fault, InputError
from levelhead.measures.registry import Registry
from levelhead.scoring import Measure
from levelhead.significance.jackknife import BucketEstimate, IntervalSettings, bucket_estimates, mean_estimate
from levelhead.tables.data import NOT_A_COLUMN, Change, DataColumn, Percent, Points

__all__ = ["AverageGain", "Gain"]

BASELINE_COLUMN = DataColumn("baseline", "text", "The first system, with which the others are compared")


class Gain(NamedTuple):
    """The gain of one system in one bucket of words.

    Args:
        values: the value of each property.
        system: the system.
        gold: the number of gold words in the bucket.
        baseline_value: the value of the baseline.
        value: the value of the system.
        difference: the value of the system minus that of the baseline.
        more_correct: the number of additional correct words of the system.
        estimate: the difference with its confidence interval; None if intervals are not requested.
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
    """The gain of one system in one bucket of words over several treebanks.

    Args:
        values: the value of each property.
        system: the system.
        n_treebanks: the number of treebanks on which both scores have a value in the bucket.
        gold: the number of gold words in the bucket on all treebanks.
        difference: the mean difference over the treebanks that have one; null if none has.
        more_correct: the number of additional correct words of the system on all treebanks.
        estimate: the mean with its confidence interval; None if intervals are not requested.
    """

    values: Annotated[tuple[str, ...], NOT_A_COLUMN]
    system: str
    n_treebanks: int
    gold: int
    difference: Points | None
    more_correct: Change
    estimate: Annotated[BucketEstimate | None, NOT_A_COLUMN] = None


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
        gold, more_correct = sum(gain.gold for gain in gains), sum(gain.more_correct for gain in gains)
        averages.append(AverageGain(values, system, len(differences), gold, mean, more_correct, estimate))
    return sorted(averages, key=lambda gain: (gain.system, -abs(gain.more_correct)))


def check_several(plan: Plan) -> None:
    """Refuse a single system, and systems with several runs."""
    runs = any(system.run for system in plan.systems)
    if runs or len(plan.systems) < 2:
        single = "only single outputs can be compared here: name one run of each system"
        raise InputError(
            Fault("no-pairs", single if runs else "give at least two systems, or one system and what to show")
        )
