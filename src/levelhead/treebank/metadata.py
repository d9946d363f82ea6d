"""The `metadata.json` of a shared task on the TIRA platform: its test sets and their files."""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from levelhead.errors import Fault, InputError, Place, quoted


class MetadataEntry(NamedTuple):
    """A test set of a shared task.

    Args:
        code: its name in tables.
        gold: the gold file, relative to the folder of the metadata.
        output: the file that systems write, relative to their folder of outputs.
        files: all strings of the entry, including the names of gold, raw text and preprocessed input.
    """

    code: str
    gold: str
    output: str
    files: tuple[str, ...]


def read_metadata(path: Path) -> tuple[MetadataEntry, ...]:
    """Return the test sets of a shared task, named by `ltcode` (2017) or `lcode` and `tcode` (2018)."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _invalid(f"it cannot be read: {error}", path) from error
    if not isinstance(entries, list) or not entries:
        raise _invalid("it is not a list of test sets", path)
    return tuple(_entry(number, entry, path) for number, entry in enumerate(entries, 1))


def _entry(number: int, entry: Any, path: Path) -> MetadataEntry:
    try:
        code = _text(entry, "ltcode") if "ltcode" in entry else f"{_text(entry, 'lcode')}_{_text(entry, 'tcode')}"
        gold, output = _inside(_text(entry, "goldfile")), _inside(_text(entry, "outfile"))
    except (KeyError, TypeError, ValueError) as error:
        message = f"entry {number} has no ltcode (or lcode and tcode), goldfile and outfile: {error}"
        raise _invalid(message, path) from error
    return MetadataEntry(code, gold, output, tuple(value for value in entry.values() if isinstance(value, str)))


def _text(entry: dict[str, Any], field: str) -> str:
    value = entry[field]
    if not isinstance(value, str) or not value:
        raise ValueError(f"{field} is not a string")
    return value


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or "\0" in path:
        raise ValueError(f"{quoted(path)} is outside its folder")
    return path


def _invalid(message: str, path: Path) -> InputError:
    return InputError(Fault("invalid-manifest", message, Place(os.fspath(path))))
