"""Layouts of treebanks and outputs on disk.

Gold is a file; a folder of files; a UD release (folders `UD_Language-NAME`, or files `xx_name-ud-test.conllu`); or a
folder with the `metadata.json` of the TIRA platform. The outputs of a system are a file; a folder of files with the
names of gold; folders named as in a UD release; a folder `output` with any of these, as TIRA keeps them; or runs: a
folder of other folders, each with outputs.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from levelhead.errors import Fault, InputError, Place, printable
from levelhead.treebank.input_bytes import SUFFIXES
from levelhead.treebank.metadata import read_metadata

Split = Literal["train", "dev", "test"]

FORMATS = (".conllu", ".conllup", ".conllx", ".conll")
"""The suffixes of treebanks, without those of compressed files."""

_UD_FILE = re.compile(r"(?P<code>.+)-ud-(?P<split>train|dev|test)")
_UD_FOLDER = re.compile(r"UD_(?P<language>.+?)(-[^-]+)?")
_TIRA_OUTPUTS = "output"  # TIRA keeps the outputs of a run in a folder with this name
_MOST_NAMED = 5


class GoldFile(NamedTuple):
    """The gold file of a test set.

    Args:
        code: the name of the test set in tables.
        path: the file.
        outputs: the possible paths of an output, relative to a system's folder; the first existing path is used.
        language: the language that the folder of a UD release names, or None.
    """

    code: str
    path: Path
    outputs: tuple[str, ...] = ()
    language: str | None = None


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


def stem_of(file_name: str) -> str | None:
    """Return the name of a treebank's file without suffixes, None if it does not look like a treebank.

    Args:
        file_name: the name without folders.
    """
    bare = bare_name(file_name)
    stem, dot, suffix = bare.rpartition(".")
    return stem if f"{dot}{suffix.lower()}" in FORMATS else None


def bare_name(path: str) -> str:
    """Return a path without the suffix of a compressed file.

    Args:
        path: a path or the name of a file.
    """
    for suffix in SUFFIXES:
        path = path.removesuffix(suffix)
    return path


def treebank_of(stem: str) -> str:
    """Return the name of a file's treebank: without suffixes such as `-ud-train`.

    Args:
        stem: the name of a file without suffixes.
    """
    return re.sub(r"([-_.]ud)?[-_.](train|dev|test)$", "", stem) or stem


def treebanks_in(folder: Path) -> dict[str, Path]:
    """Return the treebanks of a folder, and of its folders named `UD_*`, by name without suffixes.

    Args:
        folder: the folder.

    Raises:
        InputError: it cannot be read, or two files have the same name.
    """
    return _by_stem(_treebank_files(folder))


def _by_stem(files: Iterable[Path]) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for path in files:
        stem = stem_of(path.name) or path.name
        if stem in paths:
            both = f"{printable(path.name)} and {printable(paths[stem].name)}"
            raise _fault("no-pairs", f"the folder has both {both}", path.parent)
        paths[stem] = path
    return paths


def files_at(path: str | os.PathLike[str]) -> list[str]:
    """Return a file itself, or the treebanks of a folder.

    Args:
        path: a file, a folder, or "-".

    Raises:
        InputError: the folder cannot be read or has no CoNLL-U file, or two of its files have the same name.
    """
    name = os.fspath(path)
    if not os.path.isdir(name):  # noqa: PTH112 -- a path may contain characters that pathlib refuses
        return [name]
    files = [os.fspath(file) for file in treebanks_in(Path(name)).values()]
    if not files:
        raise _fault("no-pairs", "the folder has no CoNLL-U file", Path(name))
    return files


def gold_files(source: Path, split: Split | None = None) -> tuple[GoldFile, ...]:
    """Return the gold treebanks, in the order of the metadata, or of their codes.

    Args:
        source: a file or a folder.
        split: which files of UD releases to use; by default the test sets, or the only available split.

    Raises:
        InputError: the folder cannot be read, has no treebank, has several with the same code, or matches two layouts.
    """
    if not source.exists() and str(source) != "-":
        raise _fault("unreadable-file", os.strerror(errno.ENOENT), source)
    if not source.is_dir():
        return (GoldFile(source.name.partition(".")[0] or source.name, source),)
    if (source / "metadata.json").is_file():
        golds = _unique(_tira(source / "metadata.json"), source)
        _refuse_release(golds, source)
        return golds
    _refuse_irregular(source)
    files = list(_treebank_files(source))
    _refuse_mixture(files, source)
    chosen = split or _split_of(files, source)
    found = [gold for path in files if (gold := _gold_file(path, chosen))]
    if not found:
        raise _fault("no-pairs", _without_treebanks(source, split), source)
    return _unique(sorted(found, key=lambda gold: gold.code), source)


def extra_gold(source: Path) -> tuple[Path, ...]:
    """Return the treebanks in a folder of gold that are not gold, and its folders with treebanks that are not gold.

    Files of other splits of a UD release are not included.

    Args:
        source: a file or a folder.

    Raises:
        InputError: a folder or the metadata cannot be read.
    """
    if not source.is_dir():
        return ()
    folders = [path for path in _visible_entries(source) if path.is_dir() and not path.name.startswith("UD_")]
    extra = tuple(path for path in folders if next(_treebank_files(path), None) is not None)
    metadata = source / "metadata.json"
    if not metadata.is_file():
        return extra
    known = {source / bare_name(name) for entry in read_metadata(metadata) for name in entry.files}
    files = [path for path in _treebank_files(source) if path.with_name(bare_name(path.name)) not in known]
    used = {path.relative_to(source).parts[0] for path in known if path.parent != source}
    return (*files, *(path for path in extra if path.name not in used))


def system_name(folder: Path) -> str:
    """Return the name of a system's folder; for a folder `output`, as used by TIRA, the name of the folder above it.

    Args:
        folder: the folder of a system's outputs.
    """
    return (folder.parent.name if folder.name == _TIRA_OUTPUTS else "") or folder.name


def system_folders(folder: Path) -> dict[str, Path]:
    """Return the folders of systems in a folder, by name, in alphabetical order.

    Args:
        folder: a folder of folders, or the folder of a single system.

    Raises:
        InputError: the folder cannot be read, has no outputs, or matches two layouts.
    """
    systems = {
        path.name: path for path in _visible_entries(folder) if path.is_dir() and not path.name.startswith("UD_")
    }
    outputs = _first_output(folder)
    if outputs is not None:  # the outputs of a single system, possibly with logs
        systems = {name: path for name, path in systems.items() if name != _TIRA_OUTPUTS and _has_outputs(path)}
    if systems and outputs is not None:
        shown = printable(outputs.relative_to(folder).as_posix())
        message = f"it has both outputs ({shown}) and folders of systems: move one of them elsewhere"
        raise _fault("ambiguous-layout", message, folder)
    if systems:
        return systems
    if outputs is not None:
        return {system_name(folder.resolve()): folder}
    raise _fault("no-pairs", "the folder has neither folders of systems nor outputs", folder)


def _first_output(folder: Path) -> Path | None:
    """The first treebank in a folder of outputs, or in the folder `output` in it."""
    return next(_output_files(folder), None)


def _output_files(folder: Path) -> Iterator[Path]:
    yield from _treebank_files(folder)
    if (folder / _TIRA_OUTPUTS).is_dir():
        yield from _treebank_files(folder / _TIRA_OUTPUTS)


def _has_outputs(folder: Path) -> bool:
    """Whether a folder has outputs itself, or folders of runs with outputs."""
    inside = (path for path in _visible_entries(folder) if path.is_dir())
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
    outputs = [(run, stem, path) for run in runs for stem, path in _by_stem(_output_files(run)).items()]
    named = [(run.name, path) for run, stem, path in outputs if stem == stem_of(gold.path.name)]
    files = [(stem, path) for _, stem, path in outputs]
    if named:  # the folder also has outputs for other test sets
        files = named if len(named) > 1 else [("", named[0][1])]
    if not files:
        return (RunFiles(system, "", {}, folder),)
    return tuple(RunFiles(system, stem, {gold.code: path}, path.parent) for stem, path in files)


def _runs_in(folder: Path) -> list[Path]:
    """The folders of runs in a system's folder; empty if the folder itself has outputs."""
    inside = [path for path in _visible_entries(folder) if path.is_dir() and not _has_outputs_name(path.name)]
    runs = [path for path in inside if _first_output(path) is not None]
    own = _first_output(folder)
    if runs and own is not None:
        named = ", ".join(path.name for path in runs[:_MOST_NAMED])
        shown = printable(own.relative_to(folder).as_posix())
        message = f"it has both outputs ({shown}) and folders of runs ({printable(named)}): name a single run"
        raise _fault("ambiguous-layout", message, folder)
    return runs


