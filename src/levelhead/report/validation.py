"""Faults of files as JSON documents, as text, and as GitHub annotations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from levelhead.errors import Fault, add_fault, printable
from levelhead.messages import MESSAGES
from levelhead.report.documents import header, path_text
from levelhead.treebank.validation import Validation

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
