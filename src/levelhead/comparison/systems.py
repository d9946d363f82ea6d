"""Comparison of systems on one or several treebanks, with significance tests."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product
from typing import Any, ClassVar

import numpy as np

from levelhead.campaign import OutputResult, Plan, Results, TestSet, check_valid, score_plan
from levelhead.campaign.outputs import Look
from levelhead.campaign.plan import missing_outputs
from levelhead.comparison.regression import GateResult, gate_results, valid_candidates, valueless, verdict_text
from levelhead.errors import Fault, InputError, Place, listed, number_of, with_minus
from levelhead.evaluation.provenance import Sources, comparison_provenance, named_note
from levelhead.evaluation.score_data import PartialCoverage, total_coverage
from levelhead.evaluation.score_tables import COVERAGE, VALID_TREES, coverage_cells, partial_notes, value_text
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.significance.corrections import Wins, count_wins
from levelhead.significance.differences import (
    DIFFERENCE,
    STARS,
    STATISTICS,
    ComparedScore,
    check_margin,
    differences,
    influenced_results,
)
from levelhead.significance.estimates import FEWEST_RUNS, STANDARD, InferenceSettings, signature_of_tests
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.scopes import INFLUENCE, influence_notes, influence_rows
from levelhead.significance.units import UNITS, Units, unit_line, unit_notes, unit_rows, with_p_values
from levelhead.tables.data import MEASURE_COLUMN, SYSTEM_COLUMN, TREEBANK_COLUMN, Layout
from levelhead.tables.documents import FaultInFile, fault_in_file
from levelhead.tables.table import STARS_NOTE, Cell, Column, Detail, Table, formatted, level_text, p_text, starts_of
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance
from levelhead.typology.languages import Voter, treebanks_voting


@immutable
class Comparison(Tabular):
    """Scores of systems, compared with the first system.

    Args:
        systems: the systems, the baseline first.
        measures: the measures.
        results: for each system and measure, the score on each treebank and the averages. Each result also has the
            comparison with the baseline.
        wins: on how many treebanks each system is better or worse than the baseline; empty for a single treebank.
        provenance: the settings and files behind the numbers.
        perplexities: the measures whose values are perplexities, not percentages; lower is better.
        looked: a mapping from each test set to the data that `prepare` requested for the HTML page or the summary.
        voter: "treebank", "language" or "family": each of them has one vote in tests over treebanks.
        units: the sampling units (sentences or documents) of each treebank.
        joint_units: for parallel test sets, a text that says on how many sampling units averages are based; empty for
            other test sets.
        valid_trees: for partial scores, the results if all words of invalid trees count as wrong; otherwise empty.
        coverage: for partial scores, the share of gold that each system covers on each treebank; otherwise empty.
        gates: whether each system passes the regression gate (`fail_if_worse`) of each measure. Systems with invalid
            outputs are at the end.
        invalid: a mapping from each system with missing or invalid outputs to the errors. These systems are only in
            `gates`, not in `results`. Without regression gates, the errors are raised instead.
    """

    KIND: ClassVar[str] = "compare"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "results": (ComparedScore,),
        "wins": (Wins,),
        "gates": (GateResult,),
        "invalid_outputs": (SYSTEM_COLUMN, FaultInFile),
        "results_of_valid_trees": (ComparedScore,),
        "coverage": (TREEBANK_COLUMN, SYSTEM_COLUMN, PartialCoverage),
        "influence": (TREEBANK_COLUMN, MEASURE_COLUMN, SYSTEM_COLUMN, *INFLUENCE),
        "units": UNITS,
    }

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    results: tuple[ComparedScore, ...]
    wins: tuple[Wins, ...]
    provenance: Provenance
    perplexities: tuple[str, ...] = ()
    looked: Mapping[str, Any] = field(default_factory=dict)
    voter: Voter = "treebank"
    units: Mapping[str, Units] = field(default_factory=dict)
    joint_units: str = ""
    valid_trees: tuple[ComparedScore, ...] = ()
    coverage: Mapping[str, Mapping[str, PartialCoverage]] = field(default_factory=dict)
    gates: tuple[GateResult, ...] = ()
    invalid: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """A sentence that says which differences from the first system are significant.

        For two systems, it names the measures in which they differ. For more systems, it names the systems that differ
        from the first system in LAS (in the first measure if LAS is missing). For a single system, it gives the score.
        """
        measure, baseline = "LAS" if "LAS" in self.measures else self.measures[0], self.systems[0]
        first, *others = self.of_average(measure)
        if not others:
            macro = "Macro-averaged " if first.average else ""
            return f"{macro}{measure} of {baseline}: {value_text(first, self.provenance.signature)}."
        if len(others) > 1:
            name = f"macro-averaged {measure}" if first.average else measure
            return _differing_systems(name, baseline, self._by_outcome(others, "system"))
        results = [self.of_average(name)[1] for name in self.measures]
        verdict = _differing_measures(others[0].system, baseline, self._by_outcome(results, "measure"))
        counted = [f" {wins_text(win, self).partition(';')[0]}." for win in self.wins if win.measure == measure]
        return f"{'By macro-averages, ' if first.average and self._tested else ''}{verdict}{''.join(counted)}"

    def _by_outcome(self, results: Iterable[ComparedScore], name: str) -> dict[str, str]:
        """The names of results, with differences, that are significantly better or worse, not so, or not tested."""
        names = defaultdict[str, list[str]](list)
        for result in results:
            difference = with_minus(formatted(result.difference, DIFFERENCE))
            is_lower = result.difference is not None and result.difference < 0
            outcome = "worse" if is_lower != (result.measure in self.perplexities) else "better"
            outcome = "untested" if result.p is None else outcome if result.stars else "equal"
            numbers = f" ({difference}, p {p_text(result.p)})" if outcome in {"better", "worse"} else ""
            names[outcome].append(f"{getattr(result, name)}{numbers}")
        return {outcome: listed(some) for outcome, some in names.items()}

    @property
    def _tested(self) -> bool:
        return any(result.p is not None for result in self.results)

    @property
    def unit_line(self) -> str:
        """A note on the number of sampling units, such as documents, on which intervals and p-values are based."""
        return unit_line(self.units, with_p_values(result.p for result in self.results), self.joint_units)

    def of_average(self, measure: str) -> list[ComparedScore]:
        """Return each system's macro-average of `measure`, or the score if there is only one treebank."""
        of_measure = [result for result in self.results if result.measure == measure]
        return [result for result in of_measure if result.average == "macro"] or of_measure[: len(self.systems)]

    def table(self, *, each: bool = False) -> Table:
        """Return a table of scores, differences from the baseline, intervals and p-values by measure and system.

        Args:
            each: whether to show the scores on each treebank in addition to averages.
        """
        signature = self.provenance.signature
        averaged = any(result.average for result in self.results)
        shown = [result for result in self.results if each or not averaged or result.average]
        shown.sort(key=lambda result: bool(result.average))
        strict: dict[tuple[Any, ...], tuple[Cell, ...]] = {}  # the value with only valid trees, and the coverage
        for tree in self.valid_trees:
            codes = list(self.coverage) if tree.average else [tree.treebank]
            coverage = total_coverage(self.coverage[code][tree.system] for code in codes)
            strict[*tree[:3], tree.average] = (tree.value, *coverage_cells(coverage))
        start = "" if not averaged else "treebank" if each else "average"
        columns: list[Column] = []
        level = level_text(signature["level"])
        cells: list[Iterable[Cell]] = []  # by column
        alone = len(self.systems) == 1
        for name in dict.fromkeys((start, *STATISTICS)) if start else STATISTICS:
            entry = STATISTICS[name]
            if entry.column is None or name in {"treebank", "average"} - {start} or not entry.shown(shown, signature):
                continue
            if alone and (entry.of_difference or name == "system"):
                continue
            columns.append(entry.column._replace(name=entry.column.name.format(level)))
            cells.append([entry.cell(getattr(result, name), of_baseline=result.difference is None) for result in shown])
            if name == "value" and strict:
                columns += [Column(VALID_TREES, "percent"), *COVERAGE]
                cells += zip(*(strict[*result[:3], result.average] for result in shown), strict=True)
            if name == "p":
                columns.append(STARS)
                cells.append([result.stars for result in shown])
        rows = tuple(zip(*cells, strict=True))
        rules = starts_of((result.average, result.treebank, "" if alone else result.measure) for result in shown)
        n_rows = sum(not result.average for result in shown) if each else len(rows)
        return Table(tuple(columns), rows[:n_rows], self._notes(), rules, rows[n_rows:]).signed(self.provenance)

    def _notes(self) -> tuple[str, ...]:
        signature, margin = self.provenance.signature, self.provenance.signature.get("margin")
        alpha = round(1 - float(signature["level"]), 12)
        limit = "" if alpha == 0.05 else f"; wins and gates: p < {alpha:g}"
        legend = f": {STARS_NOTE}{limit}" if self._tested else ""
        limits = f"the ratio is between 1/{margin} and {margin}" if self.perplexities else ""
        within = limits or f"the difference is between -{margin} and {margin} points"
        of_what = "p and intervals" if self._tested else "intervals"
        joint = f"; {of_what} are corrected for the number of systems (Sidak)" if self.systems[2:] else ""
        alone = "each interval is for one score: to compare systems, use their differences"
        return (
            *([Detail(f"differences from {self.systems[0]}{joint}{legend}")] if self.systems[1:] else []),
            *([Detail(alone)] if self.systems[1:] and any(result.interval for result in self.results) else []),
            *(f"{measure}: lower is better" for measure in self.perplexities),
            *([Detail(f"Equivalent: whether the interval of {within}")] if margin else []),
            *(Detail(wins_text(win, self)) for win in self.wins),
            *(verdict_text(gate, self) for gate in self.gates),
            *([self.unit_line] if self.units else []),
            *partial_notes(pair for some in self.coverage.values() for pair in some.items()),
        )

    def _results_of_valid_trees_rows(self) -> tuple[ComparedScore, ...]:
        return self.valid_trees

    def _invalid_outputs_rows(self) -> Iterator[tuple[str, FaultInFile]]:
        return ((system, fault_in_file(fault)) for system, faults in self.invalid.items() for fault in faults)

    def _influence_rows(self) -> Iterator[Any]:
        for result in self.results:
            for influenced in result.influence:
                yield from ((*result[:3], *row) for row in influence_rows(influenced, [result.treebank]))

    def _units_rows(self) -> list[tuple[Any, ...]]:
        return unit_rows(self.units)


