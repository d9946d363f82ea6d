"""Stanza needs torch, so that these tests use stand-ins of the shape of its Document (version 1.14).

The stand-ins have the attributes, the arguments and the dictionaries of the real classes as far as the converters use
them, and what matters of their ways: ids are numbers for words and tuples for tokens, empty columns are None,
SpaceAfter is moved from MISC to the token. Enhanced edges, a graph in Stanza, are strings here.
"""

import sys
from dataclasses import dataclass, field
from types import ModuleType

import pytest
from hypothesis import given

import levelhead
from levelhead.interop import from_stanza, to_stanza
from levelhead.treebank import to_conllu
from strategies import treebanks

FIELDS = ("id", "text", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
OFFSETS = ("start_char", "end_char", "ner")
SPACES = {"": "SpaceAfter=No", " ": None, "\n": r"SpacesAfter=\n"}


@dataclass
class Unit:
    """What words and tokens share."""

    entry: dict

    def __getattr__(self, name):
        if name in FIELDS or name in OFFSETS:
            return self.entry.get(name)
        raise AttributeError(name)

    def to_dict(self):
        return {name: value for name in (*FIELDS, *OFFSETS) if (value := getattr(self, name)) is not None}


@dataclass
class Word(Unit):
    @property
    def id(self):
        return self.entry["id"][0] if len(self.entry["id"]) == 1 else self.entry["id"]


@dataclass
class Token(Unit):
    words: list = field(default_factory=list)
    spaces_after: str = " "

    def to_dict(self):
        entries = [word.to_dict() for word in self.words]
        entries = [super().to_dict(), *entries] if len(self.id) > 1 else entries
        misc = "|".join(filter(None, (entries[0].get("misc"), SPACES[self.spaces_after])))
        return [entries[0] | ({"misc": misc} if misc else {}), *entries[1:]]


class Sentence:
    def __init__(self, entries, comments, empty):
        self.comments, self.empty_words = comments, [Word(entry) for entry in empty]
        self.tokens, end = [], 0
        for entry in entries:
            if len(entry["id"]) > 1:
                end = entry["id"][1]
                self.tokens.append(Token(entry))
            elif entry["id"][0] <= end:
                self.tokens[-1].words.append(Word(entry))
            else:
                self.tokens.append(Token(entry, [Word(entry)]))
        for token in self.tokens:
            if token.misc == "SpaceAfter=No":
                token.spaces_after = ""
                del token.entry["misc"]

    @property
    def words(self):
        return [word for token in self.tokens for word in token.words]

    def to_dict(self):
        return [entry for token in self.tokens for entry in token.to_dict()]


class Document:
    def __init__(self, sentences, text=None, comments=None, empty_sentences=None):
        if any("# sentiment = good" in lines for lines in comments or ()):
            raise ValueError("Could not process document at sentence 0")
        several = zip(sentences, comments or [[]] * len(sentences), empty_sentences or [[]] * len(sentences))
        self.text, self.sentences = text, [Sentence(*parts) for parts in several]

    def to_dict(self):
        return [sentence.to_dict() for sentence in self.sentences]


@pytest.fixture(scope="module", autouse=True)
def _stand_in():
    modules = {name: ModuleType(name) for name in ("stanza", "stanza.models", "stanza.models.common")}
    modules["stanza.models.common.doc"] = ModuleType("stanza.models.common.doc")
    modules["stanza.models.common.doc"].Document = Document
    with pytest.MonkeyPatch.context() as patch:
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        yield


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
    with pytest.raises(levelhead.InputError, match="sentence 1: word 1: Stanza takes") as caught:
        to_stanza(levelhead.from_conllu(text))
    assert caught.value.slug == "cannot-hold"


def test_what_the_library_refuses_is_said():
    text = "# sentiment = good\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(levelhead.InputError, match="Stanza refuses the treebank") as caught:
        to_stanza(levelhead.from_conllu(text))
    assert caught.value.slug == "cannot-hold"
