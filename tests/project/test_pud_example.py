"""The example of news: its gold is the beginning of PUD, its outputs are those of the page, and one of them is broken."""

import lzma
import re
from pathlib import Path

import pytest

import levelhead
from conftest import ROOT

PUD = ROOT / "examples/pud"
SYSTEMS = ("graph", "swap", "eager")
LANGUAGES = ("en", "fi")
HEAD, DEPREL, DEPS = 6, 7, 8


@pytest.mark.parametrize("language", LANGUAGES)
def test_gold_is_the_beginning_of_the_test_set(language: str, data: Path) -> None:
    with lzma.open(data / f"ud/r2.0-test/{language}_pud-ud-test.conllu.xz", "rb") as source:
        text = source.read()
    gold = (PUD / f"gold/{language}_pud.conllu").read_bytes()
    assert text.startswith(gold)
    assert text[len(gold) :].startswith(b"# newdoc id = ")  # the next document: none is cut
    assert (gold.count(b"\n\n"), gold.count(b"# newdoc id = ")) == (300, 118)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_outputs_differ_from_gold_in_trees_alone(system: str, language: str) -> None:
    gold, output = (
        (PUD / folder / f"{language}_pud.conllu").read_text(encoding="utf-8").splitlines()
        for folder in ("gold", f"systems/{system}")
    )
    assert len(gold) == len(output)
    for before, after in zip(gold, output, strict=True):
        if before != after:
            cells = before.split("\t"), after.split("\t")
            assert all(len(row) == 10 for row in cells)
            assert {n for n in range(10) if cells[0][n] != cells[1][n]} <= {HEAD, DEPREL, DEPS}


def test_scores_are_those_of_the_page() -> None:
    page = (PUD / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `levelhead train [^|]*` \| (.*) \|$", page, re.MULTILINE))
    assert tuple(rows) == SYSTEMS
    for system, row in rows.items():
        found = levelhead.score(PUD / "gold", PUD / "systems" / system, measures="LAS,CLAS", partial=system == "eager")
        scores = [found.treebanks[f"{language}_pud"][name] for language in LANGUAGES for name in ("LAS", "CLAS")]
        assert [f"{float(score):.2f}" for score in scores] == row.split(" | ")


def test_one_sentence_is_broken_and_test_sets_are_parallel(run) -> None:
    broken = PUD / "systems/eager/fi_pud.conllu"
    (fault,) = levelhead.validate(broken).faults
    assert (fault.slug, fault.place.sentence) == ("cycle", 16)
    code, out, said = run("rank", PUD / "gold", PUD / "systems", "-m", "LAS")
    assert code == 0
    assert "eager: 0 on fi_pud" in out + said
    code, out, said = run("compare", PUD / "gold", PUD / "systems/graph", PUD / "systems/swap", "-m", "LAS")
    assert "118 documents, each in 2 languages" in re.sub(r"\s+", " ", out + said)
