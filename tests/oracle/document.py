"""What a reader hands over: words in reading order, each with the range of characters it stands on."""

import unicodedata
from dataclasses import dataclass, field

RULES = ("conll17", "conll18", "udtools", "ud")

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)

Range = tuple[int, int]
"""First character and the one after the last, counted over the characters of all tokens of the file."""

Edge = tuple[int | None, str]
"""An enhanced edge as its child sees it: the parent's number in the document (None is the root) and the label."""


class Refused(ValueError):
    """The rules do not accept this file; the official scorer stops here, with a message or with a crash."""


@dataclass
class Word:
    """A syntactic word; inside a multiword token its range is that of the whole token.

    `form` is what alignment compares: without spaces in a plain word, as it is written in a multiword token.
    """

    form: str
    span: Range
    in_multiword: bool
    columns: list[str]
    parent: int | None = None
    edges: list[Edge] = field(default_factory=list)

    @property
    def relation(self) -> str:
        """The relation without its language-specific subtype: everything before the first colon."""
        return self.columns[DEPREL].split(":")[0]


@dataclass
class Document:
    """A whole file; `deps_are_broken` is set where only the enhanced graph cannot be read (rules `ud`)."""

    rules: str
    characters: str = ""
    tokens: list[Range] = field(default_factory=list)
    sentences: list[Range] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    deps_are_broken: bool = False
    has_trees: bool = True
    several_roots: bool = False

    def add_token(self, form: str, members: list[list[str]], *, in_multiword: bool) -> None:
        """Append a token and the words it consists of."""
        start = len(self.characters)
        self.characters += form
        span = (start, len(self.characters))
        self.tokens.append(span)
        for columns in members:
            self.words.append(Word(columns[FORM] if in_multiword else form, span, in_multiword, columns))


def without_spaces(form: str, rules: str) -> str:
    """Remove what does not count as text: U+0020 in 2017, all of the Unicode category Zs since 2018."""
    if rules == "conll17":
        return form.replace(" ", "")
    return "".join(character for character in form if unicodedata.category(character) != "Zs")
