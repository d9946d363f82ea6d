"""The names of treebank files, and layouts of gold treebanks.

Gold is a file; a folder of files; a UD release (folders `UD_Language-NAME`, or files `xx_name-ud-test.conllu`); or a
folder with the `metadata.json` of the TIRA platform.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

from levelhead.errors import Fault, InputError, Place, printable, quoted, reason_of
from levelhead.treebank.input_bytes import SUFFIXES, cannot_open

_FORMATS = (".conllu", ".conllup", ".conllx", ".conll")  # the suffixes of treebanks, without those of compressed files
_SPLITS = frozenset({"train", "dev", "test"})
_ADDED = _SPLITS.union(
    "pred preds predict predicted prediction predictions parse parsed ud sys system out output outputs".split()
)
"""What parsers and shared tasks add to the name of a treebank (Stanza: `.test.pred`, IWPT: `-ud-test-sys`)."""

MOST_NAMED = 5  # the largest number of folders that an error names


def stem_of(file_name: str) -> str | None:
    """Return the name of a treebank's file without suffixes, None if it does not look like a treebank."""
    stem, dot, suffix = bare_name(file_name).rpartition(".")
    return stem if f"{dot}{suffix.lower()}" in _FORMATS else None


class FolderLayout(NamedTuple):
    """A way to keep treebanks in a folder inside a folder of gold or of outputs."""

    inner: Callable[[Path], bool]  # whether a folder holds treebanks in this way: by its name, or by a file in it
    only_outputs: bool = False  # then it adds nothing to the name of a system, and may hold folders of other layouts
    name: Callable[[Path], str | None] = lambda path: stem_of(path.name)  # of the treebank in a file of the folder


LAYOUTS: Mapping[str, FolderLayout] = {
    "UD release": FolderLayout(lambda folder: folder.name.startswith("UD_")),
    "TIRA": FolderLayout(lambda folder: folder.name == "output", only_outputs=True),
}
"""The folders that are part of a layout, and not systems or runs; files with the names of treebanks need no entry."""


def layout_of(folder: Path) -> FolderLayout | None:
    """Return the layout to which a folder inside a folder of treebanks belongs."""
    return next((layout for layout in LAYOUTS.values() if layout.inner(folder)), None)


def name_of(path: Path) -> str | None:
    """Return the name of a treebank by its path, None if the path does not look like a treebank."""
    layout = layout_of(path.parent)
    return stem_of(path.name) if layout is None else layout.name(path)


def bare_name(path: str) -> str:
    for suffix in SUFFIXES:
        path = path.removesuffix(suffix)
    return path


def treebank_of(stem: str) -> str:
    """Return the name of a file's treebank: without additions such as `-ud-train` or `.test.pred`."""
    words = re.split("([-_.])", stem)
    while len(words) > 2 and words[-1].lower() in _ADDED:
        del words[-2:]
    return "".join(words) or stem


def splits_of(stem: str) -> frozenset[str]:
    """Return the splits that the end of a file's name mentions."""
    return _SPLITS.intersection(re.split("[-_.]", stem[len(treebank_of(stem)) :].lower()))


def beginnings(stem: str) -> list[str]:
    """Return the name of a file, and what remains of it without its last additions, longest first."""
    return [stem, *(stem[:end] for end in range(len(stem) - 1, len(treebank_of(stem)) - 1, -1) if stem[end] in "-_.")]


def by_stem(files: Iterable[Path]) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for path in files:
        stem = name_of(path) or path.name
        if stem in paths:
            message = f"the folder has both {printable(path.name)} and {printable(paths[stem].name)}"
            raise layout_error("no-pairs", message, path.parent)
        paths[stem] = path
    return paths


def files_at(path: str | os.PathLike[str]) -> list[str]:
    name = os.fspath(path)
    if not os.path.isdir(name):  # noqa: PTH112 -- a path may contain characters that pathlib refuses
        return [name]
    files = [os.fspath(file) for file in by_stem(output_files(Path(name))).values()]
    if not files:
        raise layout_error("no-pairs", "the folder has no CoNLL-U file", Path(name))
    return files


def existing(folder: Path, name: str) -> Path | None:
    """Return the regular file with a name in a folder, compressed or not, or None."""
    files = [path for suffix in ("", *SUFFIXES) if (path := folder / f"{bare_name(name)}{suffix}").is_file()]
    if len(files) > 1:
        raise layout_error("no-pairs", f"the folder has both {files[0].name} and {files[1].name}", folder)
    return files[0] if files else None


