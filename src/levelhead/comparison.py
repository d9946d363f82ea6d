"""Several systems on one or many treebanks: whose scores differ, and by how much for sure."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from levelhead._version import VERSION
from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation import Needs, decisive, joint_hash, load_pair, measures_for, weights_for
from levelhead.folders import missing_outputs
from levelhead.measures import STANDARD, Registry
from levelhead.scoring.counts import Counts
from levelhead.scoring.crossing import notes_on
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.measure import Component, Measure, Resource
from levelhead.scoring.rules import Rules, rules_named
from levelhead.scoring.score import count_by_sentence, not_annotated
from levelhead.scoring.weights import values_of
from levelhead.significance import STANDARD as STANDARD_TESTS
from levelhead.significance import Result, Run, Settings, counted, differences, holm, sign_test, signed_rank_test
from levelhead.significance.counted import Counted
from levelhead.treebank import Treebank
from levelhead.treebank.contents import contents_hash
from levelhead.treebank.finder import treebanks_in
from levelhead.treebank.reader import Format


class Outputs(NamedTuple):
    """The outputs of systems, found in files and folders.

    Args:
        gold: the gold file of each treebank.
        runs: of each run its system, its name, and its file for each treebank.
    """

    gold: Mapping[str, Path]
    runs: Sequence[tuple[str, str, Mapping[str, Path]]]


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


def find_outputs(gold: str | os.PathLike[str], systems: Sequence[str | os.PathLike[str]]) -> Outputs:
    """Find the outputs of systems: files for a gold file, folders for a folder of them.

    A system that is a folder of folders has several runs: `SYSTEM/seed1/...`.

    Args:
        gold: a file, or a folder of treebanks.
        systems: likewise, for each system.

    Raises:
        InputError: a system has no output for some treebank.
    """
    top = Path(gold)
    golds = treebanks_in(top) if top.is_dir() else {top.name.partition(".")[0]: top}
    faults: list[Fault] = []
    runs = [run for name, path in _named(systems).items() for run in _runs(name, path, top, golds, faults)]
    if not golds:
        faults.append(Fault("no-pairs", "there is no CoNLL-U file in this folder", Place(os.fspath(top))))
    if faults:
        raise InputError(*faults)
    return Outputs(golds, runs)


def unpaired(outputs: Outputs) -> list[Path]:
    """Return the files of systems that belong to no gold treebank.

    Args:
        outputs: what was found.
    """
    runs = (files.items() for _, _, files in outputs.runs)
    return [path for run in runs for treebank, path in run if treebank not in outputs.gold]


def _named(systems: Sequence[str | os.PathLike[str]]) -> dict[str, Path]:
    """Name systems by the last part of their paths in which all differ, and by their whole paths if there is none."""
    paths = [Path(system) for system in systems]
    if len({*paths}) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise InputError(Fault("no-pairs", "this output is given twice", Place(os.fspath(twice))))
    names = [[part.partition(".conll")[0] for part in path.parts] for path in paths]
    for depth in range(1, max(map(len, names), default=0) + 1):
        found = [parts[-depth] if depth <= len(parts) else "" for parts in names]
        if len(set(found)) == len(paths):
            return dict(zip(found, paths))
    return {str(path): path for path in paths}


def _runs(
    name: str, path: Path, gold: Path, golds: Mapping[str, Path], faults: list[Fault]
) -> Sequence[tuple[str, str, Mapping[str, Path]]]:
    if gold.is_dir() and not path.is_dir():
        faults.append(
            Fault(
                "missing-system-file",
                "GOLD is a folder, and this is a file: give a folder of outputs",
                Place(os.fspath(path)),
            )
        )
        return []
    if not path.is_dir():
        return [(name, name, dict.fromkeys(golds, path))]
    folders = sorted(child for child in path.iterdir() if child.is_dir())
    found = [(name, folder.name if folders else name, treebanks_in(folder)) for folder in folders or [path]]
    if not gold.is_dir():  # a folder of runs of one file: whatever each is called
        found = [(name, file.stem, {next(iter(golds)): file}) for _, _, files in found for file in files.values()]
    for _, run, files in found:
        missing = missing_outputs(golds, files, path / run if folders else path)
        faults += [missing] if missing is not None else []
    return found


def compare(
    outputs: Outputs,
    *,
    measures: Iterable[str | Measure] = ("UAS", "LAS", "CLAS"),
    rules: str | Rules = "ud",
    format: Format = "conllu",  # noqa: A002
    gold_format: Format | None = None,
    registry: Registry = STANDARD,
    settings: Settings = STANDARD_TESTS,
    wilcoxon: bool = False,
    weights: Mapping[str, Resource] | None = None,
) -> Comparison:
    """Compare systems with the first one: scores, intervals, differences, p-values.

    Every file is read once; tests work on the counts of sentences.

    Args:
        outputs: the files, see `find_outputs`.
        measures: which measures.
        rules: as in `score`.
        format: as in `score`.
        gold_format: as in `score`.
        registry: as in `score`.
        settings: how many resamples, which seed, which level of intervals.
        wilcoxon: whether to test over treebanks by Wilcoxon's test, too (it needs scipy).
        weights: as in `score`.

    Raises:
        InputError: a file is not valid; with the faults of all.
    """
    chosen = rules_named(rules)
    asked = measures_for(chosen, measures, registry)
    needs = Needs(asked, registry, weights)
    tables = {}
    for name, runs in read_outputs(outputs, chosen, format, gold_format):
        own = needs.of(name)
        counts = [Run(run.system, counts_of(run.matches, asked, registry, own)) for run in runs]
        tables[name] = Table(counted(counts, contents_hash(runs[0].matches.gold)), origin_of(runs, asked, registry))
    return _compared(tables, chosen, settings, decisive(asked, needs.joint(), registry), wilcoxon=wilcoxon)


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


class Output(NamedTuple):
    """One output of a system, matched with gold.

    Args:
        system: the system.
        name: the system, with the name of the run if it has several.
        matches: the aligned words.
    """

    system: str
    name: str
    matches: Matches

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What was odd in both files."""
        return (*self.matches.gold.warnings, *self.matches.system.warnings)


