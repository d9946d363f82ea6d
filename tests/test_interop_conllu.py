"""The library conllu holds every treebank, but for the spacing of comments."""

import pytest
from hypothesis import given

import levelhead
from levelhead.interop import from_conllu_library, to_conllu_library
from levelhead.treebank import to_conllu
from strategies import treebanks
from test_interop_libraries import library

conllu = library("conllu")

HARD = """\
# newdoc
# sent_id = s1
# text = a = b
# sent_id = s2
#
1-2\tx  y\t_\t_\t_\t_\t_\t_\t_\tGloss=a=b|Gloss=c
1\ta  b\ta\tX\t\tNumber=Sing|Number=Plur\t0\troot\t0:root|0:dep\t_
2\tc\t_\t_\t_\tAbbr|Case=_\t1\tdep\t1:a>b:c|1.1:x\tOdd=|=x
2.1\t_\t_\t_\t_\t_\t_\t_\t_\t\u3000

"""


def round_trip(text):
    return to_conllu(from_conllu_library(to_conllu_library(levelhead.parse(text)))).decode()


@given(treebanks())
def test_a_treebank_comes_back_as_it_was(text):
    assert round_trip(text) == text


def test_what_the_library_reads_or_writes_wrongly_comes_back_as_it_was():
    with pytest.raises(conllu.exceptions.ParseException):
        conllu.parse(HARD)  # two spaces are taken for a tab
    single = HARD.replace("  ", " ")
    assert conllu.parse(single)[0].serialize() != single
    assert round_trip(single) == single
    assert round_trip(HARD) == HARD


def test_cells_that_the_library_cannot_read_come_back_as_they_were():
    text = "1-1\tx\t_\t_\t_\t_\thead\t_\t_\t_\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    assert round_trip(text) == text


def test_comments_are_made_uniform():
    word = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    assert round_trip("#text=a\n#b\n# c  \n# c  \n" + word) == "# text = a\n# b\n# c  \n" + word


@given(treebanks())
def test_tokens_are_as_the_library_makes_them(text):
    ours, theirs = to_conllu_library(levelhead.parse(text)), conllu.parse(text)
    for one, other in zip(ours, theirs, strict=True):
        assert [token["id"] for token in one] == [token["id"] for token in other]
        for token, expected in zip(one, other):
            assert all(token[name] == expected[name] for name in ("upos", "xpos", "head", "deprel", "misc"))
            assert isinstance(token["feats"], str) or token["feats"] == expected["feats"]


def test_what_the_library_read_is_read():
    sentences = conllu.parse("# sent_id = 1\n1\tHi\thi\tINTJ\t_\tA=1\t0\troot\t_\tSpaceAfter=No\n\n")
    sentences[0][0]["misc"]["Gloss"] = "x"
    assert from_conllu_library(sentences)[0].conllu == (
        "# sent_id = 1\n1\tHi\thi\tINTJ\t_\tA=1\t0\troot\t_\tSpaceAfter=No|Gloss=x\n\n"
    )


def test_the_order_and_number_of_fields_do_not_matter():
    token = conllu.Token({"deprel": "root", "head": 0, "upostag": "X", "form": "a", "id": 1})
    sentence = conllu.TokenList([token])
    assert sentence.serialize() != "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"  # the library writes them as they come
    assert from_conllu_library([sentence])[0].conllu == "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    token["deps"] = []
    assert from_conllu_library([sentence])[0][0].deps == "_"


@pytest.mark.parametrize(
    ("fields", "slug"),
    [
        ({"form": "a\nb"}, "invalid-columns"),
        ({"form": "a\tb"}, "invalid-columns"),
        ({"feats": {"A": ["1"]}}, "invalid-columns"),
        ({"deps": [("a", 1, 2)]}, "invalid-columns"),
        ({"form": None, "id": 3}, "word-id-sequence"),
        ({"head": 1}, "no-root"),
    ],
)
def test_what_is_no_treebank_is_refused_with_the_sentence(fields, slug):
    token = conllu.Token({"id": 1, "form": "a", "head": 0, "deprel": "root"} | fields)
    good = conllu.TokenList([conllu.Token({"id": 1, "form": "a", "head": 0, "deprel": "root"})])
    with pytest.raises(levelhead.ConlluError, match="sentence 2: ") as caught:
        from_conllu_library([good, conllu.TokenList([token])])
    assert caught.value.slug == slug
    assert "line" not in str(caught.value).replace("line end", "")


def test_sentences_without_words_are_refused():
    for sentences in ([], [conllu.TokenList([])], [conllu.TokenList([], {"a": "b"})]):
        with pytest.raises(levelhead.ConlluError):
            from_conllu_library(sentences)


def test_a_comment_with_a_line_end_is_refused():
    token = conllu.Token({"id": 1, "form": "a", "head": 0, "deprel": "root"})
    with pytest.raises(levelhead.ConlluError, match="line end"):
        from_conllu_library([conllu.TokenList([token], {"text": "a\nb"})])
