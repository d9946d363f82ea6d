"""Plans of scoring: test sets, and systems with their outputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from levelhead.errors import Fault, InputError, Place, listed, number_of
from levelhead.treebank import Treebank
from levelhead.treebank.layouts.gold import GoldFile, visible_entries
from levelhead.treebank.layouts.outputs import Runs, System, run_files, runs_of_one_file, system_name
from levelhead.typology.languages import UNKNOWN, Language


class TestSet(NamedTuple):
    """A gold treebank on which systems are tested.

    Args:
        code: the name in tables, for example `en_ewt`.
        gold: the gold file; None if the treebank is in memory or only scores are known.
        outputs: the possible paths of an output, relative to the system's folder; the first existing path is used.
        language: the language of the test set.
        treebank: the gold treebank, if it is in memory.
        parallel: the name of the group of parallel test sets to which it belongs; "" if no such group is declared.
    """

    code: str
    gold: Path | None = None
    outputs: tuple[str, ...] = ()
    language: Language = UNKNOWN
    treebank: Treebank | None = None
    parallel: str = ""


class Plan(NamedTuple):
    """Test sets, and all runs of the systems to score."""

    test_sets: tuple[TestSet, ...]
    systems: tuple[System, ...]

    @property
    def ignored(self) -> tuple[Path, ...]:
        """The treebanks in the systems' folders that match no test set."""
        return tuple(path for system in self.systems for path in system.ignored)

    @property
    def notes(self) -> tuple[str, ...]:
        """A note on outputs whose file names only begin with the name of the test set; empty without such outputs."""
        names = [f"{run.label}/{run.outputs[code].name} ({code})" for run in self.systems for code in run.similar]
        note = f"{number_of(len(names), 'output')} matched by the beginning of the file name: {listed(names)}"
        return (note,) if names else ()


def plan_of(test_sets: Iterable[TestSet], systems: Mapping[str, Path], runs: bool | Mapping[str, Runs] = False) -> Plan:
    test_sets = tuple(test_sets)
    golds = [GoldFile(test_set.code, test_set.gold or Path(), test_set.outputs) for test_set in test_sets]
    all_runs: list[System] = []
    for name, path in systems.items():
        named_runs = runs if isinstance(runs, bool) else runs[name]
        if len(golds) == 1 and not golds[0].outputs and path.is_dir():
            all_runs += runs_of_one_file(name, path, golds[0], named_runs)
        else:
            all_runs += run_files(name, path, golds, named_runs)
    return Plan(test_sets, tuple(all_runs))


def missing_outputs(plan: Plan) -> list[Fault]:
    """Return an error for each run that lacks outputs, and an error for each output that cannot be used."""
    faults: list[Fault] = []
    for system in plan.systems:
        available = {*system.outputs, *system.treebanks, *system.faults}
        missing = [test_set.code for test_set in plan.test_sets if test_set.code not in available]
        if unmatched := _unmatched(plan, system):
            faults.append(unmatched)
        elif missing:
            names = [path.relative_to(system.folder or "").as_posix() for path in system.ignored]
            others = f"; {unmatched_note(names, 'gold treebank')}" if names else ""
            golds = number_of(len(plan.test_sets), "gold treebank")
            message = (
                f"no output for {len(missing)} of {golds}: {listed(missing)}{others};"
                " use levelhead rank, which counts missing outputs as 0"
            )
            faults.append(Fault("missing-system-file", message, Place(os.fspath(system.folder or system.label))))
        faults += system.faults.values()
    return faults


def check_matched(plan: Plan) -> None:
    """Refuse systems with files of which none is the output for a test set: their names are probably misspelled."""
    with_outputs = {system.name for system in plan.systems if system.outputs or system.treebanks or system.faults}
    unmatched = (_unmatched(plan, system) for system in plan.systems if system.name not in with_outputs)
    if faults := list(filter(None, unmatched)):
        raise InputError(*faults)


def _unmatched(plan: Plan, system: System) -> Fault | None:
    """The error for a folder with files of which none matches a test set: what is expected, and what is there."""
    if system.folder is None or system.outputs or system.treebanks or system.faults:
        return None
    if not (files := system.ignored or [path for path in visible_entries(system.folder) if path.is_file()]):
        return None
    expected = listed([name for test_set in plan.test_sets for name in test_set.outputs[:1]], 3)
    message = (
        f"none of its files matches a test set: expected {expected}, or these names with additions such as"
        f" -ud-test or .test.pred; found {listed([path.relative_to(system.folder).as_posix() for path in files])}"
    )
    return Fault("missing-system-file", message, Place(os.fspath(system.folder)))


PathLike = str | os.PathLike[str]


def name_of(gold: PathLike, system: PathLike) -> str:
    """Return the name of a single system: its folder, or its file if that says more than the name of gold."""
    output = Path(system) if "\0" in os.fspath(system) else Path(system).resolve()
    if os.fspath(gold).endswith(".toml") or Path(gold).is_dir():
        return system_name(output)
    name, of_gold = (Path(path).name.partition(".conll")[0] for path in (output, gold))
    return output.parent.name if name == of_gold else name


def unmatched_note(files: Sequence[str], of: str) -> str:
    return f"{number_of(len(files), 'file')} with no matching {of} (ignored): {listed(files)}"


def named_by_path(paths: Sequence[str | os.PathLike[str]]) -> dict[str, Path]:
    """Return the names of systems: the last part in which all paths differ, or otherwise the whole paths."""
    given = [Path(path) for path in paths]
    whole = [path.resolve() if ".." in path.parts else path.absolute() for path in given]
    if len({*whole}) < len(whole):
        twice = next(path for path, same in zip(given, whole) if whole.count(same) > 1)
        raise InputError(Fault("invalid-argument", "this output is given twice", Place(os.fspath(twice))))
    folders = [path if system_name(path) == path.name else path.parent for path in whole]
    names = [[part.partition(".conll")[0] for part in path.parts] for path in folders]
    for depth in range(1, max(map(len, names), default=0) + 1):
        candidates = [parts[-depth] if depth <= len(parts) else "" for parts in names]
        if len(set(candidates)) == len(given):
            return dict(zip(candidates, given))
    return {str(path): path for path in given}