def irregularity(path: Path) -> str | None:
    """Return why a path cannot be a treebank (a folder, a pipe, a broken link); None for a file."""
    if path.exists():
        return None if path.is_file() else f"it is {'a folder' if path.is_dir() else 'neither a file nor a folder'}"
    return "the link is broken" if path.is_symlink() else os.strerror(errno.ENOENT)


def visible_entries(folder: Path) -> list[Path]:
    """Return the files and folders in a folder that are not hidden, in alphabetical order."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except (OSError, ValueError) as error:
        raise layout_error("unreadable-file", reason_of(error), folder) from error


def treebank_files(folder: Path) -> Iterator[Path]:
    return (path for path in named_as_treebanks(folder) if path.is_file())


def output_files(folder: Path) -> Iterator[Path]:
    return (path for outputs in (folder, *wrappers_in(folder)) for path in treebank_files(outputs))


def wrappers_in(folder: Path) -> list[Path]:
    return [path for path in visible_entries(folder) if path.is_dir() and is_wrapper(path)]


def named_as_treebanks(folder: Path) -> Iterator[Path]:
    """Yield all paths with the name of a treebank in a folder of gold, including folders, pipes and broken links."""
    for path in visible_entries(folder):
        is_inner = path.is_dir() and is_wrapper(path, only_outputs=False)
        yield from (entry for entry in (visible_entries(path) if is_inner else [path]) if name_of(entry) is not None)


def is_wrapper(folder: Path, *, only_outputs: bool = True) -> bool:
    """Whether a folder only wraps the outputs of a system or run, or gold."""
    layout = layout_of(folder)
    return layout is not None and layout.only_outputs == only_outputs


def layout_error(slug: str, message: str, path: Path) -> InputError:
    return InputError(Fault(slug, message, Place(os.fspath(path))))


class MetadataEntry(NamedTuple):
    """A test set of a shared task."""

    code: str
    gold: str  # relative to the folder of the metadata
    output: str  # the file that systems write, relative to their folder of outputs
    files: tuple[str, ...]  # all strings of the entry, including the names of gold, raw text and preprocessed input


def read_metadata(path: Path) -> tuple[MetadataEntry, ...]:
    """Return the test sets of a shared task, named by `ltcode` (2017) or `lcode` and `tcode` (2018)."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "it is not JSON"
        raise layout_error("invalid-manifest", reason, path) from error
    if not isinstance(entries, list) or not entries:
        raise layout_error("invalid-manifest", "it is not a list of test sets", path)
    test_sets = []
    for number, entry in enumerate(entries, 1):
        try:
            code = _text(entry, "ltcode") if "ltcode" in entry else f"{_text(entry, 'lcode')}_{_text(entry, 'tcode')}"
            gold, output = _inside(_text(entry, "goldfile")), _inside(_text(entry, "outfile"))
        except (KeyError, TypeError, ValueError) as error:
            message = f"entry {number} has no ltcode (or lcode and tcode), goldfile and outfile: {error}"
            raise layout_error("invalid-manifest", message, path) from error
        texts = tuple(value for value in entry.values() if isinstance(value, str))
        test_sets.append(MetadataEntry(code, gold, output, texts))
    return tuple(test_sets)


def _text(entry: dict[str, Any], field: str) -> str:
    value = entry[field]
    if not isinstance(value, str) or not value:
        raise ValueError(f"{field} is not a string")
    return value


def _inside(path: str) -> str:
    if path.startswith("/") or ".." in PurePosixPath(path).parts or "\0" in path:
        raise ValueError(f"{quoted(path)} is outside its folder")
    return path


Split = Literal["train", "dev", "test"]
_UD_FILE = re.compile(r"(?P<code>.+)-ud-(?P<split>train|dev|test)")
_UD_FOLDER = re.compile(r"UD_(?P<language>.+?)(-[^-]+)?")


class GoldFile(NamedTuple):
    """The gold file of a test set."""

    code: str
    path: Path
    outputs: tuple[str, ...] = ()  # the possible paths of an output in a system's folder, of which the first is used
    language: str | None = None  # as in the name of the folder of a UD release


