"""Rows of the tables of JSON documents."""

from collections.abc import Mapping
from typing import Any


def rows_in(document: Mapping[str, Any], table: str, **values: Any) -> list[dict[str, Any]]:
    """Return the rows of a table that have these values."""
    return [row for row in document["tables"][table] if all(row[name] == value for name, value in values.items())]


def scores_in(document: Mapping[str, Any], treebank: str | None = None) -> dict[str, dict[str, Any]]:
    """Return the rows of scores on a treebank, or on the only one, by measure."""
    return {row["measure"]: row for row in document["tables"]["scores"] if treebank in {None, row["treebank"]}}