def compare(
    plan: Plan,
    setup: Setup,
    *,
    settings: InferenceSettings = STANDARD,
    wilcoxon: bool = False,
    votes: Voter = "treebank",
    fail_if_worse: Sequence[str] = (),
    look: Look | None = None,
    **how: Any,
) -> Comparison:
    """Return the comparison of systems with the first; with `fail_if_worse`, an invalid output fails its gates."""
    names = {system.name for system in plan.systems}
    check_margin(settings.margin, len(names), len(setup.measures), len(setup.perplexities))
    how |= {"by_sentence": True, "resample_by": settings.resample_by, "look": look}
    invalid: Mapping[str, tuple[Fault, ...]] = {}
    if fail_if_worse:
        plan, results, invalid = valid_candidates(plan, score_plan(plan, setup, **how))
        if invalid and look is not None:
            results = score_plan(plan, setup, **how)
    else:
        results = score_outputs(plan, setup, **how)
    counts, sources = sentence_counts(results, plan, setup), sources_of_results(results)
    first, several = next(iter(counts.values())), len(counts) > 1
    systems = tuple(dict.fromkeys(first.systems))
    parallel = results.parallel()
    scores = tuple(differences(counts, settings, results.units, parallel))
    strict = sentence_counts(results.with_valid_trees_only(), plan, setup) if setup.partial else {}
    voters = parallel.voters(treebanks_voting({test.code: test.language for test in plan.test_sets}, votes))
    tested = defaultdict[tuple[str, str], list[ComparedScore]](list)
    once = parallel.without_copies(counts) if several else ()
    for score in scores:
        if score.treebank in once and not score.average and score.difference is not None:
            tested[score.measure, score.system].append(score)
    how_counted: dict[str, Any] = {"voters": voters, "level": round(1 - settings.level, 12), "wilcoxon": wilcoxon}
    by_unit = counts_by_unit(counts, results) if fail_if_worse else {}
    provenance = _provenance(sources, setup, settings, results, scores, first.systems)
    return Comparison(
        systems=systems,
        measures=first.measures,
        results=scores,
        wins=tuple(
            count_wins(some, **how_counted, sign=-1 if some[0].measure in setup.perplexities else 1)
            for some in tested.values()
        ),
        provenance=provenance.with_parts(votes=votes) if several and votes != "treebank" else provenance,
        perplexities=setup.perplexities,
        looked=results.looked,
        voter=votes,
        units=results.units,
        joint_units=parallel.averaged(),
        valid_trees=tuple(differences(strict, settings, results.units, parallel)) if strict else (),
        coverage=_coverage(results, plan) if setup.partial else {},
        gates=tuple(gate_results(by_unit, scores, fail_if_worse, settings, invalid)) if fail_if_worse else (),
        invalid=invalid,
    )


