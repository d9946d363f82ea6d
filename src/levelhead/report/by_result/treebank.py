"""Errors and warnings of files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.report.by_result import View
from levelhead.report.documents import header
from levelhead.report.table import Column, Table
from levelhead.report.validation import fault_lines, faults_document
from levelhead.treebank.validation import Validation

_COLUMNS = (
    Column("File", "text"),
    Column("Line", "number"),
    Column("Severity", "text"),
    Column("Name", "text"),
    Column("Message", "text"),
)


def _table(found: Validation) -> Table:
    rows = (
        (name, fault.place.line, fault.severity, fault.slug, fault.message)
        for name, faults in found.files.items()
        for fault in faults
    )
    return Table(_COLUMNS, tuple(rows))


def _document(found: Validation) -> dict[str, Any]:
    faults = [document for name, some in found.files.items() for document in faults_document(name, some)]
    return {**header("validation"), "valid": found.valid, "faults": faults}


def _text(found: Validation) -> str:
    return "".join(map(fault_lines, found.files.values())) or "no errors or warnings"


VIEWS: Mapping[type, View] = {Validation: View(_table, _document, text=_text)}
