"""A function returns what the command of its name prints as JSON, with the same defaults."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import levelhead
from conftest import ROOT
from levelhead.cli.program import cli

pytestmark = pytest.mark.usefixtures("few")

GOLDS, SYSTEMS = Path("gold"), Path("systems")  # in the folder `few`
GOLD, ALPHA, BETA = GOLDS / "en.conllu", SYSTEMS / "alpha" / "en.conllu", SYSTEMS / "beta" / "en.conllu"
TRAIN = ROOT / "examples" / "leakage" / "train.conllu"
TWO = {"alpha": ALPHA, "beta": BETA}
FOLDERS = {"alpha": SYSTEMS / "alpha", "beta": SYSTEMS / "beta"}

CASES: dict[str, tuple[list[object], Callable[[], Any]]] = {
    "score": ([GOLD, ALPHA], lambda: levelhead.score(GOLD, ALPHA)),
    "score of folders": ([GOLDS, SYSTEMS / "alpha"], lambda: levelhead.score(GOLDS, SYSTEMS / "alpha")),
    "score with training": ([GOLD, ALPHA, "--train", TRAIN], lambda: levelhead.score(GOLD, ALPHA, train=[TRAIN])),
    "breakdown": ([GOLD, ALPHA, "--by", "relation"], lambda: levelhead.breakdown(GOLD, ALPHA, by="relation")),
    "breakdown of two": ([GOLD, ALPHA, BETA, "--by", "upos"], lambda: levelhead.breakdown(GOLD, TWO, by="upos")),
    "analyze": ([GOLD, ALPHA], lambda: levelhead.analyze(GOLD, ALPHA)),
    "confusion": ([GOLD, ALPHA], lambda: levelhead.confusion(GOLD, ALPHA)),
    "trees": ([GOLD, ALPHA, BETA], lambda: levelhead.trees(GOLD, TWO)),
    "trees shown": ([GOLD, BETA, "--show", "obl:nmod"], lambda: levelhead.trees(GOLD, BETA, show="obl:nmod")),
    "explain": ([GOLD, ALPHA], lambda: levelhead.explain(GOLD, ALPHA)),
    "compare": ([GOLD, ALPHA, BETA], lambda: levelhead.compare(GOLD, TWO)),
    "compare folders": ([GOLDS, *FOLDERS.values()], lambda: levelhead.compare(GOLDS, FOLDERS)),
    "compare with a gate": (
        [GOLD, BETA, ALPHA, "--fail-if-worse", "MLAS"],
        lambda: levelhead.compare(GOLD, {"beta": BETA, "alpha": ALPHA}, fail_if_worse="MLAS"),
    ),
    "rank": ([GOLDS, SYSTEMS], lambda: levelhead.rank(GOLDS, SYSTEMS)),
    "rank with predictions": (
        [GOLDS, SYSTEMS, "--missing", "adjust"],
        lambda: levelhead.rank(GOLDS, SYSTEMS, missing="adjust"),
    ),
    "rank with tests": (
        [GOLDS, SYSTEMS, "--significance"],
        lambda: levelhead.rank(GOLDS, SYSTEMS, significance=True),
    ),
    "difficulty": ([GOLDS, SYSTEMS], lambda: levelhead.difficulty(GOLDS, SYSTEMS)),
    "languages": ([GOLDS, *FOLDERS.values()], lambda: levelhead.languages(GOLDS, FOLDERS)),
    "languages with training": (
        [GOLDS, *FOLDERS.values(), "--train", TRAIN],
        lambda: levelhead.languages(GOLDS, FOLDERS, train=[TRAIN]),
    ),
    "compare without punctuation": (
        [GOLD, ALPHA, BETA, "--punct", "callin", "--fail-if-worse", "UAS"],
        lambda: levelhead.compare(GOLD, TWO, punct="callin", fail_if_worse="UAS"),
    ),
    "analyze folders": ([GOLDS, SYSTEMS / "alpha"], lambda: levelhead.analyze(GOLDS, SYSTEMS / "alpha")),
    "agree": ([GOLD, ALPHA], lambda: levelhead.agree(GOLD, ALPHA)),
    "diff": ([GOLD, ALPHA], lambda: levelhead.diff(GOLD, ALPHA)),
    "suspects": ([GOLD, ALPHA], lambda: levelhead.suspects(GOLD, [ALPHA])),
    "power": ([], levelhead.power),
    "power of two": ([GOLD, ALPHA, BETA], lambda: levelhead.power(GOLD, TWO)),
    "profile": ([GOLDS], lambda: levelhead.profile(GOLDS)),
    "profile with training": ([GOLDS, "--train", TRAIN], lambda: levelhead.profile(GOLDS, train=[TRAIN])),
    "similarity": ([GOLD, ALPHA], lambda: levelhead.similarity(GOLD, ALPHA)),
    "select": ([GOLDS], lambda: levelhead.select(GOLDS)),
    "derive": ([GOLD], lambda: levelhead.derive(GOLD)),
    "perplexity": ([GOLD, ALPHA], lambda: levelhead.perplexity(GOLD, ALPHA)),
}


@pytest.mark.parametrize("case", CASES)
def test_json_is_that_of_the_function(case: str) -> None:
    arguments, function = CASES[case]
    done = CliRunner().invoke(cli, [case.split(maxsplit=1)[0], *map(str, arguments), "--format", "json"])
    assert done.exception is None, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(function().to_dict()))


def test_all_sentences_are_listed_and_the_first_are_drawn() -> None:
    found = levelhead.trees(GOLD, TWO)
    losses = [row for row in found.to_dict()["tables"]["sentences"] if row["more_correct"] < 0]
    n = len(losses)
    assert n == len(found.table().rows) > 5
    first = found.text(5)
    assert f"largest losses of beta against alpha: {n} sentences" in first
    assert f"... {n - 5} more (--limit 0)" in first
    assert f"... {n - 5} more" not in str(found)
    done = CliRunner().invoke(cli, ["trees", *map(str, (GOLD, ALPHA, BETA)), "--limit", "5"])
    assert done.stdout == first


def test_files_that_are_not_used_are_in_the_provenance(tmp_path: Path) -> None:
    for name, path in (("gold/en.conllu", GOLD), ("a/en.conllu", ALPHA), ("a/fr.conllu", BETA)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(path.read_bytes())
    found = levelhead.confusion(tmp_path / "gold", tmp_path / "a").provenance.about_files
    done = CliRunner().invoke(cli, ["confusion", str(tmp_path / "gold"), str(tmp_path / "a")])
    assert [message[:50] for message in found] == ["warning: 1 file with no matching gold treebank (ig"]
    assert done.stderr.splitlines() == list(found)
