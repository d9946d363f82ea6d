"""Data frames: one row a word."""

import pytest
from hypothesis import given, settings

import levelhead
from conftest import library
from levelhead import ConlluError, InputError
from levelhead.interop import from_frame, to_pandas, to_polars, word_table
from strategies import treebanks

TEXT = """\
# sent_id = s1
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t2:nsubj\t_
2\tva\taller\tVERB\tV\tMood=Ind\t0\troot\t0:root\t_
2.1\tx\t_\t_\t_\t_\t_\t_\t2:dep\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3\tà\tà\tADP\t_\t_\t2\tobl\t_\t_
4\tle\tle\tDET\t_\t_\t3\tdet\t_\t_

1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\tSpaceAfter=No

"""
TABLE = {
    "sentence": [1, 1, 1, 1, 2],
    "sent_id": ["s1", "s1", "s1", "s1", None],
    "word": [1, 2, 3, 4, 1],
    "form": ["Il", "va", "à", "le", "Oui"],
    "lemma": ["il", "aller", "à", "le", "oui"],
    "upos": ["PRON", "VERB", "ADP", "DET", "INTJ"],
    "xpos": ["_", "V", "_", "_", "_"],
    "feats": ["_", "Mood=Ind", "_", "_", "_"],
    "head": [2, 0, 2, 3, 0],
    "deprel": ["nsubj", "root", "obl", "det", "root"],
    "deps": ["2:nsubj", "0:root", "_", "_", "_"],
    "misc": ["_", "_", "_", "_", "SpaceAfter=No"],
    "token": ["Il", "va", "au", "au", "Oui"],
    "range": [None, None, "3-4", "3-4", None],
}


def test_one_row_a_word():
    assert word_table(levelhead.from_conllu(TEXT)) == TABLE


def test_ranges_of_later_sentences_count_from_their_own_start():
    both = levelhead.from_conllu(TEXT + TEXT)
    assert word_table(both)["range"] == TABLE["range"] * 2
    assert word_table(both[2:])["token"] == TABLE["token"]


@given(treebanks())
def test_rows_are_the_words_of_the_file(text):
    table = word_table(levelhead.from_conllu(text))
    rows = [line.split("\t") for line in text.split("\n") if line and line.split("\t")[0].isdecimal()]
    assert {len(column) for column in table.values()} == {len(rows)}
    columns = (table[name] for name in list(TABLE)[2:12])
    assert [list(map(str, row)) for row in zip(*columns)] == rows


def test_polars():
    library("polars")
    frame = to_polars(levelhead.from_conllu(TEXT))
    assert frame.to_dict(as_series=False) == TABLE
    assert {str(frame.schema[name]) for name in ("sentence", "word", "head")} == {"Int64"}
    assert frame.filter(frame["deprel"] == "root").height == 2


def test_pandas():
    pandas = library("pandas")
    frame = to_pandas(levelhead.from_conllu(TEXT))
    assert frame.astype(object).where(frame.notna(), None).to_dict("list") == TABLE
    assert {str(frame.dtypes[name]) for name in ("sentence", "word", "head")} == {"int64"}
    assert isinstance(frame.dtypes["range"], pandas.StringDtype)


@pytest.mark.parametrize("convert", [to_polars, to_pandas])
def test_columns_of_nothing_keep_their_types(convert):
    library(convert.__name__.removeprefix("to_"))
    some, none = (convert(levelhead.from_conllu(TEXT)[part]) for part in (slice(1, 2), slice(0, 0)))
    assert list(map(str, some.dtypes)) == list(map(str, none.dtypes))
    assert none.shape == (0, len(TABLE))


@pytest.mark.parametrize("convert", [to_polars, to_pandas])
@given(text=treebanks())
@settings(max_examples=20, deadline=None)
def test_there_and_back(convert, text) -> None:
    """Everything that a frame has; without comments except sent_id, and without empty nodes."""
    library(convert.__name__.removeprefix("to_"))
    frame = convert(levelhead.from_conllu(text))
    assert word_table(from_frame(frame)) == word_table(levelhead.from_conllu(text))


def test_frames_of_words_can_be_joined_with_those_of_aligned_words() -> None:
    frames = library("polars")
    gold = levelhead.from_conllu(TEXT)
    words = levelhead.words(gold, gold).to_frame(library="polars")
    shared = [name for name in to_polars(gold).columns if name in words.columns]
    assert shared == [*TABLE][:10]
    joined = to_polars(gold).join(words, on=["sentence", "word"], how="inner")
    assert joined.select(*shared).equals(to_polars(gold).select(*shared))
    assert all(joined[name].equals(joined[f"{name}_right"]) for name in shared if name not in {"sentence", "word"})
    assert isinstance(joined, frames.DataFrame)


@pytest.mark.parametrize("library_name", ["polars", "pandas"])
def test_columns_by_other_names(library_name) -> None:
    """As in tables of aligned words; what is not given is empty, and numbers can be floats."""
    frames = library(library_name)
    table = {"sentence": [1.0, 1.0, 2.0], "form": ["a", "b", "c"], "head": [2.0, 0.0, 0.0]}
    table |= {"deprel": ["nsubj:pass", "root", "root"], "relation": ["nsubj", "root", "root"], "other": [None, 1, 2]}
    treebank = from_frame(frames.DataFrame(table))
    assert [sentence.heads for sentence in treebank] == [[2, 0], [0]]
    assert list(treebank.relations) == ["nsubj:pass", "root", "root"]
    assert set(treebank.upos) == {"_"}


def test_wrong_frames() -> None:
    frames = library("polars")
    table = {"sentence": [0, 0], "id": [1, 2], "form": ["a", "b"], "head": [0, 1], "relation": ["root", "dep"]}

    def message(error, **changes) -> str:
        with pytest.raises(error) as caught:
            from_frame(frames.DataFrame({name: one for name, one in (table | changes).items() if one is not None}))
        return str(caught.value)

    assert "no column sentence, deprel or relation; it has id, form, head" in message(
        InputError, sentence=None, relation=None
    )
    assert "sentence 1: word 2 has the id '3': expected 2" in message(ConlluError, id=[1, 3])
    assert "sentence 1: HEAD 7 in a sentence of 2 words" in message(ConlluError, head=[0, 7])
    pandas = library("pandas")
    with pytest.raises(InputError, match="a data frame of words has two columns form"):
        from_frame(pandas.concat([pandas.DataFrame(table), pandas.DataFrame(table)[["form"]]], axis=1))
    two_roots = frames.DataFrame(table | {"head": [0, 0]})
    assert from_frame(two_roots, allow_several_roots=True)[0].heads == [0, 0]
    with pytest.raises(ConlluError, match="an invalid treebank can only be a system's output for partial scores"):
        levelhead.score(from_frame(two_roots, allow_several_roots=True), two_roots)
    with pytest.raises(InputError, match="frame must be a polars or pandas data frame, not a list of str"):
        from_frame(["a"])
