"""Files read in pieces, with the same treebanks, warnings and errors as if they were read whole.

Sentences wait until they are taken, since the other file of a pair may first have to be read up to the same character.
After the first error in a file, only its errors are needed; for these, the rest of the file is read.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import ConlluError, Fault, InputError, Place, UnreadableFile
from levelhead.kernels.pools import count_lines
from levelhead.treebank.input_bytes import DEFAULT_LIMITS, LONGEST_LINE, refuse_long_lines, size_text, with_line_feeds
from levelhead.treebank.provenance import FileSummary
from levelhead.treebank.tokens import COLUMNS, Comments, EmptyNodes, MultiwordTokens
from levelhead.treebank.treebank import Treebank

AT_ONCE = 1 << 22  # the number of bytes that are read at once to find errors
_FURTHER = 1 << 16
Lines = range | NDArray[np.int64]
"""The number of each line of a text in the file: a range, which takes no memory, if no line is missing."""


def line_numbers(text: bytes) -> range:
    return range(1, count_lines(text) + 1 + bool(text and not text.endswith(b"\n")))


class ByteBlocks:
    """A file read in blocks; every block except the last ends after a blank line (with spaces and tabs if `spaces`)."""

    def __init__(self, parts: Iterator[bytes], name: str | None, *, spaces: bool) -> None:
        self._parts, self._name = parts, name
        self._blank = re.compile(rb"\n[ \t]*\r?\n" if spaces else rb"\n\r?\n")
        self._waiting: list[bytes] = []
        self._n_waiting = 0
        self.digest = hashlib.sha256()  # of all parts read so far
        self._read_all = False
        self._n_unended = 0  # bytes after the last line end
        self._has_line_feed = self._has_return = False

    @property
    def ended(self) -> bool:
        return self._read_all and not self._n_waiting

    def read(self, size: int) -> bytes:
        """Return the next block, which ends after a blank line unless the file ends or a line is too long."""
        least, further = max(size, 2), _FURTHER
        while True:
            while self._n_waiting < least + further and not (self._read_all or self._is_too_long):
                part = next(self._parts, None)
                self._read_all = part is None
                part = part or b""
                self.digest.update(part)
                self._waiting.append(part)
                self._n_waiting += len(part)
                last = part.rfind(b"\n")
                self._has_line_feed |= last >= 0
                last = max(last, part.rfind(b"\r", last + 1))
                self._has_return |= not self._has_line_feed and last >= 0
                self._n_unended = len(part) - last - 1 if last >= 0 else self._n_unended + len(part)
            if self._n_waiting > DEFAULT_LIMITS.size:
                message = f"more than {size_text(DEFAULT_LIMITS.size)} without a blank line between sentences"
                raise UnreadableFile(Fault("file-too-large", message, Place(self._name)))
            data = b"".join(self._waiting)
            self._waiting = [data]
            match = self._blank.search(data, least - 2)
            if match or self._read_all or self._is_too_long:
                break
            further *= 2
        block = data[: match.end()] if match else data
        self._waiting = [data[len(block) :]]
        self._n_waiting -= len(block)
        if not match:
            self._n_unended = 0
        return block

    @property
    def _is_too_long(self) -> bool:
        """Whether the last line is too long, even without a line end; it is refused where lines are counted."""
        return self._n_unended > LONGEST_LINE and (self._has_line_feed or not self._has_return)


class Pieces(ABC):
    """A file whose sentences are read in blocks and taken in order."""

    def __init__(self, parts: Iterator[bytes], name: str | None, *, spaces: bool, splits_tokens: bool = False) -> None:
        self.name = name
        self._splits_tokens = splits_tokens
        self._waiting: Treebank | None = None
        self.failed = False
        self.n_sentences = self.n_words = self.n_tokens = 0  # that were taken
        self._blocks = ByteBlocks(parts, name, spaces=spaces)
        self._has_any_line_ends = not spaces  # official scorers do not repair files
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
        return self._blocks.digest.hexdigest()

    @property
    def n_bytes(self) -> int:
        """The number of bytes that were read and not taken."""
        return len(self._data) + len(self._new)

    @property
    def treebank(self) -> Treebank | None:
        """The sentences that were parsed but not taken, or None."""
        waiting = self._waiting
        return waiting.without_multiword_tokens() if waiting is not None and self._splits_tokens else waiting

    def read(self, size: int) -> None:
        """Read another block, if possible; call `parse` to find the sentences in it."""
        if size > 0 and not (self.failed or self.ended):
            self._read(size)

    def parse(self) -> None:
        """Find the sentences in the text that was read, if no parsed sentences are left and the file has not failed."""
        if not self.failed and self._waiting is None and self.n_bytes:
            self._parse()

    def take(self, n_sentences: int) -> Treebank:
        """Return the first parsed sentences; the other sentences are parsed again together with the next block."""
        waiting = self._waiting
        if waiting is None:
            raise IndexError("no sentences wait")
        sentences = first_sentences(waiting, n_sentences)
        self._find_warnings(sentences, range(self.n_sentences + 1, self.n_sentences + n_sentences + 1))
        piece = sentences.without_multiword_tokens() if self._splits_tokens else sentences
        self.n_words += piece.n_words
        self.n_tokens += piece.n_tokens
        end = self._data.rfind(b"\n\n")  # in a file of an official scorer, comments may follow
        for _ in range(len(waiting) - n_sentences):
            end = self._data.rfind(b"\n\n", 0, end)
        self._drop(end + 2, n_sentences)
        return piece

    def each(self, size: int) -> Iterator[Treebank]:
        yield from self.until_failure(size)
        if error := self.error():
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
        error_of_contents = self._own_error()
        while not self.ended:
            self._read(AT_ONCE)
            self._normalize()
            self._drop(len(self._data), 0)
        return self._unreadable or self._too_long or error_of_contents

    def contents(self) -> FileSummary:
        """Return the numbers of sentences and words that were taken, and the hash and warnings of the whole file."""
        return FileSummary(self.sha256, self.n_sentences, self.n_words, self.n_tokens, self.warnings(), self.name)

    def warnings(self) -> tuple[Fault, ...]:
        """Return the warnings about the file; call it once, at the end."""
        return ()

    @abstractmethod
    def _normalized(self, block: bytes) -> tuple[bytes, Lines, int]:
        """Return a block with line feeds and single blank lines, the original number of each line, and their count."""

    @abstractmethod
    def _parse(self) -> None:
        """Parse the text that waits, or fail."""

    @abstractmethod
    def _own_error(self) -> InputError | None:
        """Return the error of the contents, from the text that waits to the end."""

    def _find_warnings(self, piece: Treebank, numbers: Sequence[int]) -> None:  # noqa: B027 -- only `CheckedPieces` warns
        """Find the warnings about sentences with these numbers in the file."""

    def _read(self, size: int) -> bool:
        self._normalize()
        self._waiting = None
        try:
            block = self._blocks.read(size)
            text = with_line_feeds(block) if self._has_any_line_ends and len(block) > LONGEST_LINE else block
            refuse_long_lines(text, self.name, self._n_lines)
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
