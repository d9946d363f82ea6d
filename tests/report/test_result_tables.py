"""Every result: its tables in JSON, TSV, JSON Lines and data frames have the documented columns, and load again."""

import csv
import io
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import levelhead
from conftest import library, one_in
from json_outputs import ALPHA, GOLD, OF_RESULTS, OF_TASKS, PARALLEL, arguments_in
from json_schema_keys import faults
from levelhead.api.results import json_schema, kinds
from levelhead.errors import InputError
from levelhead.studies.study import Claim, Study, StudySection
from levelhead.tables.data import DataColumn, DataTable
from levelhead.tables.frames import frame_of
from levelhead.tables.table import Column, Table
from levelhead.tables.writers import data_to_tsv, json_lines

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
COMMANDS = [(kind, number) for kind, commands in OF_RESULTS.items() for number in range(len(commands))]
WITHOUT_VERDICT = {
    "cite", "columns", "contrasts", "convert", "cumulative-variance", "derive", "doctor", "examples", "measures", "rarefy",
    "schemes", "sentences", "testsets", "words",
}  # fmt: skip
NOT_PRINTED_AS_TABLES = {"cite"}  # commands whose text is for papers
UNITS = {"", "percent", "points", "probability", "bits", "seconds", "words", "arcs", "dependents", "gaps"}


def value_in(text: str, column: DataColumn) -> Any:
    """Read a cell of a TSV file."""
    if text == "":
        return None
    read = {"text": str, "integer": int, "number": float, "boolean": {"true": True, "false": False}.__getitem__}
    return read[column.type](text)


def same(one: Any, other: Any) -> bool:
    return one == other or (one in {"", None} and other in {"", None})


@pytest.fixture(scope="module")
def documents() -> dict[str, list[dict[str, Any]]]:
    """The documents that were printed, by kind."""
    return {}


@pytest.mark.parametrize(("kind", "number"), COMMANDS)
def test_tables_in_every_format(kind: str, number: int, documents, few: Path, tmp_path: Path, run) -> None:
    """The document is as its schema says; it loads; TSV and JSON Lines of each table have its rows.

    The first command of each kind prints JSON Lines; the others, and every other of these, one table as TSV, by turns.
    """
    arguments = arguments_in(tmp_path, OF_RESULTS[kind][number])
    if kind != "profile":  # whose verdict needs more treebanks
        arguments = [one.replace(str(PARALLEL), str(few)) for one in arguments]
    _, text, error = run(*arguments, "--format", "json")
    assert text, error
    document = json.loads(text)
    documents.setdefault(kind, []).append(document)
    assert faults(json_schema(kind), document) == []
    is_pair = kind == "score" and GOLD in OF_RESULTS[kind][number]
    assert bool(document["verdict"]) == (kind not in WITHOUT_VERDICT and not is_pair)
    loaded = levelhead.load(document)
    assert loaded.to_dict() == document
    assert pickle.loads(pickle.dumps(loaded)) == loaded == levelhead.load(document)
    names = list(loaded.tables) if number or one_in(2, [kind], list(OF_RESULTS).index(kind)) else []
    printed = one_in(len(loaded.tables), names, number)
    for name, table in loaded.tables.items():
        text = data_to_tsv(table)
        if name in printed:
            _, out, error = run(*arguments, "--format", "tsv", "--table", name)
            if kind in NOT_PRINTED_AS_TABLES:
                assert "requires --format text, latex or json, not tsv" in error
            else:
                assert out == text, error
        head, *rows = csv.reader(io.StringIO(text), delimiter="\t")
        assert head == table.names
        assert [len(row) for row in rows] == [len(head)] * len(table.rows)
        for row, expected in zip(rows, table.rows, strict=True):
            assert all(map(same, map(value_in, row, table.columns), expected))
    if one_in(len(COMMANDS), [kind], number):
        _, text, _ = run(*arguments, "--format", "jsonl")
        if kind in NOT_PRINTED_AS_TABLES:
            text = "".join(json_lines(next(iter(loaded.tables.values()))))
        assert [json.loads(line) for line in text.splitlines()] == next(iter(document["tables"].values()))


def test_a_study_is_a_result() -> None:
    """Its command has no TSV, since tables of sections differ in their columns."""
    table = Table((Column("c"), Column("name", "text")), ((50.0, "x"),))
    sections = (StudySection("A", ("b",), table), StudySection("B"))
    study = Study("s", "T", "P", ("setting",), sections, (Claim("c", "p", "holds", "e"),), {})
    document = json.loads(json.dumps(study.to_dict()))
    assert faults(json_schema("reproduce"), document) == []
    assert levelhead.load(document).to_dict() == document
    assert [row["text"] for row in document["tables"]["cells"]] == ["50.00", "x"]
    assert document["verdict"] == "Of 1 claim, 1 holds."
    assert document["tables"]["studies"] == [{"study": "s", "title": "T", "source": "P"}]


