"""Several systems on one or many treebanks: whose scores differ, and by how much for sure."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from levelhead._version import VERSION
from levelhead.campaign import check_valid, find, score_plan
from levelhead.campaign.job import Look
from levelhead.campaign.outputs import Output
from levelhead.campaign.plan import Plan, TestSet, missing_outputs
from levelhead.campaign.results import Result as Outcome
from levelhead.campaign.results import Results
from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation import joint_hash
from levelhead.messages import MESSAGES
from levelhead.scoring.counts import Counts
from levelhead.scoring.crossing import named_note, notes_on
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure import Component
from levelhead.scoring.score import count_by_sentence, not_annotated
from levelhead.setup import Setup
from levelhead.significance import STANDARD as STANDARD_TESTS
from levelhead.significance import Result, Settings, differences, holm, sign_test, signed_rank_test
from levelhead.significance.counted import Counted
from levelhead.treebank import Treebank
from levelhead.treebank.contents import Contents


class Wins(NamedTuple):
    """On how many treebanks a system beats the baseline.

    Args:
        measure: the measure.
        system: the system.
        won: treebanks on which it is better with p under the level, corrected for the number of treebanks.
        tied: those on which neither is.
        lost: those on which the baseline is.
        better: treebanks on which its value is higher at all.
        worse: those on which it is lower.
        sign_p: the p-value of the sign test over treebanks.
        wilcoxon_p: that of Wilcoxon's signed-rank test, if it was asked for.
    """

    measure: str
    system: str
    won: int
    tied: int
    lost: int
    better: int
    worse: int
    sign_p: float | None
    wilcoxon_p: float | None = None


class Comparison(NamedTuple):
    """What the comparison of systems with the first one gives.

    Args:
        systems: the systems, the baseline first.
        measures: the measures.
        results: one result for each treebank or average, measure and system.
        wins: one for each measure and system, if there are several treebanks.
        signature: what decides the numbers.
        files: the hashes of all files, by treebank and then by "gold" or the system (and run).
        warnings: what was odd in them.
        perplexities: the measures whose values are perplexities: no percentages, and the lower the better.
        notes: what to know before the numbers are used, in sentences.
        looked: what else was made of the outputs on each test set, if anything was.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    results: tuple[Result, ...]
    wins: tuple[Wins, ...]
    signature: Mapping[str, str]
    files: Mapping[str, Mapping[str, str]]
    warnings: tuple[Fault, ...] = ()
    perplexities: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    looked: Mapping[str, Any] = {}


def compare(
    plan: Plan,
    setup: Setup,
    *,
    settings: Settings = STANDARD_TESTS,
    wilcoxon: bool = False,
    look: Look | None = None,
    **how: Any,
) -> Comparison:
    """Compare systems with the first one: scores, intervals, differences, p-values.

    Every file is read once; tests work on the counts of sentences.

    Args:
        plan: the test sets and systems.
        setup: the settings.
        settings: how many resamples, which seed, which level of intervals.
        wilcoxon: whether to test over treebanks by Wilcoxon's test, too (it needs scipy).
        look: what else is made of the outputs on each test set.
        how: `workers` and `store`, as in `score_plan`.

    Raises:
        InputError: an output is missing or a file is invalid; with the faults of all.
    """
    results = score_outputs(plan, setup, by_sentence=True, look=look, **how)
    tables = {code: Table(counts, origin) for code, counts, origin in counts_and_origins(results, plan, setup)}
    found = _compared(tables, setup, settings, measures_part(results), wilcoxon=wilcoxon)
    return found._replace(looked=results.looked)


def measures_part(results: Results) -> dict[str, str]:
    """Return the part of a signature that decides what measures mean.

    Args:
        results: the results of the engine.
    """
    shared = {"rules", "without", "gold", "systems", "unicode", "version"}
    return {name: value for name, value in results.signature.items() if name not in shared}


def score_outputs(plan: Plan, setup: Setup, **how: Any) -> Results:
    """Count every output of a plan, all of which must be valid.

    Args:
        plan: the test sets and systems.
        setup: the settings.
        how: as in `score_plan`.

    Raises:
        InputError: an output is missing or a file is invalid; with the faults of all.
    """
    if missing := missing_outputs(plan):
        raise InputError(*missing)
    return check_valid(score_plan(plan, setup, **how))


