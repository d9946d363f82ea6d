"""The errors and warnings of files of any size, and repaired copies with only unambiguous repairs."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, get_args

from levelhead._version import VERSION
from levelhead.arguments import checked
from levelhead.errors import ConlluError, Fault, InputError, OutputError, Place, add_fault, listed, number_of, printable
from levelhead.immutable import immutable
from levelhead.messages import MESSAGES
from levelhead.progress import tracked
from levelhead.tables.data import DataColumn, Layout
from levelhead.tables.documents import path_text
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank import input_bytes
from levelhead.treebank.faults import Repaired, encoding_faults, repair
from levelhead.treebank.input_bytes import parts_of
from levelhead.treebank.layouts.gold import bare_name, files_at
from levelhead.treebank.pieces import ByteBlocks
from levelhead.treebank.plus import ColumnLayout, layout_of
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.reader import Format
from levelhead.treebank.scanner import ReaderSettings
from levelhead.treebank.tokens import FIELDS
from levelhead.treebank.write import check_file, check_folder, replace_file

MOST_LISTED = 100_000  # the largest number of errors and warnings of each kind that are kept in memory
CHECKED_RULES = ("ud", "msp25", "msp25-sorted")
"""The rules for checking files: CoNLL-U with levelhead's checks, or files of morphosyntactic parsing."""


@checked(path="path", format=("one of", get_args(Format)), rules=("one of", CHECKED_RULES))
def faults_of(
    path: str | os.PathLike[str],
    *,
    format: Format = "conllu",  # noqa: A002
    rules: str = "ud",
) -> tuple[Fault, ...]:
    """Return all errors and warnings of a file, each with its line.

    This function gives the same warnings as `read`, and also warns if a comment `# text` differs from the forms.
    Consecutive blank lines are reported as one warning, whose `count` is the number of blank lines. At most 100,000
    warnings of each kind are listed; further warnings are added to the `count` of the last listed warning. Checking
    stops after 100,000 errors.

    Args:
        path: the path of the file, or "-" for standard input.
        format: "conllu" or "conllx".
        rules: the rules for valid files: "ud", "msp25" or "msp25-sorted". For the last two, `format` has no effect.
    """
    with parts_of(path) as parts:
        try:
            if rules != "ud":
                from levelhead.treebank.morphosyntactic_reader import content_faults

                return content_faults(parts, os.fsdecode(path), input_bytes.SIZES.piece, MOST_LISTED)
            from levelhead.treebank.ud_reader import CheckedPieces

            pieces = CheckedPieces(parts, os.fsdecode(path), ReaderSettings(format == "conllx"), most=MOST_LISTED)
            for _ in pieces.each(input_bytes.SIZES.piece):
                pass
            return pieces.warnings()
        except InputError as error:
            return error.faults


_MESSAGES = {
    "surrounding-space": "a cell begins or ends with a space",
    "empty-column": "a column is empty",
    "number-of-columns": "empty columns follow the last",
}
_SIGNS = (b"\t\t", b"\t\n", b" \t", b"\t ", b"\n ", b" \n")
"""Every file with cells to repair contains one of these, except in its first and last line."""

_NEEDED = frozenset({"ID", "FORM", "HEAD", "DEPREL"})  # the columns for which an underscore would be a guess


def write_fixed(path: str | os.PathLike[str], copy: str | os.PathLike[str]) -> tuple[Fault, ...]:
    """Write a copy of a CoNLL-U or CoNLL-X file with all unambiguous repairs, and return the changes."""
    changes: dict[str, list[Fault]] = {}
    with parts_of(path) as parts:
        replace_file(copy, _fixed_parts(parts, os.fsdecode(path), changes))
    return tuple(change.in_file(os.fsdecode(path)) for (change,) in changes.values())


