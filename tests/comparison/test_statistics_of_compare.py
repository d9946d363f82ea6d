"""A statistic of compare is one entry: tables, their columns and the documentation follow from it."""

import re
from pathlib import Path

import pytest

import levelhead
from levelhead.significance import ComparedScore
from levelhead.significance.differences import STATISTICS

PARALLEL = Path(__file__).parents[2] / "examples/parallel"


@pytest.fixture(scope="module")
def comparison():
    systems = {name: PARALLEL / f"systems/{name}/en.conllu" for name in ("alpha", "beta")}
    return levelhead.compare(PARALLEL / "gold/en.conllu", systems, measures=["LAS"], margin=1.0)


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_is_a_column_and_documented(name, comparison):
    abouts = {column.name: column.about for column in levelhead.columns("compare")["results"]}
    own = [
        about for column, about in abouts.items() if re.fullmatch(f"{name.removesuffix('interval')}(low|high)?", column)
    ]
    assert len(own) == (0 if name == "influence" else 2 if name.endswith("interval") else 1)
    assert all(about.startswith(STATISTICS[name].about) for about in own)
    assert list(abouts) == comparison.data("results").names
    assert f"\n    {name}: " in ComparedScore.__doc__


@pytest.mark.parametrize("name", [name for name, entry in STATISTICS.items() if entry.column])
def test_columns_of_tables_are_those_of_statistics(name, comparison):
    column = STATISTICS[name].column
    shown = name not in {"treebank", "average", "spread"}  # one test set, single outputs
    assert (column._replace(name=column.name.format("95%")) in comparison.table().columns) == shown
