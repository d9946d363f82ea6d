"""Faults of files as JSON documents, as text, and as GitHub annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from levelhead.errors import Fault, printable
from levelhead.messages import MESSAGES
from levelhead.report.documents import header, path_text
from levelhead.treebank.validation import Validation


def annotation(fault: Fault) -> str:
    """Return a fault as a workflow command of GitHub Actions, which annotates the line of the file.

    Args:
        fault: the fault.
    """
    place = fault.place
    properties = {"file": place.file or "-", "line": place.line, "title": fault.slug}
    marks = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in properties.items() if value is not None)
    return f"::{fault.severity} {marks}::{_escaped(fault.message)}"


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
    """Return the changes in the copy of a file for JSON, one document per kind of change.

    Args:
        path: the file.
        copy: its copy.
        changes: the changes.
    """
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
    """Return as text the changes in copies, then the faults of the files or of their copies.

    Args:
        validation: the result of the validation.
    """
    fixed = (f"fixed: {change}\n" for changes in validation.changes.values() for change in changes)
    return "".join([*fixed, *map(fault_lines, validation.files.values())])


def fault_lines(faults: Sequence[Fault]) -> str:
    """Return the faults of a file as text: a line for each fault, then a remedy for each kind.

    Args:
        faults: its faults.
    """
    lines = [f"{'warning: ' * (fault.severity == 'warning')}{fault}{_sentence_and_word(fault)}\n" for fault in faults]
    slugs = dict.fromkeys(fault.slug for fault in faults)
    return "".join([*lines, *(f"  {slug}: {MESSAGES[slug].remedy}\n" for slug in slugs)])


def _sentence_and_word(fault: Fault) -> str:
    place = fault.place
    parts = [
        f"sentence {place.sentence}" if place.sentence else "",
        f"word {printable(place.word)}" if place.word else "",
    ]
    return f" ({', '.join(filter(None, parts))})" if any(parts) else ""
