"""Files of morphosyntactic parsing (UniDive 2025), in which only content words are nodes.

They look like CoNLL-U, but function words have neither HEAD nor FEATS (`_`): their grammatical information is in the
FEATS of their content word. A content word without features has a single bar. A line with an ID such as `2.1` that has
a HEAD is an abstract node, for an argument without a word; other lines with such an ID and multiword tokens are
skipped. Blank lines at the end are counted, since the task's official script reads them as sentences. Chains of heads
can have any length; otherwise, files on which the script fails or crashes are refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from levelhead.errors import ConlluError, Fault, Place, add_fault, quoted
from levelhead.treebank.faults import EMPTY
from levelhead.treebank.input_bytes import OnlyWhole, refuse_long_lines, with_line_feeds
from levelhead.treebank.official_reader import LineReader, OfficialReading, RootsRefused, refusal_of_encoding
from levelhead.treebank.pieces import ByteBlocks
from levelhead.treebank.treebank import Treebank
from levelhead.treebank.warning_checks import warnings_of_rows

FUNCTION = frozenset({"", "_"})  # FEATS of a word that is not scored
NO_FEATURES = "|"  # FEATS of a content word without features
_SLUG, _WITHOUT_WORDS = "refused-by-rules", "the sentence that ends here has no words"
_ID, _FORM, _FEATS, _HEAD = 0, 1, 5, 6


class MorphosyntacticReader(LineReader):
    """A reader of a file of morphosyntactic parsing, or of whole sentences of it, line by line."""

    def __init__(self, official: OfficialReading, name: str | None, *, part: bool = False) -> None:
        super().__init__(official, name, part=part)
        self._blank: list[int] = []  # the lines that end the sentences without words after the last sentence
        self._ordinary: list[int] = []  # the words of the sentence that can be heads
        self._lines: list[int] = []  # the line of each word of the sentence

    def _read_token(self, number: int, line: str, following: Iterator[tuple[int, str]]) -> None:  # noqa: ARG002
        cells = self._cells(number, line)
        if "-" in cells[_ID] or ("." in cells[_ID] and cells[_HEAD] == "_"):
            self.skipped.append(len(self.rows))
            return
        if self._blank:
            raise self._refuse(_WITHOUT_WORDS, self._blank[0])
        if not self.official.bare(cells[_FORM]):
            raise self._refuse("the FORM is empty", number)
        if "-" in cells[_HEAD] and _is_negative(cells[_HEAD]):
            raise self._refuse("the HEAD is negative", number)
        if "." not in cells[_ID]:
            self._ordinary.append(len(self.rows))
        self._lines.append(number)
        self.rows.append(cells)

    def _treebank(self) -> Treebank:
        if self._blank and self.part:
            raise OnlyWhole("blank lines follow the last sentence")
        treebank = super()._treebank()
        return replace(treebank, source=replace(treebank.source, n_blank=len(self._blank)))

    def _end_sentence(self, number: int) -> None:
        start, end = self.starts[-1], len(self.rows)
        self._forget_skipped()
        if start == end:
            del self.lines[-1], self.comments[-1]
            self._blank.append(number)
            return
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
        if n_roots > 1 or (n_roots == 0 and end - start >= 3):
            message = f"{n_roots} content words of the sentence that ends here have HEAD 0, instead of one"
            raise self._refuse(message, number, RootsRefused)
        self.starts.append(end)
        self._ordinary.clear()
        self._lines.clear()

    def _head(self, word: int, number: int) -> int:  # noqa: ARG002 -- the line of the word is known
        """The index of the head of a word: of the HEAD-th word whose ID has no dot."""
        line = self._lines[word - self.starts[-1]]
        head = self._int(self.rows[word][_HEAD], "HEAD", line)
        if head > len(self._ordinary):
            message = f"the HEAD {head} points outside of the sentence, which has {len(self._ordinary)} words"
            raise self._refuse(message, line)
        return self._ordinary[head - 1] if head else -1


READING = OfficialReading("msp25", deepest=sys.maxsize, needs_sentences=True, reader=MorphosyntacticReader)
"""The reading of the task's official script, without its limit on chains of heads."""


def _is_negative(text: str) -> bool:
    try:
        return int(text) < 0
    except ValueError:
        return False


def malformed_feature(feats: str) -> str | None:
    """Return the first part of FEATS that is not Name=Value, or None."""
    parts = () if feats == NO_FEATURES else feats.split("|")
    return next((part for part in parts if part.count("=") != 1), None)


