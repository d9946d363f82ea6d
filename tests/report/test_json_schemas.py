"""JSON Schemas are shipped for every kind of JSON document, and say exactly what is printed."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import levelhead
from conftest import EXAMPLES, ROOT
from json_outputs import COMMANDS, arguments_in
from json_schema_keys import faults, keys_in, keys_met, raw_schema
from levelhead.api.results import kinds
from levelhead.report import json_schema, schema_names
from levelhead.tables.documents import SCHEMA

WITH_LINES = {"ranking"}
"""The kinds whose lines are tested, too: of others, the only line is the document."""

IN_PYTHON = {
    "measurements": lambda: levelhead.measurements(EXAMPLES / "genera.csv"),
}

ONLY_IN_TASKS = {"ranking": "left_out"}
"""Keys that the same document has in a shared task."""

OF_TASKS = {"task", "leaderboard", "submissions", "submission", "team-submission", "exported-submission"}
"""Documents of shared tasks: tests/task/test_task_schemas.py."""


def printed(kind: str, folder: Path, run) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield what commands print as JSON, with whether it is a line of JSON lines."""
    for number, command in enumerate(COMMANDS[kind]):
        for output_format in ("json", "jsonl") if kind in WITH_LINES else ("json",):
            made = folder / f"{number}{output_format}"
            made.mkdir()
            _, text, error = run(*arguments_in(made, command), "--format", output_format)
            assert text, error
            found = text.splitlines() if output_format == "jsonl" else [text]
            yield from ((json.loads(one), output_format == "jsonl") for one in found)


@pytest.mark.parametrize("kind", COMMANDS)
def test_outputs_are_as_their_schemas_say(kind: str, tmp_path: Path, run) -> None:
    """No key is missing or unknown, and every key of a schema is printed by a command."""
    raw = raw_schema(kind)
    met, n = set(), 0
    for document, is_line in printed(kind, tmp_path, run):
        own = document.get("kind", kind)
        schema = json_schema(own)
        part = schema.get("$defs", {}).get("line") if is_line else None
        assert faults(schema if part is None else {**part, "$defs": schema["$defs"]}, document) == []
        if own == kind:
            n += 1
            met |= set(keys_met(raw if part is None else raw["$defs"]["line"], raw, document))
    assert n > 0
    raw["properties"].pop(ONLY_IN_TASKS.get(kind), None)
    assert sorted({key for _, key in set(keys_in(raw)) - met} - {"notes"}) == []


@pytest.mark.parametrize("kind", IN_PYTHON)
def test_documents_in_python_are_as_their_schemas_say(kind: str) -> None:
    document = json.loads(json.dumps(IN_PYTHON[kind]().to_dict()))
    assert document["kind"] == kind
    assert faults(json_schema(kind), document) == []
    raw = raw_schema(kind)
    assert sorted(key for place, key in set(keys_in(raw)) - set(keys_met(raw, raw, document))) == []


@pytest.mark.parametrize("name", schema_names())
def test_schemas_are_complete_in_themselves(name: str) -> None:
    """Valid, closed, with the number of the documents, and described."""
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    assert re.search(r'\.json[#"]', json.dumps(schema)) is None
    assert schema["$id"] == f"urn:levelhead:schema:{name}:{SCHEMA}"
    assert schema["additionalProperties"] is False
    assert {one["description"] != "" for one in schema["properties"].values() if "description" in one} <= {True}
    if name not in {"team-submission", "exported-submission"}:
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
    assert found | {"team-submission", "exported-submission"} == set(schema_names())
    assert {*COMMANDS, *IN_PYTHON, *OF_TASKS} == set(schema_names())


def test_the_command_prints_them(run) -> None:
    code, text, _ = run("schema", "citation")
    assert (code, json.loads(text)) == (0, json_schema("citation"))
    code, text, _ = run("schema")
    assert [line.split()[0] for line in text.splitlines()] == sorted([*schema_names(), *kinds()])
    code, _, error = run("schema", "scroe")
    assert (code, "unknown schema 'scroe': did you mean score?" in error) == (2, True)
    with pytest.raises(ValueError, match="unknown schema 'x'"):
        json_schema("x")
