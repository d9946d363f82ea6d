"""Scores of empty nodes: against a second implementation on random and on real files, and laws."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings

import levelhead
from conftest import one_in
from levelhead.evaluation.files import score_files
from levelhead.evaluation.setup import setup_of
from levelhead.treebank.input_bytes import PieceSizes
from oracle.empty_nodes import COMPARED, aligned, published
from oracle.measures import Counted
from strategies import examples, pairs

SMALL_PIECES = PieceSizes(0, 20_000)
FILES = (
    "r2.17/et_edt-ud-test",
    "r2.17/lv_lvtb-ud-dev",
    "r2.18/uk_iu-ud-test",
    "r2.16/en_gum-ud-test",
    "r2.16/fi_tdt-ud-test",
)
SETUP = setup_of([*COMPARED])


def counts(scores: levelhead.Evaluation) -> dict[str, Counted]:
    return {
        name: Counted(one.correct, one.gold, one.system, one.aligned) for name, one in scores.items() if not one.reason
    }


@settings(max_examples=examples(40))
@given(texts=pairs())
def test_random_pairs(texts: tuple[str, str]) -> None:
    """With other tokens and sentences; exchanging both sides changes nothing."""
    gold, system = (levelhead.from_conllu(text.encode()) for text in texts)
    assume(len(gold.empty))
    found = counts(levelhead.score(gold, system, measures=[*COMPARED]))
    assert found == {name: count for name, count in aligned(*texts).items() if name in found}
    assert "EmptyALL" in found
    if len(gold.multiword) or len(system.multiword):  # their words can be aligned differently in the other direction
        return
    exchanged = counts(levelhead.score(system, gold, measures=[*COMPARED]))
    assert [one.correct for name, one in exchanged.items() if name in found] == [
        one.correct for name, one in found.items() if name in exchanged
    ]


@pytest.fixture(scope="module", params=FILES)
def text(data: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The sentences of a real file that have empty nodes, and every tenth other."""
    treebank = levelhead.read(data / f"ud/{request.param}.conllu.xz")
    having = {*treebank.empty.sentence.tolist()}
    chosen = treebank.select([i for i in range(len(treebank)) if i in having or i % 10 == 0])
    path = tmp_path_factory.mktemp("gold") / "gold.conllu"
    levelhead.write(chosen, path)
    return path.read_text(encoding="utf-8")


def damaged(text: str, seed: int) -> str:
    """Remove, move, relabel and add empty nodes."""
    draw = Random(seed)
    return "\n\n".join(damaged_block(block, draw) for block in text.split("\n\n"))


def damaged_block(block: str, draw: Random) -> str:
    rows = [line.split("\t") for line in block.split("\n")]
    words = [row[0] for row in rows if row[0].isdigit()]
    after: dict[str, list[list[str]]] = {}  # the empty nodes after each word
    for number, *cells in filter(is_empty, rows):
        for column in draw.sample(range(5), draw.choice((0, 0, 1, 2))):
            cells[column] = draw.choice(("_", "x"))
        if draw.random() < 0.2:
            cells[7] = f"{draw.choice(['0', *words])}:{draw.choice(('conj', 'nsubj', 'root'))}"
        place = number.partition(".")[0] if draw.random() < 0.7 else draw.choice(["0", *words])
        if draw.random() < 0.9:
            after.setdefault(place, []).append(cells)
    if words and draw.random() < 0.1:
        after.setdefault(draw.choice(words), []).append(["x", *"_" * 6, f"{draw.choice(words)}:dep", "_"])
    result: list[list[str]] = []
    for row in rows:
        if row[0][:1].isdigit() and not any(other[0][:1].isdigit() for other in result):
            result += numbered("0", after)
        if not is_empty(row):
            result.append(row)
        result += numbered(row[0], after) if row[0].isdigit() else []
    ids = {"0", *(row[0] for row in result)}
    for row in filter(is_empty, result):
        row[8] = row[8] if all(edge.partition(":")[0] in ids for edge in row[8].split("|")) else "0:root"
    return "\n".join("\t".join(row) for row in result)


def is_empty(row: list[str]) -> bool:
    return row[0][:1].isdigit() and "." in row[0]


def numbered(word: str, after: dict[str, list[list[str]]]) -> list[list[str]]:
    return [[f"{word}.{minor}", *cells] for minor, cells in enumerate(after.get(word, ()), 1)]


@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_real_files_with_damaged_nodes(text: str, seed: int, tmp_path: Path) -> None:
    """Equal to the published definition, whole and in pieces."""
    system = damaged(text, seed)
    paths = tmp_path / "gold", tmp_path / "system"
    for path, contents in zip(paths, (text, system), strict=True):
        path.write_text(contents, encoding="utf-8")
    expected = published(text, system)
    for sizes in (None, SMALL_PIECES):
        found = counts(score_files(*paths, SETUP, sizes))
        assert found == {name: count for name, count in expected.items() if name in found}
    assert 0 < expected["EmptyALL"].correct < expected["EmptyDEPWO"].correct < expected["EmptyARC"].correct


def test_real_files_against_themselves(text: str) -> None:
    treebank = levelhead.from_conllu(text.encode())
    for score in levelhead.score(treebank, treebank, measures=[*COMPARED]).values():
        assert score.reason or (score.f1, score.gold) == (100, len(treebank.empty))