@pytest.mark.parametrize("kind", kinds())
def test_columns_are_documented(kind: str, documents) -> None:
    """Each has a name in snake_case, a description and a known unit, and a value in some output."""
    layouts = levelhead.columns(kind)
    Draft202012Validator.check_schema(json_schema(kind))
    for table, columns in layouts.items():
        assert NAME.fullmatch(table)
        for column in columns:
            assert column.is_pattern or NAME.fullmatch(column.name), (table, column.name)
            assert column.about, (table, column.name)
            assert column.unit in UNITS, (table, column)
    if len(documents.get(kind, ())) == len(OF_RESULTS.get(kind, "?")):  # all tests ran in this process
        for table in set(layouts) - set(OF_TASKS.get(kind, ())):
            assert any(document["tables"][table] for document in documents[kind]), table


@pytest.mark.parametrize("name", ["polars", "pandas"])
def test_frames_have_the_types_of_columns(name: str) -> None:
    library(name)
    columns = (DataColumn("a", "text", "A"), DataColumn("b", "integer", "B", optional=True),
               DataColumn("c", "number", "C", optional=True), DataColumn("d", "boolean", "D"))  # fmt: skip
    frame = frame_of(DataTable(columns, [("x", 1, 0.5, True), ("y", None, None, False)]), name)
    types = {"polars": ["String", "Int64", "Float64", "Boolean"], "pandas": ["string", "Int64", "float64", "bool"]}
    assert [str(frame[column].dtype) for column in "abcd"] == types[name]
    empty = frame_of(DataTable(columns, []), name)
    assert [str(empty[column].dtype) for column in "abcd"] == types[name]


def test_texts_are_read_back_exactly(tmp_path: Path) -> None:
    """By pandas: quotes, tabs, line breaks, formulas and apostrophes."""
    pandas = library("pandas")
    texts = ['"', 'a"b', "a\tb", "a\nb", "a\r\nb", "=1+1", "+x", "'x", "''", " x ", "#", "\\", "NA", "null"]
    table = DataTable(
        (DataColumn("form", "text", "Form"), DataColumn("n", "integer", "N")), list(zip(texts, range(99), strict=False))
    )
    path = tmp_path / "table.tsv"
    path.write_bytes(data_to_tsv(table).encode())
    read = pandas.read_csv(path, sep="\t", keep_default_na=False)
    assert list(read["form"]) == texts
    assert list(read["n"]) == list(range(len(texts)))


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    document = levelhead.score(GOLD, ALPHA, measures="LAS").to_dict()
    (row,) = document["tables"]["scores"]
    for cell in ({"f1": "high"}, {"f1": [1]}, {"gold": True}, {"correct": "1"}, {"treebank": None}):
        with pytest.raises(InputError, match=f"damaged: the column {next(iter(cell))} has a value of the type"):
            levelhead.load(document | {"tables": document["tables"] | {"scores": [row | cell]}})
    for wrong, message in (
        (document | {"kind": "words"}, "damaged: it has no words"),
        (document | {"verdict": 5}, "damaged: its verdict is not a text"),
        (document | {"provenance": None}, "damaged: its provenance is malformed"),
        (document | {"provenance": document["provenance"] | {"signature": [1]}}, "damaged: its provenance"),
        ({}, "not the JSON document of a result"),
        (document | {"schema": 1}, "schema 1"),
        (document | {"tables": {}}, "incomplete or damaged"),
        (document | {"kind": "scroe"}, "did you mean score"),
    ):
        with pytest.raises(InputError, match=message):
            levelhead.load(wrong)
    for text in ("{", "[" * 100_000, '{"schema": NaN}'):
        (tmp_path / "x.json").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"x\.json: invalid-result: this is not JSON"):
            levelhead.load(tmp_path / "x.json")
    with pytest.raises(InputError, match=r"^\S*no-such\.json: unreadable-file"):
        levelhead.load(tmp_path / "no-such.json")
    with pytest.raises(AttributeError, match="needs the files"):
        _ = levelhead.load(document).scores
    with pytest.raises(InputError, match="unknown table 'scoers': did you mean scores"):
        levelhead.load(document).data("scoers")
    with pytest.raises(InputError, match="not a loaded score, which has only tables: compute the result again"):
        levelhead.cite(levelhead.load(document))  # type: ignore[arg-type]


def test_schemas_are_closed() -> None:
    document = levelhead.score(GOLD, ALPHA, measures="LAS").to_dict()
    schema = json_schema("score")
    assert faults(schema, document) == []
    assert "'new' was unexpected" in faults(schema, {**document, "new": 1})[0]
    document["tables"]["scores"][0].pop("f1")
    assert faults(schema, document) == ["$.tables.scores[0]: 'f1' is a required property"]