def counts_and_origins(results: Results, plan: Plan, setup: Setup) -> Iterator[tuple[str, Counted, Origin]]:
    """Give the counts of sentences on each test set, and what they were counted from.

    Args:
        results: the results, with counts of sentences.
        plan: what was scored.
        setup: the settings.

    Raises:
        InputError: a measure has no value for an output.
    """
    names = tuple(system.name for system in plan.systems)
    perplexities = tuple(number for number, name in enumerate(results.measures) if name in setup.perplexities)
    for test_set in results.test_sets:
        found = [results.results[label, test_set.code] for label in results.systems]
        _refuse_valueless(found, test_set)
        each = [np.stack([one.sentences[name].T for name in results.measures], axis=1) for one in found]
        gold = results.gold[test_set.code]
        counts = Counted(names, results.measures, np.stack(each, axis=1), gold.sha256 or "", perplexities)
        yield test_set.code, counts, _origin(results, found, gold)


def _refuse_valueless(found: Sequence[Outcome], test_set: TestSet) -> None:
    """Refuse measures without a value: a table of systems has no holes."""
    faults = [
        _valueless(f"{name}: {score.reason}", score.reason, test_set, one)
        for one in found
        for name, score in one.scores.items()
        if score.reason is not None
    ]
    if faults:
        raise InputError(*dict.fromkeys(faults))


def _valueless(message: str, reason: str, test_set: TestSet, output: Outcome) -> Fault:
    gold, slug = os.fspath(test_set.gold or ""), reason.partition(":")[0]
    if slug in MESSAGES:
        return Fault(slug, message, Place(gold))
    if reason.startswith("DEPS "):  # of either side
        files = f"{Place(gold)} or {Place(output.contents.path if output.contents else None)}"
        return Fault("unreadable-deps", message.replace("DEPS ", f"DEPS of {files} ", 1))
    return Fault("not-annotated", message, Place(gold))


def _origin(results: Results, found: Sequence[Outcome], gold: Contents) -> Origin:
    contents = [one.contents for one in found if one.contents is not None]
    hashes = [_short(one) for one in contents]
    warnings = dict.fromkeys(fault for one in contents for fault in (*gold.warnings, *one.warnings))
    named = zip(results.systems, found, strict=True)
    notes = dict.fromkeys(named_note(note, name) for name, one in named for note in one.notes)
    files = {"gold": _short(gold), **dict(zip(results.systems, hashes, strict=True))}
    return Origin(files, _short(gold), tuple(hashes), tuple(warnings), tuple(notes))


def _short(contents: Contents) -> str:
    return (contents.sha256 or "memory")[:12]


class Origin(NamedTuple):
    """What the numbers of one treebank were counted from.

    Args:
        files: hashes of files, by "gold" or the system (and run).
        gold: that of gold.
        systems: those of the outputs, in order.
        warnings: what was odd in them.
        notes: what to know before the numbers are used, in sentences.
    """

    files: Mapping[str, str]
    gold: str
    systems: tuple[str, ...]
    warnings: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()


class Table(NamedTuple):
    """The counts of one treebank, and what they were counted from.

    Args:
        counts: the counts.
        origin: the files.
    """

    counts: Counted
    origin: Origin


def signed(origins: Mapping[str, Origin], setup: Setup, decided: Mapping[str, str]) -> dict[str, str]:
    """Return what decides the numbers of a comparison: of many files one hash, as in `joint_hash`, system by system.

    Args:
        origins: the files of each treebank.
        setup: the settings.
        decided: what else decides.
    """
    gold = joint_hash(one.gold for one in origins.values())
    every = zip(*(one.systems for one in origins.values()), strict=True)
    systems = joint_hash(digest for system in every for digest in system)
    return {**setup.signature_of_rules(), "gold": gold, "systems": systems, **decided, "version": VERSION}


def drawn_by(settings: Settings) -> dict[str, str]:
    """Return what decides the draws, for signatures: the level always, since tables name it.

    Args:
        settings: how differences are tested.
    """
    drawn = {"resamples": str(settings.resamples), "seed": str(settings.seed), "level": f"{settings.level:g}"}
    return drawn | {"numpy": np.__version__}


def told_of(origins: Mapping[str, Origin]) -> tuple[tuple[Fault, ...], tuple[str, ...]]:
    """Return the warnings and the notes of several treebanks, each once.

    Args:
        origins: the files of each.
    """
    warnings = dict.fromkeys(fault for one in origins.values() for fault in one.warnings)
    return tuple(warnings), tuple(dict.fromkeys(note for one in origins.values() for note in one.notes))


