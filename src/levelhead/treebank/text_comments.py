"""The check that `# text` comments match the forms and `SpaceAfter=No`, made by `validate` but not by scoring."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import Fault, quoted
from levelhead.treebank.parts import MISC
from levelhead.treebank.places import place_of_comment
from levelhead.treebank.strings import distinct

if TYPE_CHECKING:
    from levelhead.treebank.parts import Comments
    from levelhead.treebank.treebank import Treebank

_TEXT = re.compile(rb"^#[ \t]*text[ \t]*=[ \t]*([^\n]*)", re.MULTILINE)
_SHOWN = 20


def text_faults(treebank: Treebank) -> Iterator[Fault]:
    """Yield a warning for each sentence whose `# text` comment differs from the forms, with the first difference.

    Between two forms the text must have any amount of white space, or none after `SpaceAfter=No`. Spaces after the last
    form are ignored. Sentences without the comment are skipped.
    """
    tokens = _SpacedTokens(treebank)
    for sentence, match in _texts(treebank.comments):
        text = match[1].decode().rstrip()
        if text != tokens.text(sentence):
            message = _difference(text, tokens.pairs(sentence))
            if message:
                yield Fault("text-comment", message, place_of_comment(treebank, match.start()), "warning")


def _texts(comments: Comments) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Yield the sentences that have a text, and its first comment."""
    matches = list(_TEXT.finditer(comments.text))
    places = np.array([match.start() for match in matches], dtype=np.int64)
    sentences = np.searchsorted(comments.starts, places, side="right") - 1
    first = np.flatnonzero(np.diff(sentences, prepend=-1))
    return ((int(sentences[row]), matches[row]) for row in first.tolist())


class _SpacedTokens:
    """The surface tokens of sentences, with a space after each that has no `SpaceAfter=No`."""

    def __init__(self, treebank: Treebank) -> None:
        tokens, strings = treebank.tokens, treebank.strings
        misc = treebank.misc.codes[tokens.first]
        misc[tokens.multiword] = treebank.multiword.cells[:, MISC]
        used = distinct(misc, len(strings))
        joined = np.zeros(len(strings), dtype=bool)
        joined[used] = ["SpaceAfter=No" in text.split("|") for text in strings.texts_of(used)]
        self._texts = [*strings.texts, *(f"{text} " for text in strings.texts)]
        self._codes: list[int] = np.where(joined[misc], tokens.forms, tokens.forms + len(strings)).tolist()
        self._n_strings = len(strings)
        self._starts = np.searchsorted(tokens.sentence, np.arange(len(treebank) + 1)).tolist()

    def _of(self, sentence: int) -> list[int]:
        return self._codes[self._starts[sentence] : self._starts[sentence + 1]]

    def text(self, sentence: int) -> str:
        """Return the text of a sentence, if no space is doubled."""
        return "".join(map(self._texts.__getitem__, self._of(sentence))).rstrip()

    def pairs(self, sentence: int) -> list[tuple[str, bool]]:
        """Return the form of each token, and whether a space must follow."""
        return [(self._texts[code % self._n_strings], code >= self._n_strings) for code in self._of(sentence)]


def _difference(text: str, tokens: list[tuple[str, bool]]) -> str | None:
    """Return a description of the first difference from tokens with or without a space after them, or None."""
    at = 0
    for number, (form, space) in enumerate(tokens):
        if not text.startswith(form, at):
            return _message(text, at, quoted(form, _SHOWN))
        at += len(form)
        after = at
        while after < len(text) and text[after].isspace():
            after += 1
        if space and after == at and number < len(tokens) - 1:
            return _message(text, at, f"a space after {quoted(form, _SHOWN)} (no SpaceAfter=No)")
        at = after if space else at
    return None if at == len(text) else _message(text, at, "the end")


def _message(text: str, at: int, expected: str) -> str:
    shown = quoted(text[at:], _SHOWN) if at < len(text) else "the end"
    return f"# text differs from the forms at character {at + 1}: it has {shown}, the forms give {expected}"
