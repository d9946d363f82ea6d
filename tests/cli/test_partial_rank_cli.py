"""`rank --partial`: both policies and the coverage for every output, also for those without a readable row."""

import csv
import json

import pytest

import levelhead
from conftest import EXAMPLES

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


@pytest.mark.parametrize("options", [[], ["--jobs", "2"]])
def test_invalid_and_missing_outputs_have_both_scores_and_a_coverage(run, campaign, options):
    code, out, err = run("rank", *campaign, "--partial", "-m", "LAS", "--format", "json", *options)
    assert (code, err) == (0, "")
    results = {(one["system"], one["test_set"]): one for one in json.loads(out)["results"]}
    gold = levelhead.read(campaign[0] / "en.conllu")
    empty = {"paired_by": None, "sentences": len(gold), "words": gold.n_words, **NOTHING}
    for key, state in {("alpha", "en"): "missing", ("beta", "en"): "invalid"}.items():
        assert results[key]["state"] == state
        assert (results[key]["scores_valid_trees"], results[key]["coverage"]) == ({}, empty)
    assert all({"scores_valid_trees", "coverage"} <= one.keys() for one in results.values())


def test_without_partial_nothing_is_added(run, campaign):
    found = json.loads(run("rank", *campaign, "-m", "LAS", "--format", "json")[1])
    assert not any({"scores_valid_trees", "partial_coverage"} & one.keys() for one in found["results"])
    assert "valid_trees" not in found["rankings"][0]["standings"][0]


def test_a_system_without_any_readable_output_has_both_scores(run, campaign):
    for path in (campaign[1] / "beta").iterdir():
        path.write_text("nothing\n")
    found = json.loads(run("rank", *campaign, "--partial", "-m", "LAS", "--system", "beta", "--format", "json")[1])
    (beta,) = found["rankings"][0]["standings"]
    assert (beta["value"], beta["valid_trees"], beta["answered"], beta["aligned"]) == (0, 0, 0, 0)


def test_the_table_of_all_outputs_has_both_scores(run, campaign, tmp_path):
    """Its numbers are those of JSON, and `--scores` ranks by them again."""
    document = json.loads(run("rank", *campaign, "--partial", "-m", "LAS,UAS", "--format", "json")[1])
    code, table, _ = run("rank", *campaign, "--partial", "-m", "LAS,UAS", "--by-treebank", "--format", "tsv")
    assert code == 0
    rows = {(row["System"], row["Treebank"]): row for row in csv.DictReader(table.splitlines(), delimiter="\t")}
    for one in document["results"]:
        row = rows[one["system"], one["test_set"]]
        for measure in ("LAS", "UAS"):
            assert float(row[measure]) == pytest.approx(one["values"][measure])
            strict = one["scores_valid_trees"].get(measure, {"f1": 0})["f1"]
            assert float(row[f"{measure} (valid trees)"]) == pytest.approx(strict)
        assert float(row["Answered sentences"]) == pytest.approx(100 * share(one, "answered", "sentences"))
        assert float(row["Aligned words"]) == pytest.approx(100 * share(one, "aligned", "words"))
    gamma = rows["gamma", "tr"]
    assert float(gamma["LAS (valid trees)"]) < float(gamma["LAS"])
    (tmp_path / "scores.tsv").write_text(table)
    again = json.loads(run("rank", "--scores", tmp_path / "scores.tsv", "--format", "json")[1])
    assert again["measures"] == ["LAS", "LAS (valid trees)", "UAS", "UAS (valid trees)"]
    averages = {one["measure"]: values_of(one) for one in again["rankings"]}
    for ranking in document["rankings"]:
        assert averages[ranking["measure"]] == pytest.approx(values_of(ranking))
        assert averages[f"{ranking['measure']} (valid trees)"] == pytest.approx(values_of(ranking, "valid_trees"))


def test_the_ranking_has_both_averages_of_every_measure(run, campaign):
    out = run("rank", *campaign, "--partial", "-m", "LAS,UAS", "--format", "tsv")[1]
    head = out.splitlines()[0].split("\t")
    assert [name for name in head if "(valid trees)" in name] == ["LAS (valid trees)", "UAS (valid trees)"]


def test_the_coverage_does_not_depend_on_the_measure(run, campaign):
    """XPOS has no average, since fr has no tags."""
    (of_tags, of_arcs) = json.loads(run("rank", *campaign, "--partial", "-m", "XPOS,LAS", "--format", "json")[1])[
        "rankings"
    ]
    assert of_tags["undefined"] == ["fr"]
    for part in ("answered", "aligned"):
        assert values_of(of_tags, part) == values_of(of_arcs, part)


def share(result, part, whole):
    return result["coverage"][part] / result["coverage"][whole]


def values_of(ranking, key="value"):
    return {one["system"]: one[key] for one in ranking["standings"]}
