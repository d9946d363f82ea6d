"""CoNLL-U as the official scorers read it, including the files on which they crash (which are refused).

Their reading is more lenient than levelhead's in some points (any number that Python's int accepts, unchecked ids
inside multiword tokens, empty relations) and stricter in others (a byte order mark, a second blank line, a missing
final blank line). Valid files go through the scanner; only other files are read line by line here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from levelhead.errors import ConlluError, Fault, InputError, MalformedDeps, Place, quoted
from levelhead.immutable import immutable
from levelhead.kernels.pools import is_utf8
from levelhead.treebank.faults import EMPTY
from levelhead.treebank.input_bytes import OnlyWhole, refuse_long_lines, sha256_of, with_line_feeds
from levelhead.treebank.pieces import AT_ONCE, Lines, Pieces, line_numbers
from levelhead.treebank.scanner import scan_treebank
from levelhead.treebank.strings import ANY_SPACE, PLAIN_SPACE, StringColumn, Strings
from levelhead.treebank.tokens import COLUMNS, Comments, EmptyNodes, MultiwordTokens, Source
from levelhead.treebank.treebank import Treebank

_EMPTY_NODE = rb"(?m)^(?!#)(?:[^\t\n]*\.[^\t\n]*\t|" + 8 * rb"[^\t\n]*\t" + rb"(?:[^\t\n]*\|)?[^\t\n:]*\.[^\t\n:]*:)"
"""Finds a line with a dot in its ID or in the head of an edge."""


@immutable
class OfficialReading:
    """The reading of an official scorer, by the name of its rules."""

    name: str
    deepest: int = 994  # the longest chain of heads before its recursion fails, measured with CPython 3.11
    empty_inside: bool = False  # empty nodes inside a multiword token are skipped (otherwise they count as words)
    negative_inside: bool = False  # negative heads inside a multiword token count back from the last word read
    unicode_spaces: bool = True  # all space separators are removed from forms (otherwise only U+0020)
    deps: bool = False  # it parses DEPS, and crashes on malformed DEPS
    several_roots: bool = False  # an option of udtools
    empty_nodes: bool = True  # empty nodes and edges from them are skipped (otherwise refused; an option of udtools)
    needs_sentences: bool = False
    reader: type[LineReader] | None = None  # reads all its files line by line, if they are not CoNLL-U

    def bare(self, form: str) -> str:
        return form.translate(ANY_SPACE if self.unicode_spaces else PLAIN_SPACE)


SCORERS = {
    scorer.name: scorer
    for scorer in (
        OfficialReading("conll17", negative_inside=True, unicode_spaces=False),
        OfficialReading("conll18"),
        OfficialReading("udtools", empty_inside=True, deps=True),
    )
}
"""All official scorers by name."""


def read_officially(data: bytes, official: OfficialReading, name: str | None = None) -> Treebank:
    text = with_line_feeds(data)
    refuse_long_lines(text, name)
    if not official.empty_nodes and (match := re.search(_EMPTY_NODE, text)):
        line = text.count(b"\n", 0, match.end()) + 1
        raise _refusal("the file has empty nodes, or edges from them", Place(name, line))
    treebank = _read_text(text, data, official, name)
    if official.needs_sentences and not len(treebank):
        raise ConlluError(EMPTY.in_file(name))
    check_depth(treebank, official, name)
    if official.deps:
        check_deps(treebank, name)
    return replace(treebank, source=replace(treebank.source, path=name, sha256=sha256_of(data)))


def _read_text(
    text: bytes, original: bytes, official: OfficialReading, name: str | None, *, part: bool = False
) -> Treebank:
    """Scan a text with line feeds, or read the original text line by line, in which positions are reported."""
    treebank = None if official.reader else scan_treebank(text, several_roots=official.several_roots)
    if treebank is not None:
        multiword, positions = treebank.multiword, treebank.empty.position
        ends = np.append(multiword.first + multiword.n_words, 0)  # nothing is inside the range before the first
        inside = positions < ends[np.searchsorted(multiword.first, positions) - 1]
        if official.empty_inside or not inside.any():
            return treebank
    return (official.reader or LineReader)(official, name, part=part).read(original)


def check_depth(treebank: Treebank, official: OfficialReading, name: str | None, before: int = 0) -> None:
    """Refuse chains of heads that are too deep for the scorer's recursion."""
    for sentence in np.flatnonzero(np.diff(treebank.sentence_starts) >= official.deepest).tolist():
        start, end = treebank.sentence_starts[sentence : sentence + 2].tolist()
        heads: list[int] = treebank.heads[start:end].tolist()
        done = [False] * len(heads)
        for word in range(start, end):  # each word is followed once
            at, depth = word, 1
            while start <= at < end and not done[at - start] and heads[at - start] >= 0:
                done[at - start] = True
                at = heads[at - start]
                depth += 1
            if depth > official.deepest:
                raise _refusal(f"the tree of sentence {before + sentence + 1} is too deep", Place(name), Crash)