def gold_files(source: Path, split: Split | None = None) -> tuple[GoldFile, ...]:
    """Return the gold treebanks, in the order of the metadata, or of their codes."""
    if not source.exists() and str(source) != "-":
        raise cannot_open(os.fspath(source), os.strerror(errno.ENOENT))
    if not source.is_dir():
        return (GoldFile((name_of(source) or source.name).partition(".")[0] or source.name, source),)
    if (source / "metadata.json").is_file():
        return _gold_of_metadata(source)
    for path in named_as_treebanks(source):  # so that averages do not silently omit, for example, a broken link
        if not path.is_dir() and (reason := irregularity(path)):
            raise layout_error("unreadable-file", reason, path)
    files = list(treebank_files(source))
    here = [path.name for path in files if path.parent == source]
    inner = [path.parent.name for path in files if path.parent != source]
    if here and inner:
        message = (
            f"the folder has both treebanks ({printable(here[0])}) and folders of treebanks ({printable(inner[0])}):"
        )
        raise layout_error("ambiguous-layout", f"{message} name one of the folders, or write a manifest", source)
    splits = {match["split"] for path in files if (match := _UD_FILE.fullmatch(name_of(path) or ""))}
    if split is None and splits == {"train", "dev"}:
        raise layout_error("ambiguous-layout", "there are train and dev files, but no test files: give --split", source)
    chosen = split or (splits.pop() if splits and "test" not in splits else "test")
    golds = [gold for path in files if (gold := _gold_file(path, chosen))]
    if not golds:
        raise layout_error("no-pairs", _without_treebanks(source, split), source)
    return _unique(sorted(golds, key=lambda gold: gold.code), source)


def output_names(gold: GoldFile) -> set[str]:
    """Return the possible beginnings of an output's name: the test set, the gold file and the repository."""
    stem = name_of(gold.path) or gold.code
    named = _UD_FILE.fullmatch(stem)
    repository = {gold.path.parent.name} if _UD_FOLDER.fullmatch(gold.path.parent.name) else set()
    return {gold.code, stem, named["code"] if named else stem} | repository


def extra_gold(source: Path) -> tuple[Path, ...]:
    """Return the treebanks in a folder of gold that are not gold, and its folders with treebanks that are not gold."""
    if not source.is_dir():
        return ()
    folders = (path for path in visible_entries(source) if path.is_dir() and not is_wrapper(path, only_outputs=False))
    extra = tuple(path for path in folders if next(treebank_files(path), None) is not None)
    metadata = source / "metadata.json"
    if not metadata.is_file():
        return extra
    named = {source / bare_name(name) for entry in read_metadata(metadata) for name in entry.files}
    files = [path for path in treebank_files(source) if path.with_name(bare_name(path.name)) not in named]
    used = {path.relative_to(source).parts[0] for path in named if path.parent != source}
    return (*files, *(path for path in extra if path.name not in used))


def _gold_of_metadata(folder: Path) -> tuple[GoldFile, ...]:
    """The test sets in the metadata of a shared task; other files of a UD release are refused."""
    golds = _unique(
        (
            GoldFile(entry.code, existing(folder, entry.gold) or folder / entry.gold, (bare_name(entry.output),))
            for entry in read_metadata(folder / "metadata.json")
        ),
        folder,
    )
    paths = {gold.path for gold in golds}
    stray = next((path for path in treebank_files(folder) if path.parent != folder and path not in paths), None)
    if stray is not None:
        message = f"the folder has metadata.json and folders of treebanks ({printable(stray.parent.name)}): move one of"
        raise layout_error("ambiguous-layout", f"{message} them elsewhere, or write a manifest", folder)
    return golds


def _gold_file(path: Path, split: str) -> GoldFile | None:
    """The test set of a gold file; None if it belongs to another split."""
    stem = name_of(path) or path.name
    named = _UD_FILE.fullmatch(stem)
    if named and named["split"] != split:
        return None
    code = named["code"] if named else stem
    folder = _UD_FOLDER.fullmatch(path.parent.name)
    names = dict.fromkeys((f"{code}.conllu", f"{stem}.conllu", f"{path.parent.name}/{stem}.conllu"))
    return GoldFile(code, path, tuple(names), folder["language"].replace("_", " ") if folder else None)


def _without_treebanks(folder: Path, split: str | None) -> str:
    if split is not None and next(treebank_files(folder), None) is not None:
        return f"the folder has no {split} files"
    folders = [path for path in visible_entries(folder) if path.is_dir()]
    inside = [path for path in folders if next(treebank_files(path), None)] or [
        path
        for outer in folders
        for path in visible_entries(outer)
        if path.is_dir() and next(treebank_files(path), None)
    ]
    named = ", ".join(printable(path.relative_to(folder).as_posix()) for path in inside[:MOST_NAMED])
    return "the folder has no CoNLL-U file" + (f"; name one of the folders in it: {named}" if named else "")


def _unique(golds: Iterable[GoldFile], folder: Path) -> tuple[GoldFile, ...]:
    by_code: dict[str, GoldFile] = {}
    for gold in golds:
        if gold.code in by_code:
            first, second, code = map(printable, (gold.path.name, by_code[gold.code].path.name, gold.code))
            message = f"the folder has both {first} and {second}, which have the same name {code}"
            raise layout_error("no-pairs", message, folder)
        by_code[gold.code] = gold
    return tuple(by_code.values())
