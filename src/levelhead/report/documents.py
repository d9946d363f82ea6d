"""Parts that all JSON documents share: the first keys, percentages, paths, hashes of files and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from levelhead.report.table import percentage

if TYPE_CHECKING:
    from fractions import Fraction

    from levelhead.evaluation.provenance import Provenance

SCHEMA = 1
"""The version of the JSON documents' layout."""


def header(kind: str, signature: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the first keys of a document: `schema`, `kind`, and `signature` if there is one."""
    signed = {} if signature is None else {"signature": dict(signature)}
    return {"schema": SCHEMA, "kind": kind, **signed}


def sources(provenance: Provenance) -> dict[str, Any]:
    """Return the last keys of a document: `files` with their hashes, and `notes` if there are any."""
    return {"files": {name: dict(files) for name, files in provenance.files.items()}, **notes_of(provenance.notes)}


def notes_of(notes: Sequence[str]) -> dict[str, list[str]]:
    """Return the key `notes`; empty without notes."""
    return {"notes": list(notes)} if notes else {}


def points(ratio: float | Fraction | None) -> float | None:
    """Return a ratio as a percentage, and None for None."""
    return None if ratio is None else percentage(ratio)


def path_text(path: str) -> str:
    """Return a path as text for JSON: bytes that are not UTF-8 become replacement characters."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
