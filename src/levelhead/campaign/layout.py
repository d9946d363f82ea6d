"""Campaigns in folders: plain ones, those of UD releases, and those of the TIRA platform."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from levelhead.campaign.entries import Campaign, System, TestSet
from levelhead.campaign.languages import Language, language_of
from levelhead.errors import Fault, InputError, Place, quoted
from levelhead.treebank.source import SUFFIXES

Split = Literal["train", "dev", "test"]

_UD_FILE = re.compile(r"(?P<code>.+)-ud-(?P<split>train|dev|test)")
_UD_FOLDER = re.compile(r"UD_(?P<language>.+?)(-[^-]+)?")


def campaign_in(
    gold: str | os.PathLike[str],
    systems: str | os.PathLike[str],
    *,
    split: Split = "test",
) -> Campaign:
    """Find the test sets and the systems' outputs in two folders.

    The folder of gold holds `TREEBANK.conllu` files, compressed or not; or files and folders named as in UD releases,
    `UD_Language-NAME/xx_name-ud-test.conllu`; or the `metadata.json` of the TIRA platform, which names the files.
    The folder of systems holds a folder for each, with files of the names that those of gold have; or is itself
    that of a single system.

    Args:
        gold: the folder of gold treebanks.
        systems: the folder of systems.
        split: which files of UD releases to take.

    Raises:
        InputError: a folder cannot be read, or holds nothing of the kind.
    """
    test_sets = gold_in(Path(gold), split)
    return campaign_of(test_sets, systems_in(Path(systems)))


def campaign_of(test_sets: Iterable[TestSet], folders: Mapping[str, Path]) -> Campaign:
    """Find the outputs of systems for test sets.

    Args:
        test_sets: the test sets.
        folders: the folder of each system, by name.

    Raises:
        InputError: a folder cannot be read, or has an output for a test set twice.
    """
    wanted = tuple(test_sets)
    found = {name: _outputs(folder, wanted) for name, folder in folders.items()}
    ignored = [path for _, others in found.values() for path in others]
    return Campaign(wanted, tuple(System(name, outputs) for name, (outputs, _) in found.items()), tuple(ignored))


def gold_in(folder: Path, split: Split = "test") -> tuple[TestSet, ...]:
    """Find the gold treebanks in a folder, in the order of their codes or of the metadata.

    Args:
        folder: the folder.
        split: which files of UD releases to take.

    Raises:
        InputError: the folder cannot be read, or has none, or two of one code.
    """
    metadata = folder / "metadata.json"
    if metadata.is_file():
        return _unique(_tira(metadata), folder)
    found = [_test_set(path, split) for path in _treebank_files(folder, within="UD_")]
    test_sets = sorted(filter(None, found), key=lambda test_set: test_set.code)
    if not test_sets:
        raise _fault("no-pairs", "there is no gold treebank in this folder", folder)
    return _unique(test_sets, folder)


def has_splits(folder: Path) -> bool:
    """Say whether gold treebanks in a folder are named as in UD releases, so that a split is chosen.

    Args:
        folder: the folder.

    Raises:
        InputError: the folder cannot be read.
    """
    if (folder / "metadata.json").is_file():
        return False
    stems = (bare_name(path.name).removesuffix(".conllu") for path in _treebank_files(folder, within="UD_"))
    return any(_UD_FILE.fullmatch(stem) for stem in stems)


def systems_in(folder: Path) -> Mapping[str, Path]:
    """Find the folders of systems in a folder, by name, in alphabetical order.

    Args:
        folder: a folder of folders, or that of a single system.

    Raises:
        InputError: the folder cannot be read, or holds nothing.
    """
    folders = {path.name: path for path in _entries(folder) if path.is_dir() and not path.name.startswith("UD_")}
    if folders:
        return folders
    if any(True for _ in _treebank_files(folder, within="UD_")):
        return {folder.resolve().name: folder}
    raise _fault("no-pairs", "there is no system's folder and no output in this folder", folder)


def bare_name(path: str) -> str:
    """Return a path without the suffix of compression."""
    return path.removesuffix(next((suffix for suffix in SUFFIXES if path.endswith(suffix)), ""))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _fault("unreadable-file", reason, folder) from error


def _treebank_files(folder: Path, within: str) -> Iterator[Path]:
    """Give the CoNLL-U files of a folder, and of the folders in it whose names begin so."""
    for path in _entries(folder):
        if path.is_dir() and path.name.startswith(within):
            yield from _treebank_files(path, within="\0")
        elif bare_name(path.name).endswith(".conllu"):
            yield path


def _test_set(path: Path, split: Split) -> TestSet | None:
    """The test set of a gold file, or None if it is of another part of a UD release."""
    stem = bare_name(path.name).removesuffix(".conllu")
    of_release = _UD_FILE.fullmatch(stem)
    if of_release and of_release["split"] != split:
        return None
    code = of_release["code"] if of_release else stem
    names = [f"{code}.conllu", f"{stem}.conllu", f"{path.parent.name}/{stem}.conllu"]
    return TestSet(code, path, tuple(dict.fromkeys(names)), _language(code, path))


def _language(code: str, path: Path) -> Language:
    folder = _UD_FOLDER.fullmatch(path.parent.name)
    known = language_of(code)
    return known._replace(name=folder["language"].replace("_", " ")) if folder else known


def _tira(metadata: Path) -> Iterator[TestSet]:
    """Give the test sets that the metadata of a shared task names: `ltcode` in 2017, `lcode` and `tcode` since."""
    try:
        entries = json.loads(metadata.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _fault("invalid-manifest", f"it cannot be read: {error}", metadata) from error
    if not isinstance(entries, list) or not entries:
        raise _fault("invalid-manifest", "it is not a list of test sets", metadata)
    for number, entry in enumerate(entries, 1):
        try:
            code = _text(entry, "ltcode") if "ltcode" in entry else f"{_text(entry, 'lcode')}_{_text(entry, 'tcode')}"
            gold, output = _inside(_text(entry, "goldfile")), _inside(_text(entry, "outfile"))
        except (KeyError, TypeError, ValueError) as error:
            message = f"entry {number} has no ltcode (or lcode and tcode), goldfile and outfile: {error}"
            raise _fault("invalid-manifest", message, metadata) from error
        yield TestSet(code, existing(metadata.parent, gold) or metadata.parent / gold, _tira_outputs(output),
                      language_of(code))  # fmt: skip


def _tira_outputs(output: str) -> tuple[str, ...]:
    return (bare_name(output), f"output/{bare_name(output)}")  # a run's folder, or one that holds runs' outputs only


def _text(entry: dict[str, Any], field: str) -> str:
    value = entry[field]
    if not isinstance(value, str) or not value:
        raise ValueError(f"{field} is no text")
    return value


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or "\0" in path:
        raise ValueError(f"{quoted(path)} leaves its folder")
    return path


def existing(folder: Path, name: str) -> Path | None:
    """Return the regular file of a name in a folder, compressed or not; None if there is none.

    Args:
        folder: the folder.
        name: the name, without the suffix of compression or with it.

    Raises:
        InputError: there are several.
    """
    bare = bare_name(name)
    found = [path for suffix in ("", *SUFFIXES) if (path := folder / f"{bare}{suffix}").is_file()]
    if len(found) > 1:
        raise _fault("no-pairs", f"the folder has both {found[0].name} and {found[1].name}", folder)
    return found[0] if found else None


def _outputs(folder: Path, test_sets: tuple[TestSet, ...]) -> tuple[dict[str, Path], list[Path]]:
    """The outputs in a system's folder by test set, and the files that are none."""
    outputs = {}
    for test_set in test_sets:
        for name in test_set.outputs:
            path = existing(folder, name)
            if path is not None:
                outputs[test_set.code] = path
                break
    taken = set(outputs.values())
    return outputs, [path for path in _treebank_files(folder, within="UD_") if path not in taken]


def _unique(test_sets: Iterable[TestSet], folder: Path) -> tuple[TestSet, ...]:
    by_code: dict[str, TestSet] = {}
    for test_set in test_sets:
        if test_set.code in by_code:
            message = f"two gold files are of {test_set.code}: {by_code[test_set.code].gold} and {test_set.gold}"
            raise _fault("no-pairs", message, folder)
        by_code[test_set.code] = test_set
    return tuple(by_code.values())


def _fault(slug: str, message: str, path: Path) -> InputError:
    return InputError(Fault(slug, message, Place(os.fspath(path))))
