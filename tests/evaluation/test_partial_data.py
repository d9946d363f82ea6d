"""Partial scores of real files: outputs of 2018 have their official scores, answers of language models their words."""

import csv
import lzma
from functools import cache
from pathlib import Path

import pytest

import levelhead
from conftest import one_in
from official_2018 import SYSTEMS, official_rows

COLUMNS = ("correct", "gold", "system", "aligned")


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_outputs_of_2018_have_their_official_scores(data: Path, system: str) -> None:
    """All measures, all counts, and both policies: nothing differs in text, and all trees are valid.

    Every other test set of one system.
    """
    for row in one_in(2 * len(SYSTEMS), official_rows(data, system), 2 * SYSTEMS.index(system)):
        if row["status"] == "MISSING":
            continue
        files = (data / "conll18" / folder / f"{row['treebank']}.conllu.xz" for folder in ("gold", f"systems/{system}"))
        found = levelhead.score(*files, rules="conll18", partial=True)
        for scores in (found.scores, found.valid_trees):
            for name, score in scores.items():
                ours = {f"{name}_{column}": repr(getattr(score, column)) for column in COLUMNS}
                assert ours == {key: row[key] for key in ours}, (row["treebank"], name)


def table(path: Path) -> list[dict[str, str]]:
    raw = path.read_bytes()
    text = (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode()
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.slow
def test_recovered_answers_have_at_least_the_heads_of_valid_ones(data: Path, tmp_path: Path) -> None:
    """The right heads and relations of answers that are valid, which `faults.tsv.xz` counts, are in the strict score."""
    folder = data / "llm"
    right: dict[str, int] = {}
    for line in table(folder / "faults.tsv.xz"):
        if line["valid"] not in {"no", ""}:
            right[line["file"]] = right.get(line["file"], 0) + int(line["heads_and_relations_right"])
    read = cache(levelhead.read)
    for entry in one_in(12, [entry for entry in table(folder / "MANIFEST.tsv") if entry["gold"]]):
        gold = read(folder / entry["gold"])
        recovery = levelhead.recover(folder / entry["path"], gold)
        recovery.write(tmp_path / "recovered.conllu")
        found = levelhead.score(gold, tmp_path / "recovered.conllu", measures="LAS", partial=True)
        every, strict = found["LAS"], found.valid_trees["LAS"]
        assert every.gold == every.system == every.aligned == gold.n_words
        assert right.get(entry["path"].removesuffix(".xz"), 0) <= strict.correct <= every.correct
        coverage = found.coverage
        assert coverage is not None
        trees = [one.tree for one in recovery.answers]
        assert (coverage.paired_by, coverage.valid_trees) == ("characters", trees.count("tree"))
        with_head = [heads_of(block) for block in recovery.conllu.decode().split("\n\n")[:-1]]
        assert (coverage.with_head, coverage.answered) == (sum(with_head), sum(map(bool, with_head)))


def heads_of(block: str) -> int:
    """How many words have a head other than themselves."""
    rows = [line.split("\t") for line in block.split("\n") if line[0].isdigit()]
    return sum(row[6] not in {"_", row[0]} for row in rows if "-" not in row[0])


@pytest.mark.slow
def test_answers_in_a_file_of_sentences_are_scored_as_they_are(data: Path) -> None:
    """Without `recover`: rows that can be read count, and sentences are paired by text where ids are missing."""
    entry = next(one for one in table(data / "llm/MANIFEST.tsv") if one["path"].startswith("english/raw"))
    gold = data / "llm" / entry["gold"]
    found = levelhead.score(gold, data / "llm" / entry["path"], measures="LAS", partial=True)
    assert found.coverage is not None
    assert found.coverage.answered > 0.9 * found.coverage.sentences
    assert found["LAS"].f1 > found.valid_trees["LAS"].f1 > 0
