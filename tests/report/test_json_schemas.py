"""JSON Schemas are shipped for every kind of JSON document, and say exactly what is printed."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conftest import ROOT
from json_outputs import COMMANDS, arguments_in
from json_schema_keys import faults, keys_in, keys_met, raw_schema
from levelhead.api.results import OF_TASKS, kinds
from levelhead.report import json_schema, schema_names
from levelhead.tables.documents import SCHEMA


def printed(kind: str, folder: Path, run) -> Iterator[dict[str, Any]]:
    """Yield what commands print as JSON."""
    for number, command in enumerate(COMMANDS[kind]):
        made = folder / str(number)
        made.mkdir()
        _, text, error = run(*arguments_in(made, command), "--format", "json")
        assert text, error
        yield json.loads(text)


@pytest.mark.parametrize("kind", COMMANDS)
def test_outputs_are_as_their_schemas_say(kind: str, tmp_path: Path, run) -> None:
    """No key is missing or unknown, and every key of a schema is printed by a command."""
    raw = raw_schema(kind)
    met, n = set(), 0
    for document in printed(kind, tmp_path, run):
        own = document.get("kind", kind)
        assert faults(json_schema(own), document) == []
        if own == kind:
            n += 1
            met |= set(keys_met(raw, raw, document))
    assert n > 0
    assert sorted({key for _, key in set(keys_in(raw)) - met} - {"notes"}) == []


@pytest.mark.parametrize("name", schema_names())
def test_schemas_are_complete_in_themselves(name: str) -> None:
    """Valid, closed, with the number of the documents, and described."""
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    assert re.search(r'\.json[#"]', json.dumps(schema)) is None
    assert schema["$id"] == f"urn:levelhead:schema:{name}:{SCHEMA}"
    assert schema["additionalProperties"] is False
    assert {one["description"] != "" for one in schema["properties"].values() if "description" in one} <= {True}
    assert schema["properties"]["kind"] == {"const": name}
    assert schema["$defs"]["schema"]["const"] == SCHEMA
    assert {"schema", "kind"} <= set(schema["required"])


def test_names_of_definitions_are_unique() -> None:
    """Those of a schema and those that several share have one place in the end."""
    shared = set(raw_schema("common")["$defs"])
    assert {name: both for name in schema_names() if (both := shared & set(raw_schema(name).get("$defs", {})))} == {}


def constants(node: ast.AST) -> set[str]:
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and one.value is not None}


def kinds_in(tree: ast.Module) -> set[str]:
    """Find the kinds of JSON documents that a file of the source makes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"self._rows_document", "header"}:
            found |= constants(node.args[0])
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "kind":
            found |= constants(node.value) & {"schemes", "measures"}
    return found


def test_every_kind_has_a_schema_and_an_output() -> None:
    source = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    found = set().union(*(kinds_in(ast.parse(text)) for text in source if "header(" in text))
    assert found == set(schema_names())
    assert {*COMMANDS} == set(schema_names())


def test_the_command_prints_them(run) -> None:
    code, text, _ = run("schema", "citation")
    assert (code, json.loads(text)) == (0, json_schema("citation"))
    code, text, _ = run("schema")
    assert [line.split()[0] for line in text.splitlines()] == sorted([*schema_names(), *kinds(), *OF_TASKS])
    code, _, error = run("schema", "scroe")
    assert (code, "unknown schema 'scroe': did you mean score?" in error) == (2, True)
    with pytest.raises(ValueError, match="unknown schema 'x'"):
        json_schema("x")