def _has_outputs_name(name: str) -> bool:
    return name == _TIRA_OUTPUTS or name.startswith("UD_")


def _outputs_in(system: str, run: str, folder: Path, golds: Sequence[GoldFile]) -> RunFiles:
    """The outputs in a folder by test set, and the treebanks that match no test set."""
    inner = folder / _TIRA_OUTPUTS
    files = [*_named_as_treebanks(folder), *(_named_as_treebanks(inner) if inner.is_dir() else ())]
    by_name: dict[str, list[Path]] = {}
    for path in files:
        by_name.setdefault(_stem(path.relative_to(folder).as_posix()), []).append(path)
    outputs: dict[str, Path] = {}
    faults: dict[str, Fault] = {}
    taken: set[Path] = set()
    for gold in golds:
        places = [place for name in gold.outputs for place in (name, f"{_TIRA_OUTPUTS}/{name}")]
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
        return _fault("ambiguous-layout", message, folder).faults[0]
    reason = irregularity(paths[0]) if paths else None
    return _fault("unreadable-file", reason, paths[0]).faults[0] if reason else None


def _stem(name: str) -> str:
    """A relative path without the suffixes of treebanks and of compression."""
    folder, _, file = name.rpartition("/")
    return f"{folder}/{stem_of(file) or file}".removeprefix("/")


