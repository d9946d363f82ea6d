"""The answers in a file or folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from levelhead.errors import Fault, InputError, Place, UnreadableFile
from levelhead.recovery.answer import Answer, decoded
from levelhead.recovery.records import csv_answers, json_answers
from levelhead.recovery.separators import split_text
from levelhead.treebank.input_bytes import SUFFIXES, Limits, read_bytes, size_text

LIMITS = Limits(size=1 << 29)
"""The maximum decompressed size of a file of answers: half a GiB, several hundred thousand answers."""

_MOST_FILES = 1_000_000
_ARRAY = re.compile(rb"\s*\[\s*\{")
_JSON, _CSV, _TSV = (".jsonl", ".ndjson"), ".csv", ".tsv"


class Layout(NamedTuple):
    """The settings for finding answers in a file.

    Args:
        separator: the beginning of the lines between answers, or None to detect them.
        field: the field of JSON lines or CSV with the answer, or None.
        id_field: the field with the sent_id, or None.
    """

    separator: str | None = None
    field: str | None = None
    id_field: str | None = None


def read_answers(path: str | os.PathLike[str], layout: Layout, n_gold: int) -> list[Answer]:
    """Return the answers in a file or folder, in order."""
    name = os.fsdecode(path)
    if os.path.isdir(name):  # noqa: PTH112 -- a path can have bytes that pathlib refuses
        answers = _in_folder(Path(name))
    else:
        answers = _in_file(name, read_bytes(path, LIMITS).removeprefix(b"\xef\xbb\xbf"), layout, n_gold)
    if not answers:
        what = "the folder has no files" if os.path.isdir(name) else "the file has no answers"  # noqa: PTH112
        raise InputError(Fault("no-answers", what, Place(name)))
    return answers


def _in_file(name: str, data: bytes, layout: Layout, n_gold: int) -> list[Answer]:
    if not data.strip():
        raise InputError(Fault("no-answers", "the file is empty", Place(name)))
    data = data.replace(b"\r\n", b"\n")
    bare = next((name.removesuffix(suffix) for suffix in SUFFIXES if name.lower().endswith(suffix)), name).lower()
    if bare.endswith((_CSV, _TSV)):
        return csv_answers(data, name, layout.field, layout.id_field, "\t" if bare.endswith(_TSV) else ",")
    if _is_array(data, bare, layout, n_gold):
        message = "the file is a JSON array, not JSON lines: write one object per line"
        raise InputError(Fault("invalid-answers", message, Place(name)))
    if bare.endswith(_JSON) or layout.field is not None:
        if not bare.endswith(_JSON) and not data.lstrip().startswith(b"{"):
            return csv_answers(data, name, layout.field, layout.id_field, ",")
        return json_answers(data, name, layout.field, layout.id_field)
    if layout.id_field is not None:
        raise InputError(Fault("no-answers", "--id-field requires JSON lines or CSV: add --field", Place(name)))
    return split_text(data, name, layout.separator, n_gold)


def _is_array(data: bytes, name: str, layout: Layout, n_gold: int) -> bool:
    """Whether a file is a JSON array of records, not JSON lines, CSV, or answers that are lists."""
    if layout.field is not None:
        return not name.endswith(_JSON) and data.lstrip().startswith(b"[")
    return n_gold > 1 and name.endswith(".json") and bool(_ARRAY.match(data)) and b"\n\n" not in data.strip()


def _in_folder(folder: Path) -> list[Answer]:
    """Read one answer from each file of a folder, in natural order of names; hidden files are ignored."""
    try:
        paths = [path for path in folder.iterdir() if not path.name.startswith(".") and path.is_file()]
    except OSError as error:
        raise UnreadableFile(Fault("unreadable-file", error.strerror or str(error), Place(str(folder)))) from error
    return list(_read_each(sorted(paths, key=_natural)))


def _natural(path: Path) -> tuple[list[tuple[bool, int, str]], str]:
    """A key that sorts `answer2` before `answer10`."""
    parts = re.findall(r"([0-9]+)|([^0-9]+)", path.name)
    return [(not digits, int(digits or 0) if len(digits) < 4000 else 0, text) for digits, text in parts], path.name


def _read_each(paths: list[Path]) -> Iterator[Answer]:
    total = 0
    for path in paths:
        data = read_bytes(path, LIMITS).removeprefix(b"\xef\xbb\xbf")
        total += len(data)
        if total > LIMITS.size:
            message = f"the files have more than {size_text(LIMITS.size)} together"
            raise UnreadableFile(Fault("file-too-large", message, Place(str(path.parent))))
        yield Answer(decoded(data.replace(b"\r\n", b"\n"), str(path)))
