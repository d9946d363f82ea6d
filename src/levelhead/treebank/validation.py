"""The errors and warnings of files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import Any

from levelhead.arguments import checked, choice, optional, path
from levelhead.errors import Fault, InputError, add_fault, number_of, printable
from levelhead.immutable import immutable
from levelhead.messages import MESSAGES
from levelhead.progress import tracked
from levelhead.tables.documents import header, path_text
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.checking import CHECKED_RULES, faults_of
from levelhead.treebank.fixing import copies_of, write_fixed
from levelhead.treebank.layouts import files_at
from levelhead.treebank.reader import Format


@immutable(eq=True, repr=False)
class Validation(Tabular):
    """The errors and warnings of files.

    Args:
        files: the errors and warnings of each file, or of its repaired copy, by path.
        copies: the path of the repaired copy of each file, by the path of the file.
        changes: the changes in the copy of each file, by the path of the file.
    """

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

    def __repr__(self) -> str:
        return f"<Validation: {number_of(len(self.files), 'file')}, {len(self.faults)} errors and warnings>"

    def table(self) -> Table:
        """Return the result as a table."""
        return validation_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return validation_document(self)

    def __str__(self) -> str:
        return (validation_text(self) or "no errors or warnings").rstrip("\n")


@checked(paths=path, format=choice(("conllu", "conllx")), rules=choice(CHECKED_RULES), fix=optional(path))
def validate(
    *paths: str | os.PathLike[str],
    format: Format = "conllu",  # noqa: A002
    rules: str = "ud",
    fix: str | os.PathLike[str] | None = None,
) -> Validation:
    """Return all errors and warnings of CoNLL-U files, each with its line.

    Consecutive blank lines are one warning with their number. Beyond 100,000 warnings of a kind in a file, the last
    counts the others; after 100,000 errors, the rest of the file is not checked. So memory is limited.

    Args:
        paths: files, compressed or not, or folders of files.
        format: "conllu" or "conllx".
        rules: "ud" for CoNLL-U, "msp25" or "msp25-sorted" for files of morphosyntactic parsing.
        fix: the path of repaired copies, with only unambiguous repairs: a file for a single file, otherwise a folder.
            The errors and warnings are then those of the copies.

    Raises:
        InputError: a folder has no CoNLL-U file.
        OutputError: a copy cannot be written, or would replace a file or another copy.
    """
    files = list(dict.fromkeys(file for path in paths for file in files_at(path)))
    if fix is None:
        with tracked(files, "validating") as tracked_files:
            return Validation({file: faults_of(file, format=format, rules=rules) for file in tracked_files})
    if rules != "ud":
        message = "fix requires the rules ud: files of morphosyntactic parsing cannot be repaired"
        raise InputError(Fault("invalid-argument", message))
    copies = copies_of(files, os.fspath(fix), folder=any(map(os.path.isdir, paths)))
    return _fixed(copies, format)


def _fixed(copies: Mapping[str, str], form: Format) -> Validation:
    """Write copies; for a file that cannot be copied, report the errors of the file itself."""
    faults: dict[str, tuple[Fault, ...]] = {}
    changes: dict[str, tuple[Fault, ...]] = {}
    with tracked(copies.items(), "repairing") as items:
        for file, copy in items:
            try:
                changes[file] = write_fixed(file, copy)
            except InputError as error:
                faults[file] = error.faults
            else:
                faults[copy] = faults_of(copy, format=form)
    return Validation(faults, {file: copies[file] for file in changes}, changes)


_MOST_IN_TEXT = {"error": 1000, "warning": 1}
"""The largest number of errors and warnings of each kind that are printed as text."""


def annotation(fault: Fault) -> str:
    """Return a fault as a workflow command of GitHub Actions, which annotates the line of the file."""
    place = fault.place
    properties = {"file": place.file or "-", "line": place.line, "title": fault.slug}
    marks = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in properties.items() if value is not None)
    return f"::{fault.severity} {marks}::{_escaped(fault.message_with_count)}"


def _escaped(text: str, also: str = "") -> str:
    """Escape the characters that would end a property or a command."""
    codes = {"%": "%25", "\r": "%0D", "\n": "%0A"} | ({":": "%3A", ",": "%2C"} if also else {})
    return "".join(codes.get(character, character) for character in printable(text))


def faults_document(path: str, faults: Sequence[Fault]) -> list[dict[str, Any]]:
    """Return the faults of a file for JSON, one document each."""
    name = path_text(path)
    return [
        {
            **header("fault"),
            "file": name,
            "line": fault.place.line,
            "sentence": fault.place.sentence,
            "word": fault.place.word,
            "severity": fault.severity,
            "slug": fault.slug,
            "message": fault.message,
            "count": fault.count,
            "remedy": MESSAGES[fault.slug].remedy,
        }
        for fault in faults
    ]


def changes_document(path: str, copy: str, changes: Sequence[Fault]) -> list[dict[str, Any]]:
    """Return the changes in the copy of a file for JSON, one document per kind of change."""
    names = {"file": path_text(path), "copy": path_text(copy)}
    return [
        {
            **header("change"),
            **names,
            "line": change.place.line,
            "slug": change.slug,
            "message": change.message,
            "count": change.count,
        }
        for change in changes
    ]


def validation_text(validation: Validation) -> str:
    """Return as text the changes in copies, then the faults of the files or of their copies."""
    fixed = (f"fixed: {change}\n" for changes in validation.changes.values() for change in changes)
    return "".join([*fixed, *map(fault_lines, validation.files.values())])


def fault_lines(faults: Sequence[Fault]) -> str:
    """Return the faults of a file as text, then a remedy for each kind; warnings of a kind are a single line."""
    kinds: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        add_fault(kinds, (fault.severity, fault.slug), fault, _MOST_IN_TEXT[fault.severity])
    shown = sorted(chain(*kinds.values()), key=_errors_by_line)
    lines = [f"{'warning: ' * (fault.severity == 'warning')}{fault}{_sentence_and_word(fault)}\n" for fault in shown]
    slugs = dict.fromkeys(fault.slug for fault in shown)
    return "".join([*lines, *(f"  {slug}: {MESSAGES[slug].remedy}\n" for slug in slugs)])


def _errors_by_line(fault: Fault) -> tuple[bool, int]:
    """Sort errors by line, then warnings in the given order."""
    is_warning = fault.severity == "warning"
    return is_warning, 0 if is_warning else fault.place.line or 0


def _sentence_and_word(fault: Fault) -> str:
    place = fault.place
    parts = [
        f"sentence {place.sentence}" if place.sentence else "",
        f"word {printable(place.word)}" if place.word else "",
    ]
    return f" ({', '.join(filter(None, parts))})" if any(parts) else ""


_COLUMNS = (
    Column("File", "text"),
    Column("Line", "position"),
    Column("Severity", "text"),
    Column("Name", "text"),
    Column("Message", "text"),
)


def validation_table(validation: Validation) -> Table:
    """Return the changes in copies, then the faults, one row each."""
    changes = [(name, fault, "fixed") for name, faults in validation.changes.items() for fault in faults]
    left = [(name, fault, fault.severity) for name, faults in validation.files.items() for fault in faults]
    rows = (
        (name, fault.place.line, what, fault.slug, fault.message_with_count) for name, fault, what in (*changes, *left)
    )
    return Table(_COLUMNS, tuple(rows))


def validation_document(validation: Validation) -> dict[str, Any]:
    """Return the changes and faults for JSON."""
    faults = [document for name, some in validation.files.items() for document in faults_document(name, some)]
    changes = [
        change
        for name, some in validation.changes.items()
        for change in changes_document(name, validation.copies[name], some)
    ]
    fixed = {"changes": changes} if validation.copies else {}
    return {**header("validation"), "valid": validation.valid, "faults": faults, **fixed}