def read_outputs(
    outputs: Outputs,
    rules: Rules,
    format: Format = "conllu",  # noqa: A002
    gold_format: Format | None = None,
) -> Iterator[tuple[str, list[Output]]]:
    """Read and match all outputs, one treebank after the other.

    Args:
        outputs: the files.
        rules: whose decisions to follow.
        format: as in `score`.
        gold_format: as in `score`.

    Raises:
        InputError: any file is not valid; after the last treebank, with the faults of all.
    """
    faults: list[Fault] = []
    for name, gold in outputs.gold.items():
        found = []
        for system, run, files in outputs.runs:
            try:
                matches = match(*load_pair(gold, files[name], rules, format, gold_format), rules)
                found.append(Output(system, system if run == system else f"{system}/{run}", matches))
            except InputError as error:
                faults += error.faults
        if not faults:
            yield name, found
    if faults:
        raise InputError(*dict.fromkeys(faults))


def origin_of(outputs: Sequence[Output], asked: Iterable[Measure], registry: Registry = STANDARD) -> Origin:
    """Return what the numbers of one treebank are counted from.

    Args:
        outputs: all outputs on it.
        asked: the measures.
        registry: what they are.
    """
    gold, rules = outputs[0].matches.gold, outputs[0].matches.rules
    systems = tuple(_hash(one.matches.system) for one in outputs)
    files = {"gold": _hash(gold)} | dict(zip((one.name for one in outputs), systems, strict=True))
    defined = [(measure, registry.measures[measure.name]) for measure in asked]
    warnings = dict.fromkeys(fault for one in outputs for fault in one.warnings)
    notes = dict.fromkeys(
        note
        for one in outputs
        for note in notes_on(gold, one.matches.system, defined, rules, registry.schemes, one.name)
    )
    return Origin(files, _hash(gold), systems, tuple(warnings), tuple(notes))


def signed(origins: Mapping[str, Origin], rules: Rules, decided: Mapping[str, str]) -> dict[str, str]:
    """Return what decides the numbers of a comparison: of many files one hash, as in `joint_hash`, system by system.

    Args:
        origins: the files of each treebank.
        rules: whose decisions are followed.
        decided: what else decides.
    """
    gold = joint_hash(one.gold for one in origins.values())
    every = zip(*(one.systems for one in origins.values()), strict=True)
    systems = joint_hash(digest for system in every for digest in system)
    return {"rules": rules.name, "gold": gold, "systems": systems, **decided, "version": VERSION}


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


def _hash(treebank: Treebank) -> str:
    return (treebank.source.sha256 or "memory")[:12]


def compare_treebanks(
    gold: Treebank,
    systems: Mapping[str, Treebank],
    *,
    measures: Iterable[str | Measure] = ("UAS", "LAS", "CLAS"),
    rules: str | Rules = "ud",
    registry: Registry = STANDARD,
    settings: Settings = STANDARD_TESTS,
    weights: Mapping[str, Resource] | None = None,
) -> Comparison:
    """Compare outputs that are in memory with the first of them.

    Args:
        gold: the gold treebank.
        systems: the outputs by the name of the system, the baseline first.
        measures: as in `compare`.
        rules: as in `compare`.
        registry: as in `compare`.
        settings: as in `compare`.
        weights: as in `compare`.
    """
    chosen = rules_named(rules)
    asked = measures_for(chosen, measures, registry)
    read = weights_for(asked, registry, weights)
    outputs = [Output(name, name, match(gold, output, chosen)) for name, output in systems.items()]
    runs = [Run(one.system, counts_of(one.matches, asked, registry, read)) for one in outputs]
    table = Table(counted(runs, contents_hash(gold)), origin_of(outputs, asked, registry))
    return _compared({"treebank": table}, chosen, settings, decisive(asked, read, registry))


def counts_of(
    matches: Matches,
    asked: Sequence[Measure],
    registry: Registry = STANDARD,
    weights: Mapping[str, Resource] | None = None,
) -> dict[str, tuple[Counts, Component]]:
    """Return the counts of each measure in every sentence, with the ratio that is its value.

    Args:
        matches: the aligned words.
        asked: the measures.
        registry: what they are.
        weights: what was read of the files that measures name, if it was read before.

    Raises:
        InputError: gold has nothing that a measure could be counted from, or DEPS cannot be read.
    """
    if weights is None:
        weights = weights_for(asked, registry)
    counts = {}
    for measure in asked:
        definition = registry.measures[measure.name]
        missing = not_annotated(matches, definition)
        if missing:
            raise InputError(Fault("not-annotated", f"{measure}: {missing}", Place(matches.gold.source.path)))
        values = values_of(measure, definition, weights)
        table = count_by_sentence(matches, measure, definition, schemes=registry.schemes, weights=values)
        counts[str(measure)] = (table, "perplexity" if definition.lower_is_better else measure.component or "f1")
    return counts


def _compared(
    tables: Mapping[str, Table],
    rules: Rules,
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
    signature = signed(origins, rules, {**decided, **drawn_by(settings), "p": tests})
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
