"""What documents have of their JSON Schemas."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from levelhead.report.json_schemas import schema_file

Key = tuple[int, str]
"""A key and the object of a schema that it is in."""


def raw_schema(name: str) -> dict[str, Any]:
    """Return a schema as its file has it, with references to other files."""
    return schema_file(name)


def faults(schema: dict[str, Any], document: object) -> list[str]:
    """Return how a document differs from a schema."""
    return [f"{one.json_path}: {one.message[-300:]}" for one in Draft202012Validator(schema).iter_errors(document)]


def keys_met(schema: dict[str, Any], whole: dict[str, Any], value: Any) -> Iterator[Key]:
    """Yield the keys of a schema that a document has; those of other files are left out.

    Args:
        schema: the schema, or a part of it.
        whole: the schema as its file has it.
        value: the document, or its part.
    """
    if schema.get("$ref", "").startswith("#/"):
        yield from keys_met(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole, value)
    for one in schema.get("anyOf", ()):
        yield from keys_met(one, whole, value)
    known, other = schema.get("properties", {}), schema.get("additionalProperties")
    if isinstance(value, dict):
        yield from ((id(schema), key) for key in value if key in known)
        parts = ((known.get(key, other), part) for key, part in value.items())
        yield from (key for one, part in parts if isinstance(one, dict) for key in keys_met(one, whole, part))
    elif isinstance(value, list):
        yield from (key for part in value for key in keys_met(schema.get("items", {}), whole, part))


def keys_in(schema: Any) -> Iterator[Key]:
    """Yield all keys of a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield from ((id(schema), key) for key in schema["properties"])
        yield from (found for part in schema.values() for found in keys_in(part))
    elif isinstance(schema, list):
        yield from (found for part in schema for found in keys_in(part))
