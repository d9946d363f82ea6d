"""Comparison of systems on one or several treebanks, with significance tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from levelhead.campaign import check_valid, score_plan
from levelhead.campaign.outputs import Look
from levelhead.campaign.plan import Plan, TestSet, missing_outputs
from levelhead.campaign.results import OutputResult as Outcome
from levelhead.campaign.results import Results
from levelhead.comparison.regression import GateResult, gate_results, valid_candidates, verdict_text
from levelhead.errors import Fault, InputError, Place, number_of
from levelhead.evaluation.coverage import PartialCoverage, total_coverage
from levelhead.evaluation.provenance import (
    Provenance,
    Sources,
    comparison_provenance,
    signature_of_draws,
)
from levelhead.evaluation.score_tables import COVERAGE, VALID_TREES, coverage_cells, partial_notes, units_document
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
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
    unit_line,
    unit_notes,
)
from levelhead.significance.differences import STARS, STATISTICS
from levelhead.significance.estimates import FEWEST_RUNS
from levelhead.significance.jackknife import SystemCounts
from levelhead.tables.documents import header, signature_line
from levelhead.tables.fields import record_document
from levelhead.tables.table import STARS_NOTE, Cell, Column, Table, interval_head, level_text, p_text
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import sources_document
from levelhead.typology.languages import Voter, treebanks_voting


@immutable
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
        """Return one row per measure and system: its score, its difference from the baseline, intervals and p-values.

        Args:
            each: every treebank, not only averages.
        """
        averages = [result for result in self.results if result.average]
        single = [result for result in self.results if not result.average]
        results = [*single, *averages] if each or not averages else averages
        columns = self._columns(results, "" if not averages else "treebank" if each else "average")
        rows = tuple(tuple(cell for _, cells in columns for cell in cells(result)) for result in results)
        parts = [(result.average, result.treebank, result.measure) for result in results]
        rules = frozenset(i for i in range(1, len(parts)) if parts[i] != parts[i - 1])
        n_rows = len(single) if each and averages else len(rows)
        heads = tuple(column for some, _ in columns for column in some)
        return Table(heads, rows[:n_rows], self._notes(), rules, rows[n_rows:])

    def _columns(self, results: Sequence[ComparedScore], start: str) -> list[_Columns]:
        """The columns of a table, of which the first names the treebank or the average."""
        signature, partial_scores = self.provenance.signature, self._partial_cells()
        places = {"treebank", "average"} - {start}
        order = dict.fromkeys((start, *STATISTICS)) if start else STATISTICS
        columns: list[_Columns] = []
        for name in order:
            entry = STATISTICS[name]
            if entry.column is None or name in places or not entry.shown(results, signature):
                continue
            head = interval_head(signature["level"]) if entry.column.ends else entry.column.name
            columns.append(((entry.column._replace(name=head),), partial(self._cells, name)))
            if name == "value" and partial_scores:
                columns.append(((Column(VALID_TREES), *COVERAGE), lambda result: partial_scores[_key(result)]))
            if name == "p_holm":
                columns.append(((STARS,), lambda result: (result.stars,)))
        return columns

    def _cells(self, name: str, result: ComparedScore) -> tuple[Cell, ...]:
        of_baseline, plain = result.difference is None, result.measure in self.perplexities
        return (STATISTICS[name].cell(getattr(result, name), of_baseline=of_baseline, plain=plain),)

    def _partial_cells(self) -> dict[_Key, tuple[Cell, ...]]:
        """The value with only valid trees and the coverage of each partial score; empty for other scores."""
        cells: dict[_Key, tuple[Cell, ...]] = {}
        for tree in self.valid_trees:
            codes = list(self.coverage) if tree.average else [tree.treebank]
            coverage = total_coverage(self.coverage[code][tree.system] for code in codes)
            cells[_key(tree)] = (tree.value, *coverage_cells(coverage))
        return cells

    def _notes(self) -> tuple[str, ...]:
        signature, margin = self.provenance.signature, self.provenance.signature.get("margin")
        ratio = f"a ratio between 1/{margin} and {margin}" if self.perplexities else ""
        within = ratio or f"between -{margin} and {margin} points"
        return (
            f"differences from {self.systems[0]}; p corrected across systems (Holm): {STARS_NOTE}",
            *([_RUNS] if any(result.test == "runs" for result in self.results) else []),
            *(f"{measure}: lower is better" for measure in self.perplexities),
            *([f"Equivalent: whether the difference is {within} (two one-sided tests at 5%)"] if margin else []),
            *(wins_text(win, self) for win in self.wins),
            *(verdict_text(gate, self) for gate in self.gates),
            *([unit_line(self.units)] if self.units else []),
            *partial_notes(pair for some in self.coverage.values() for pair in some.items()),
            signature_line(signature),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        strict: dict[str, Any] = {}
        if self.coverage:
            coverage = {
                code: {system: part._asdict() for system, part in some.items()} for code, some in self.coverage.items()
            }
            strict = {"results_valid_trees": self._documents(self.valid_trees), "coverage": coverage}
        return {
            **header("comparison", self.provenance.signature),
            "baseline": self.systems[0],
            "results": self._documents(self.results),
            **strict,
            "wins": [win._asdict() for win in self.wins],
            "gates": self._documents(self.gates),
            "units": units_document(self.units),
            **sources_document(self.provenance),
        }

    def _documents(self, records: Iterable[ComparedScore | GateResult]) -> list[dict[str, Any]]:
        return [record_document(record, plain=record.measure in self.perplexities) for record in records]


_Key = tuple[str | None, str, str, str]
_Columns = tuple[tuple[Column, ...], Callable[[ComparedScore], tuple[Cell, ...]]]

_RUNS = "p: Student's t with several runs per system, otherwise the larger of Student's t and randomization"


def _key(result: ComparedScore) -> _Key:
    return result.average, result.treebank, result.measure, result.system


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

    With `fail_if_worse`, an invalid output fails the gates of these measures instead of raising an error.
    """
    n_systems = len({system.name for system in plan.systems})
    check_settings(settings)
    check_margin(settings.margin, n_systems, len(setup.measures), len(setup.perplexities))
    voters = treebanks_voting({test_set.code: test_set.language for test_set in plan.test_sets}, votes)
    how |= {"by_sentence": True, "resample_by": settings.resample_by, "look": look}
    invalid: Mapping[str, tuple[Fault, ...]] = {}
    if fail_if_worse:
        plan, results, invalid = valid_candidates(plan, score_plan(plan, setup, **how))
        if invalid and look is not None:
            results = score_plan(plan, setup, **how)
    else:
        results = score_outputs(plan, setup, **how)
    counts, sources = counts_and_sources(results, plan, setup)
    first, several = next(iter(counts.values())), len(counts) > 1
    scores = tuple(differences(counts, settings))
    strict: list[ComparedScore] = []
    if setup.partial:
        strict = differences(counts_and_sources(results.with_valid_trees_only(), plan, setup)[0], settings)
    wins = _wins(scores, first, 1 - settings.level, voters, wilcoxon=wilcoxon) if several else ()
    provenance = _provenance(sources, setup, settings, results, scores, first.systems)
    return Comparison(
        systems=tuple(dict.fromkeys(first.systems)),
        measures=first.measures,
        results=scores,
        wins=tuple(wins),
        provenance=provenance.with_parts(votes=votes) if several and votes != "treebank" else provenance,
        perplexities=tuple(first.measures[i] for i in first.perplexities),
        looked=results.looked,
        voter=votes,
        units=results.units,
        valid_trees=tuple(strict),
        coverage=_coverage(results, plan) if setup.partial else {},
        gates=tuple(gate_results(counts, scores, fail_if_worse, settings, invalid)),
        invalid=invalid,
    )


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
    sources = {}
    for code in (test_set.code for test_set in results.test_sets):
        outcomes = {label: results.results[label, code] for label in results.systems}
        notes = dict.fromkeys(named_note(note, name) for name, result in outcomes.items() for note in result.notes)
        contents = {name: result.contents for name, result in outcomes.items() if result.contents is not None}
        sources[code] = Sources(results.gold[code], contents, tuple(notes))
    return sources


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


