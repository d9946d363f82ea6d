"""Layouts of systems' outputs.

The outputs of a system are a file; a folder of files with the names of gold, or longer ones (`.test.pred`); folders of
`LAYOUTS`; or runs: a folder of other folders, each with outputs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from levelhead.errors import Fault, listed, printable
from levelhead.treebank import Treebank
from levelhead.treebank.layouts.gold import (
    MOST_NAMED,
    GoldFile,
    beginnings,
    by_stem,
    existing,
    irregularity,
    is_wrapper,
    layout_error,
    layout_of,
    name_of,
    named_as_treebanks,
    output_files,
    output_names,
    splits_of,
    stem_of,
    visible_entries,
    wrappers_in,
)

Runs = bool | Sequence[str]
"""The runs in a system's folder: by their names, such as `seed1` (False); everything in it (True); or these folders."""


class System(NamedTuple):
    """One run of a system.

    Args:
        name: the name of the system, as printed.
        outputs: the path of each output, by the code of its test set; missing outputs are left out.
        run: the name of the run; empty if the system has a single run.
        folder: the folder of the outputs, if known.
        ignored: treebanks in the folder that match no test set.
        treebanks: the outputs that are in memory, by the code of the test set.
        faults: the error for each output that cannot be used, by the code of the test set. Either two files match the
            test set, or the output is a folder or a pipe.
        similar: the codes of test sets whose outputs have a longer file name that only begins with the name of the test
            set. For example, the output for `en_ewt` is `en_ewt.test.pred.conllu`.
    """

    name: str
    outputs: Mapping[str, Path]
    run: str = ""
    folder: Path | None = None
    ignored: tuple[Path, ...] = ()
    treebanks: Mapping[str, Treebank] = {}
    faults: Mapping[str, Fault] = {}
    similar: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name of the system, followed by the name of the run if the system has several runs."""
        return f"{self.name}/{self.run}" if self.run else self.name


def system_name(folder: Path) -> str:
    """Return the name of a system's folder; for a folder that only wraps outputs, the name of the folder above it."""
    return (folder.parent.name if is_wrapper(folder) else "") or folder.name


def system_folders(folder: Path) -> dict[str, Path]:
    systems = {
        path.name: path
        for path in filter(Path.is_dir, visible_entries(folder))
        if layout_of(path) is None or is_wrapper(path)
    }
    outputs = _first_output(folder)
    if outputs is not None:  # the outputs of a single system, possibly with logs
        systems = {
            name: path
            for name, path in systems.items()
            if not is_wrapper(path)
            and any(_first_output(inside) for inside in (path, *filter(Path.is_dir, visible_entries(path))))
        }
    if systems and outputs is not None:
        shown = printable(outputs.relative_to(folder).as_posix())
        message = f"the folder has both outputs ({shown}) and folders of systems: move one of them elsewhere"
        raise layout_error("ambiguous-layout", message, folder)
    if not systems and outputs is None:
        raise layout_error("no-pairs", "the folder has neither folders of systems nor outputs", folder)
    return systems or {system_name(folder.resolve()): folder}


def _first_output(folder: Path) -> Path | None:
    return next(output_files(folder), None)


def run_files(system: str, source: Path, golds: Sequence[GoldFile], runs: Runs = False) -> tuple[System, ...]:
    if not source.is_dir():
        return (System(system, dict.fromkeys((gold.code for gold in golds), source), folder=source),)
    folders = _runs_in(source, runs) or {"": source}
    return tuple(_outputs_in(system, name, path, golds) for name, path in folders.items())


def runs_of_one_file(system: str, folder: Path, gold: GoldFile, runs: Runs = False) -> tuple[System, ...]:
    """Return the runs of a system for a single gold file: outputs with its name, or otherwise all treebanks."""
    folders = _runs_in(folder, runs)
    outputs: dict[str, list[Path]] = {}
    for name, path in (folders or {"": folder}).items():
        files = by_stem(output_files(path))
        same = files.get(name_of(gold.path) or "")
        outputs[name] = [same] if same else [file for file in files.values() if _fits(file, gold)] or [*files.values()]
    paths = [] if folders else outputs[""]
    if len(paths) > 1 and not any(_fits(path, gold) for path in paths):
        outputs = {name_of(path) or path.name: [path] for path in paths}
        _check_runs(paths, runs, f"the folder has several outputs, none of them named {gold.path.name}")
    found = []
    for name, paths in outputs.items():
        run = name if len(outputs) > 1 else ""
        fault = _unusable(paths, gold.code)
        if fault or not paths:
            found.append(System(system, {}, run, folder, faults={gold.code: fault} if fault else {}))
        else:
            similar = (gold.code,) if name_of(paths[0]) != name_of(gold.path) and _fits(paths[0], gold) else ()
            found.append(System(system, {gold.code: paths[0]}, run, paths[0].parent, similar=similar))
    return tuple(found)


