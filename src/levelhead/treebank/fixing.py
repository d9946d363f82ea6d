"""Repaired copies of files; only unambiguous repairs are made."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from levelhead.errors import ConlluError, Fault, OutputError, Place, add_fault
from levelhead.treebank import blocks
from levelhead.treebank.blocks import Blocks
from levelhead.treebank.faults import encoding_faults
from levelhead.treebank.input_bytes import parts_of
from levelhead.treebank.layouts import bare_name
from levelhead.treebank.parts import FIELDS
from levelhead.treebank.plus import ColumnLayout, layout_of
from levelhead.treebank.repair import lines_of, repair
from levelhead.treebank.write import check_file, check_folder, replace_file

_MESSAGES = {
    "surrounding-space": "a cell begins or ends with a space",
    "empty-column": "a column is empty",
    "number-of-columns": "empty columns follow the last",
}
_SIGNS = (b"\t\t", b"\t\n", b" \t", b"\t ", b"\n ", b" \n")
"""Every file with cells to repair contains one of these, except in its first and last line."""

_NEEDED = frozenset({"ID", "FORM", "HEAD", "DEPREL"})
"""The columns for which an underscore would be a guess."""


def write_fixed(path: str | os.PathLike[str], copy: str | os.PathLike[str]) -> tuple[Fault, ...]:
    """Write a copy of a CoNLL-U or CoNLL-X file with all unambiguous repairs, and return the changes.

    A byte order mark, carriage returns, surplus blank lines, white space in blank lines, spaces around cells, and empty
    columns after the tenth are removed; the last blank line is added; empty columns other than ID, FORM, HEAD and
    DEPREL become `_`. Everything else is unchanged, byte for byte. The file is read in blocks.
    """
    changes: dict[str, list[Fault]] = {}
    name = os.fsdecode(path)
    with parts_of(path) as parts:
        replace_file(copy, _fixed_parts(parts, name, changes))
    return tuple(change.in_file(name) for (change,) in changes.values())


def copies_of(files: Sequence[str], target: str, *, folder: bool) -> Mapping[str, str]:
    """Return where the copy of each file is written."""
    if not folder and len(files) == 1 and not os.path.isdir(target):  # noqa: PTH112 -- never raises
        copies = {files[0]: target}
        check_file(target)
    else:
        copies = {file: os.path.join(target, bare_name(os.path.basename(file))) for file in files}  # noqa: PTH118, PTH119
        check_folder(target)
    _refuse(copies)
    if copies != {files[0]: target}:
        Path(target).mkdir(parents=True, exist_ok=True)
    return copies


def _refuse(copies: Mapping[str, str]) -> None:
    times = Counter(copies.values())
    for file, copy in copies.items():
        if times[copy] > 1 or (file == "-" and os.path.basename(copy) == "-"):  # noqa: PTH119 -- as given
            message = "two copies would have the same name, or a copy no name: fix these files one at a time"
            raise OutputError(message, "output", Place(copy))
        if any(_is_same(known, copy) for known in copies):
            raise OutputError("the copy would replace the file: name another file", "output", Place(copy))


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)  # noqa: PTH121 -- as given
    except OSError:
        return False


def _fixed_parts(parts: Iterator[bytes], name: str, changes: dict[str, list[Fault]]) -> Iterator[bytes]:
    """Yield the repaired file in blocks, and record the changes."""
    source = Blocks(parts, name, spaces=True)
    n_lines = n_bytes = 0
    layout: ColumnLayout | None = None
    while not source.ended:
        block = source.read(blocks.SIZES.piece)
        if faults := encoding_faults(block, n_lines.__add__, n_bytes):
            raise ConlluError(faults[0].in_file(name))
        repaired = repair(block, start=not n_lines)
        found: dict[str, list[Fault]] = {}
        layout = layout if n_lines else _layout_of(repaired.data)
        yield _with_tidy_cells(repaired.data, found, layout)
        of_cells = (_moved(fault, repaired.line(fault.place.line or 0)) for (fault,) in found.values())
        for fault in (*repaired.warnings, *of_cells):
            add_fault(changes, fault.slug, _moved(fault, n_lines + (fault.place.line or 0)))
        n_lines += block.count(b"\n")
        n_bytes += len(block)


def _moved(fault: Fault, line: int) -> Fault:
    return replace(fault, place=fault.place._replace(line=line))


def _layout_of(data: bytes) -> ColumnLayout | None:
    """The columns of a CoNLL-U Plus file; empty if its first line is invalid, so that no cell is changed."""
    try:
        return layout_of(data)
    except ConlluError:
        return ColumnLayout((), "")


def _with_tidy_cells(data: bytes, changes: dict[str, list[Fault]], layout: ColumnLayout | None) -> bytes:
    if not data.startswith(b" ") and not any(sign in data for sign in _SIGNS):
        return data
    lines = []
    for number, line in enumerate(lines_of(data), 1):
        lines.append(line)
        if line == b"\n" or (line.startswith(b"#") if layout is None else layout.is_comment(line, b"#", b"\t")):
            continue
        tidy, slugs = _tidy(line, FIELDS if layout is None else layout.names)
        lines[-1] = tidy
        for slug in slugs:
            add_fault(changes, slug, Fault(slug, _MESSAGES[slug], Place(line=number), "warning"))
    return b"".join(lines)


def _tidy(line: bytes, fields: Sequence[str]) -> tuple[bytes, list[str]]:
    """Return the line of a word with repaired cells, and the kinds of changes."""
    given = line.removesuffix(b"\n").split(b"\t")
    cells = [cell.strip(b" ") for cell in given]
    slugs = []
    if len(cells) > len(fields) > 0 and not any(cells[len(fields) :]):
        slugs.append("number-of-columns")
        del given[len(fields) :], cells[len(fields) :]
    if len(cells) != len(fields):
        return line, []  # the columns of the cells are ambiguous
    if cells != given and cells[fields.index("FORM")]:
        slugs.insert(0, "surrounding-space")
    elif cells != given:
        return line, []  # only the maintainer can correct a form of spaces
    word_id = cells[fields.index("ID")]
    filled = [cell or _value_of_empty(word_id, field) for cell, field in zip(cells, fields, strict=True)]
    if filled != cells:
        slugs.insert(0, "empty-column")
    return b"\t".join(filled) + b"\n", slugs


def _value_of_empty(word_id: bytes, field: str) -> bytes:
    is_word = b"-" not in word_id and b"." not in word_id
    needed = field in _NEEDED if is_word else field in {"ID", "FORM"}
    return b"" if needed else b"_"
