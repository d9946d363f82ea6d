"""A statistic of compare is one entry: tables, JSON, its schema and the documentation follow from it."""

from pathlib import Path

import pytest

import levelhead
from levelhead.report import json_schema
from levelhead.significance import ComparedScore
from levelhead.significance.differences import STATISTICS

PARALLEL = Path(__file__).parents[2] / "examples/parallel"


@pytest.fixture(scope="module")
def comparison():
    systems = {name: PARALLEL / f"systems/{name}/en.conllu" for name in ("alpha", "beta")}
    return levelhead.compare(PARALLEL / "gold/en.conllu", systems, measures=["LAS"], margin=1.0)


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_is_in_json_its_schema_and_the_documentation(name, comparison):
    assert all(name in row for row in comparison.to_dict()["results"])
    described = json_schema("comparison")["$defs"]["result"]
    assert described["properties"][name]["description"] == STATISTICS[name].about
    assert name in described["required"]
    assert f"\n    {name}: " in ComparedScore.__doc__


@pytest.mark.parametrize("name", [name for name, entry in STATISTICS.items() if entry.column])
def test_columns_of_tables_are_those_of_statistics(name, comparison):
    column = STATISTICS[name].column
    columns = {one.unique_name: one for one in comparison.table().columns}
    shown = name not in {"treebank", "average", "spread"}  # one test set, single outputs
    key = "95% CI" if column.ends else column.unique_name
    assert (key in columns) == shown
    if shown and not column.ends:
        assert columns[key] == column
