"""Comparison of systems on one or several treebanks, with significance tests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from levelhead.campaign import check_valid, score_plan
from levelhead.campaign.outputs import Look
from levelhead.campaign.plan import Plan, TestSet, missing_outputs
from levelhead.campaign.results import OutputResult as Outcome
from levelhead.campaign.results import Results
from levelhead.comparison.regression import GateResult, gate_results, valid_candidates
from levelhead.comparison.system_tables import comparison_document, comparison_table
from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation.coverage import PartialCoverage, total_coverage
from levelhead.evaluation.provenance import (
    Provenance,
    Sources,
    comparison_provenance,
    signature_of_draws,
)
from levelhead.evaluation.setup import Setup
from levelhead.messages import MESSAGES
from levelhead.scoring.measure_notes import named_note
from levelhead.significance import STANDARD as STANDARD_TESTS
from levelhead.significance import (
    ComparedScore,
    InferenceSettings,
    Units,
    Wins,
    check_margin,
    check_settings,
    count_wins,
    differences,
    unit_notes,
)
from levelhead.significance.estimates import FEWEST_RUNS
from levelhead.significance.jackknife import SystemCounts
from levelhead.tables.table import Table
from levelhead.tabular import Tabular
from levelhead.treebank.contents import FileSummary
from levelhead.typology.languages import Voter, treebanks_voting


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """The comparison of systems with the first.

    Args:
        systems: the systems, the baseline first.
        measures: the measures.
        results: one result per treebank or average, measure and system.
        wins: one result per measure and system, for several treebanks.
        provenance: the provenance of the numbers.
        perplexities: the measures whose values are perplexities, not percentages; lower is better.
        looked: the result of `look` for the outputs on each test set.
        voter: the unit with one vote in the tests over treebanks.
        units: the units of each treebank.
        valid_trees: for partial scores, the results in which invalid trees count as wrong, in the order of `results`;
            otherwise empty.
        coverage: for partial scores, the share of gold that each system covers, over all runs, by treebank and system.
        gates: the results of regression gates by system and measure, those of invalid outputs last.
        invalid: the errors of the systems that were left out because an output is missing or invalid; only with
            regression gates, otherwise these errors are raised.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    results: tuple[ComparedScore, ...]
    wins: tuple[Wins, ...]
    provenance: Provenance
    perplexities: tuple[str, ...] = ()
    looked: Mapping[str, Any] = field(default_factory=dict)
    voter: Voter = "treebank"
    units: Mapping[str, Units] = field(default_factory=dict)
    valid_trees: tuple[ComparedScore, ...] = ()
    coverage: Mapping[str, Mapping[str, PartialCoverage]] = field(default_factory=dict)
    gates: tuple[GateResult, ...] = ()
    invalid: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)

    def table(self, *, each: bool = False) -> Table:
        """Return the result as a table.

        Args:
            each: every treebank, not only averages.
        """
        return comparison_table(self, each=each)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return comparison_document(self)


def compare(
    plan: Plan,
    setup: Setup,
    *,
    settings: InferenceSettings = STANDARD_TESTS,
    wilcoxon: bool = False,
    votes: Voter = "treebank",
    fail_if_worse: Sequence[str] = (),
    look: Look | None = None,
    **how: Any,
) -> Comparison:
    """Return the comparison of systems with the first: scores, intervals, differences, p-values.

    Each output is counted once; tests use the counts of sentences.

    Args:
        plan: the test sets and systems.
        setup: the settings.
        settings: the settings of tests.
        wilcoxon: whether to compute Wilcoxon's test over treebanks as well (requires scipy).
        votes: the unit with one vote in the sign test and Wilcoxon's test: each treebank, language or family.
        fail_if_worse: measures of `setup` in which no system may be worse than the first. An invalid output then fails
            the gate instead of raising an error.
        look: an additional function of the outputs on each test set.
        how: `workers` and `store`, as in `score_plan`.

    Raises:
        InputError: an output is missing or a file is invalid (all errors are listed); the margin is invalid; or a
            language or family that votes is unknown.
    """
    n_systems = len({system.name for system in plan.systems})
    check_settings(settings)
    check_margin(settings.margin, n_systems, len(setup.measures), len(setup.perplexities))
    voters = treebanks_voting({test_set.code: test_set.language for test_set in plan.test_sets}, votes)
    how |= {"by_sentence": True, "resample_by": settings.resample_by, "look": look}
    invalid: Mapping[str, tuple[Fault, ...]] = {}
    if fail_if_worse:
        plan, results, invalid = _valid_outputs(plan, setup, how)
    else:
        results = score_outputs(plan, setup, **how)
    counts, sources = counts_and_sources(results, plan, setup)
    comparison = _compared(counts, sources, setup, settings, measures_part(results), results.units)
    if setup.partial:
        strict, _ = counts_and_sources(results.with_valid_trees_only(), plan, setup)
        coverage = _coverage(results, plan)
        comparison = replace(comparison, valid_trees=tuple(differences(strict, settings)), coverage=coverage)
    comparison = replace(
        comparison, gates=tuple(_gates(comparison, counts, fail_if_worse, settings, invalid)), invalid=invalid
    )
    if len(counts) == 1:
        return replace(comparison, looked=results.looked)
    wins = _wins(comparison.results, next(iter(counts.values())), 1 - settings.level, voters, wilcoxon=wilcoxon)
    provenance = comparison.provenance if votes == "treebank" else comparison.provenance.with_parts(votes=votes)
    return replace(comparison, looked=results.looked, wins=tuple(wins), provenance=provenance, voter=votes)


