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
    code, out, _ = run("score", PARALLEL / "gold", PARALLEL / "systems/alpha", "--format", "json", *options)
    assert code == 0
    rows = json.loads(out)["tables"]["scores"]
    assert rows == [
        row for document in documents(run, "alpha", *options).values() for row in document["tables"]["scores"]
    ]
    assert len(rows) == 3 * len(CODES)
    text = run("score", PARALLEL / "gold", PARALLEL / "systems/alpha", "--counts", *options)[1]
    assert text.splitlines()[-1].startswith("rules:ud|gold:")


@pytest.mark.parametrize("option", [["--jobs", "2"], ["--store", "s"], ["--split", "test"], ["--cluster", "local"]])
def test_options_for_folders_have_no_effect_on_a_pair(run, tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    pair = (PARALLEL / "gold/en.conllu", PARALLEL / "systems/alpha/en.conllu", "-m", "LAS", "--format", "json")
    assert run("score", *pair, *option) == run("score", *pair)
