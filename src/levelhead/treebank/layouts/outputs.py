"""Layouts of systems' outputs.

The outputs of a system are a file; a folder of files with the names of gold; folders named as in a UD release; a folder
`output` with any of these, as TIRA keeps them; or runs: a folder of other folders, each with outputs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from levelhead.errors import Fault, printable
from levelhead.treebank.layouts.files import (
    MOST_NAMED,
    TIRA_OUTPUTS,
    by_stem,
    existing,
    irregularity,
    layout_error,
    named_as_treebanks,
    stem_of,
    treebank_files,
    visible_entries,
)
from levelhead.treebank.layouts.gold import GoldFile


class RunFiles(NamedTuple):
    """The outputs of one run of a system.

    Args:
        system: the name of the system.
        run: the name of the run; empty if the system has a single run.
        files: the output for each test set, by code; missing outputs are left out.
        folder: the folder of the outputs.
        ignored: treebanks in the folder that match no test set.
        faults: why an output cannot be used, by code: two files match, or it is a folder or a pipe.
    """

    system: str
    run: str
    files: Mapping[str, Path]
    folder: Path
    ignored: tuple[Path, ...] = ()
    faults: Mapping[str, Fault] = {}

    @property
    def name(self) -> str:
        """The name of the system, with the name of the run if there are several."""
        return f"{self.system}/{self.run}" if self.run else self.system


def system_name(folder: Path) -> str:
    """Return the name of a system's folder; for a folder `output`, as used by TIRA, the name of the folder above it.

    Args:
        folder: the folder of a system's outputs.
    """
    return (folder.parent.name if folder.name == TIRA_OUTPUTS else "") or folder.name


def system_folders(folder: Path) -> dict[str, Path]:
    """Return the folders of systems in a folder, by name, in alphabetical order.

    Args:
        folder: a folder of folders, or the folder of a single system.

    Raises:
        InputError: the folder cannot be read, has no outputs, or matches two layouts.
    """
    systems = {path.name: path for path in visible_entries(folder) if path.is_dir() and not path.name.startswith("UD_")}
    outputs = _first_output(folder)
    if outputs is not None:  # the outputs of a single system, possibly with logs
        systems = {name: path for name, path in systems.items() if name != TIRA_OUTPUTS and _has_outputs(path)}
    if systems and outputs is not None:
        shown = printable(outputs.relative_to(folder).as_posix())
        message = f"it has both outputs ({shown}) and folders of systems: move one of them elsewhere"
        raise layout_error("ambiguous-layout", message, folder)
    if systems:
        return systems
    if outputs is not None:
        return {system_name(folder.resolve()): folder}
    raise layout_error("no-pairs", "the folder has neither folders of systems nor outputs", folder)


def _first_output(folder: Path) -> Path | None:
    """The first treebank in a folder of outputs, or in the folder `output` in it."""
    return next(_output_files(folder), None)


def _output_files(folder: Path) -> Iterator[Path]:
    yield from treebank_files(folder)
    if (folder / TIRA_OUTPUTS).is_dir():
        yield from treebank_files(folder / TIRA_OUTPUTS)


def _has_outputs(folder: Path) -> bool:
    """Whether a folder has outputs itself, or folders of runs with outputs."""
    inside = (path for path in visible_entries(folder) if path.is_dir())
    return any(_first_output(path) is not None for path in (folder, *inside))


def run_files(system: str, source: Path, golds: Sequence[GoldFile]) -> tuple[RunFiles, ...]:
    """Return the outputs of a system for test sets, for each run.

    Args:
        system: the name of the system.
        source: a file, for one gold file; or a folder of outputs or of runs.
        golds: the gold files.

    Raises:
        InputError: the folder cannot be read, or matches two layouts.
    """
    if not source.is_dir():
        return (RunFiles(system, "", dict.fromkeys((gold.code for gold in golds), source), source),)
    runs = _runs_in(source)
    if not runs:
        return (_outputs_in(system, "", source, golds),)
    return tuple(_outputs_in(system, path.name, path, golds) for path in runs)


def runs_of_one_file(system: str, folder: Path, gold: GoldFile) -> tuple[RunFiles, ...]:
    """Return the runs of a system for a single gold file: outputs with its name, or otherwise all treebanks.

    Args:
        system: the name of the system.
        folder: a folder of outputs, or of folders of outputs.
        gold: the gold file.

    Raises:
        InputError: a folder cannot be read.
    """
    runs = _runs_in(folder) or [folder]
    outputs = [(run, stem, path) for run in runs for stem, path in by_stem(_output_files(run)).items()]
    named = [(run.name, path) for run, stem, path in outputs if stem == stem_of(gold.path.name)]
    files = [(stem, path) for _, stem, path in outputs]
    if named:  # the folder also has outputs for other test sets
        files = named if len(named) > 1 else [("", named[0][1])]
    if not files:
        return (RunFiles(system, "", {}, folder),)
    return tuple(RunFiles(system, stem, {gold.code: path}, path.parent) for stem, path in files)


def _runs_in(folder: Path) -> list[Path]:
    """The folders of runs in a system's folder; empty if the folder itself has outputs."""
    inside = [path for path in visible_entries(folder) if path.is_dir() and not _has_outputs_name(path.name)]
    runs = [path for path in inside if _first_output(path) is not None]
    own = _first_output(folder)
    if runs and own is not None:
        named = ", ".join(path.name for path in runs[:MOST_NAMED])
        shown = printable(own.relative_to(folder).as_posix())
        message = f"it has both outputs ({shown}) and folders of runs ({printable(named)}): name a single run"
        raise layout_error("ambiguous-layout", message, folder)
    return runs