def _runs_in(folder: Path, runs: Runs) -> dict[str, Path]:
    """The folders of runs in a system's folder, by name; empty if the folder itself has outputs."""
    inside = [path for path in visible_entries(folder) if path.is_dir() and layout_of(path) is None]
    if not isinstance(runs, bool):
        return {name: folder / name for name in runs}
    with_outputs = [path for path in inside if _first_output(path) is not None]
    output = _first_output(folder)
    if with_outputs and output is not None:
        named = ", ".join(path.name for path in with_outputs[:MOST_NAMED])
        shown = printable(output.relative_to(folder).as_posix())
        message = f"the folder has both outputs ({shown}) and folders of runs ({printable(named)}): name a single run"
        raise layout_error("ambiguous-layout", message, folder)
    _check_runs(with_outputs, runs, "the folder has several systems")
    return {path.name: path for path in with_outputs}


def _check_runs(paths: Sequence[Path], runs: Runs, problem: str) -> None:
    """Refuse several systems: only runs, such as `seed1` and `seed2`, are runs of one system."""
    numbered = [re.fullmatch(r"(?i)(.*[-_.])?(?:run|seed)[-_.=]?\d+", name_of(path) or path.name) for path in paths]
    if len(paths) < 2 or runs is True or (all(numbered) and len({match and match[1] for match in numbered}) == 1):
        return
    folder = paths[0].parent
    ranked = "rank or " if paths[0].is_dir() else ""
    message = (
        f"{problem} ({listed([path.name for path in paths], MOST_NAMED)}): name one, such as"
        f" {printable(os.fspath(paths[0]))}, or use levelhead {ranked}compare; if these are runs of one system, use"
        " compare --as-runs"
    )
    raise layout_error("ambiguous-layout", message, folder)


def _outputs_in(system: str, run: str, folder: Path, golds: Sequence[GoldFile]) -> System:
    """The outputs in a folder by test set, and the treebanks that match no test set."""
    wrappers = wrappers_in(folder)
    files = [path for outputs in (folder, *wrappers) for path in named_as_treebanks(outputs)]
    by_name: dict[str, list[Path]] = {}
    for path in files:
        by_name.setdefault(_place(path, folder), []).append(path)
    exact: dict[str, list[Path]] = {}
    for gold in golds:
        named: dict[Path, None] = {}
        for name in (
            f"{outer}{name}" for name in gold.outputs for outer in ("", *(f"{path.name}/" for path in wrappers))
        ):
            inner, _, file = name.rpartition("/")
            paths = by_name.get(f"{inner}/{stem_of(file) or file}".removeprefix("/"), [])
            if not paths and ("/" in name or stem_of(name) is None):
                paths = [*filter(None, [existing(folder, name)])]
            named |= dict.fromkeys(paths)
        exact[gold.code] = [*named]
    taken = {path for paths in exact.values() for path in paths}
    similar = _with_longer_names((path for path in files if path not in taken), golds)
    matching = {gold.code: exact[gold.code] or similar.get(gold.code, []) for gold in golds}
    taken.update(*matching.values())
    faults = {code: fault for code, paths in matching.items() if (fault := _unusable(paths, code))}
    outputs = {code: paths[0] for code, paths in matching.items() if paths and code not in faults}
    ignored = tuple(path for path in files if path not in taken and path.is_file())
    similar_names = tuple(code for code in outputs if not exact[code])
    return System(system, outputs, run, folder, ignored, faults=faults, similar=similar_names)


def _fits(path: Path, gold: GoldFile) -> bool:
    """Whether a file has the name of a test set, possibly with usual additions, and the same split."""
    stem = name_of(path) or path.name
    return not output_names(gold).isdisjoint(beginnings(stem)) and _same_split(stem, gold)


def _same_split(stem: str, gold: GoldFile) -> bool:
    return len(splits_of(stem) | splits_of(name_of(gold.path) or gold.code)) < 2


def _with_longer_names(files: Iterable[Path], golds: Sequence[GoldFile]) -> dict[str, list[Path]]:
    """Outputs such as `en_ewt.test.pred.conllu` by test set; `en_ewt` wins over `en`."""
    named: dict[str, list[GoldFile]] = {}
    for gold in golds:
        for name in output_names(gold):
            named.setdefault(name, []).append(gold)
    matching: dict[str, list[Path]] = {}
    for path in files:
        stem = name_of(path) or path.name
        fitting = ([gold for gold in named.get(name, ()) if _same_split(stem, gold)] for name in beginnings(stem))
        longest = next(filter(None, fitting), [])
        if len(longest) == 1:
            matching.setdefault(longest[0].code, []).append(path)
    return matching


def _unusable(paths: Sequence[Path], code: str) -> Fault | None:
    if len(paths) > 1:
        folder = Path(os.path.commonpath([path.parent for path in paths]))
        first, second = (printable(path.relative_to(folder).as_posix()) for path in paths[:2])
        message = f"both {first} and {second} match the test set {printable(code)}: remove one of them"
        return layout_error("ambiguous-layout", message, folder).faults[0]
    reason = irregularity(paths[0]) if paths else None
    return layout_error("unreadable-file", reason, paths[0]).faults[0] if reason else None


def _place(path: Path, folder: Path) -> str:
    """The place of a treebank in a folder, without suffixes: of its own folder, if the treebank has its name."""
    name = name_of(path) or path.name
    is_own_folder = path.parent != folder and path.parent.name == name
    return (path.parent if is_own_folder else path.with_name(name)).relative_to(folder).as_posix()
