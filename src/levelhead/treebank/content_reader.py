"""Files of morphosyntactic parsing (UniDive 2025), in which only content words are nodes.

They look like CoNLL-U, but function words have neither HEAD nor FEATS (`_`): their grammar is in the FEATS of their
content word. A content word without features has a lone bar. A line with an ID such as `2.1` that has a HEAD is an
abstract node, for an argument without a word of its own; other such lines and multiword tokens are skipped. Chains of
heads may have any length; apart from that, what the program of the task refuses or crashes on is refused.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from levelhead.errors import ConlluError, Fault, quoted
from levelhead.treebank.faults import EMPTY
from levelhead.treebank.input_bytes import refuse_long_lines
from levelhead.treebank.official_reader import (
    CycleRefused,
    LineReader,
    OfficialReading,
    RootsRefused,
    with_line_feeds,
)
from levelhead.treebank.places import place_of
from levelhead.treebank.treebank import Treebank

FUNCTION = frozenset({"", "_"})
"""FEATS of a word that is not scored."""

NO_FEATURES = "|"
"""FEATS of a content word without features."""

READING = OfficialReading("msp25", deepest=sys.maxsize, content=True)
"""How the program of the task reads, without its limit on chains of heads."""

_ID, _FORM, _FEATS, _HEAD = 0, 1, 5, 6
_FEWEST_WITH_ROOT = 3


def read_content(data: bytes, name: str | None = None) -> Treebank:
    """Read a file of morphosyntactic parsing.

    The treebank has a word for each content word, abstract node and function word. Heads of function words are -1.

    Args:
        data: the contents of the file.
        name: what to call it in messages.

    Raises:
        ConlluError: the program of the task refuses the file or crashes on it, or a sentence has no words.
    """
    refuse_long_lines(with_line_feeds(data), name)
    treebank = ContentReader(name).read(data)
    if not len(treebank):
        raise ConlluError(EMPTY.in_file(name))
    return replace(treebank, source=replace(treebank.source, path=name, sha256=hashlib.sha256(data).hexdigest()))


class ContentReader(LineReader):
    """A file of morphosyntactic parsing, or whole sentences of one, read line by line.

    Args:
        name: what to call the file in messages.
    """

    def __init__(self, name: str | None) -> None:
        super().__init__(READING, name)
        self._ordinary: list[int] = []  # the words of the sentence that can be heads
        self._lines: list[int] = []  # the line of each word of the sentence

    def _read_token(self, number: int, line: str, following: Iterator[tuple[int, str]]) -> None:  # noqa: ARG002
        cells = self._cells(number, line)
        if "-" in cells[_ID] or ("." in cells[_ID] and cells[_HEAD] == "_"):
            self.skipped.append(len(self.rows))
            return
        if not self.official.bare(cells[_FORM]):
            raise self._refuse("the FORM is empty", number)
        if "-" in cells[_HEAD] and _is_negative(cells[_HEAD]):
            raise self._refuse("the HEAD is negative", number)
        if "." not in cells[_ID]:
            self._ordinary.append(len(self.rows))
        self._lines.append(number)
        self.rows.append(cells)

    def _end_sentence(self, number: int) -> None:
        start, end = self.starts[-1], len(self.rows)
        if start == end:
            raise self._refuse("the sentence that ends here has no words", number)
        self._forget_skipped()
        self.heads += [-1] * (end - start)
        settled: set[int] = set()
        n_roots = 0
        for word in range(start, end):
            if self.rows[word][_FEATS] in FUNCTION:
                self.heads[word] = -1
                settled.add(word)
            else:
                self._follow(word, settled, number)
                n_roots += self.heads[word] < 0
        if n_roots > 1 or (n_roots == 0 and end - start >= _FEWEST_WITH_ROOT):
            message = f"{n_roots} content words of the sentence that ends here have HEAD 0, instead of one"
            raise self._refuse(message, number, RootsRefused)
        self.starts.append(end)
        self._ordinary.clear()
        self._lines.clear()

    def _follow(self, word: int, settled: set[int], number: int) -> None:
        """Follow the heads from a word up to the root or a word that is settled; function words ahead have heads."""
        met: set[int] = set()
        while word >= 0 and word not in settled:
            if word in met:
                raise self._refuse("there is a cycle in the sentence that ends here", number, CycleRefused)
            met.add(word)
            self.heads[word] = self._head(word, number)
            word = self.heads[word]
        settled |= met

    def _head(self, word: int, number: int) -> int:  # noqa: ARG002 -- the line of the word is known
        """The index of the head of a word: of the HEAD-th word whose ID has no dot."""
        line = self._lines[word - self.starts[-1]]
        head = self._int(self.rows[word][_HEAD], "HEAD", line)
        if head > len(self._ordinary):
            message = f"the HEAD {head} points outside of the sentence, which has {len(self._ordinary)} words"
            raise self._refuse(message, line)
        return self._ordinary[head - 1] if head else -1


def _is_negative(text: str) -> bool:
    try:
        return int(text) < 0
    except ValueError:
        return False


def malformed_feature(feats: str) -> str | None:
    """Return the first part of FEATS that is not Name=Value; None if there is none.

    Args:
        feats: the FEATS of a content word.
    """
    parts = [] if feats == NO_FEATURES else feats.split("|")
    return next((part for part in parts if part.count("=") != 1), None)


def content_faults(data: bytes, name: str | None = None) -> tuple[Fault, ...]:
    """Return all errors of a file of morphosyntactic parsing: of each line, or else of its sentence.

    If there are none, return the warnings.

    Args:
        data: the contents of the file.
        name: what to call it in messages.
    """
    finder = _FaultFinder(name)
    try:
        refuse_long_lines(with_line_feeds(data), name)
        treebank = replace_path(finder.read(data), name)
    except ConlluError as error:
        return (*finder.faults, *error.faults)
    if finder.faults or not len(treebank):
        return tuple(finder.faults) or (EMPTY.in_file(name),)
    return tuple(_warnings(treebank))


def replace_path(treebank: Treebank, name: str | None) -> Treebank:
    """Return a treebank whose words have places in a file of this name.

    Args:
        treebank: the treebank.
        name: the name.
    """
    return replace(treebank, source=replace(treebank.source, path=name))


class _FaultFinder(ContentReader):
    """Reads on behind errors; sentences with one are dropped."""

    def __init__(self, name: str | None) -> None:
        super().__init__(name)
        self.faults: list[Fault] = []
        self._broken = False

    def _read_token(self, number: int, line: str, following: Iterator[tuple[int, str]]) -> None:
        try:
            super()._read_token(number, line, following)
        except ConlluError as error:
            self.faults += error.faults
            self._broken = True

    def _end_sentence(self, number: int) -> None:
        if not self._broken:
            try:
                super()._end_sentence(number)
            except ConlluError as error:
                self.faults += error.faults
                self._broken = True
        if self._broken:
            start = self.starts[-1]
            del self.rows[start:], self.heads[start:], self.lines[-1:], self.comments[-1:]
            self._ordinary.clear()
            self._lines.clear()
            self._broken = False


def _warnings(treebank: Treebank) -> Iterator[Fault]:
    """Warn of features that the program crashes on where their word is aligned."""
    codes = treebank.feats.codes
    malformed = {
        code: part
        for code, feats in zip(treebank.feats.distinct.tolist(), treebank.feats.distinct_texts)
        if feats not in FUNCTION and (part := malformed_feature(feats)) is not None
    }
    words = np.flatnonzero(np.isin(codes, list(malformed)))
    if len(words):
        first = int(words[0])
        message = f"{quoted(malformed[int(codes[first])])} in FEATS is not Name=Value: refused where it is compared"
        yield Fault("invalid-feats", message, place_of(treebank, first), "warning", len(words))