def _has_outputs_name(name: str) -> bool:
    return name == TIRA_OUTPUTS or name.startswith("UD_")


def _outputs_in(system: str, run: str, folder: Path, golds: Sequence[GoldFile]) -> RunFiles:
    """The outputs in a folder by test set, and the treebanks that match no test set."""
    inner = folder / TIRA_OUTPUTS
    files = [*named_as_treebanks(folder), *(named_as_treebanks(inner) if inner.is_dir() else ())]
    by_name: dict[str, list[Path]] = {}
    for path in files:
        by_name.setdefault(_stem(path.relative_to(folder).as_posix()), []).append(path)
    outputs: dict[str, Path] = {}
    faults: dict[str, Fault] = {}
    taken: set[Path] = set()
    for gold in golds:
        places = [place for name in gold.outputs for place in (name, f"{TIRA_OUTPUTS}/{name}")]
        named = (path for place in places for path in by_name.get(_stem(place)) or _named_file(folder, place))
        names = [*dict.fromkeys(named)]
        if fault := _unusable(names, gold.code):
            faults[gold.code] = fault
        elif names:
            outputs[gold.code] = names[0]
        taken |= {*names}
    ignored = tuple(path for path in files if path not in taken and path.is_file())
    return RunFiles(system, run, outputs, folder, ignored, faults)


def _unusable(paths: Sequence[Path], code: str) -> Fault | None:
    """Why an output cannot be used: several files match, or it is not a file."""
    if len(paths) > 1:
        folder = Path(os.path.commonpath([path.parent for path in paths]))
        both = " and ".join(printable(path.relative_to(folder).as_posix()) for path in paths[:2])
        message = f"both {both} match the test set {printable(code)}: remove one of them"
        return layout_error("ambiguous-layout", message, folder).faults[0]
    reason = irregularity(paths[0]) if paths else None
    return layout_error("unreadable-file", reason, paths[0]).faults[0] if reason else None


def _stem(name: str) -> str:
    """A relative path without the suffixes of treebanks and of compression."""
    folder, _, file = name.rpartition("/")
    return f"{folder}/{stem_of(file) or file}".removeprefix("/")


def _named_file(folder: Path, name: str) -> list[Path]:
    """The file with a name from a manifest or metadata."""
    path = existing(folder, name) if "/" in name or stem_of(name) is None else None
    return [path] if path else []