def _named_file(folder: Path, name: str) -> list[Path]:
    """The file with a name from a manifest or metadata."""
    path = existing(folder, name) if "/" in name or stem_of(name) is None else None
    return [path] if path else []


def _visible_entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _fault("unreadable-file", reason, folder) from error


def _treebank_files(folder: Path) -> Iterator[Path]:
    """Yield the treebanks of a folder, and of the folders of a UD release in it."""
    return (path for path in _named_as_treebanks(folder) if path.is_file())


def _named_as_treebanks(folder: Path) -> Iterator[Path]:
    """Yield all paths with the name of a treebank, including folders, pipes and broken links."""
    for path in _visible_entries(folder):
        if path.is_dir() and path.name.startswith("UD_"):
            yield from (entry for entry in _visible_entries(path) if stem_of(entry.name) is not None)
        elif stem_of(path.name) is not None:
            yield path


def _refuse_irregular(folder: Path) -> None:
    """Refuse gold that is not a regular file, such as a broken link, so that averages do not silently omit it."""
    for path in _named_as_treebanks(folder):
        if not path.is_dir() and (reason := irregularity(path)):
            raise _fault("unreadable-file", reason, path)


def irregularity(path: Path) -> str | None:
    """Return why a path cannot be a treebank (a folder, a pipe, a broken link); None for a file.

    Args:
        path: the path.
    """
    if path.is_file():
        return None
    if path.is_dir():
        return "it is a folder"
    if path.exists():
        return "it is neither a file nor a folder"
    return "the link is broken" if path.is_symlink() else os.strerror(errno.ENOENT)


def _splits(files: Iterable[Path]) -> Iterator[str]:
    for path in files:
        if named := _UD_FILE.fullmatch(stem_of(path.name) or ""):
            yield named["split"]


def _split_of(files: Sequence[Path], folder: Path) -> str:
    """The default split."""
    splits = set(_splits(files))
    if "test" in splits or not splits:
        return "test"
    if len(splits) > 1:
        raise _fault("ambiguous-layout", "it has train and dev files, but no test files: give --split", folder)
    return splits.pop()


