"""A measure that compares a column has no value, with the reason, if gold has no values there; officially it has a note."""

import re
from dataclasses import replace

import pytest

import levelhead
from levelhead.errors import InputError
from levelhead.measures import Registry
from levelhead.measures.registry import REGISTRY
from levelhead.measures.user_definitions import read_definitions
from levelhead.scoring import Agree
from levelhead.scoring.measure import Definition
from levelhead.treebank import input_bytes

ROW = "1\t{}\tl\tX\t{}\tCase=Nom\t0\troot\t0:root\t_\n\n"
FULL = "".join(ROW.format(form, "N") for form in "abc")
ALL = "UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX ELAS".split()
USERS = {
    "UPOS": (3, "X", ["UPOS", "AllTags", "MLAS"]),
    "XPOS": (4, "N", ["XPOS", "AllTags"]),
    "FEATS": (5, "Case=Nom", ["UFeats", "AllTags"]),
    "LEMMA": (2, "l", ["Lemmas", "BLEX"]),
    "DEPS": (8, "0:root", ["ELAS"]),
}


def without(column: str) -> str:
    return FULL.replace(f"\t{USERS[column][1]}\t", "\t_\t")


@pytest.fixture(params=["whole", "pieces"])
def score(request, tmp_path, monkeypatch):
    """Score two texts from files."""
    if request.param == "pieces":
        monkeypatch.setattr(input_bytes, "SIZES", replace(input_bytes.SIZES, large=1, piece=1))

    def scored(gold: str, system: str, **how):
        for name, text in (("gold", gold), ("system", system)):
            (tmp_path / name).write_text(text)
        return levelhead.score(tmp_path / "gold", tmp_path / "system", **how)

    return scored


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("column", USERS)
def test_no_value_under_ud(score, column, partial):
    scores = score(without(column), FULL, measures=ALL, partial=partial)
    reasons = {name: each.reason for name, each in scores.items() if each.reason}
    assert reasons == dict.fromkeys(USERS[column][2], f"not annotated in gold: {column}")
    assert all(scores[name].value is None for name in reasons)
    assert not [note for note in scores.provenance.notes if "still score" in note]


@pytest.mark.parametrize("column", USERS)
def test_the_official_number_with_a_note(score, column):
    scores = score(without(column), FULL, measures=ALL, rules="udtools")
    (note,) = [note for note in scores.provenance.notes if "still score" in note]
    assert note.startswith("the gold standard has no ")
    assert note.endswith(f" (column {column}); the rules udtools still score {', '.join(USERS[column][2])}")
    assert all(each.reason is None for each in scores.values())
    assert not score(FULL, FULL, measures=ALL, rules="udtools").provenance.notes


def test_a_column_with_values_anywhere_is_annotated(score):
    """Each tag in another sentence, and so in another piece."""
    gold = ROW.format("a", "N") + ROW.format("b", "_").replace("Case=Nom", "_") + ROW.format("c", "_")
    scores = score(gold, gold, measures=["AllTags"])
    assert scores["AllTags"].value == 100


def test_measures_of_ones_own(score, tmp_path):
    (tmp_path / "own.toml").write_text("[measure.Read]\nneeds = ['xpos', 'head']\n")
    made = Definition("Made", "Tags.", "tags / words", "here", needs=Agree.XPOS)
    other = replace(made, name="Other", needs=Agree(0), columns=("misc",))
    registry = read_definitions(tmp_path / "own.toml", Registry({**REGISTRY, "Made": made, "Other": other}))
    scores = score(without("XPOS"), FULL, measures=["Read", "Made", "Other"], registry=registry)
    reasons = [each.reason for each in scores.values()]
    assert reasons == [*["not annotated in gold: XPOS"] * 2, "not annotated in gold: MISC"]


def test_breakdown_and_agree():
    gold, system = levelhead.from_conllu(without("XPOS")), levelhead.from_conllu(FULL)
    with pytest.raises(InputError, match=re.escape("AllTags: not annotated in gold: XPOS")):
        levelhead.breakdown(gold, system, by="relation", measures="AllTags")
    gold = levelhead.from_conllu(without("LEMMA"))
    for rules in ("ud", "conll18"):
        for pair in ([gold, system], [system, gold]):
            agreement = levelhead.agree(*pair, rules=rules)
            (scores,) = agreement.pairs.values()
            assert scores["LAS"].reason is None
            assert scores["Lemmas"].reason == "not annotated on both sides: LEMMA"
            assert agreement.provenance.signature["rules"] == rules
            assert not [note for note in agreement.provenance.notes if "still score" in note]