def refusal_of_encoding(at: int, name: str | None) -> ConlluError:
    return _refusal(f"the scorer crashes on byte {at}, which is not UTF-8", Place(name), Crash)


class CycleRefused(ConlluError):
    """An official scorer refuses a file because the heads form a cycle."""


class RootsRefused(ConlluError):
    """An official scorer refuses a file because a sentence does not have exactly one root."""


class Crash(ConlluError):
    """An official scorer crashes on a file, which counts as refused."""


_COUNTS_BACK = "a negative head points back to another sentence"


def _refusal(message: str, place: Place, kind: type[ConlluError] = ConlluError) -> ConlluError:
    return kind(Fault("refused-by-rules", message, place))


def check_deps(treebank: Treebank, name: str | None, *, part: bool = False) -> None:
    """Refuse the DEPS on which the scorer crashes: no colon, or a head that is not a number or outside the sentence."""
    from levelhead.treebank.enhanced_graph import between_words, official_parents, read_graph

    try:
        edges = between_words(read_graph(treebank, strict=False).of_words)
        if part and bool((edges.number < 0).any()):
            raise OnlyWhole(_COUNTS_BACK)
        official_parents(treebank, edges)
    except MalformedDeps as error:
        raise _refusal(f"the scorer crashes on DEPS: {error}", Place(name), Crash) from error


class LineReader:
    """A reader that reads a file, or whole sentences of it, line by line as the scorer does."""

    def __init__(self, official: OfficialReading, name: str | None, *, part: bool = False) -> None:
        self.official, self.name = official, name
        self.part = part  # of a file, whose earlier lines are unknown
        self.rows: list[list[str]] = []
        self.heads: list[int] = []
        self.starts = [0]
        self.n_lines = 0  # of the file before the part
        self.lines: list[int] = []
        self.comments: list[bytes] = []
        self.multiword: list[tuple[int, int, int, list[str]]] = []
        self.skipped: list[int] = []

    def read(self, data: bytes) -> Treebank:
        """Read a file line by line; a line between sentences is a comment if it begins with "#"."""
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise refusal_of_encoding(error.start, self.name) from error
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        numbered = iter(enumerate(lines if lines[-1] else lines[:-1], self.n_lines + 1))
        inside, above = False, ""
        for number, line in numbered:
            if not inside and line.startswith("#"):
                above += line + "\n"
                continue
            if not inside:
                self.lines.append(number)
                self.comments.append(above.encode())
                above = ""
            if line:
                self._read_token(number, line, numbered)
            else:
                self._end_sentence(number)
            inside = bool(line)
        if inside:
            raise self._refuse("the file does not end with a blank line", self.n_lines + len(lines))
        return self._treebank()

    def _refuse(self, message: str, line: int | None, kind: type[ConlluError] = ConlluError) -> ConlluError:
        return _refusal(message, Place(self.name, line), kind)

    def _cells(self, number: int, line: str) -> list[str]:
        cells = line.split("\t")
        if len(cells) != 10:
            raise self._refuse(f"{len(cells)} column{'s' * (len(cells) != 1)} instead of 10", number)
        return cells

    def _int(self, text: str, column: str, number: int) -> int:
        try:
            return int(text)
        except ValueError as error:
            raise self._refuse(f"the {column} {quoted(text)} is not a number", number) from error

    def _read_token(self, number: int, line: str, following: Iterator[tuple[int, str]]) -> None:
        cells = self._cells(number, line)
        if "." in cells[0]:
            self.skipped.append(len(self.rows))
            return
        if not self.official.bare(cells[1]):
            raise self._refuse("the FORM is empty", number)
        if "-" in cells[0]:
            self._read_multiword(number, cells, following)
            return
        expected = len(self.rows) - self.starts[-1] + 1
        if self._int(cells[0], "ID", number) != expected:
            raise self._refuse(f"the ID is {quoted(cells[0])}, expected {expected}", number)
        if self._int(cells[6], "HEAD", number) < 0:
            raise self._refuse("the HEAD is negative", number)
        self.rows.append(cells)

    def _read_multiword(self, number: int, cells: list[str], following: Iterator[tuple[int, str]]) -> None:
        ends = cells[0].split("-")
        if len(ends) != 2:
            raise self._refuse(f"the ID {quoted(cells[0])} is not a range", number)
        first, last = (self._int(end, "ID", number) for end in ends)
        n_words = max(0, last - first + 1)
        self.multiword.append((len(self.rows), len(self.starts) - 1, n_words, cells[1:]))
        wanted = len(self.rows) + n_words
        while len(self.rows) < wanted:
            number, line = next(following, (number, ""))
            row = self._cells(number, line)
            if self.official.empty_inside and "." in row[0]:
                self.skipped.append(len(self.rows))
            else:
                self.rows.append(row)

    def _end_sentence(self, number: int) -> None:
        start, end = self.starts[-1], len(self.rows)
        self._forget_skipped()
        self.heads += [-1] * (end - start)
        done: set[int] = set()
        for word in range(start, end):
            self._follow(word, done, number)
        n_roots = sum(head < 0 for head in self.heads[start:])
        if n_roots == 0 or (n_roots > 1 and not self.official.several_roots):
            raise self._refuse(f"the sentence that ends here has {n_roots} roots", number, RootsRefused)
        self.starts.append(end)

    def _forget_skipped(self) -> None:
        """Drop the empty nodes after the last word of the sentence: line numbers do not depend on them."""
        while self.skipped and self.skipped[-1] == len(self.rows):
            self.skipped.pop()

    def _follow(self, word: int, done: set[int], number: int) -> None:
        """Follow the heads from a word, in the scorer's order, since it reports the first fault."""
        start = self.starts[-1]
        met: set[int] = set()
        while word >= start and word not in done:
            if word in met:
                raise self._refuse("there is a cycle in the sentence that ends here", number, CycleRefused)
            met.add(word)
            self.heads[word] = self._head(word, number)
            word = self.heads[word]
        done |= met

    def _head(self, word: int, number: int) -> int:
        """The index of a word's head; negative numbers count from the end, if the scorer allows them."""
        start, end = self.starts[-1], len(self.rows)
        head = self._int(self.rows[word][6], "HEAD", number)
        index = start + head - 1
        if head < 0 and self.official.negative_inside and self.part:
            raise OnlyWhole(_COUNTS_BACK)
        if head > end - start or (head < 0 and not self.official.negative_inside) or index < -end:
            raise self._refuse(f"the HEAD {head} points outside of the sentence that ends here", number)
        return -1 if head == 0 else index if index >= 0 else index + end

    def _treebank(self) -> Treebank:
        texts = [row[i] for i in (1, 2, 3, 4, 5, 7, 8, 9) for row in self.rows]
        strings, codes = Strings.of(["_"]).with_texts(chain(texts, *(row for *_, row in self.multiword)))
        cells = codes[len(texts) :].reshape(-1, 9)
        columns = zip(COLUMNS, codes[: len(texts)].reshape(8, -1))
        named: dict[str, Any] = {name: StringColumn(column, strings) for name, column in columns}
        spans = np.array([numbers for *numbers, _ in self.multiword], dtype=np.int32).reshape(-1, 3)
        nothing = np.zeros(0, dtype=np.int32)
        n_sentences = len(self.starts) - 1
        comments = self.comments[:n_sentences]
        return Treebank(
            **named,
            heads=np.array(self.heads, dtype=np.int32),
            sentence_starts=np.array(self.starts, dtype=np.int32),
            multiword=MultiwordTokens(spans[:, 0], spans[:, 1], spans[:, 2], cells),
            empty=EmptyNodes(nothing, nothing, nothing, np.zeros((0, 9), dtype=np.int32)),
            comments=Comments(b"".join(comments), np.cumsum([0, *map(len, comments)], dtype=np.int64)),
            source=Source(
                lines=np.array(self.lines[:n_sentences], dtype=np.int32), skipped=np.array(self.skipped, dtype=np.int32)
            ),
        )


