"""Layouts of gold treebanks.

Gold is a file; a folder of files; a UD release (folders `UD_Language-NAME`, or files `xx_name-ud-test.conllu`); or a
folder with the `metadata.json` of the TIRA platform.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from levelhead.errors import printable
from levelhead.treebank.layouts.files import (
    MOST_NAMED,
    TIRA_OUTPUTS,
    bare_name,
    existing,
    irregularity,
    layout_error,
    named_as_treebanks,
    stem_of,
    treebank_files,
    visible_entries,
)
from levelhead.treebank.metadata import read_metadata

Split = Literal["train", "dev", "test"]

_UD_FILE = re.compile(r"(?P<code>.+)-ud-(?P<split>train|dev|test)")
_UD_FOLDER = re.compile(r"UD_(?P<language>.+?)(-[^-]+)?")


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


def gold_files(source: Path, split: Split | None = None) -> tuple[GoldFile, ...]:
    """Return the gold treebanks, in the order of the metadata, or of their codes."""
    if not source.exists() and str(source) != "-":
        raise layout_error("unreadable-file", os.strerror(errno.ENOENT), source)
    if not source.is_dir():
        return (GoldFile(source.name.partition(".")[0] or source.name, source),)
    if (source / "metadata.json").is_file():
        golds = _unique(_tira(source / "metadata.json"), source)
        _refuse_release(golds, source)
        return golds
    _refuse_irregular(source)
    files = list(treebank_files(source))
    _refuse_mixture(files, source)
    chosen = split or _split_of(files, source)
    found = [gold for path in files if (gold := _gold_file(path, chosen))]
    if not found:
        raise layout_error("no-pairs", _without_treebanks(source, split), source)
    return _unique(sorted(found, key=lambda gold: gold.code), source)


def output_names(gold: GoldFile) -> set[str]:
    """Return the possible beginnings of an output's name: the test set, the gold file and the repository."""
    stem = stem_of(gold.path.name) or gold.code
    named = _UD_FILE.fullmatch(stem)
    repository = {gold.path.parent.name} if _UD_FOLDER.fullmatch(gold.path.parent.name) else set()
    return {gold.code, stem, named["code"] if named else stem} | repository


def extra_gold(source: Path) -> tuple[Path, ...]:
    """Return the treebanks in a folder of gold that are not gold, and its folders with treebanks that are not gold.

    Files of other splits of a UD release are not included.
    """
    if not source.is_dir():
        return ()
    folders = [path for path in visible_entries(source) if path.is_dir() and not path.name.startswith("UD_")]
    extra = tuple(path for path in folders if next(treebank_files(path), None) is not None)
    metadata = source / "metadata.json"
    if not metadata.is_file():
        return extra
    known = {source / bare_name(name) for entry in read_metadata(metadata) for name in entry.files}
    files = [path for path in treebank_files(source) if path.with_name(bare_name(path.name)) not in known]
    used = {path.relative_to(source).parts[0] for path in known if path.parent != source}
    return (*files, *(path for path in extra if path.name not in used))


def _refuse_irregular(folder: Path) -> None:
    """Refuse gold that is not a regular file, such as a broken link, so that averages do not silently omit it."""
    for path in named_as_treebanks(folder):
        if not path.is_dir() and (reason := irregularity(path)):
            raise layout_error("unreadable-file", reason, path)


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
        raise layout_error("ambiguous-layout", "it has train and dev files, but no test files: give --split", folder)
    return splits.pop()


def _refuse_mixture(files: Sequence[Path], folder: Path) -> None:
    """Refuse a folder that is both a folder of files and a UD release."""
    own = [path.name for path in files if path.parent == folder]
    release = [path.parent.name for path in files if path.parent != folder]
    if own and release:
        message = f"it has both treebanks ({printable(own[0])}) and folders of a UD release ({printable(release[0])}):"
        raise layout_error("ambiguous-layout", f"{message} name one of the folders, or write a manifest", folder)


def _refuse_release(golds: Iterable[GoldFile], folder: Path) -> None:
    """Refuse metadata next to a UD release, unless the metadata names all of its files."""
    known = {gold.path for gold in golds}
    other = next((path for path in treebank_files(folder) if path.parent != folder and path not in known), None)
    if other is not None:
        message = f"it has both metadata.json and folders of a UD release ({printable(other.parent.name)}): move one of"
        raise layout_error("ambiguous-layout", f"{message} them elsewhere, or write a manifest", folder)


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
            names = [printable(gold_file.path.name) for gold_file in (gold, by_code[gold.code])]
            both = f"both {names[0]} and {names[1]}"
            raise layout_error(
                "no-pairs", f"the folder has {both}, which have the same name {printable(gold.code)}", folder
            )
        by_code[gold.code] = gold
    return tuple(by_code.values())


def _tira(metadata: Path) -> Iterator[GoldFile]:
    """Yield the test sets in the metadata of a shared task."""
    for entry in read_metadata(metadata):
        name = bare_name(entry.output)
        path = existing(metadata.parent, entry.gold) or metadata.parent / entry.gold
        yield GoldFile(entry.code, path, (name, f"{TIRA_OUTPUTS}/{name}"))
