"""Parts that all tables and JSON documents share: schemas, signatures and paths."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from levelhead.errors import Fault, InputError, Place

SCHEMA = 2  # the version of the JSON documents' layout

Signature = Mapping[str, str]  # the settings and inputs that determine the numbers, by name

_SHORT, _LONGEST = 8, 60  # digits of hashes, and characters, of short signatures


def check_document(document: Any, path: str | None) -> None:
    """Refuse what is not the JSON document of a result with tables."""
    if not isinstance(document, Mapping) or "schema" not in document:
        reason = f"{'source' if path is None else 'this'} is not the JSON document of a result"
    elif document["schema"] != SCHEMA:
        reason = f"the document has schema {document['schema']!r}; this version of levelhead reads {SCHEMA}"
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
    version = {"const": SCHEMA, "description": "Version of the layout"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:levelhead:schema:{kind}:{SCHEMA}",
        "title": title,
        **object_schema({"schema": version, "kind": {"const": kind}, **properties}),
    }


def path_text(path: str) -> str:
    """Return a path as text for JSON: bytes that are not UTF-8 become replacement characters."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def file_text(place: Place) -> str | None:
    """Return the path of a place's file as text for JSON; None without a file."""
    return None if place.file is None else path_text(place.file)


class FaultInFile(NamedTuple):
    """A fault for which files are rejected, as the row of a table.

    Args:
        slug: the name of the error, as in the list of messages.
        message: what is wrong.
        file: the path of the file; null if there is none.
        line: the line of the first case.
    """

    slug: str
    message: str
    file: str | None
    line: int | None


def fault_in_file(fault: Fault) -> FaultInFile:
    return FaultInFile(fault.slug, fault.message, file_text(fault.place), fault.place.line)


def signature_line(signature: Signature) -> str:
    """Return a signature as one line: `rules:ud|gold:0123abcd|...`."""
    return "|".join(f"{name}:{value}" for name, value in signature.items())


def short_signature(signature: Signature) -> str:
    """Return the main parts of a signature and a hash of all: `ud | gold 0123abcd | id 89efcdab | levelhead 1.0`."""
    digest = hashlib.sha256(signature_line(signature).encode()).hexdigest()
    hashes = {name: text for name, text in signature.items() if re.fullmatch("[0-9a-f]{12}", text)}
    files = [f"{name} {text[:_SHORT]}" for name, text in hashes.items() if not name.endswith("-hash")]
    named = [f"{name} {text}" for name, text in signature.items() if re.fullmatch(r"[\w-]+@\d+\.\d[\d.,-]*", text)]
    rules = [signature["rules"]] if "rules" in signature else []
    files, last = [*named, *files][:1], [f"id {digest[:_SHORT]}", f"levelhead {signature.get('version')}"]
    lines = [" | ".join(parts) for parts in ([*rules, *files, *last], [*files, *last], [*files, last[0]], last)]
    return next((line for line in lines if len(line) <= _LONGEST), lines[-1])
