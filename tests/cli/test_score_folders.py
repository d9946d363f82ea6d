"""Options of `score` that were for one pair, with folders: the same numbers as pair by pair."""

import json

import pytest

from conftest import EXAMPLES

PARALLEL = EXAMPLES / "parallel"
CODES = [path.stem for path in sorted((PARALLEL / "gold").iterdir())]


def documents(run, system, *options):
    """The JSON of each pair of files."""
    pairs = ((PARALLEL / "gold" / f"{code}.conllu", PARALLEL / "systems" / system / f"{code}.conllu") for code in CODES)
    return {code: json.loads(run("score", *pair, "--format", "json", *options)[1]) for code, pair in zip(CODES, pairs)}


def test_counts_of_folders_are_those_of_pairs(run):
    options = ("-m", "LAS", "-m", "UAS", "-m", "Words")
    code, out, _ = run("score", PARALLEL / "gold", PARALLEL / "systems/alpha", "--counts", "--format", "tsv", *options)
    assert code == 0
    header, *rows = [line.split("\t") for line in out.splitlines()]
    assert header == ["Treebank", "Metric", "Correct", "Gold", "Predicted", "Aligned"]
    expected = [
        [code, name, *(str(score[field] or "") for field in ("correct", "gold", "system", "aligned"))]
        for code, document in documents(run, "alpha", *options).items()
        for name, score in document["scores"].items()
    ]
    assert rows == expected
    assert len(rows) == 3 * len(CODES)
    text = run("score", PARALLEL / "gold", PARALLEL / "systems/alpha", "--counts", *options)[1]
    assert text.splitlines()[-1].startswith("rules:ud|gold:")


@pytest.mark.parametrize("counts", [[], ["--counts"]])
def test_secondary_scores_of_folders_are_those_of_pairs(run, counts):
    """Also where an output is invalid, whose other sentences can be compared."""
    options = ("-m", "LAS", "--align-sentences")
    folders = ("score", PARALLEL / "gold", PARALLEL / "systems/gamma", *options, *counts)
    code, out, _ = run(*folders, "--format", "json")
    document = json.loads(out)
    expected = documents(run, "gamma", *options)
    assert (code, document["kind"]) == (0, "secondary-scores")
    assert document["treebanks"] == expected
    assert expected["tr"]["coverage"]["invalid"] == 2
    values = [one["scores"]["LAS"]["f1"] for one in expected.values()]
    assert document["macro_average"]["LAS"] == pytest.approx(sum(values) / len(values), abs=1e-9)
    lines = [json.loads(line) for line in run(*folders, "--format", "jsonl")[1].splitlines()]
    assert {line.pop("treebank"): line for line in lines} == expected
    scored, gold = (sum(one["coverage"][field] for one in expected.values()) for field in ("scored", "gold"))
    assert f"secondary score, not an official one: {scored} of {gold} gold sentences" in run(*folders)[1]


def test_secondary_scores_of_folders_report_what_cannot_be_compared(run, folders):
    (folders / "systems/alpha/en.conllu").unlink()
    (folders / "systems/alpha/de.conllu").write_bytes((folders / "systems/alpha/fr.conllu").read_bytes())
    code, out, err = run("score", folders / "gold", folders / "systems/alpha", "--align-sentences", "-m", "LAS")
    assert (code, out) == (2, "")
    assert "no output for 1 of 8 gold treebanks: en" in err
    assert "no sentence has the same text as a gold sentence" in err


def test_gates_hold_for_secondary_scores_of_folders(run):
    folders = (PARALLEL / "gold", PARALLEL / "systems/gamma", "--align-sentences", "-m", "LAS")
    assert run("score", *folders, "--fail-under", "LAS=50")[0] == 0
    assert run("score", *folders, "--fail-under", "LAS=99")[0] == 1


@pytest.mark.parametrize("option", [["--jobs", "2"], ["--store", "s"], ["--split", "test"], ["--cluster", "local"]])
def test_options_for_folders_have_no_effect_on_a_pair(run, tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    pair = (PARALLEL / "gold/en.conllu", PARALLEL / "systems/alpha/en.conllu", "-m", "LAS", "--format", "json")
    assert run("score", *pair, *option) == run("score", *pair)