def _provenance(
    sources: Mapping[str, Sources],
    setup: Setup,
    settings: InferenceSettings,
    results: Results,
    scores: Iterable[ComparedScore],
    runs: Sequence[str],
) -> Provenance:
    tests = "+".join(sorted({score.test for score in scores if score.test})) or "none"
    margin = {} if settings.margin is None else {"margin": f"{settings.margin:g}"}
    parts = {**measures_part(results), **signature_of_draws(settings), "p": tests, **margin}
    return comparison_provenance(sources, setup, parts, (*unit_notes(results.units, averaged=True), *_few_runs(runs)))


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


def wins_text(wins: Wins, comparison: Comparison) -> str:
    """Return a sentence on how many treebanks a system is better or worse than the baseline on."""
    n_treebanks = wins.won + wins.tied + wins.lost
    n_equal = n_treebanks - wins.better - wins.worse
    better = f"{wins.better} of {number_of(n_treebanks, 'treebank')} ({wins.won} significant)"
    counts = [
        f"{wins.measure}: {wins.system} is better than {comparison.systems[0]} on {better}",
        f"worse on {wins.worse} ({wins.lost} significant)",
        *([f"equal on {n_equal}"] if n_equal else []),
    ]
    bounds = {"better": wins.better_on_at_least, "worse": wins.worse_on_at_least}
    shown = " and ".join(f"{how} on at least {bound}" for how, bound in bounds.items() if bound)
    level = level_text(comparison.provenance.signature["level"])
    tests = {"sign test": wins.sign_p, "Wilcoxon": wins.wilcoxon_p}
    p_values = ", ".join(f"{test} p {p_text(p)}" for test, p in tests.items() if p is not None)
    return "; ".join(
        [
            ", ".join(counts),
            *([f"{shown} ({level} confidence)"] if shown else []),
            *([f"{p_values} ({wins.votes} votes, one per {comparison.voter})"] if p_values else []),
        ]
    )