def _coverage(results: Results, plan: Plan) -> dict[str, dict[str, PartialCoverage]]:
    """The share of each gold treebank that each system covers, over all runs."""
    coverages: dict[str, dict[str, PartialCoverage]] = {}
    for test_set in results.test_sets:
        runs: dict[str, list[PartialCoverage]] = {}
        for system in plan.systems:
            coverage = results.results[system.label, test_set.code].partial_coverage
            runs.setdefault(system.name, []).extend([] if coverage is None else [coverage])
        coverages[test_set.code] = {name: total_coverage(some) for name, some in runs.items()}
    return coverages


def _valid_outputs(
    plan: Plan, setup: Setup, how: Mapping[str, Any]
) -> tuple[Plan, Results, Mapping[str, tuple[Fault, ...]]]:
    """Score a plan without the systems with invalid outputs; `look` is then called again."""
    kept, results, invalid = valid_candidates(plan, score_plan(plan, setup, **how))
    if invalid and how["look"] is not None:
        results = score_plan(kept, setup, **how)
    return kept, results, invalid


def _gates(
    comparison: Comparison,
    counts: Mapping[str, SystemCounts],
    measures: Sequence[str],
    settings: InferenceSettings,
    invalid: Iterable[str],
) -> Iterator[GateResult]:
    yield from gate_results(counts, comparison.results, measures, settings)
    where = "macro-average" if len(counts) > 1 else next(iter(counts))
    for system in invalid:
        yield from (GateResult(system, measure, where, "not met", "invalid") for measure in measures)


def measures_part(results: Results) -> dict[str, str]:
    """Return the part of a signature that defines the measures."""
    shared = {"rules", "without", "gold", "systems", "unicode", "version"}
    return {name: value for name, value in results.signature.items() if name not in shared}


def score_outputs(plan: Plan, setup: Setup, **how: Any) -> Results:
    """Return the counts of every output of a plan; all outputs must be valid."""
    missing = missing_outputs(plan)
    try:
        results = check_valid(score_plan(plan, setup, **how))
    except InputError as error:
        raise InputError(*dict.fromkeys((*missing, *error.faults))) from error
    if missing:
        raise InputError(*missing)
    return results


def counts_and_sources(
    results: Results, plan: Plan, setup: Setup
) -> tuple[dict[str, SystemCounts], dict[str, Sources]]:
    """Return the counts of units and the files of each test set, by its code."""
    counts = {
        code: count._replace(parts=results.units[code].sums(count.parts))
        for code, count in sentence_counts(results, plan, setup).items()
    }
    return counts, sources_of_results(results)


def sentence_counts(results: Results, plan: Plan, setup: Setup) -> dict[str, SystemCounts]:
    """Return the counts of sentences on each test set, by its code."""
    names = tuple(system.name for system in plan.systems)
    perplexities = tuple(number for number, name in enumerate(results.measures) if name in setup.perplexities)
    counts = {}
    for test_set in results.test_sets:
        outcomes = [results.results[label, test_set.code] for label in results.systems]
        _refuse_valueless(outcomes, test_set)
        parts = np.empty((results.gold[test_set.code].sentences, len(outcomes), len(results.measures), 2))
        for run, measure in product(range(len(outcomes)), range(len(results.measures))):
            parts[:, run, measure] = outcomes[run].sentences[results.measures[measure]].T
        gold = results.seed_of(test_set.code)
        counts[test_set.code] = SystemCounts(names, results.measures, parts, gold, perplexities)
    return counts