def _refuse_mixture(files: Sequence[Path], folder: Path) -> None:
    """Refuse a folder that is both a folder of files and a UD release."""
    own = [path.name for path in files if path.parent == folder]
    release = [path.parent.name for path in files if path.parent != folder]
    if own and release:
        message = f"it has both treebanks ({printable(own[0])}) and folders of a UD release ({printable(release[0])}):"
        raise _fault("ambiguous-layout", f"{message} name one of the folders, or write a manifest", folder)


def _refuse_release(golds: Iterable[GoldFile], folder: Path) -> None:
    """Refuse metadata next to a UD release, unless the metadata names all of its files."""
    known = {gold.path for gold in golds}
    other = next((path for path in _treebank_files(folder) if path.parent != folder and path not in known), None)
    if other is not None:
        message = f"it has both metadata.json and folders of a UD release ({printable(other.parent.name)}): move one of"
        raise _fault("ambiguous-layout", f"{message} them elsewhere, or write a manifest", folder)


def _gold_file(path: Path, split: str) -> GoldFile | None:
    """The test set of a gold file; None if it belongs to another split."""
    stem = stem_of(path.name) or path.name
    named = _UD_FILE.fullmatch(stem)
    if named and named["split"] != split:
        return None
    code = named["code"] if named else stem
    folder = _UD_FOLDER.fullmatch(path.parent.name)
    names = dict.fromkeys((f"{code}.conllu", f"{stem}.conllu", f"{path.parent.name}/{stem}.conllu"))
    return GoldFile(code, path, tuple(names), folder["language"].replace("_", " ") if folder else None)


def _without_treebanks(folder: Path, split: str | None) -> str:
    """The message for a folder without gold treebanks, with its subfolders that have treebanks."""
    if split is not None and next(_treebank_files(folder), None) is not None:
        return f"the folder has no {split} files"
    folders = [path for path in _visible_entries(folder) if path.is_dir()]
    inside = [path for path in folders if next(_treebank_files(path), None)] or [
        path
        for outer in folders
        for path in _visible_entries(outer)
        if path.is_dir() and next(_treebank_files(path), None)
    ]
    named = ", ".join(printable(path.relative_to(folder).as_posix()) for path in inside[:_MOST_NAMED])
    return "the folder has no CoNLL-U file" + (f"; name one of the folders in it: {named}" if named else "")


def _unique(golds: Iterable[GoldFile], folder: Path) -> tuple[GoldFile, ...]:
    by_code: dict[str, GoldFile] = {}
    for gold in golds:
        if gold.code in by_code:
            names = [printable(gold_file.path.name) for gold_file in (gold, by_code[gold.code])]
            both = f"both {names[0]} and {names[1]}"
            raise _fault("no-pairs", f"the folder has {both}, which have the same name {printable(gold.code)}", folder)
        by_code[gold.code] = gold
    return tuple(by_code.values())


def _tira(metadata: Path) -> Iterator[GoldFile]:
    """Yield the test sets in the metadata of a shared task."""
    for entry in read_metadata(metadata):
        name = bare_name(entry.output)
        path = existing(metadata.parent, entry.gold) or metadata.parent / entry.gold
        yield GoldFile(entry.code, path, (name, f"{_TIRA_OUTPUTS}/{name}"))


def existing(folder: Path, name: str) -> Path | None:
    """Return the regular file with a name in a folder, compressed or not, or None.

    Args:
        folder: the folder.
        name: the name, with or without the suffix of a compressed file.

    Raises:
        InputError: several files match.
    """
    bare = bare_name(name)
    found = [path for suffix in ("", *SUFFIXES) if (path := folder / f"{bare}{suffix}").is_file()]
    if len(found) > 1:
        raise _fault("no-pairs", f"the folder has both {found[0].name} and {found[1].name}", folder)
    return found[0] if found else None


def _fault(slug: str, message: str, path: Path) -> InputError:
    return InputError(Fault(slug, message, Place(os.fspath(path))))