_ENCODING, _READING, _DEPTH, _DEPS = range(4)
"""The steps in which an official scorer finds errors; it reports the error of the earliest step."""


class OfficialPieces(Pieces):
    """A file read as an official scorer reads it."""

    def __init__(self, parts: Iterator[bytes], name: str | None, official: OfficialReading) -> None:
        super().__init__(parts, name, spaces=False)
        self._official = official
        self._errors: dict[int, ConlluError] = {}
        self._n_raw_bytes = 0

    def _normalized(self, block: bytes) -> tuple[bytes, Lines, int]:
        text = with_line_feeds(block)
        if not is_utf8(block):
            try:
                block.decode()
            except UnicodeDecodeError as error:
                self._note(_ENCODING, refusal_of_encoding(self._n_raw_bytes + error.start, self.name))
        self._n_raw_bytes += len(block)
        lines = line_numbers(text)
        return text, lines, len(lines) - (not text.endswith(b"\n"))

    def _note(self, step: int, error: ConlluError) -> None:
        self._errors.setdefault(step, error)
        self.failed = True

    def _parse(self) -> None:
        self._normalize()
        if _ENCODING in self._errors:
            return
        try:
            treebank = _read_text(self._data, self._data, self._official, self.name, part=True)
        except ConlluError as error:
            fault = replace(error.faults[0], place=error.place._replace(line=self._line(error.place.line or 0)))
            self._note(_READING, type(error)(fault))
            return
        try:
            check_depth(treebank, self._official, self.name, self.n_sentences)
        except Crash as error:
            self._note(_DEPTH, error)
        if self._official.deps:
            try:
                check_deps(treebank, self.name, part=True)
            except Crash as error:
                self._note(_DEPS + getattr(error.__cause__, "rank", 0), error)
        self._waiting = self._placed(treebank) if len(treebank) else None  # comments may follow at the end

    def _own_error(self) -> InputError | None:
        while not self.ended:
            self._skip()
            if self._read(AT_ONCE) and _READING not in self._errors:
                self._parse()
        self._normalize()
        return self._errors[min(self._errors)] if self._errors else None
