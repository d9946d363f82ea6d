"""Stand-ins of the shape of Stanza's Document (version 1.14), since Stanza itself needs torch.

The stand-ins have the attributes, the arguments and the dictionaries of the real classes as far as the converters use
them, and what matters of their ways: ids are numbers for words and tuples for tokens, empty columns are None,
SpaceAfter is moved from MISC to the token. Enhanced edges, a graph in Stanza, are strings here.
"""

import sys
from dataclasses import dataclass, field
from types import ModuleType

import pytest

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
