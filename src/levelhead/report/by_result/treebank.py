"""Errors and warnings of files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.report.by_result import View
from levelhead.report.documents import header
from levelhead.report.table import Column, Table
from levelhead.report.validation import changes_document, faults_document, validation_text
from levelhead.treebank.validation import Validation

_COLUMNS = (
    Column("File", "text"),
    Column("Line", "position"),
    Column("Severity", "text"),
    Column("Name", "text"),
    Column("Message", "text"),
)


def _table(validation: Validation) -> Table:
    changes = [(name, fault, "fixed") for name, faults in validation.changes.items() for fault in faults]
    left = [(name, fault, fault.severity) for name, faults in validation.files.items() for fault in faults]
    rows = (
        (name, fault.place.line, what, fault.slug, fault.message_with_count) for name, fault, what in (*changes, *left)
    )
    return Table(_COLUMNS, tuple(rows))


def _document(validation: Validation) -> dict[str, Any]:
    faults = [document for name, some in validation.files.items() for document in faults_document(name, some)]
    changes = [
        change
        for name, some in validation.changes.items()
        for change in changes_document(name, validation.copies[name], some)
    ]
    fixed = {"changes": changes} if validation.copies else {}
    return {**header("validation"), "valid": validation.valid, "faults": faults, **fixed}


def _text(validation: Validation) -> str:
    return validation_text(validation) or "no errors or warnings"


VIEWS: Mapping[type, View] = {Validation: View(_table, _document, text=_text)}
