"""Intervals of scores are those of a comparison of one system."""

import json

import pytest

import levelhead
from conftest import EXAMPLES
from json_outputs import ALPHA, GOLD
from levelhead.tables.table import Screen
from levelhead.tables.writers import to_text

PUD = EXAMPLES / "pud"
MEASURES = ["UAS", "LAS", "CLAS.recall"]


def test_they_are_those_of_compare() -> None:
    gold, system = PUD / "gold", PUD / "systems/graph"
    scores = levelhead.score(gold, system, measures=MEASURES, intervals=True)
    comparison = levelhead.compare(gold, system, measures=MEASURES)
    for result in comparison.results:
        if result.average != "micro":
            whole = scores if result.average else scores.treebanks[result.treebank]
            assert whole[result.measure].interval == result.interval
            assert str(whole[result.measure]) == str(result)
    for part in ("level", "resample-by"):
        assert {one.signature[part] for one in (scores, *scores.treebanks.values())} == {
            comparison.provenance.signature[part]
        }
        assert scores["LAS"].signature[part] == comparison.provenance.signature[part]
    assert {comparison.unit_line, *comparison.provenance.notes} <= {*scores.notes}
    assert levelhead.load(scores.to_dict()).tables == scores.tables
    without = levelhead.score(gold, system, measures=MEASURES)
    assert {name: score.value for name, score in without.items()} == {name: s.value for name, s in scores.items()}
    assert {score.interval for score in without.values()} == {None}


def test_measures_without_a_value_have_none() -> None:
    gold, system = PUD / "gold/en_pud.conllu", PUD / "systems/graph/en_pud.conllu"
    scores = levelhead.score(levelhead.read(gold), levelhead.read(system), intervals=True)
    assert [name for name, score in scores.items() if not score.interval] == ["ELAS", "EULAS"]
    (result,) = levelhead.compare(gold, system, measures="LAS").results
    assert scores["LAS"].interval == result.interval


def test_a_narrow_terminal_shows_them_rather_than_other_ratios() -> None:
    table = levelhead.score(GOLD, ALPHA, intervals=True).table()
    head = to_text(table, screen=Screen(60, is_terminal=True)).split("\n")[0]
    assert [cell.strip() for cell in head.split("|")] == ["Metric", "Precision", "F1 Score", "95% CI"]


def test_they_are_shown_next_to_the_scores(run) -> None:
    pair = "score", PUD / "gold/en_pud.conllu", PUD / "systems/graph/en_pud.conllu", "--intervals"
    verdict, _, table = run(*pair)[1].partition("\n\n")
    heads, _, *rows = ([cell.strip() for cell in line.split("|")] for line in table.splitlines()[:16])
    las = next(dict(zip(heads, row, strict=True)) for row in rows if row[0] == "LAS")
    between = las["95% CI"]
    assert verdict.startswith("UAS ")
    assert f", LAS {las['F1 Score']} (95% CI {between}), " in verdict
    assert f"LAS of graph: {las['F1 Score']} (95% CI {between})." in run("compare", *pair[1:3])[1]
    assert "95% CI" not in run(*pair, "--counts", "--quiet")[1].partition("\n\n")[2]
    folders = "score", PUD / "gold", PUD / "systems/graph", "--intervals", "-m", "LAS"
    *_, average, interval = (line for line in run(*folders)[1].splitlines() if "|" in line and ":" not in line)
    assert average.startswith("Macro-average of 2 | ")
    assert interval.startswith("95% CI ")
    document = json.loads(run(*folders, "--format", "json")[1])
    (row,) = document["tables"]["averages"]
    ends = f"{row['low']:.2f}-{row['high']:.2f}"
    assert interval.endswith(f"| {ends}")
    assert f"(95% CI {ends})" in document["verdict"]


@pytest.mark.parametrize("more", [(), ("--partial",)])
def test_few_units_have_none(more, run, tmp_path) -> None:
    pair = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    for path, whole in zip(pair, (GOLD, ALPHA), strict=True):
        path.write_text(whole.read_text(encoding="utf-8").partition("\n\n")[0] + "\n\n", encoding="utf-8")
    text = run("score", *pair, "-m", "LAS", "--intervals", *more)[1]
    assert "95% CI" not in text
    assert "units, so no intervals" in text
