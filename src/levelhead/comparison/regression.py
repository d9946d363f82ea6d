"""Regression gates: is a system worse than the first?"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from levelhead.campaign.plan import Plan, missing_outputs
from levelhead.campaign.results import Results
from levelhead.errors import Fault, InputError, Place
from levelhead.measures.registry import Registry, parse_measure, split_measures
from levelhead.messages import MESSAGES
from levelhead.scoring import Score
from levelhead.significance import InferenceSettings, SystemResult
from levelhead.significance.estimates import Interval
from levelhead.significance.power import Target, difference_variances, runs_to_detect
from levelhead.significance.system_counts import SystemCounts

_POWER = 0.8


class GateResult(NamedTuple):
    """The result of the gate of one measure for one system.

    Args:
        system: the system.
        measure: the measure.
        treebank: the test set, or "macro-average" for several.
        verdict: "met", "not met", or "undecided" (too few units or runs for a test).
        reason: "not worse" or "worse" (without a margin), "within margin" or "margin not shown" (with one), "too few
            units", "too few runs", or "invalid" outputs.
        difference: the value minus the baseline's; None for invalid outputs.
        interval: the confidence interval of the difference; with a margin, that of the ratio of perplexities.
        decided: whether the data show on which side of 0, or of the margin, the difference lies.
        runs_needed: the number of runs of each system that would show it with a probability of 80%, if the true
            difference equals the observed difference; None if it is decided, for single outputs, or if no number of
            runs is enough.
    """

    system: str
    measure: str
    treebank: str
    verdict: Literal["met", "not met", "undecided"]
    reason: str
    difference: float | None = None
    interval: Interval | None = None
    decided: bool = True
    runs_needed: int | None = None


def gated_measures(names: Iterable[str], registry: Registry) -> list[str]:
    """Return the canonical names of the measures of gates, without duplicates."""
    every = (name for text in names for name in split_measures(text))
    return list(dict.fromkeys(str(parse_measure(name, registry)) for name in every))


def valid_candidates(plan: Plan, results: Results) -> tuple[Plan, Results, dict[str, tuple[Fault, ...]]]:
    """Return the plan and the results without systems with missing or invalid outputs, and their errors."""
    baseline, *others = dict.fromkeys(system.name for system in plan.systems)
    if not others:
        raise InputError(Fault("no-pairs", "a gate on regressions requires a baseline and at least one other system"))
    faults = {name: tuple(dict.fromkeys(_faults(plan, results, name))) for name in (baseline, *others)}
    if faults[baseline]:
        raise InputError(*faults[baseline])
    invalid = {name: faults[name] for name in others if faults[name]}
    kept = tuple(system for system in plan.systems if system.name not in invalid)
    return plan._replace(systems=kept), results.of_systems([system.label for system in kept]), invalid


def _faults(plan: Plan, results: Results, name: str) -> Iterator[Fault]:
    """The errors of a system's outputs, including measures without a value that the baseline has."""
    own = plan._replace(systems=tuple(system for system in plan.systems if system.name == name))
    yield from missing_outputs(own)
    for system in own.systems:
        for test_set in plan.test_sets:
            result = results.results[system.label, test_set.code]
            yield from (fault for fault in result.faults if fault.severity == "error")
            first = results.results[plan.systems[0].label, test_set.code].scores
            yield from _valueless(first, result.scores, Place(_shown(system.outputs.get(test_set.code))))


def _valueless(baseline: Mapping[str, Score], scores: Mapping[str, Score], place: Place) -> Iterator[Fault]:
    """Return the measures that have a value for the baseline, but not for this output."""
    for measure, score in scores.items():
        if score.reason is not None and baseline[measure].reason is None:
            slug = score.reason.partition(":")[0]
            yield Fault(slug if slug in MESSAGES else "not-annotated", f"{measure}: {score.reason}", place)


def _shown(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def gate_results(
    counts: Mapping[str, SystemCounts],
    results: Sequence[SystemResult],
    measures: Sequence[str],
    settings: InferenceSettings,
) -> Iterator[GateResult]:
    """Return the result of each gate for each system; with several test sets, for the macro-average.

    Without a margin, the gate is met unless the system is significantly worse (p-value corrected over systems, below 1
    - level). With a margin, it is met only if the whole confidence interval of the difference excludes a loss larger
    than the margin.
    """
    for measure in measures:
        own = [result for result in results if result.measure == measure and result.difference is not None]
        wanted = [result for result in own if result.average == "macro"] or own
        for result in wanted:
            table = next(iter(counts.values()))
            lower_is_better = table.measures.index(measure) in table.perplexities
            gate = _gate_result(result, settings, lower_is_better=lower_is_better)
            several = min(result.runs) > 1 and not gate.decided
            needed = _runs_needed(counts, result, settings, gate, len(wanted)) if several else None
            yield gate._replace(runs_needed=needed)


def _gate_result(result: SystemResult, settings: InferenceSettings, *, lower_is_better: bool) -> GateResult:
    start = GateResult(
        result.system, result.measure, result.treebank, "undecided", "", result.difference, result.difference_interval
    )
    few = "too few units" if result.p is None else "" if result.enough_runs else "too few runs"
    if settings.margin is not None:
        return _gate_result_with_margin(start, result, settings.margin, few, lower_is_better=lower_is_better)
    if few:
        return start._replace(reason=few, decided=False)
    significant = result.p_holm is not None and result.p_holm < round(1 - settings.level, 12)
    worse = significant and ((result.difference or 0) > 0) == lower_is_better
    return start._replace(
        verdict="not met" if worse else "met", reason="worse" if worse else "not worse", decided=significant
    )


def _gate_result_with_margin(
    start: GateResult, result: SystemResult, margin: float, few: str, *, lower_is_better: bool
) -> GateResult:
    interval = result.ratio_interval if lower_is_better else result.difference_interval
    if interval is None or few:
        return start._replace(interval=interval, verdict="not met", reason=few, decided=False)
    low, high = interval
    within, beyond = (high < margin, low > margin) if lower_is_better else (
        100 * low > -margin, 100 * high < -margin
    )  # fmt: skip
    return start._replace(
        interval=interval,
        verdict="met" if within else "not met",
        reason="within margin" if within else "margin not shown",
        decided=within or beyond,
    )


def _runs_needed(
    counts: Mapping[str, SystemCounts],
    result: SystemResult,
    settings: InferenceSettings,
    gate: GateResult,
    n_systems: int,
) -> int | None:
    """The number of runs that would show the observed distance from 0 or the margin; systems share the level."""
    tables = list(counts.values()) if result.average else [counts[result.treebank]]
    measure = tables[0].measures.index(result.measure)
    baseline = tables[0].systems[0]
    variances = [difference_variances(table, baseline, result.system)[measure] for table in tables]
    known = [own for own in variances if own is not None]
    if len(known) < len(variances) or result.difference is None:
        return None
    if settings.margin is None:
        distance, alpha = abs(result.difference), (1 - settings.level) / n_systems
    else:
        distance, alpha = _distance(result, settings.margin, gate), 1 - settings.level
    return runs_to_detect(distance, known, [len(table.parts) for table in tables], Target(alpha, _POWER))


def _distance(result: SystemResult, margin: float, gate: GateResult) -> float:
    """The distance of the observed difference from a loss of the margin, in the unit of the measure."""
    if result.ratio_interval is None or gate.interval is None:
        return abs((result.difference or 0.0) + margin / 100)
    low, high = gate.interval
    return abs(math.log(margin) - math.log(low * high) / 2) * (result.value or 0.0)  # by the delta method
