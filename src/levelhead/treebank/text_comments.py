"""The check that `# text` comments match the forms and `SpaceAfter=No`, made by `validate` but not by scoring."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import Fault, quoted
from levelhead.treebank.parts import MISC
from levelhead.treebank.places import place_of_comment
from levelhead.treebank.strings import distinct

if TYPE_CHECKING:
    from levelhead.treebank.treebank import Treebank

_TEXT = re.compile(rb"^#[ \t]*text[ \t]*=[ \t]*([^\n]*)", re.MULTILINE)
_SHOWN = 20

_Piece = tuple[str, str]
"""A form, and the required spaces after it: one or more (" ") or none ("")."""


def text_faults(treebank: Treebank) -> Iterator[Fault]:
    """Return a warning if `# text` comments differ from the forms: the first difference, and the number of sentences.

    Between two forms the text must have any amount of white space, or none after `SpaceAfter=No`. Spaces after the last
    form are ignored. Sentences without the comment are skipped.

    Args:
        treebank: a treebank that was read from a file.
    """
    faults = []
    for sentence, pieces in enumerate(_pieces(treebank)):
        comments = treebank.comments
        match = _TEXT.search(comments.text, int(comments.starts[sentence]), int(comments.starts[sentence + 1]))
        message = _difference(match[1].decode().rstrip(), pieces) if match else None
        if match and message:
            faults.append((match.start(), message))
    if faults:
        at, message = faults[0]
        yield Fault("text-comment", message, place_of_comment(treebank, at), "warning", len(faults))


def _pieces(treebank: Treebank) -> Iterator[list[_Piece]]:
    """Yield the surface tokens of each sentence with the spaces after them."""
    tokens, strings = treebank.tokens, treebank.strings
    misc = treebank.misc.codes[tokens.first]
    misc[tokens.multiword] = treebank.multiword.cells[:, MISC]
    used = distinct(misc, len(strings))
    joined = np.zeros(len(strings), dtype=bool)
    joined[used] = ["SpaceAfter=No" in strings[code].split("|") for code in used.tolist()]
    spaces = ["" if joins else " " for joins in joined[misc].tolist()]
    texts = strings.texts
    every = [(texts[code], space) for code, space in zip(tokens.forms.tolist(), spaces)]
    ends = np.searchsorted(tokens.sentence, np.arange(len(treebank) + 1)).tolist()
    return (every[start:end] for start, end in pairwise(ends))


def _difference(text: str, pieces: list[_Piece]) -> str | None:
    """Return a description of the first difference, or None."""
    if text == "".join(form + space for form, space in pieces).rstrip():
        return None
    at = 0
    for number, (form, space) in enumerate(pieces):
        if not text.startswith(form, at):
            return _message(text, at, quoted(form, _SHOWN))
        at += len(form)
        after = at
        while after < len(text) and text[after].isspace():
            after += 1
        if space and after == at and number < len(pieces) - 1:
            return _message(text, at, f"a space after {quoted(form, _SHOWN)} (no SpaceAfter=No)")
        at = after if space else at
    return None if at == len(text) else _message(text, at, "the end")


def _message(text: str, at: int, expected: str) -> str:
    shown = quoted(text[at:], _SHOWN) if at < len(text) else "the end"
    return f"# text differs from the forms at character {at + 1}: it has {shown}, the forms give {expected}"
