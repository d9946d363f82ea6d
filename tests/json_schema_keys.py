"""How documents differ from JSON Schemas."""

from typing import Any

from jsonschema import Draft202012Validator


def faults(schema: dict[str, Any], document: object) -> list[str]:
    """Return how a document differs from a schema."""
    return [f"{one.json_path}: {one.message[-300:]}" for one in Draft202012Validator(schema).iter_errors(document)]