def sources_of_results(results: Results) -> dict[str, Sources]:
    """Return the files behind results, with the notes on them, by the code of the test set."""
    codes = [test_set.code for test_set in results.test_sets]
    each = {code: [results.results[label, code] for label in results.systems] for code in codes}
    return {code: _sources(results.systems, outcomes, results.gold[code]) for code, outcomes in each.items()}


def _sources(labels: Iterable[str], outcomes: Sequence[Outcome], gold: FileSummary) -> Sources:
    named = dict(zip(labels, outcomes, strict=True))
    notes = dict.fromkeys(named_note(note, name) for name, result in named.items() for note in result.notes)
    contents = {name: result.contents for name, result in named.items() if result.contents is not None}
    return Sources(gold, contents, tuple(notes))


def _refuse_valueless(outcomes: Sequence[Outcome], test_set: TestSet) -> None:
    """Refuse measures without a value for an output."""
    faults = [
        _valueless(f"{name}: {score.reason}", score.reason, test_set, result)
        for result in outcomes
        for name, score in result.scores.items()
        if score.reason is not None
    ]
    if faults:
        raise InputError(*dict.fromkeys(faults))


def _valueless(message: str, reason: str, test_set: TestSet, output: Outcome) -> Fault:
    gold = None if test_set.gold is None else os.fspath(test_set.gold)
    slug = reason.partition(":")[0]
    if slug in MESSAGES:
        return Fault(slug, message, Place(gold))
    if reason.startswith("not annotated in the system's output"):
        return Fault("not-annotated", message, Place(output.contents.path if output.contents else None))
    if reason.startswith("DEPS "):  # of either side
        files = f"{Place(gold)} or {Place(output.contents.path if output.contents else None)}"
        return Fault("unreadable-deps", message.replace("DEPS ", f"DEPS of {files} ", 1))
    return Fault("not-annotated", message, Place(gold))


def _compared(
    counts: Mapping[str, SystemCounts],
    sources: Mapping[str, Sources],
    setup: Setup,
    settings: InferenceSettings,
    parts: Mapping[str, str],
    units: Mapping[str, Units],
) -> Comparison:
    first = next(iter(counts.values()))
    systems = tuple(dict.fromkeys(first.systems))
    results = tuple(differences(counts, settings))
    tests = "+".join(sorted({result.test for result in results if result.test})) or "none"
    margin = {} if settings.margin is None else {"margin": f"{settings.margin:g}"}
    parts = {**parts, **signature_of_draws(settings), "p": tests, **margin}
    notes = (*unit_notes(units, averaged=True), *_few_runs(first.systems))
    provenance = comparison_provenance(sources, setup, parts, notes)
    powers = tuple(first.measures[i] for i in first.perplexities)
    return Comparison(systems, first.measures, results, (), provenance, powers, units=units)


def _few_runs(systems: Sequence[str]) -> Iterator[str]:
    """Return notes on systems with too few runs for significant differences."""
    several = len(set(systems)) < len(systems)
    for system in dict.fromkeys(systems):
        n_runs = list(systems).count(system)
        if several and n_runs == 1:
            yield f"{system} has a single run: differences from systems with several runs get no significance marks"
        elif several and n_runs < FEWEST_RUNS:
            yield f"{system} has {n_runs} runs: its differences get no significance marks; give three or more"


def _wins(
    results: Sequence[ComparedScore], table: SystemCounts, level: float, voters: Mapping[str, str], *, wilcoxon: bool
) -> Iterator[Wins]:
    tested = [result for result in results if result.average is None and result.difference is not None]
    for number, measure in enumerate(table.measures):
        sign = -1 if number in table.perplexities else 1
        for system in list(dict.fromkeys(table.systems))[1:]:
            own = [result for result in tested if (result.measure, result.system) == (measure, system)]
            if own:
                yield count_wins(own, voters, level, sign=sign, wilcoxon=wilcoxon)