def _coverage(results: Results, plan: Plan) -> dict[str, dict[str, PartialCoverage]]:
    runs = defaultdict[tuple[str, str], list[PartialCoverage]](list)
    for test_set, run in product(results.test_sets, plan.systems):
        if (own := results.results[run.label, test_set.code].partial_coverage) is not None:
            runs[test_set.code, run.name].append(own)
    coverage: dict[str, dict[str, PartialCoverage]] = {}
    for (code, system), some in runs.items():
        coverage.setdefault(code, {})[system] = total_coverage(some)
    return coverage


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


def counts_by_unit(counts: Mapping[str, SystemCounts], results: Results) -> dict[str, SystemCounts]:
    """Return counts of sentences as counts of units."""
    return {code: count._replace(parts=results.units[code].sums(count.parts)) for code, count in counts.items()}


def sentence_counts(results: Results, plan: Plan, setup: Setup) -> dict[str, SystemCounts]:
    """Return the counts of sentences on each test set, by its code; each measure must have a value for each output."""
    names = tuple(system.name for system in plan.systems)
    perplexities = tuple(number for number, name in enumerate(results.measures) if name in setup.perplexities)
    counts = {}
    for test_set in results.test_sets:
        outcomes = [results.results[label, test_set.code] for label in results.systems]
        faults = dict.fromkeys(fault for result in outcomes for fault in _valueless(test_set, result, results.measures))
        if faults:
            raise InputError(*faults)
        parts = np.empty((results.gold[test_set.code].sentences, len(outcomes), len(results.measures), 2))
        for (run, result), (m, measure) in product(enumerate(outcomes), enumerate(results.measures)):
            parts[:, run, m] = result.sentences[measure].T
        counts[test_set.code] = SystemCounts(names, results.measures, parts, perplexities)
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