def copies_of(files: Sequence[str], target: str, *, folder: bool) -> Mapping[str, str]:
    if not folder and len(files) == 1 and not os.path.isdir(target):  # noqa: PTH112 -- never raises
        copies = {files[0]: target}
        check_file(target)
    else:
        copies = {file: os.path.join(target, bare_name(os.path.basename(file))) for file in files}  # noqa: PTH118, PTH119
        check_folder(target)
    times = Counter(copies.values())
    for file, copy in copies.items():
        if times[copy] > 1 or (file == "-" and os.path.basename(copy) == "-"):  # noqa: PTH119 -- as given
            message = "two copies would have the same name, or a copy would have none: fix these files one at a time"
            raise OutputError(message, "output", Place(copy))
        if any(_is_same(original, copy) for original in copies):
            raise OutputError("the copy would replace the file: name another file", "output", Place(copy))
    if copies != {files[0]: target}:
        Path(target).mkdir(parents=True, exist_ok=True)
    return copies


def _is_same(file: str, copy: str) -> bool:
    try:
        return os.path.samefile(file, copy)  # noqa: PTH121 -- as given
    except OSError:
        return False


def _fixed_parts(parts: Iterator[bytes], name: str, changes: dict[str, list[Fault]]) -> Iterator[bytes]:
    source = ByteBlocks(parts, name, spaces=True)
    n_lines = n_bytes = 0
    layout: ColumnLayout | None = None
    while not source.ended:
        block = source.read(input_bytes.SIZES.piece)
        if faults := encoding_faults(block, n_lines.__add__, n_bytes):
            raise ConlluError(faults[0].in_file(name))
        repaired = repair(block, start=not n_lines)
        if not n_lines:
            try:
                layout = layout_of(repaired.data)
            except ConlluError:
                layout = ColumnLayout((), "")  # so that no cell is changed
        for fault in repaired.warnings:
            add_fault(changes, fault.slug, replace(fault, place=Place(line=n_lines + (fault.place.line or 0))))
        yield _with_tidy_cells(repaired, n_lines, changes, layout)
        n_lines += block.count(b"\n")
        n_bytes += len(block)


def _with_tidy_cells(
    repaired: Repaired, n_lines: int, changes: dict[str, list[Fault]], layout: ColumnLayout | None
) -> bytes:
    """Return a block that begins after some lines of the file with repaired cells, and record the changes."""
    data = repaired.data
    if not data.startswith(b" ") and not any(sign in data for sign in _SIGNS):
        return data
    lines = []
    for number, line in enumerate(io.BytesIO(data), 1):
        lines.append(line)
        if line == b"\n" or (line.startswith(b"#") if layout is None else layout.is_comment(line, b"#", b"\t")):
            continue
        tidy, slugs = _tidy(line, FIELDS if layout is None else layout.names)
        lines[-1] = tidy
        for slug in slugs:
            place = Place(line=n_lines + repaired.line(number))
            add_fault(changes, slug, Fault(slug, _MESSAGES[slug], place, "warning"))
    return b"".join(lines)


def _tidy(line: bytes, fields: Sequence[str]) -> tuple[bytes, list[str]]:
    """Return the line of a word with repaired cells, and the kinds of changes."""
    given = line.removesuffix(b"\n").split(b"\t")
    cells = [cell.strip(b" ") for cell in given]
    slugs = []
    if len(cells) > len(fields) > 0 and not any(cells[len(fields) :]):
        slugs.append("number-of-columns")
        del given[len(fields) :], cells[len(fields) :]
    if len(cells) != len(fields) or (cells != given and not cells[fields.index("FORM")]):
        return line, []  # the columns of the cells are ambiguous, or only the maintainer can correct a form of spaces
    if cells != given:
        slugs.insert(0, "surrounding-space")
    word_id = cells[fields.index("ID")]
    needed = {"ID", "FORM"} if b"-" in word_id or b"." in word_id else _NEEDED
    filled = [cell or (b"" if field in needed else b"_") for cell, field in zip(cells, fields, strict=True)]
    if filled != cells:
        slugs.insert(0, "empty-column")
    return b"\t".join(filled) + b"\n", slugs


__all__ = ["Validation"]


