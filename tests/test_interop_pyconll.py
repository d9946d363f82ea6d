"""pyconll 3 holds what has no two features or edges of one name; the rest is refused."""

import pytest
from hypothesis import given

import levelhead
from levelhead.interop import from_pyconll, to_pyconll
from levelhead.treebank import to_conllu
from strategies import treebanks
from test_interop_libraries import library

pyconll = library("pyconll")

RANGE = """\
1-2\tx\t_\t_\t_\t_\t_\t_\t_\t_
1\t_\t_\t_\t_\t_\t0\troot\t_\t_
1.1\t_\t_\t_\t_\t_\t_\t_\t_\t_
2\t_\tb\t_\t_\t_\t1\tdep\t_\tx\u3000

"""
WORD = "1\ta\t{lemma}\t_\t_\t{feats}\t0\troot\t{deps}\t{misc}\n\n"


def word(**cells):
    return WORD.format(**({"lemma": "_", "feats": "_", "deps": "_", "misc": "_"} | cells))


def round_trip(text):
    return to_conllu(from_pyconll(to_pyconll(levelhead.parse(text)))).decode()


def held(text):
    """Leave out the second feature or edge of a name, features without value, and edges of many parts."""
    return "\n".join("\t".join(held_cells(line.split("\t"))) for line in text.split("\n"))


def held_cells(cells):
    if len(cells) == 10:
        features = {item.partition("=")[0]: item for item in cells[5].split("|") if "=" in item}
        edges = {item.partition(":")[0]: item for item in cells[8].split("|") if item.count(":") < 5}
        cells[5], cells[8] = ("|".join(items.values()) or "_" for items in (features, edges))
    return cells


@given(treebanks().map(held))
def test_a_treebank_comes_back_as_it_was(text):
    assert round_trip(text) == text


@pytest.mark.parametrize(
    "text",
    [
        word(misc="Z=1|A=2"),  # pyconll itself sorts these when it writes
        word(misc="Entity=b,a|Odd|Gloss=c,a,c", feats="Case=Gen,Acc|Abbr=Yes"),
        word(misc="Gloss=a,A"),
        word(deps="2.1:x|0:a:b:c:d"),
        word(lemma="x\u2028y"),  # pyconll's own reading takes this for a line end
        "# a\n# text = x = y\n# text = z\n#\n" + word(),
        RANGE,
    ],
)
def test_hard_cells_come_back_as_they_were(text):
    assert round_trip(text) == text


def test_tokens_are_as_the_library_makes_them():
    text = word(feats="Case=Acc,Gen", deps="0:root", misc="SpaceAfter=No|Entity=b,a")
    token, theirs = to_pyconll(levelhead.parse(text))[0][0], pyconll.load_from_string(text)[0][0]
    assert token.feats == theirs.feats == {"Case": {"Acc", "Gen"}}
    assert token.deps == theirs.deps
    assert token.misc == {"SpaceAfter": {"No"}, "Entity": {"b,a"}}  # theirs would come back sorted


def test_what_the_library_read_is_read():
    text = "# sent_id = 1\n" + word(feats="B=1|A=2", misc="SpaceAfter=No|Abbr")
    loaded = pyconll.load_from_string(text)
    loaded[0][0].lemma = "b"
    assert from_pyconll(loaded)[0].conllu == text.replace("\ta\t_", "\ta\tb")
    assert to_pyconll(levelhead.parse(text)).conll() == "# sent_id = 1\n" + word(
        feats="A=2|B=1", misc="Abbr|SpaceAfter=No"
    )


@pytest.mark.parametrize(
    "cells",
    [
        {"feats": "Abbr"},
        {"feats": "A="},
        {"feats": "A=1|A=2"},
        {"feats": ""},
        {"misc": "A=1|A=2"},
        {"misc": "A="},
        {"misc": "A||B"},
        {"deps": "0:a|0:b"},
        {"deps": "0:a:b:c:d:e"},
        {"deps": "0"},
        {"deps": "0:"},
    ],
)
def test_what_the_library_cannot_hold_is_refused_with_the_place(cells):
    with pytest.raises(levelhead.InputError, match="sentence 2: word 1: pyconll has no place") as caught:
        to_pyconll(levelhead.parse(word() + word(**cells)))
    assert caught.value.slug == "cannot-hold"
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize(("name", "value"), [("feats", {"A": 1}), ("misc", {"A": {1}}), ("deps", {"0": 5})])
def test_values_of_other_types_are_refused(name, value):
    loaded = pyconll.load_from_string(word())
    setattr(loaded[0][0], name, value)
    with pytest.raises(levelhead.ConlluError, match="sentence 1: a value is of no type"):
        from_pyconll(loaded)


def test_what_is_no_treebank_is_refused():
    loaded = pyconll.load_from_string(word())
    loaded[0][0].head = "7"
    with pytest.raises(levelhead.ConlluError, match="pyconll: head-outside-sentence: sentence 1: "):
        from_pyconll(loaded)