def _valueless(test_set: TestSet, output: OutputResult, measures: Iterable[str]) -> Iterator[Fault]:
    """One error for each measure without a value for an output."""
    gold = Place(None if test_set.gold is None else os.fspath(test_set.gold))
    system = Place(output.contents.path if output.contents else None)
    for name in measures:
        reason = output.scores[name].reason or ""
        if reason.startswith("DEPS "):  # of either side
            yield Fault("unreadable-deps", f"{name}: {reason}".replace("DEPS ", f"DEPS of {gold} or {system} ", 1))
        elif reason:
            yield valueless(name, reason, system if reason.startswith("not annotated in the system's output") else gold)


def _provenance(
    sources: Mapping[str, Sources],
    setup: Setup,
    settings: InferenceSettings,
    results: Results,
    scores: Sequence[ComparedScore],
    runs: Sequence[str],
) -> Provenance:
    parts = {**measures_part(results), **signature_of_tests(settings, results.units), **results.declared_parallel}
    parts |= {} if settings.margin is None else {"margin": f"{settings.margin:g}"}
    notes = [*notes_on_intervals(results, scores)]
    n_runs = Counter(runs)
    single = "has a single run: differences from systems with several runs get no significance marks"
    few = "runs: its differences get no significance marks; give three or more"
    for system, n in n_runs.items() if max(n_runs.values()) > 1 else ():
        notes += [f"{system} {single}" if n == 1 else f"{system} has {n} {few}"] if n < FEWEST_RUNS else []
    return comparison_provenance(sources, setup, parts, notes)