class FaultRow(NamedTuple):
    """An error or warning.

    Args:
        file: the path of the file, or of its repaired copy.
        line: the line of the first case; null if it is about the whole file.
        sentence: the number of the sentence, from 1.
        word: the id of the word.
        severity: "error" if the file cannot be used, "warning" if it is only suspicious.
        slug: the name of the error or warning, as in the list of messages.
        message: what is wrong.
        cases: the number of cases.
        remedy: what to do.
    """

    file: str
    line: int | None
    sentence: int | None
    word: str | None
    severity: Literal["error", "warning"]
    slug: str
    message: str
    cases: int
    remedy: str


class ChangeRow(NamedTuple):
    """A change in the repaired copy of a file.

    Args:
        file: the path of the file.
        copy: the path of the copy.
        line: the line of the first case.
        slug: the name of the fault that was repaired.
        message: what was changed.
        cases: the number of cases.
    """

    file: str
    copy: str
    line: int | None
    slug: str
    message: str
    cases: int


@immutable
class Validation(Tabular):
    """The errors and warnings found in files.

    Args:
        files: a mapping from the path of each file (or of its repaired copy) to the errors and warnings.
        copies: a mapping from the path of each original file to the path of the repaired copy.
        changes: a mapping from the path of each original file to the repairs in the copy.
    """

    KIND: ClassVar[str] = "validate"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "faults": (FaultRow,),
        "changes": (ChangeRow,),
        "files": (
            DataColumn("file", "text", "The path of the file, or of its repaired copy"),
            DataColumn("valid", "boolean", "Whether it has no errors; warnings are allowed"),
            *(DataColumn(kind, "integer", f"The number of {kind}", limits=(0,)) for kind in ("errors", "warnings")),
        ),
    }

    files: Mapping[str, tuple[Fault, ...]]
    copies: Mapping[str, str] = field(default_factory=dict)
    changes: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The errors and warnings of all files."""
        return tuple(fault for faults in self.files.values() for fault in faults)

    @property
    def valid(self) -> bool:
        """Whether all files are free of errors; warnings are allowed."""
        return not any(fault.severity == "error" for fault in self.faults)

    @property
    def verdict(self) -> str:
        """A sentence that says how many files are valid, and gives the numbers of errors and warnings."""
        n_files, n_valid = len(self.files), sum(row[1] for row in self._files_rows())
        counts = Counter(fault.severity for fault in self.faults for _ in range(fault.count))
        found = [number_of(counts[kind], kind) for kind in ("error", "warning") if counts[kind]]
        valid = (
            f"{n_valid} of {n_files} files {'is' if n_valid == 1 else 'are'} valid"
            if n_files > 1
            else f"The file is {'' if n_valid else 'in'}valid"
        )
        invalid = [file for file, is_valid, *_ in self._files_rows() if not is_valid]
        where = f" ({listed(invalid)})" if n_files > 1 and invalid else ""
        return f"{valid}{': ' if found else ''}{' and '.join(found)}{where}."

    def __repr__(self) -> str:
        return f"<Validation: {number_of(len(self.files), 'file')}, {len(self.faults)} errors and warnings>"

    def table(self) -> Table:
        """Return the result as a table."""
        rows = [
            (name, fault.place.line, kind or fault.severity, fault.slug, fault.message_with_count)
            for kind, files in (("fixed", self.changes), ("", self.files))
            for name, faults in files.items()
            for fault in faults
        ]
        return Table(_COLUMNS, tuple(rows))

    @property
    def provenance(self) -> Provenance:
        """The version of levelhead that checked the files."""
        return Provenance({"version": VERSION}, {})

    def _faults_rows(self) -> Iterator[FaultRow]:
        for file, fault in ((path_text(file), fault) for file, faults in self.files.items() for fault in faults):
            remedy = MESSAGES[fault.slug].remedy
            yield FaultRow(file, *fault.place[1:], fault.severity, fault.slug, fault.message, fault.count, remedy)

    def _changes_rows(self) -> Iterator[ChangeRow]:
        for file, changes in self.changes.items():
            for fault in changes:
                copy = path_text(self.copies[file])
                yield ChangeRow(path_text(file), copy, fault.place.line, fault.slug, fault.message, fault.count)

    def _files_rows(self) -> Iterator[tuple[str, bool, int, int]]:
        for file, faults in self.files.items():
            n_errors, n_warnings = (
                sum(fault.count for fault in faults if fault.severity == kind) for kind in ("error", "warning")
            )
            yield path_text(file), not n_errors, n_errors, n_warnings

    def _text(self) -> str:
        return validation_text(self)


def validate(
    paths: Sequence[str | os.PathLike[str]],
    form: Format = "conllu",
    rules: str = "ud",
    fix: str | os.PathLike[str] | None = None,
) -> Validation:
    """Return all errors and warnings of files and of the files in folders; with `fix`, of the repaired copies."""
    files = list(dict.fromkeys(file for path in paths for file in files_at(path)))
    if fix is None:
        with tracked(files, "validating") as tracked_files:
            return Validation({file: faults_of(file, format=form, rules=rules) for file in tracked_files})
    if rules != "ud":
        message = "fix requires the rules ud: files of morphosyntactic parsing cannot be repaired"
        raise InputError(Fault("invalid-argument", message))
    copies = copies_of(files, os.fspath(fix), folder=any(map(os.path.isdir, paths)))
    faults: dict[str, tuple[Fault, ...]] = {}
    changes: dict[str, tuple[Fault, ...]] = {}
    with tracked(copies.items(), "repairing") as items:
        for file, copy in items:
            try:
                changes[file] = write_fixed(file, copy)
            except InputError as error:  # of the file itself, which is not copied
                faults[file] = error.faults
            else:
                faults[copy] = faults_of(copy, format=form)
    return Validation(faults, {file: copies[file] for file in changes}, changes)


def annotation(fault: Fault) -> str:
    """Return a fault as a workflow command of GitHub Actions, which annotates the line of the file."""
    place = fault.place
    properties = {"file": place.file or "-", "line": place.line, "title": fault.slug}
    marks = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in properties.items() if value is not None)
    return f"::{fault.severity} {marks}::{_escaped(fault.message_with_count)}"


def _escaped(text: str, also: str = "") -> str:
    """Escape the characters that would end a property or a command."""
    return printable(text).translate({ord(sign): f"%{ord(sign):02X}" for sign in f"%\r\n{also}"})


def validation_text(validation: Validation, limit: int | None = None) -> str:
    """Return as text the changes in copies, then the faults of the files or of their copies."""
    lines = [f"fixed: {change}\n" for changes in validation.changes.values() for change in changes]
    for faults in validation.files.values():
        kinds: dict[tuple[str, str], list[Fault]] = {}
        for fault in faults:
            most = 1 if fault.severity == "warning" else len(faults)
            add_fault(kinds, (fault.severity, fault.slug), fault, most)
        shown = [*chain(*(some[:limit] for some in kinds.values()))]
        left_out = sum(map(len, kinds.values())) - len(shown)
        shown.sort(key=lambda fault: (True, 0) if fault.severity == "warning" else (False, fault.place.line or 0))
        for fault in shown:
            place = fault.place
            where = [f"sentence {place.sentence}"] if place.sentence else []
            where += [f"word {printable(place.word)}"] if place.word else []
            mark = "warning: " * (fault.severity == "warning")
            suffix = f" ({', '.join(where)})" if where else ""
            lines.append(f"{mark}{fault}{suffix}\n")
        lines += [f"... {left_out:,} more (--limit 0)\n"] if left_out else []
        lines += [f"  {slug}: {MESSAGES[slug].remedy}\n" for slug in dict.fromkeys(fault.slug for fault in shown)]
    return "".join(lines)


_COLUMNS = tuple(
    Column(name, "position" if name == "Line" else "text") for name in ("File", "Line", "Severity", "Name", "Message")
)