def compare_treebanks(
    gold: Treebank, systems: Mapping[str, Treebank], setup: Setup, settings: Settings = STANDARD_TESTS
) -> Comparison:
    """Compare outputs that are in memory with the first of them.

    Args:
        gold: the gold treebank.
        systems: the outputs by the name of the system, the baseline first.
        setup: the settings.
        settings: how many resamples, which seed, which level of intervals.

    Raises:
        InputError: a measure has no value for an output.
    """
    return compare(find(gold, systems), setup, settings=settings)


def origin_of(outputs: Sequence[Output], setup: Setup) -> Origin:
    """Return what the numbers of one treebank are counted from.

    Args:
        outputs: all outputs on it.
        setup: the settings.
    """
    gold, schemes = outputs[0].matches.gold, setup.registry.schemes
    hashes = {one.name: (one.matches.system.source.sha256 or "memory")[:12] for one in outputs}
    reference = (gold.source.sha256 or "memory")[:12]
    warnings = dict.fromkeys(fault for one in outputs for fault in one.warnings)
    notes = dict.fromkeys(
        note
        for one in outputs
        for note in notes_on(gold, one.matches.system, setup.defined, setup.rules, schemes, one.name)
    )
    return Origin({"gold": reference, **hashes}, reference, tuple(hashes.values()), tuple(warnings), tuple(notes))


def counts_of(matches: Matches, ready: Setup) -> dict[str, tuple[Counts, Component]]:
    """Return the counts of each measure in every sentence, with the ratio that is its value.

    Args:
        matches: the aligned words.
        ready: the settings, with the weights and models that measures name.

    Raises:
        InputError: gold has nothing that a measure could be counted from, or DEPS cannot be read.
    """
    counts = {}
    for measure, definition in ready.defined:
        missing = not_annotated(matches, definition)
        if missing:
            raise InputError(Fault("not-annotated", f"{measure}: {missing}", Place(matches.gold.source.path)))
        values = ready.values_of(measure)
        table = count_by_sentence(matches, measure, definition, schemes=ready.registry.schemes, weights=values)
        counts[str(measure)] = (table, "perplexity" if definition.lower_is_better else measure.component or "f1")
    return counts


def _compared(
    tables: Mapping[str, Table],
    setup: Setup,
    settings: Settings,
    decided: Mapping[str, str],
    *,
    wilcoxon: bool = False,
) -> Comparison:
    first = next(iter(tables.values())).counts
    systems = tuple(dict.fromkeys(first.systems))
    results = tuple(differences({name: table.counts for name, table in tables.items()}, settings))
    origins = {name: table.origin for name, table in tables.items()}
    files = {name: one.files for name, one in origins.items()}
    tests = "+".join(sorted({one.test for one in results if one.test})) or "none"
    signature = signed(origins, setup, {**decided, **drawn_by(settings), "p": tests})
    warnings, notes = told_of(origins)
    wins = _wins(results, systems, first, 1 - settings.level, wilcoxon=wilcoxon) if len(tables) > 1 else ()
    powers = tuple(first.measures[i] for i in first.perplexities)
    notes += tuple(_few_runs(first.systems))
    return Comparison(systems, first.measures, results, wins, signature, files, warnings, powers, notes)


def _few_runs(systems: Sequence[str]) -> Iterator[str]:
    """Say of which systems the spread of runs is hardly known, or not at all where others have several."""
    several = len(set(systems)) < len(systems)
    for system in dict.fromkeys(systems):
        n_runs = list(systems).count(system)
        if n_runs == 2:
            yield f"{system} has two runs: their spread is hardly known, and intervals are wide; give five or more"
        elif several and n_runs == 1:
            yield f"{system} has one run: what differs from it says nothing of other runs of {system}"


def _wins(
    results: Sequence[Result], systems: Sequence[str], table: Counted, level: float, *, wilcoxon: bool
) -> tuple[Wins, ...]:
    found = []
    for number, measure in enumerate(table.measures):
        sign = -1.0 if number in table.perplexities else 1.0
        for system in systems[1:]:
            own = [one for one in results if (one.measure, one.system) == (measure, system)]
            own = [one for one in own if one.average is None and one.difference is not None]
            changes = [sign * (one.difference or 0.0) for one in own]
            real = [p is not None and p < level for p in holm([one.p for one in own])]
            won = sum(yes and change > 0 for yes, change in zip(real, changes, strict=True))
            lost = sum(yes and change < 0 for yes, change in zip(real, changes, strict=True))
            better, worse = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
            tied = len(own) - won - lost
            ranked = signed_rank_test(changes) if wilcoxon else None
            found.append(Wins(measure, system, won, tied, lost, better, worse, sign_test(changes), ranked))
    return tuple(found)