def notes_on_intervals(results: Results, scores: Sequence[ComparedScore]) -> Iterator[str]:
    """Yield notes on units that are few, shared by test sets, or decisive."""
    statistics = "intervals and p-values" if any(score.baseline for score in scores) else "intervals"
    yield from unit_notes(results.units, statistics, averaged=True)
    yield from results.parallel().notes()
    yield from influence_notes(influenced_results(scores))


def _differing_systems(measure: str, baseline: str, names: Mapping[str, str]) -> str:
    if names.keys() == {"untested"}:
        return f"By {measure}, differences from {baseline} are not tested: see the notes."
    if not names.keys() & {"better", "worse"}:
        return f"By {measure}, no system differs significantly from {baseline}."
    heads = {"better": "better", "worse": "worse", "equal": "not significantly different", "untested": "not tested"}
    parts = [f"{head}: {names[outcome]}" for outcome, head in heads.items() if outcome in names]
    return f"By {measure}, compared with {baseline}, {'; '.join(parts)}."


def _differing_measures(system: str, baseline: str, names: Mapping[str, str]) -> str:
    if names.keys() == {"untested"}:
        return f"Differences between {system} and {baseline} are not tested: see the notes."
    changes = [f"{how} than {baseline} in {names[how]}" for how in ("better", "worse") if how in names]
    parts = [f"{system} is {' and '.join(changes)}"] if changes else []
    if "equal" in names:
        equal = "do not differ significantly"
        parts.append(
            f"in {names['equal']} they {equal}" if parts else f"{system} and {baseline} {equal} in {names['equal']}"
        )
    parts += [f"differences in {names['untested']} are not tested"] if "untested" in names else []
    return f"{'; '.join(parts)}."


def wins_text(wins: Wins, comparison: Comparison) -> str:
    """Return a sentence on how many treebanks a system is better or worse than the baseline on."""
    n_treebanks = wins.won + wins.tied + wins.lost
    n_equal = n_treebanks - wins.better - wins.worse
    better = f"{wins.better} of {number_of(n_treebanks, 'treebank')} ({wins.won} significant)"
    text = f"{wins.measure}: {wins.system} is better than {comparison.systems[0]} on {better}, worse on {wins.worse}"
    text += f" ({wins.lost} significant)" + (f", equal on {n_equal}" if n_equal else "")
    bounds = (("better", wins.better_on_at_least), ("worse", wins.worse_on_at_least))
    if shown := " and ".join(f"{how} on at least {bound}" for how, bound in bounds if bound):
        text += f"; {shown} ({level_text(comparison.provenance.signature['level'])} confidence)"
    tests = (("sign test", wins.sign_p), ("Wilcoxon", wins.wilcoxon_p))
    if p_values := ", ".join(f"{test} p {p_text(p)}" for test, p in tests if p is not None):
        text += f"; {p_values} ({number_of(wins.votes, 'vote')}, one per {comparison.voter})"
    return text
