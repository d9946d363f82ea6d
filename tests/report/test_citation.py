"""What a paper cites: the source of every measure and test, in BibTeX that can be read."""

import re

import pytest

import levelhead
from conftest import ROOT
from levelhead.measures.registry import STANDARD
from levelhead.report.citation import citation, references

EXAMPLES = ROOT / "examples" / "parallel"
GOLD, ALPHA = EXAMPLES / "gold" / "en.conllu", EXAMPLES / "systems" / "alpha" / "en.conllu"
BETA = EXAMPLES / "systems" / "beta" / "en.conllu"


def _keys(bibtex: str) -> list[str]:
    return re.findall(r"^@[a-z]+\{([^,]+),$", bibtex, re.MULTILINE)


def test_every_measure_has_a_paper() -> None:
    cited = {topic for one in references().values() for topic in one["cites"]}
    assert set(STANDARD.measures) <= cited


@pytest.mark.parametrize("key", references())
def test_every_entry_is_complete(key: str) -> None:
    paper = references()[key]
    required = {"inproceedings": {"booktitle", "year"}, "article": {"journal", "year", "volume"}}
    assert {"title", "author", *required.get(paper["type"], set())} <= set(paper)
    assert all(str(value).count("{") == str(value).count("}") for value in paper.values())


def test_what_is_cited_has_an_entry() -> None:
    systems = {"alpha": ALPHA, "beta": BETA, "same": ALPHA}
    found = citation(levelhead.compare(GOLD, systems, measures=["LAS", "CLAS", "LAS@CORE"]))
    cited = {key for keys in re.findall(r"\\citep\{([^}]+)\}", found.latex) for key in keys.split(",")}
    assert cited == set(_keys(found.bibtex))
    assert {
        "zeman-etal-2017-conll",
        "nivre-fang-2017-universal",
        "hall-1992-removal",
        "sidak-1967-rectangular",
    } <= cited
    assert "20 sentences" in found.methods
    assert "LAS (Zeman et al., 2017), CLAS (Nivre and Fang, 2017)" in found.methods


def test_each_kind_of_result() -> None:
    assert "Confidence" not in levelhead.cite(levelhead.score(GOLD, ALPHA)).methods
    folder = levelhead.score(EXAMPLES / "gold", EXAMPLES / "systems" / "alpha")
    assert levelhead.cite(folder).methods == levelhead.cite(levelhead.score(GOLD, ALPHA)).methods
    ranked = levelhead.rank(EXAMPLES / "gold", EXAMPLES / "systems", significance=True)
    assert "Piepho, 2004" in levelhead.cite(ranked).methods
    assert levelhead.cite(ranked).methods.startswith("We report LAS (Zeman et al., 2017), MLAS and BLEX")


def test_classes_cite_their_schemes() -> None:
    found = levelhead.cite(levelhead.score(GOLD, ALPHA, measures=["UAS", "LAS@callin:CONTENT", "LAS-FUN-PUNCT"]))
    assert "LAS@callin:CONTENT (Zeman et al., 2017; Callin, n.d.)" in found.methods
    assert "LAS-FUN-PUNCT (Zeman et al., 2017; Nivre and Fang, 2017)" in found.methods