class _Faults:
    """The errors and warnings of a file."""

    def __init__(self, name: str | None, most: int) -> None:
        self._name, self._most = name, most
        self._errors: list[Fault] = []
        self._warnings: dict[str, list[Fault]] = {}
        self._blank: list[Fault] = []  # errors, unless words follow
        self._n_lines = self._n_sentences = 0

    def of_blocks(self, blocks: ByteBlocks, size: int) -> tuple[Fault, ...]:
        """Return the faults of the blocks of a file: an unreadable line, otherwise errors and warnings."""
        too_long = not_text = None
        n_bytes = 0
        while not blocks.ended and len(self._errors) <= self._most:
            block = blocks.read(size)
            text = with_line_feeds(block)
            after = self._n_lines + text.count(b"\n")
            try:
                refuse_long_lines(text, self._name, self._n_lines)
                block.decode()
            except ConlluError as error:
                too_long = too_long or error
            except UnicodeDecodeError as error:
                not_text = not_text or refusal_of_encoding(n_bytes + error.start, self._name)
            else:
                whole, end, rest = text.rpartition(b"\n\n")
                for part in (whole + end, rest):  # the rest is perhaps an unfinished sentence
                    after_blank = part.lstrip(b"\n")  # many blank lines can be before and after the sentences
                    sentences = after_blank[: len(after_blank.rstrip(b"\n")) + 2]
                    blank = part[: len(part) - len(after_blank)]
                    for stretch in filter(None, (blank, sentences, after_blank[len(sentences) :])):
                        self._find(stretch)
                        self._n_lines += stretch.count(b"\n")
            self._n_lines = after
            n_bytes += len(block)
        if unreadable := too_long or not_text:
            return unreadable.faults
        message = "the official script reads a sentence without words here"
        for fault in self._blank:
            warning = replace(fault, slug="extra-blank-line", message=message, severity="warning")
            add_fault(self._warnings, "extra-blank-line", warning, self._most)
        errors = self._errors or ([] if self._n_sentences else [EMPTY.in_file(self._name)])
        return (*errors, *chain(*self._warnings.values()))

    def _find(self, text: bytes) -> None:
        """Find the faults of whole sentences, or count blank lines that end no sentence."""
        if not text.strip(b"\n"):
            n_listed = min(len(text), self._most - len(self._blank))
            for line in range(self._n_lines + 1, self._n_lines + n_listed + 1):
                self._blank.append(Fault(_SLUG, _WITHOUT_WORDS, Place(self._name, line)))
            last = self._blank[-1]  # counts the others
            self._blank[-1] = replace(last, count=last.count + len(text) - n_listed)
            return
        finder = _FaultFinder(self._name, self._most - len(self._errors))
        finder.n_lines, finder.n_sentences = self._n_lines, self._n_sentences
        try:
            treebank = finder.read(text)
        except ConlluError as error:
            self._errors += (*self._blank, *finder.faults, *error.faults)
            self._blank = []
            return
        if finder.rows or finder.faults:
            self._errors += self._blank
            self._blank = []
        self._errors += finder.faults
        self._blank += finder.blank_faults()
        codes = treebank.feats.codes
        malformed = {
            code: part
            for code, feats in zip(treebank.feats.distinct.tolist(), treebank.feats.distinct_texts)
            if feats not in FUNCTION and (part := malformed_feature(feats)) is not None
        }
        words = np.flatnonzero(np.isin(codes, list(malformed)))
        message = "in FEATS is not Name=Value: the official script crashes if the word is aligned"
        for warning in warnings_of_rows(
            treebank,
            "invalid-feats",
            words,
            lambda word: f"{quoted(malformed[int(codes[word])])} {message}",
            self._most,
        ):
            place = warning.place
            place = place._replace(file=self._name, sentence=finder.numbers[(place.sentence or 1) - 1])
            add_fault(self._warnings, warning.slug, replace(warning, place=place), self._most)
        self._n_sentences = finder.n_sentences


class _FaultFinder(MorphosyntacticReader):
    """A reader that continues after errors; sentences with errors are dropped."""

    def __init__(self, name: str | None, most: int) -> None:
        super().__init__(READING, name)
        self.faults: list[Fault] = []
        self.n_sentences = 0
        self.numbers: list[int] = []  # of the sentences without errors
        self._broken, self._most = False, most

    def blank_faults(self) -> list[Fault]:
        """Return the errors of the sentences without words after the last sentence, and forget them."""
        faults = [Fault(_SLUG, _WITHOUT_WORDS, Place(self.name, number)) for number in self._blank[: self._most]]
        self._blank.clear()
        return faults

    def _read_token(self, number: int, line: str, following: Iterator[tuple[int, str]]) -> None:
        n_rows, blank, self._blank = len(self.rows), self._blank, []
        try:
            super()._read_token(number, line, following)
        except ConlluError as error:
            self.faults += error.faults
            self._broken = True
        self._blank = blank
        if self._broken or len(self.rows) > n_rows:
            self.faults += self.blank_faults()

    def _end_sentence(self, number: int) -> None:
        if len(self.faults) >= self._most:
            raise ConlluError(Fault("too-many-errors", "the rest of the file is not checked", Place(self.name, number)))
        n_kept = len(self.starts)
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
        is_kept = len(self.starts) > n_kept
        self.n_sentences += self._broken or is_kept  # a sentence without words is none
        if is_kept:
            self.numbers.append(self.n_sentences)
        self._broken = False


def content_faults(parts: Iterator[bytes], name: str | None, size: int, most: int) -> tuple[Fault, ...]:
    """Return all errors of a file of morphosyntactic parsing, of each line or else of its sentence, and warnings."""
    return _Faults(name, most).of_blocks(ByteBlocks(parts, name, spaces=False), size)
