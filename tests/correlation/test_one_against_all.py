"""A single column with all others, and the figures of correlations."""

import re

import pytest

from levelhead.cli.program import run
from levelhead.correlation import read_tables
from levelhead.correlation.correlate import correlate
from levelhead.report.charts.result_charts import coefficient_chart, scatter_chart
from levelhead.tables.table import p_text

TABLE = """treebank\tfamily\tLAS\tsize\tdepth\tsame
cs_pdt-ud-test\tSlavic\t88\t100\t3.1\t1
pl_lfg-ud-test\tSlavic\t90.5\t80\t2.2\t1
de_gsd-ud-test\tGermanic\t83\t900\t3.6\t1
en_ewt-ud-test\tGermanic\t85\t120\t3.0\t1
fr_gsd-ud-test\tRomance\t86\t300\t3.3\t1
tr_imst-ud-test\tTurkic\t70\t50\t2.9\t1
"""


@pytest.fixture
def table(tmp_path, monkeypatch):
    (tmp_path / "table.tsv").write_text(TABLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return read_tables(["table.tsv"])


def test_one_column_against_all_others(table):
    found = correlate(table, ["depth"])
    assert [(pair.x, pair.y) for pair in found.pairs] == [("depth", "LAS"), ("depth", "size")]
    assert "left out: same has the same value in all treebanks" in found.provenance.notes


@pytest.mark.usefixtures("table")
def test_on_the_command_line(tmp_path, capfd):
    figure = tmp_path / "depth.svg"
    command = ["correlate", "table.tsv", "-c", "depth", "--figure", str(figure)]
    assert run([*command, "--format", "tsv", "--method", "pearson", "--method", "spearman"]) == 0
    rows = [line.split("\t")[:4] for line in capfd.readouterr().out.splitlines()[1:]]
    assert rows == [["depth", y, "6", method] for y in ("LAS", "size") for method in ("pearson", "spearman")]
    assert "depth, size" in figure.read_text(encoding="utf-8")
    assert run([*command[:-2], "--matrix", "--method", "pearson", "--quiet"]) == 0
    printed = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed[:3:2]] == ["Pearson", "depth"]


@pytest.mark.usefixtures("table")
def test_a_column_that_does_not_vary_has_no_correlations(capfd):
    assert run(["correlate", "table.tsv", "-c", "same"]) == 2
    assert "'same' has the same value in all treebanks" in capfd.readouterr().err


def test_the_scatter_plot_has_its_statistics_and_line(table):
    result = correlate(table, ["depth", "size"], methods=("pearson",))
    drawn = scatter_chart(table, "depth", "size", family="family", result=result).body
    one = result["depth", "size"].coefficients["pearson"]
    assert f"Pearson r = {one.value:.2f}, p {p_text(one.p)}" in drawn
    assert "n = 6" in drawn
    assert 'class="axis dash"' in drawn
    assert "cs_pdt" in drawn
    assert "-ud-test" not in drawn
    assert {"Slavic", "Germanic", "Romance", "Turkic"} <= set(re.findall(r">(\w+)</text>", drawn))


def test_significant_coefficients_are_marked(table):
    values = table.number("depth")
    related = table.with_difference("depth", "same")  # equal but for a constant
    assert len(values) == 6
    result = correlate(related, ["depth"])
    assert set(result.methods) == {"pearson", "spearman"}  # size is skewed
    body = coefficient_chart(result).body
    assert "depth, diff(depth,same)*" in body
    assert "depth, size<" in body
    assert "Pearson r" in body
    assert "Spearman" in body
