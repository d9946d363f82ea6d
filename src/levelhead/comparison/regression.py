"""Regression gates: is a system worse than the first? Their results, also in words."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

from levelhead.campaign.plan import Plan, missing_outputs
from levelhead.campaign.results import Results
from levelhead.errors import Fault, InputError, Place, number_of
from levelhead.evaluation.provenance import plain_reason
from levelhead.messages import MESSAGES
from levelhead.significance.corrections import level_of_each
from levelhead.significance.differences import DIFFERENCE, ComparedScore
from levelhead.significance.estimates import FEWEST_RUNS, InferenceSettings, Interval
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.power import MOST_RUNS, Target, difference_variances, runs_to_detect
from levelhead.significance.units import FEWEST_UNITS
from levelhead.tables.table import Column, formatted, interval_head

if TYPE_CHECKING:
    from levelhead.comparison.systems import Comparison

Reason = Literal[
    "not worse", "worse", "within margin", "margin not shown", "too few units", "too few runs", "invalid"
]  # fmt: skip


class GateResult(NamedTuple):
    """The result of the gate of one measure for one system.

    Args:
        system: the system.
        measure: the measure.
        treebank: the treebank, or the name of the average.
        verdict: "met", "not met" or "undecided".
        reason: the reason.
        difference: the system's score minus the baseline's, in points; for perplexities, in their
            unit; null for invalid outputs.
        difference_interval: the confidence interval of the difference.
        ratio_interval: the confidence interval of the ratio; only for perplexities with a margin.
        decided: whether the data show on which side of the limit the difference lies.
        n_runs_needed: the number of runs per system that would be enough; null if decided, for
            single runs, or if no number is enough.
    """

    system: str
    measure: str
    treebank: str
    verdict: Literal["met", "not met", "undecided"]
    reason: Reason
    difference: float | None = None
    difference_interval: Interval | None = None
    ratio_interval: Interval | None = None
    decided: bool = True
    n_runs_needed: int | None = None


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
    of_system = plan._replace(systems=tuple(system for system in plan.systems if system.name == name))
    yield from missing_outputs(of_system)
    for system, code in product(of_system.systems, (test_set.code for test_set in plan.test_sets)):
        result = results.results[system.label, code]
        baseline = results.results[plan.systems[0].label, code].scores
        yield from (fault for fault in result.faults if fault.severity == "error")
        path = system.outputs.get(code)
        for measure, score in result.scores.items():
            if score.reason is not None and baseline[measure].reason is None:
                yield valueless(measure, score.reason, Place(None if path is None else os.fspath(path)))


def valueless(measure: str, reason: str, place: Place) -> Fault:
    """Return the error of a measure without a value."""
    slug = reason.partition(":")[0]
    return Fault(slug if slug in MESSAGES else "not-annotated", f"{measure}: {plain_reason(reason)}", place)


def gate_results(
    counts: Mapping[str, SystemCounts],
    results: Sequence[ComparedScore],
    measures: Sequence[str],
    settings: InferenceSettings,
    invalid: Mapping[str, Sequence[Fault]],
) -> Iterator[GateResult]:
    """Return the result of each gate for each system; with several test sets, for the macro-average."""
    first = next(iter(counts.values()))
    for measure in measures:
        tested = [result for result in results if result.measure == measure and result.difference is not None]
        gated = [result for result in tested if result.average == "macro"] or tested
        for result in gated:
            gate = _gate_result(result, settings, lower_is_better=first.measures.index(measure) in first.perplexities)
            if min(result.n_runs, result.n_baseline_runs) > 1 and not gate.decided:
                gate = gate._replace(n_runs_needed=_runs_needed(counts, result, settings, len(gated)))
            yield gate
    place = "macro-average" if len(counts) > 1 else next(iter(counts))
    yield from (GateResult(system, name, place, "not met", "invalid") for system in invalid for name in measures)


def _gate_result(result: ComparedScore, settings: InferenceSettings, *, lower_is_better: bool) -> GateResult:
    margin = settings.margin
    interval = result.ratio_interval if margin is not None and lower_is_better else result.difference_interval
    verdict: Literal["met", "not met", "undecided"]
    if result.p is None or not result.enough_runs:
        verdict = "undecided" if margin is None else "not met"
        decided = False
        reason: Reason = "too few units" if result.p is None else "too few runs"
    elif margin is None or interval is None:
        decided = result.p < round(1 - settings.level, 12)
        worse = decided and ((result.difference or 0) > 0) == lower_is_better
        verdict, reason = ("not met", "worse") if worse else ("met", "not worse")
    else:
        low, high = interval if lower_is_better else (-interval[1], -interval[0])
        verdict, reason = ("met", "within margin") if high < margin else ("not met", "margin not shown")
        decided = high < margin or low > margin
    place = result.system, result.measure, result.treebank
    intervals = result.difference_interval, result.ratio_interval
    return GateResult(*place, verdict, reason, result.difference, *intervals, decided)


def _runs_needed(
    counts: Mapping[str, SystemCounts], result: ComparedScore, settings: InferenceSettings, n_systems: int
) -> int | None:
    """The number of runs that would show the observed distance from 0 or the margin; systems share the level."""
    tables = list(counts.values()) if result.average else [counts[result.treebank]]
    measure = tables[0].measures.index(result.measure)
    variances = [difference_variances(table, tables[0].systems[0], result.system)[measure] for table in tables]
    known = [variance for variance in variances if variance is not None]
    if len(known) < len(variances) or result.difference is None:
        return None
    scale = 1 if measure in tables[0].perplexities else 100
    distance, alpha = abs(result.difference) / scale, 1 - level_of_each(settings.level, n_systems)
    if settings.margin is not None:
        distance = abs(result.difference + settings.margin) / scale
        if result.ratio_interval is not None:
            middle = math.log(result.ratio_interval[0] * result.ratio_interval[1]) / 2
            distance = abs(math.log(settings.margin) - middle) * (result.value or 0.0)  # by the delta method
    return runs_to_detect(distance, known, [len(table.parts) for table in tables], Target(alpha))


def verdict_text(gate: GateResult, comparison: Comparison) -> str:
    """Return a verdict as a sentence: the difference, the reason, and how many runs would decide it."""
    if gate.reason == "invalid":
        errors = comparison.invalid[gate.system]
        return f"{outcome_text(gate)}: {number_of(len(errors), 'error')} in the output: {errors[0].message}"
    signature, perplexity = comparison.provenance.signature, gate.measure in comparison.perplexities
    margin = signature.get("margin")
    baseline = comparison.systems[0]
    ratio = perplexity and margin is not None
    change = formatted(gate.difference, DIFFERENCE)
    interval = gate.ratio_interval if ratio else gate.difference_interval
    column = Column("", "percent") if ratio else DIFFERENCE
    between = formatted(interval, column) if interval else "none"
    level = f"{interval_head(signature['level'])} {'of the ratio ' if ratio else ''}"
    end, limit = ("upper", f"below {margin}") if ratio else ("lower", f"above -{margin}")
    too_few = f"too few units for a test (fewer than {FEWEST_UNITS}, not counting the most influential one)"
    if any(unit.few for unit in comparison.units.values()):
        too_few = (
            f"too few documents for a test (fewer than {FEWEST_UNITS}): use --resample-by sentence to test by sentence"
        )
    reason = {
        "too few units": too_few,
        "too few runs": f"too few runs for a test: give {FEWEST_RUNS} or more runs of each system,"
        " or one output of each",
        "worse": f"significantly worse than {baseline}",
        "not worse": f"{'significantly better' if gate.decided else 'not significantly worse'} than {baseline}",
        "within margin": f"the {end} end is {limit}",
        "margin not shown": f"the {end} end is not {limit}",
    }[gate.reason]
    place = gate.system, gate.measure, gate.treebank
    score = next(score for score in comparison.results if (score.system, score.measure, score.treebank) == place)
    if not gate.decided and min(score.n_runs, score.n_baseline_runs) > 1:
        none = f"even {MOST_RUNS:,} runs of each would not suffice: use a larger test set"
        truly = "would suffice, with 80% power if the true difference equals the observed one"
        reason += f"; {none if gate.n_runs_needed is None else f'{gate.n_runs_needed} runs of each {truly}'}"
    return f"{outcome_text(gate)}: {change} ({level}{between}), {reason}"


def outcome_text(gate: GateResult) -> str:
    """Return the result of a gate in a few words."""
    where = " (macro-average)" if gate.treebank == "macro-average" else ""
    return f"gate {gate.verdict}: {gate.measure} of {gate.system}{where}"
