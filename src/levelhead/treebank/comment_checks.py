"""Checks of comments, made in pieces: repeated sentence ids, and `# text` that differs from the forms."""

from __future__ import annotations

import contextlib
import pickle
import re
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, Place, quoted
from levelhead.kernels import pools
from levelhead.treebank.places import place_of_comment
from levelhead.treebank.strings import distinct
from levelhead.treebank.tokens import MISC
from levelhead.treebank.warning_checks import repeated_id

if TYPE_CHECKING:
    from levelhead.treebank.tokens import Comments
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


_IN_MEMORY = 1 << 20

Hashes = NDArray[np.int64]


class _Ids(NamedTuple):
    """The sentence ids of a piece.

    Args:
        names: the ids, each followed by a line feed.
        offsets: where each starts, and the end, int64, shape (ids + 1,).
        hashes: their hashes, int64, shape (ids,).
        lines: the line of each in the file, same type and shape.
        sentences: the sentence of each in the file, same type and shape.
    """

    names: bytes
    offsets: NDArray[np.int64]
    hashes: Hashes
    lines: NDArray[np.int64]
    sentences: NDArray[np.int64]

    def name(self, row: int) -> bytes:
        """Return an id."""
        return self.names[self.offsets[row] : self.offsets[row + 1] - 1]


class SentenceIds:
    """The sentence ids of the pieces of a file, as 64-bit hashes; the ids themselves are in a temporary file."""

    def __init__(self) -> None:
        self._hashes: list[Hashes] = []
        self._records = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 -- closed with this object
        weakref.finalize(self, self._records.close)

    def add(self, piece: Treebank, numbers: Sequence[int]) -> None:
        """Add the ids of a piece."""
        comments = piece.comments
        names, offsets, places = pools.sentence_ids(comments.text)
        if not len(places):
            return
        sentences = np.searchsorted(comments.starts, places, side="right") - 1
        line_ends = np.flatnonzero(np.frombuffer(comments.text, dtype=np.uint8) == ord("\n"))
        below = np.searchsorted(line_ends, comments.starts[sentences + 1]) - np.searchsorted(line_ends, places)
        hashes = pools.hashes(names, offsets)
        self._hashes.append(hashes)
        lines = piece.source.lines[sentences] - below
        pickle.dump(_Ids(names, offsets, hashes, lines, np.asarray(numbers)[sentences]), self._records)

    def repeated(self, path: str | None, most: int = 1) -> list[Fault]:
        """Return the warnings about repeated ids."""
        every = np.concatenate([*self._hashes, np.zeros(0, dtype=np.int64)])
        self._hashes.clear()
        every.sort()
        suspects = np.unique(every[1:][every[1:] == every[:-1]])
        del every
        repeats = self._repeats(suspects) if len(suspects) else iter(())
        found = [repeated_id(name, Place(path, line, number), 1) for name, line, number in islice(repeats, most)]
        left = sum(1 for _ in repeats)
        return [*found[:-1], replace(found[-1], count=1 + left)] if left else found

    def _repeats(self, suspects: Hashes) -> Iterator[tuple[bytes, int, int]]:
        """Read the ids again and yield the repeated ids, whose 64-bit hashes are equal, with line and sentence."""
        again = np.zeros(len(suspects), dtype=np.int64)
        met = np.zeros(len(suspects), dtype=bool)
        others: set[bytes] = set()  # ids that share the first hash with another id, but not the second
        for ids in self._again():
            slots = np.searchsorted(suspects, ids.hashes).clip(max=len(suspects) - 1)
            for row in np.flatnonzero(suspects[slots] == ids.hashes).tolist():
                name, slot = ids.name(row), int(slots[row])
                second = hash(name)
                if not met[slot]:
                    met[slot], again[slot] = True, second
                elif again[slot] == second or name in others:
                    yield name, int(ids.lines[row]), int(ids.sentences[row])
                else:
                    others.add(name)

    def _again(self) -> Iterator[_Ids]:
        self._records.seek(0)
        with contextlib.suppress(EOFError):
            while True:
                yield pickle.load(self._records)  # noqa: S301 -- written above
