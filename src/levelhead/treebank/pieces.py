"""Files read in pieces, with the same treebanks, warnings and errors as if they were read whole.

Sentences wait until they are taken, since the other file of a pair may first have to be read up to the same character.
After the first error in a file, only its errors are needed; for these, the rest of the file is read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import ConlluError, Fault, InputError, UnreadableFile
from levelhead.kernels.pools import count_lines, survey
from levelhead.treebank.blocks import ByteBlocks
from levelhead.treebank.faults import repair
from levelhead.treebank.input_bytes import LONGEST_LINE, refuse_long_lines
from levelhead.treebank.lenient_reader import (
    LenientTreebank,
    are_trees,
    as_they_are,
    no_readable_row,
    not_text,
    readable_rows,
)
from levelhead.treebank.official_reader import (
    Crash,
    OfficialReading,
    check_deps,
    check_depth,
    read_part,
    refusal_of_encoding,
    with_line_feeds,
)
from levelhead.treebank.provenance import FileSummary
from levelhead.treebank.scanner import ReaderSettings, scan_treebank
from levelhead.treebank.tokens import COLUMNS, Comments, EmptyNodes, MultiwordTokens
from levelhead.treebank.treebank import Treebank

AT_ONCE = 1 << 22
"""The number of bytes that are read at once to find errors."""

Lines = range | NDArray[np.int64]
"""The number in the file of each line of a text; a range, which takes no memory, if no line is missing."""


def lines_of(text: bytes) -> range:
    """Return the numbers of all lines of a text."""
    return range(1, count_lines(text) + 1 + bool(text and not text.endswith(b"\n")))


class Pieces(ABC):
    """A file whose sentences are read in blocks and taken in order.

    Args:
        parts: its contents, in parts.
        name: its name in messages, or None.
        spaces: whether a line of spaces and tabs is blank.
        splits_tokens: whether multiword tokens are split.
    """

    def __init__(self, parts: Iterator[bytes], name: str | None, *, spaces: bool, splits_tokens: bool = False) -> None:
        self.name = name
        self._splits_tokens = splits_tokens
        self._waiting: Treebank | None = None
        self.failed = False
        """Whether the file has an error."""
        self.n_sentences = self.n_words = self.n_tokens = 0
        """The numbers of sentences, words and tokens that were taken."""
        self._blocks = ByteBlocks(parts, name, spaces=spaces)
        self._new = b""  # a block, unchanged
        self._data = b""  # the text that waits before it, with line feeds and single blank lines
        self._lines: Lines = range(1, 1)  # the line in the file of each line that waits
        self._n_lines = 0  # of the file, so far
        self._n_taken_lines = self._n_taken_bytes = 0  # of repaired text
        self._unreadable: UnreadableFile | None = None
        self._too_long: ConlluError | None = None

    @property
    def ended(self) -> bool:
        """Whether the whole file was read, or the rest cannot be read."""
        return self._blocks.ended or self._unreadable is not None

    @property
    def sha256(self) -> str:
        """The hash of the contents so far."""
        return self._blocks.sha256

    @property
    def n_bytes(self) -> int:
        """The number of bytes that were read and not taken."""
        return len(self._data) + len(self._new)

    @property
    def treebank(self) -> Treebank | None:
        """The sentences that wait, or None."""
        return None if self._waiting is None else self._for_scoring(self._waiting)

    def _for_scoring(self, treebank: Treebank) -> Treebank:
        return treebank.without_multiword_tokens() if self._splits_tokens else treebank

    def read(self, size: int) -> None:
        """Read another block, if possible; `parse` then finds the sentences."""
        if size > 0 and not (self.failed or self.ended):
            self._read(size)

    def parse(self) -> None:
        """Find the sentences in the text that was read, unless sentences already wait or the file failed."""
        if not self.failed and self._waiting is None and self.n_bytes:
            self._parse()

    def take(self, n_sentences: int) -> Treebank:
        """Return the first sentences that wait; the others are parsed again together with the next block."""
        waiting = self._waiting
        if waiting is None:
            raise IndexError("no sentences wait")
        sentences = first_sentences(waiting, n_sentences)
        self._look_at(sentences)
        piece = self._for_scoring(sentences)
        self.n_words += piece.n_words
        self.n_tokens += piece.n_tokens
        end = self._last_blank_line()
        for _ in range(len(waiting) - n_sentences):
            end = self._data.rfind(b"\n\n", 0, end)
        self._drop(end + 2, n_sentences)
        return piece

    def each(self, size: int) -> Iterator[Treebank]:
        """Yield all sentences in pieces."""
        yield from self.until_failure(size)
        error = self.error()
        if error is not None:
            raise error

    def until_failure(self, size: int) -> Iterator[Treebank]:
        """Yield the sentences in pieces, up to the first piece with an error."""
        while not (self.ended or self.failed):
            self.read(size)
            self.parse()
            if self.treebank is not None:
                yield self.take(len(self.treebank))

    def whole(self, size: int) -> Treebank | None:
        """Return all sentences of a file of at most this size, or None if it has an error."""
        treebank = next(self.until_failure(size + 2), None)  # beyond the end, so that no blank line ends the piece
        if treebank is None:
            return None
        lines = treebank.source.lines.astype(np.int32)
        source = replace(treebank.source, path=self.name, sha256=self.sha256, lines=lines, warnings=self.warnings())
        return replace(treebank, source=source)

    def error(self) -> InputError | None:
        """Read the rest of the file, and return its errors; None if it is valid."""
        self.parse()
        while not (self.failed or self.ended):
            self._skip()
            self.read(AT_ONCE)
            self.parse()
        own_error = self._own_error()
        while not self.ended:
            self._read(AT_ONCE)
            self._normalize()
            self._drop(len(self._data), 0)
        return self._unreadable or self._too_long or own_error

    def contents(self) -> FileSummary:
        """Return the sizes of the sentences taken, the hash of the whole file, and its warnings."""
        sizes = self.n_sentences, self.n_words, self.n_tokens
        return FileSummary(self.sha256, *sizes, self.warnings(), self.name)

    def warnings(self) -> tuple[Fault, ...]:
        """Return the warnings about the file; call it once, at the end."""
        return ()

    def _last_blank_line(self) -> int:
        """Return the start of the blank line after the last sentence that waits."""
        return len(self._data) - 2

    def _check(self, block: bytes) -> None:
        """Refuse a block with a line that is too long."""
        refuse_long_lines(block, self.name, self._n_lines)

    @abstractmethod
    def _normalized(self, block: bytes) -> tuple[bytes, Lines, int]:
        """Return a block with line feeds and single blank lines, the original number of each line, and their count."""

    @abstractmethod
    def _parse(self) -> None:
        """Parse the text that waits, or fail."""

    @abstractmethod
    def _own_error(self) -> InputError | None:
        """Return the error of the contents, from the text that waits to the end."""

    def _look_at(self, piece: Treebank) -> None:  # noqa: B027 -- only levelhead's own checks warn
        """Find the warnings about a piece when it is taken."""

    def _read(self, size: int) -> bool:
        """Read a block; return whether it can be used."""
        self._normalize()
        self._waiting = None
        try:
            block = self._blocks.read(size)
            self._check(block)
        except UnreadableFile as error:
            self._unreadable = self._unreadable or error
        except ConlluError as error:
            self._too_long = self._too_long or error
        else:
            self._new = block
            return True
        self.failed = True
        return False

    def _normalize(self) -> None:
        """Add the new block to the text that waits, with line feeds and single blank lines."""
        if self._new:
            self._add(*self._normalized(self._new))

    def _add(self, data: bytes, lines: Lines, n_lines: int) -> None:
        n = self._n_lines
        new = range(lines.start + n, lines.stop + n) if isinstance(lines, range) else lines + n
        if not len(self._lines):
            self._lines = new
        elif isinstance(new, range) and isinstance(self._lines, range) and self._lines.stop == new.start:
            self._lines = range(self._lines.start, new.stop)
        else:
            self._lines = np.concatenate([np.asarray(part, dtype=np.int64) for part in (self._lines, new)])
        self._n_lines += n_lines
        self._data += data
        self._new = b""

    def _skip(self) -> None:
        """Skip the sentences that wait."""
        self._normalize()
        self._drop(len(self._data), 0 if self._waiting is None else len(self._waiting))

    def _drop(self, n_bytes: int, n_sentences: int) -> None:
        unended = bool(self._data) and not self._data.endswith(b"\n")
        n_lines = len(self._lines) - unended - count_lines(memoryview(self._data)[n_bytes:])
        self._data, self._lines = self._data[n_bytes:], self._lines[n_lines:]
        self._n_taken_lines += n_lines
        self._n_taken_bytes += n_bytes
        self.n_sentences += n_sentences
        self._waiting = None

    def _line(self, number: int) -> int:
        """Return the line in the file of a line that waits."""
        return int(self._lines[number - 1]) if number <= len(self._lines) else self._n_taken_lines + number

    def _placed(self, treebank: Treebank) -> Treebank:
        """Return a treebank with the line numbers that its sentences have in the file."""
        rows = treebank.source.lines - 1
        lines = rows.astype(np.int64) + self._lines.start if isinstance(self._lines, range) else self._lines[rows]
        return replace(treebank, source=replace(treebank.source, path=self.name, lines=lines))  # type: ignore[arg-type]

    def _in_file(self, fault: Fault, numbers: Sequence[int]) -> Fault:
        """Return a warning about a piece with the sentence number in the file, given that of each sentence."""
        place = fault.place
        sentence = None if place.sentence is None else numbers[place.sentence - 1]
        return replace(fault, place=place._replace(file=self.name, sentence=sentence))


def first_sentences(treebank: Treebank, n_sentences: int) -> Treebank:
    """Return a treebank of the first sentences of another, sharing its memory."""
    if n_sentences == len(treebank):
        return treebank
    n_words = int(treebank.sentence_starts[n_sentences])
    multiword, empty, comments = treebank.multiword, treebank.empty, treebank.comments
    ranges = slice(int(np.searchsorted(multiword.sentence, n_sentences)))
    nodes = slice(int(np.searchsorted(empty.sentence, n_sentences)))
    columns: dict[str, Any] = {name: getattr(treebank, name)[:n_words] for name in COLUMNS}
    starts = comments.starts[: n_sentences + 1]
    return replace(
        treebank,
        **columns,
        heads=treebank.heads[:n_words],
        sentence_starts=treebank.sentence_starts[: n_sentences + 1],
        multiword=MultiwordTokens(*(getattr(multiword, field.name)[ranges] for field in fields(multiword))),
        empty=EmptyNodes(*(getattr(empty, field.name)[nodes] for field in fields(empty))),
        comments=Comments(comments.text[: int(starts[-1])], starts),
        source=replace(treebank.source, lines=treebank.source.lines[:n_sentences]),
        extra=None if treebank.extra is None else treebank.extra.take(slice(n_words), ranges, nodes),
    )


_ENCODING, _READING, _DEPTH, _DEPS = range(4)
"""The steps in which an official scorer finds errors; it reports the error of the earliest step."""


class OfficialPieces(Pieces):
    """A file read as an official scorer reads it.

    Args:
        parts: its contents, in parts.
        name: its name in messages, or None.
        official: the scorer.
    """

    def __init__(self, parts: Iterator[bytes], name: str | None, official: OfficialReading) -> None:
        super().__init__(parts, name, spaces=False)
        self._official = official
        self._errors: dict[int, ConlluError] = {}
        self._n_raw_bytes = 0

    def _check(self, block: bytes) -> None:
        if len(block) > LONGEST_LINE:
            refuse_long_lines(with_line_feeds(block), self.name, self._n_lines)

    def _normalized(self, block: bytes) -> tuple[bytes, Lines, int]:
        n_lines, has_returns, valid = survey(block)
        text = with_line_feeds(block) if has_returns else block
        if not valid:
            try:
                block.decode()
            except UnicodeDecodeError as error:
                self._note(_ENCODING, refusal_of_encoding(self._n_raw_bytes + error.start, self.name))
        self._n_raw_bytes += len(block)
        n_lines = count_lines(text) if has_returns else n_lines
        return text, range(1, n_lines + 1 + (not text.endswith(b"\n"))), n_lines

    def _last_blank_line(self) -> int:
        return self._data.rfind(b"\n\n")  # comments may follow

    def _note(self, step: int, error: ConlluError) -> None:
        self._errors.setdefault(step, error)
        self.failed = True

    def _parse(self) -> None:
        self._normalize()
        if _ENCODING in self._errors:
            return
        try:
            treebank = read_part(self._data, self._official, self.name)
        except ConlluError as error:
            line = self._line(error.place.line or 0)
            fault = replace(error.faults[0], place=error.place._replace(line=line))
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


class LenientPieces(Pieces):
    """A file read row by row, as `read_leniently` does.

    Args:
        parts: its contents, in parts.
        name: its name in messages, or None.
        conllx: whether it is CoNLL-X.
        known: the marks of its sentences, if it was already read; they are then not computed again.
    """

    def __init__(
        self, parts: Iterator[bytes], name: str | None, *, conllx: bool = False, known: bytes | None = None
    ) -> None:
        super().__init__(parts, name, spaces=True)
        self.marks = bytearray()
        """The marks of `ReadableRows`."""
        self.unreadable = 0
        """The number of lines that could not be read."""
        self._known = None if known is None else iter(known)
        self._reading = ReaderSettings(conllx)
        self._n_repaired = 0
        self._error: ConlluError | None = None

    def _normalized(self, block: bytes) -> tuple[bytes, Lines, int]:
        n_lines = count_lines(block)
        text = b"" if self.failed else self._readable(block)
        return text, lines_of(text), n_lines

    def _readable(self, block: bytes) -> bytes:
        repaired = repair(block, start=not self._n_lines)
        try:
            if not self._n_lines:
                self._reading = self._reading.of(repaired.data, self.name)
        except ConlluError as error:
            return self._fail(error)
        faults = not_text(repaired.data, lambda line: self._n_lines + repaired.line(line), self._n_repaired)
        if faults:
            return self._fail(ConlluError(*(fault.in_file(self.name) for fault in faults)))
        self._n_repaired += len(repaired.data)
        rows = readable_rows(repaired.data, self._reading.layout, conllx=self._reading.conllx, known=self._known)
        self.marks += rows.marks
        self.unreadable += rows.unreadable
        return rows.text

    def _fail(self, error: ConlluError) -> bytes:
        self.failed, self._error = True, error
        return b""

    def _parse(self) -> None:
        self._normalize()
        if self._data and not self.failed:
            self._waiting = scan_treebank(self._data, conllx=self._reading.conllx, any_heads=True)
            self.failed = self._waiting is None

    def _own_error(self) -> InputError | None:
        if self._error is not None:
            return self._error
        return None if self.n_sentences and not self.failed else no_readable_row(self.name)


def read_leniently(
    data: bytes, name: str | None = None, *, conllx: bool = False, several_roots: bool = False
) -> LenientTreebank:
    """Read the readable rows of a CoNLL-U file, or of a CoNLL-U Plus file, whose extra columns are left out.

    A row is readable if it has ten tab-separated columns, a whole number from 1 as its ID, and a FORM. Rows are
    renumbered in the order of the file. A HEAD that is neither 0 nor the ID of exactly one other readable row of the
    sentence counts as missing, and an empty DEPREL as `_`. Multiword tokens with missing words are left out, and so are
    empty nodes and DEPS if the IDs of rows change. All other lines are skipped, and sentences without a readable row
    are left out.
    """
    pieces = LenientPieces(iter([data]), name, conllx=conllx)
    treebank = pieces.whole(len(data))
    if treebank is None:
        raise pieces.error() or no_readable_row(name)
    is_tree = are_trees(treebank, several_roots=several_roots or conllx) & as_they_are(pieces.marks)
    return LenientTreebank(treebank, is_tree, pieces.unreadable)
