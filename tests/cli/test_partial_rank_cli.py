"""`rank --partial`: both policies and the coverage for every output, also for those without a readable row."""

import csv
import json

import pytest

import levelhead
from conftest import EXAMPLES
from result_rows import rows_in

PARALLEL = EXAMPLES / "parallel"
NOTHING = dict.fromkeys(
    "answered valid_trees aligned with_head extra unreadable forms_matched other_text fits_next fits_previous".split(),
    0,
)


@pytest.fixture
def campaign(folders):
    """One output is missing, one has no rows, one has two sentences that are not trees."""
    (folders / "systems/alpha/en.conllu").unlink()
    (folders / "systems/beta/en.conllu").write_text("I cannot do this.\n")
    return folders / "gold", folders / "systems"


@pytest.mark.usefixtures("two_workers")
@pytest.mark.parametrize("options", [[], ["--jobs", "2"]])
def test_invalid_and_missing_outputs_have_both_scores_and_a_coverage(run, campaign, options):
    code, out, err = run("rank", *campaign, "--partial", "-m", "LAS", "--format", "json", *options)
    assert (code, err.count("\n"), "single-word-range" in err) == (0, 1, True)
    document = json.loads(out)
    gold = levelhead.read(campaign[0] / "en.conllu")
    empty = {"paired_by": None, "sentences": len(gold), "words": gold.n_words, **NOTHING}
    for key, state in {("alpha", "en"): "missing", ("beta", "en"): "invalid"}.items():
        system, treebank = key
        (score,) = rows_in(document, "scores", system=system, treebank=treebank)
        assert (score["state"], score["value_of_valid_trees"]) == (state, 0)
        assert rows_in(document, "coverage", system=system, treebank=treebank) == [
            {"system": system, "treebank": treebank, **empty}
        ]
    assert all(one["value_of_valid_trees"] is not None for one in rows_in(document, "scores"))
    assert len(rows_in(document, "coverage")) == len(rows_in(document, "outputs")) == 24


def test_without_partial_nothing_is_added(run, campaign):
    found = json.loads(run("rank", *campaign, "-m", "LAS", "--format", "json")[1])
    assert rows_in(found, "coverage") == []
    assert all(one["value_of_valid_trees"] is None for name in ("scores", "standings") for one in rows_in(found, name))


def test_a_system_without_any_readable_output_has_both_scores(run, campaign):
    for path in (campaign[1] / "beta").iterdir():
        path.write_text("nothing\n")
    found = json.loads(run("rank", *campaign, "--partial", "-m", "LAS", "--system", "beta", "--format", "json")[1])
    (beta,) = rows_in(found, "standings")
    assert [beta[name] for name in ("value", "value_of_valid_trees", "share_answered", "share_aligned")] == [0] * 4


def test_the_table_of_all_outputs_has_both_scores(run, campaign, tmp_path):
    """`--scores` ranks by it again."""
    document = json.loads(run("rank", *campaign, "--partial", "-m", "LAS,UAS", "--format", "json")[1])
    code, table, _ = run("rank", *campaign, "--partial", "-m", "LAS,UAS", "--by-treebank", "--format", "tsv")
    assert code == 0
    rows = list(csv.DictReader(table.splitlines(), delimiter="\t"))
    for row, expected in zip(rows, rows_in(document, "scores"), strict=True):
        assert {name: row[name] for name in ("system", "treebank", "measure")}.items() <= expected.items()
        for name in ("value", "value_of_valid_trees"):
            assert float(row[name]) == expected[name]
    (gamma,) = rows_in(document, "scores", system="gamma", treebank="tr", measure="LAS")
    assert gamma["value_of_valid_trees"] < gamma["value"]
    (tmp_path / "scores.tsv").write_text(table)
    again = json.loads(run("rank", "--scores", tmp_path / "scores.tsv", "--format", "json")[1])
    for measure in ("LAS", "UAS"):
        assert values_of(again, measure) == pytest.approx(values_of(document, measure))


def test_the_ranking_has_both_averages_of_every_measure(run, campaign):
    out = run("rank", *campaign, "--partial", "-m", "LAS,UAS", "--format", "markdown")[1]
    head = [name.strip() for name in out.splitlines()[0].split("|")]
    assert [name for name in head if "(valid trees)" in name] == ["LAS (valid trees)", "UAS (valid trees)"]
    assert ("Scored outputs" in head, "Valid outputs" in head) == (True, False), "gamma's Turkish trees are not valid"


def test_the_coverage_does_not_depend_on_the_measure(run, campaign):
    """XPOS has no average, since fr has no tags."""
    document = json.loads(run("rank", *campaign, "--partial", "-m", "XPOS,LAS", "--format", "json")[1])
    assert rows_in(document, "undefined") == [{"group": "all", "measure": "XPOS", "treebank": "fr"}]
    for part in ("share_answered", "share_aligned"):
        assert values_of(document, "XPOS", part) == values_of(document, "LAS", part)


def values_of(document, measure, name="value"):
    return {row["system"]: row[name] for row in rows_in(document, "standings", measure=measure)}
