"""Treebanks to Stanza and back, on stand-ins for its classes (see stanza_stand_in)."""

import pytest
from hypothesis import given

import levelhead
from levelhead.interop import from_stanza, to_stanza
from levelhead.treebank import to_conllu
from stanza_stand_in import Document, _stand_in  # noqa: F401 -- a fixture
from strategies import treebanks


def round_trip(text):
    return to_conllu(from_stanza(to_stanza(levelhead.from_conllu(text)))).decode()


@given(treebanks())
def test_a_treebank_comes_back_as_it_was(text):
    assert round_trip(text) == text


HARD = """\
# sent_id = 1
0.1\tz\t_\t_\t_\t_\t_\t_\t1:x\t_
1-2\tdela\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tde\tde\tADP\t_\tb=1|A=2\t3\tcase\t3:case\t_
1.1\t_\t_\t_\t_\t_\t_\t_\t1:y\t_
2\tla\tle\tDET\tD\t_\t3\tdet\t3:det\tGloss=x
3\tmaison\t_\tNOUN\tN\t_\t0\troot\t0:root\tSpaceAfter=No
4\t_\t_\tPUNCT\t_\t_\t3\t_\t3:punct\t_

"""


def test_all_that_conllu_has_comes_back():
    assert round_trip(HARD) == HARD


def test_words_are_as_the_library_makes_them():
    sentence = to_stanza(levelhead.from_conllu(HARD)).sentences[0]
    assert [token.id for token in sentence.tokens] == [(1, 2), (3,), (4,)]
    assert [word.head for word in sentence.words] == [3, 3, 0, 3]
    assert [word.lemma for word in sentence.words] == ["de", "le", None, "_"]  # the last word is an underscore
    assert sentence.empty_words[0].id == (0, 1)
    assert sentence.tokens[1].spaces_after == ""


def test_columns_of_ranges_but_form_and_misc_are_lost():
    text = "1-2\tab\tb\tX\tN\tTypo=Yes\t_\t_\t_\tA=b\n" + HARD[HARD.index("1\tde") :]
    assert round_trip(text).split("\n")[0] == "1-2\tab\t_\t_\t_\t_\t_\t_\t_\tA=b"


def test_what_a_pipeline_gives_is_read():
    entries = [
        {"id": (1,), "text": "Hi", "upos": "INTJ", "head": 0, "deprel": "root", "start_char": 0, "end_char": 2},
        {"id": (2,), "text": "Bo", "head": 1, "deprel": "vocative", "misc": "A=b", "ner": "S-PER"},
    ]
    document = Document([entries], text="Hi\nBo")
    document.sentences[0].tokens[0].spaces_after = "\n"
    assert from_stanza(document)[0].conllu == (
        "1\tHi\t_\tINTJ\t_\t_\t0\troot\t_\tSpacesAfter=\\n|start_char=0|end_char=2\n"
        "2\tBo\t_\t_\t_\t_\t1\tvocative\t_\tA=b|ner=S-PER\n\n"
    )


def test_a_document_that_is_not_parsed_is_refused():
    document = Document([[{"id": (1,), "text": "Hi"}]])
    with pytest.raises(levelhead.ConlluError, match=r"sentence 1: word 1 .*not parsed") as caught:
        from_stanza(document)
    assert caught.value.slug == "invalid-head"


def test_what_is_no_treebank_is_refused():
    document = Document([[{"id": (1,), "text": "Hi", "head": 2, "deprel": "x"}]])
    with pytest.raises(levelhead.ConlluError, match="Stanza: head-outside-sentence: sentence 1: "):
        from_stanza(document)


@pytest.mark.parametrize("item", ["head=3", "id=1", "ner=x|text=b"])
def test_names_that_the_library_takes_for_columns_are_refused(item):
    text = f"1\ta\t_\t_\t_\t_\t0\troot\t_\tA=1|{item}\n\n"
    with pytest.raises(levelhead.InputError, match="sentence 1: word 1: Stanza interprets") as caught:
        to_stanza(levelhead.from_conllu(text))
    assert caught.value.slug == "cannot-hold"


def test_what_the_library_refuses_is_said():
    text = "# sentiment = good\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(levelhead.InputError, match="Stanza refuses the treebank") as caught:
        to_stanza(levelhead.from_conllu(text))
    assert caught.value.slug == "cannot-hold"
