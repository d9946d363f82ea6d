"""The JSON Schemas of all JSON documents: a file for each in `schemas`, and common.json with shared definitions."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from levelhead.errors import unknown

_LOCAL = re.compile(r'"#/\$defs/([\w-]+)"')
_WITHIN = "document-"


def schema_names() -> tuple[str, ...]:
    """Return the names of all JSON Schemas: the kinds of JSON documents, and documents without a kind."""
    names = (path.name.removesuffix(".json") for path in files(__package__).joinpath("schemas").iterdir())
    return tuple(sorted(name for name in names if name != "common"))


def json_schema(name: str) -> dict[str, Any]:
    """Return the self-contained JSON Schema (draft 2020-12) of a kind of document.

    Args:
        name: the `kind` of the document, such as "score", or another name of `schema_names`.

    Raises:
        ValueError: the name is unknown.
    """
    if name not in schema_names():
        raise ValueError(unknown("schema", name, schema_names()))
    schema = _read(name)
    definitions = schema.setdefault("$defs", {})
    while missing := {*_LOCAL.findall(json.dumps(schema))} - definitions.keys():
        for definition in sorted(missing):
            if definition.startswith(_WITHIN):  # a document within another document
                document = _read(definition.removeprefix(_WITHIN)).items()
                definitions[definition] = {key: value for key, value in document if not key.startswith("$")}
            else:
                definitions[definition] = _read("common")["$defs"][definition]
    return schema if definitions else {key: value for key, value in schema.items() if key != "$defs"}


def schema_file(name: str) -> dict[str, Any]:
    """Return a schema as its file has it."""
    return dict(json.loads(files(__package__).joinpath("schemas", f"{name}.json").read_text(encoding="utf-8")))


def _read(name: str) -> dict[str, Any]:
    """A schema, with references to other files replaced by references to definitions within the schema."""
    text = json.dumps(schema_file(name)).replace('"common.json#/$defs/', '"#/$defs/')
    return dict(json.loads(re.sub(r'"([a-z-]+)\.json"', rf'"#/$defs/{_WITHIN}\1"', text)))
