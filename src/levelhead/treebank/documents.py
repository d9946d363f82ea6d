"""The documents of a treebank: sentences with one id, wherever they stand in the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import count_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank.treebank import Treebank


_MARK = rb"(?m)newdoc(?:(?:[^\S\n]+id|_id)?[^\S\n]*=([^\n]*)|[^\S\n][^\n]*|)$"
_PUD = rb"(?m)sent_id[^\S\n]*=[^\S\n]*([nw]0[1-5]\d{3})\d{3}[^\S\n]*$"


class Documents:
    """Numbers the documents of a treebank that is read in pieces.

    Equal ids (`# newdoc id = X`) are one document; a mark without an id opens a new one. Sentences before the first
    mark are a document. Parallel UD (PUD) has documents even where nothing marks them, since they are in its sentence
    ids: n01001011 is a sentence of n01001.
    """

    def __init__(self) -> None:
        self.marks = 0  # the number of sentences with a mark
        self._numbers: dict[str | int, int] = {}  # of each document by its id; without an id, by its number
        self.last = -1  # the document of the last sentence
        self.starts_unmarked = False  # whether sentences precede the first mark, which are then the document 0

    def add(self, piece: Treebank) -> NDArray[np.int64]:
        """Return the document of each sentence of the next piece, from 0, int64, shape (sentences,)."""
        marks = found_in_comments(_MARK, piece) if b"newdoc" in piece.comments.text else {}
        opened = {} if self.marks else found_in_comments(_PUD, piece)
        if marks:
            first = min(marks)
            opened = {sentence: name for sentence, name in opened.items() if sentence < first} | marks
        if self.last < 0 and len(piece) and 0 not in opened:
            opened = {0: "", **opened}
            self.starts_unmarked = True
        self.marks += len(marks)
        documents = [self.last]
        documents += [
            self._numbers.setdefault(name or len(self._numbers), len(self._numbers)) for name in opened.values()
        ]
        self.last = documents[-1]
        return np.repeat(np.array(documents, dtype=np.int64), np.diff([0, *opened, len(piece)]))

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each document; the N-th document of the file is called #N if it has no id."""
        return tuple(self._label(number) if isinstance(name, int) else name for name, number in self._numbers.items())

    def _label(self, number: int) -> str:
        label = f"#{number + 1}"
        while label in self._numbers:
            label = f"#{label}"
        return label


def found_in_comments(pattern: bytes, piece: Treebank) -> dict[int, str]:
    """The ids in the comments of the sentences that have them, "" for marks without an id."""
    comments, found = piece.comments, dict[int, str]()
    matches = [
        (match.start(), match[1] or b"")
        for match in re.finditer(pattern, comments.text)
        if comments.text[comments.text.rfind(b"\n", 0, match.start()) + 1 : match.start()].strip() == b"#"
    ]
    sentences = np.searchsorted(comments.starts, [place for place, _ in matches], side="right") - 1
    for sentence, (_, name) in zip(sentences.tolist(), matches, strict=True):
        found[sentence] = name.decode().strip() or found.get(sentence, "")
    return found


def marks_text(marks: int, n_documents: int) -> str:
    """Return how marks and documents differ; empty if they do not."""
    if marks > n_documents:
        return f"{count_text(marks)} # newdoc comments mark {count_text(n_documents)} documents"
    if marks == 0 and n_documents > 1:
        return "documents are found by the sentence ids of PUD"
    return "sentences before the first mark (# newdoc) form a document" if 0 < marks < n_documents else ""
