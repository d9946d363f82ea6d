"""Parts that all tables and JSON documents share: the first keys, signatures, percentages, paths and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from levelhead.errors import Fault, InputError, Place
from levelhead.tables.table import percentage

if TYPE_CHECKING:
    from fractions import Fraction

SCHEMA = 1  # the version of the JSON documents' layout

RESULT_SCHEMA = 2  # the same for results with tables

Signature = Mapping[str, str]  # the settings and inputs that determine the numbers, by name


def header(kind: str, signature: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the first keys of a document: `schema`, `kind`, and `signature` if there is one."""
    signed = {} if signature is None else {"signature": dict(signature)}
    return {"schema": SCHEMA, "kind": kind, **signed}


def check_document(document: Any, path: str | None) -> None:
    """Refuse what is not the JSON document of a result with tables."""
    if not isinstance(document, Mapping) or "schema" not in document:
        reason = "this is not the JSON document of a result"
    elif document["schema"] != RESULT_SCHEMA:
        reason = f"the document has schema {document['schema']!r}; this version of levelhead reads {RESULT_SCHEMA}"
    elif not _has_tables(document):
        reason = "the document is incomplete or damaged: it has no tables of rows"
    else:
        return
    raise InputError(Fault("invalid-result", reason, Place(path)))


def _has_tables(document: Mapping[str, Any]) -> bool:
    tables = document.get("tables")
    lists = [*tables.values()] if isinstance(tables, Mapping) else [None]
    return all(isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows) for rows in lists)


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object with these properties, all of which it must have."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [*properties],
        "additionalProperties": False,
    }


def document_schema(kind: str, title: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of document, given what it has besides its kind."""
    version = {"const": RESULT_SCHEMA, "description": "Version of the layout"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:levelhead:schema:{kind}:{RESULT_SCHEMA}",
        "title": title,
        **object_schema({"schema": version, "kind": {"const": kind}, **properties}),
    }


def notes_of(notes: Sequence[str]) -> dict[str, list[str]]:
    return {"notes": list(notes)} if notes else {}


def points(ratio: float | Fraction | None) -> float | None:
    return None if ratio is None else percentage(ratio)


def path_text(path: str) -> str:
    """Return a path as text for JSON: bytes that are not UTF-8 become replacement characters."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def signature_line(signature: Signature) -> str:
    """Return a signature as one line: `rules:ud|gold:0123abcd|...`."""
    return "|".join(f"{name}:{value}" for name, value in signature.items())


def signed(signature: Signature) -> tuple[str, ...]:
    """Return the signature as the last note of a table; no note if it is empty."""
    return (signature_line(signature),) if signature else ()
