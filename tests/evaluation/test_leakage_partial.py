"""Leakage with partial scores: the text of the output differs, or its trees are broken."""

import csv
import json
import random
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES
from oracle import leakage as oracle
from result_rows import rows_in

PARALLEL = EXAMPLES / "parallel"
TRAIN = EXAMPLES / "leakage/train.conllu"
FOLDERS = PARALLEL / "gold", PARALLEL / "systems/gamma"
GOLD, ALPHA = PARALLEL / "gold/en.conllu", PARALLEL / "systems/alpha/en.conllu"
MEASURES = ["LAS", "UAS", "CLAS", "UPOS", "LEM", "Sentences"]


def blocks_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").strip("\n").split("\n\n")


def write(path: Path, blocks: list[str]) -> Path:
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    return path


def damaged(seed: int) -> list[str]:
    """Alpha with gold's ids: sentences with another word, a cycle, a missing row, or as they were."""
    draw = random.Random(seed)
    found = []
    for gold, block in zip(blocks_of(GOLD), blocks_of(ALPHA), strict=True):
        lines = [gold.split("\n")[0], *(line for line in block.split("\n") if not line.startswith("#"))]
        kind = draw.choice(["as it was", "other word", "cycle", "missing row"])
        cells = lines[-1].split("\t")
        if kind == "missing row":
            lines.pop()
        elif kind != "as it was":
            cells[1 if kind == "other word" else 6] = "other" if kind == "other word" else cells[0]
            lines[-1] = "\t".join(cells)
        found.append("\n".join(lines))
    return found


def seen_by(train: Path) -> list[list[bool]]:
    words, heads = oracle.seen(GOLD.read_text(encoding="utf-8"), [train.read_text(encoding="utf-8")])
    return [words, heads, [one or other for one, other in zip(words, heads, strict=True)]]


def test_outputs_that_are_valid_have_the_same_leakage() -> None:
    ours, theirs = (
        levelhead.score(GOLD, ALPHA, measures=MEASURES, train=[TRAIN], partial=partial) for partial in (True, False)
    )
    for one, other in zip(ours.leakage.occurring, theirs.leakage.occurring, strict=True):
        assert (one.same, one.sentences, one.words) == (other.same, other.sentences, other.words)
        for name in MEASURES:
            assert one.rest[name].value == pytest.approx(other.rest[name].value), name


@pytest.mark.parametrize("seed", range(4))
def test_the_rest_is_scored_as_a_treebank_of_the_rest(seed: int, tmp_path: Path) -> None:
    system = damaged(seed)
    found = levelhead.score(
        GOLD, write(tmp_path / "all.conllu", system), measures=MEASURES, train=[TRAIN], partial=True
    )
    assert found.coverage.valid_trees < 20
    for one, seen in zip(found.leakage.occurring, seen_by(TRAIN), strict=True):
        assert 0 < one.sentences == sum(seen) < 20
        sides = [
            [block for block, own in zip(side, seen, strict=True) if not own] for side in (blocks_of(GOLD), system)
        ]
        paths = [write(tmp_path / name, side) for name, side in zip(("g.conllu", "s.conllu"), sides, strict=True)]
        rest = levelhead.score(*paths, measures=MEASURES, partial=True)
        for name in MEASURES:
            ours, due = one.rest[name], rest[name]
            assert (ours.correct, ours.gold, ours.system) == (due.correct, due.gold, due.system), name


def test_scores_do_not_change_and_the_signature_names_the_training_files(tmp_path: Path) -> None:
    system = write(tmp_path / "s.conllu", damaged(0))
    plain = levelhead.score(GOLD, system, measures=MEASURES, partial=True)
    found = levelhead.score(GOLD, system, measures=MEASURES, train=[TRAIN], partial=True)
    assert {name: one.value for name, one in plain.items()} == {name: one.value for name, one in found.items()}
    for scores in (found, found.valid_trees):
        assert scores["LAS"].signature["train"] == found.leakage.train
    assert plain.leakage is None


@pytest.mark.parametrize("more", [{}, {"jobs": 2}, {"store": "store.sqlite"}])
def test_folders(more: dict, tmp_path: Path) -> None:
    if "store" in more:
        more = {"store": tmp_path / more["store"]}
    how = {"measures": ["LAS", "CLAS"], "train": [TRAIN], "partial": True}
    for _ in range(1 + ("store" in more)):
        found = levelhead.score(*FOLDERS, **how, **more)
        assert len(found.treebanks) == 8
        for code, one in found.treebanks.items():
            alone = levelhead.score(*(folder / f"{code}.conllu" for folder in FOLDERS), **how)
            assert one.leakage == alone.leakage
            assert one.coverage == alone.coverage


def test_the_command(run) -> None:
    arguments = ("score", *FOLDERS, "-m", "LAS", "--train", TRAIN, "--partial")
    code, out, _ = run(*arguments, "--format", "tsv")
    english = next(row for row in csv.DictReader(out.splitlines(), delimiter="\t") if row["treebank"] == "en")
    assert (code, round(float(english["value_on_new"]), 2)) == (0, 86.89)
    document = json.loads(run(*arguments, "--format", "json")[1])
    shares = {row["same"]: row["share_of_sentences"] for row in rows_in(document, "leakage", treebank="en")}
    assert (shares["words"], shares["heads"]) == (10, 30)
    rest = [row["value_on_new"] for row in document["tables"]["scores"]]
    assert document["tables"]["averages"][0]["value_on_new"] == pytest.approx(sum(rest) / 8)
    pair = [folder / "tr.conllu" for folder in FOLDERS]
    text = run("score", *pair, "-m", "LAS", "--train", TRAIN, "--partial")[1]
    assert "of 20 sentences, 0 (0.00%) have the same words as a training sentence" in text
