"""Files read in pieces, with the same treebanks, warnings and errors as if they were read whole.

Sentences wait until they are taken, since the other file of a pair may first have to be read up to the same character.
After the first error in a file, only its errors are needed; for these, the rest of the file is read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import chain, count, islice, repeat
from typing import Any

import numpy as np

from levelhead.errors import ConlluError, Fault, InputError, UnreadableFile, add_fault
from levelhead.kernels.text import count_lines
from levelhead.treebank.blocks import Blocks
from levelhead.treebank.contents import Contents
from levelhead.treebank.faults import EMPTY, MOST, SOME_HEAD, by_line, encoding_faults, walk
from levelhead.treebank.input_bytes import refuse_long_lines
from levelhead.treebank.lenient_reader import readable_sentences
from levelhead.treebank.line_numbers import Lines, array_of, followed, later, lines_of
from levelhead.treebank.parts import Comments, EmptyNodes, MultiwordTokens
from levelhead.treebank.reader import ReaderSettings, scan_file
from levelhead.treebank.repair import REPAIRS, repair
from levelhead.treebank.sent_ids import SentenceIds
from levelhead.treebank.strings import StringColumn
from levelhead.treebank.text_comments import text_faults
from levelhead.treebank.treebank import COLUMNS, Treebank
from levelhead.treebank.warning_checks import Kind, in_order, warnings_by_kind

AT_ONCE = 1 << 22
"""The number of bytes that are read at once to find errors."""


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
        self._blocks = Blocks(parts, name, spaces=spaces)
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

    def contents(self) -> Contents:
        """Return the sizes of the sentences taken, the hash of the whole file, and its warnings."""
        sizes = self.n_sentences, self.n_words, self.n_tokens
        return Contents(self.sha256, *sizes, self.warnings(), self.name)

    def warnings(self) -> tuple[Fault, ...]:
        """Return the warnings about the file; call it once, at the end."""
        return ()

    def _last_blank_line(self) -> int:
        """Return the start of the blank line after the last sentence that waits."""
        return len(self._data) - 2

    @abstractmethod
    def _check(self, block: bytes) -> None:
        """Refuse a block with a line that is too long."""

    @abstractmethod
    def _normalized(self, block: bytes) -> tuple[bytes, Lines, int]:
        """Return a block with line feeds and single blank lines, the original number of each line, and their count."""

    @abstractmethod
    def _parse(self) -> None:
        """Parse the text that waits, or fail."""

    @abstractmethod
    def _own_error(self) -> InputError | None:
        """Return the error of the contents, from the text that waits to the end."""

    @abstractmethod
    def _look_at(self, piece: Treebank) -> None:
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
        self._lines = followed(self._lines, later(lines, self._n_lines))
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
        lines = array_of(self._lines, treebank.source.lines - 1)
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
    columns: dict[str, Any] = {
        name: StringColumn(getattr(treebank, name).codes[:n_words], treebank.strings) for name in COLUMNS
    }
    starts = comments.starts[: n_sentences + 1]
    extra = None if treebank.extra is None else treebank.extra.take(slice(n_words), ranges, nodes)
    return replace(
        treebank,
        **columns,
        heads=treebank.heads[:n_words],
        sentence_starts=treebank.sentence_starts[: n_sentences + 1],
        multiword=MultiwordTokens(*(getattr(multiword, field.name)[ranges] for field in fields(multiword))),
        empty=EmptyNodes(*(getattr(empty, field.name)[nodes] for field in fields(empty))),
        comments=Comments(comments.text[: int(starts[-1])], starts),
        source=replace(treebank.source, lines=treebank.source.lines[:n_sentences]),
        extra=extra,
    )


def n_lines_of(treebank: Treebank) -> int:
    """Return the number of lines of a scanned file, up to the blank line after its last sentence."""
    last = len(treebank) - 1
    n_words = treebank.n_words - int(treebank.sentence_starts[last])
    others = (treebank.multiword.sentence, treebank.empty.sentence)
    n_others = sum(len(other) - int(np.searchsorted(other, last)) for other in others)
    return int(treebank.source.lines[last]) + n_words + n_others


class _NotText(Exception):
    """A byte that is not UTF-8: the only error that is reported."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class OwnPieces(Pieces):
    """A file read with levelhead's own checks and repairs.

    Args:
        parts: its contents, in parts.
        name: its name in messages, or None.
        conllx: whether it is CoNLL-X.
        most: the largest number of warnings of each kind; if it is not 1, warnings are also found after errors, and
            `# text` comments are compared with the forms.
        splits_tokens: whether multiword tokens are split.
        known: its sizes and warnings, if it was already read; warnings are then not searched for again.
        several_roots: whether a sentence can have several roots.
    """

    def __init__(
        self,
        parts: Iterator[bytes],
        name: str | None,
        *,
        conllx: bool = False,
        most: int = 1,
        splits_tokens: bool = False,
        known: Contents | None = None,
        several_roots: bool = False,
    ) -> None:
        super().__init__(parts, name, spaces=True, splits_tokens=splits_tokens)
        self._known = known
        self._conllx, self._most = conllx, most
        self._reading = ReaderSettings(conllx, several_roots)
        self._has_trees: bool | None = None  # unknown before the first sentence
        self._headless: list[Fault] = []  # the first words without heads that were taken
        self._n_headless = 0
        self._header: ConlluError | None = None
        self._repairs: dict[str, list[Fault]] = {}
        self._notices: dict[Kind, list[Fault]] = {}
        self._text_faults: dict[str, list[Fault]] = {}
        self._nul: dict[str, list[Fault]] = {}
        self._ids = SentenceIds()

    def contents(self) -> Contents:
        """Return the sizes of the sentences taken, the hash of the whole file, and its warnings."""
        return self._known or super().contents()

    def warnings(self) -> tuple[Fault, ...]:
        """Return the warnings about the file; call it once, at the end."""
        every = self._most > 1
        repeated = self._ids.repeated(self.name, self._most)
        notices = () if self._conllx else in_order(self._notices, repeated, every=every)
        return (*self._repair_warnings(), *notices, *chain(*self._text_faults.values()))

    def _repair_warnings(self) -> list[Fault]:
        return [fault.in_file(self.name) for slug in REPAIRS for fault in self._repairs.get(slug, ())]

    def _check(self, block: bytes) -> None:
        refuse_long_lines(block, self.name, self._n_lines)

    def _normalized(self, block: bytes) -> tuple[bytes, Lines, int]:
        repaired = repair(block, start=not self._n_lines, most=self._most)
        for fault in repaired.warnings:
            line = self._n_lines + (fault.place.line or 0)
            most = 1 if fault.slug == "line-ends" else self._most
            add_fault(self._repairs, fault.slug, replace(fault, place=fault.place._replace(line=line)), most)
        lines = lines_of(repaired.data) if repaired.numbers is None else repaired.numbers.astype(np.int64)
        return repaired.data, lines, count_lines(block)

    def _parse(self) -> None:
        treebank = self._scan_unrepaired() if self._new else None
        if treebank is None:
            self._normalize()
            if not self._data:
                return  # only blank lines
            try:
                treebank = self._scan()
            except ConlluError as error:
                self._header = error
        if treebank is None or self._has_trees not in {None, treebank.has_trees}:
            self.failed = True
        else:
            self._has_trees = treebank.has_trees
            self._waiting = self._placed(treebank)

    def _scan_unrepaired(self) -> Treebank | None:
        """Scan the new block without repairs, after the text that waits: most files need no repair."""
        data = self._data + self._new
        start = not self._n_taken_lines
        try:
            reading = self._reading.of(data, self.name) if start else self._reading
        except ConlluError:
            return None
        treebank = scan_file(data, reading, start=start)
        if treebank is not None:
            self._reading = reading
            n_lines = n_lines_of(treebank) - len(self._lines)
            self._add(self._new, range(1, n_lines + 1), n_lines)
        return treebank

    def _scan(self) -> Treebank | None:
        start = not self._n_taken_lines
        if start:
            self._reading = self._reading.of(self._data, self.name)
        return scan_file(self._data, self._reading, start=start)

    def _drop(self, n_bytes: int, n_sentences: int) -> None:
        if n_sentences and self._waiting is not None and not self._waiting.has_trees:
            faults = walk(self._data[:n_bytes], count(self.n_sentences + 1), self._reading, line_of=self._line)
            headless = (fault for fault in faults if fault.slug == SOME_HEAD.slug)
            self._headless += islice(headless, MOST - len(self._headless))
            self._n_headless += int(self._waiting.sentence_starts[n_sentences])
        super()._drop(n_bytes, n_sentences)

    def _look_at(self, piece: Treebank) -> None:
        self._find_warnings(piece, range(self.n_sentences + 1, self.n_sentences + len(piece) + 1))

    def _find_warnings(self, piece: Treebank, numbers: Sequence[int]) -> None:
        """Find the warnings about sentences with these numbers in the file."""
        if not self._conllx and self._known is None:
            for kind, fault in warnings_by_kind(piece, self._most):
                most = 1 if fault.slug == "missing-trees" else self._most
                add_fault(self._notices, kind, self._in_file(fault, numbers), most)
            self._ids.add(piece, numbers)
        for fault in text_faults(piece) if self._most > 1 else ():
            add_fault(self._text_faults, fault.slug, self._in_file(fault, numbers), self._most)

    def _find_warnings_elsewhere(self) -> None:
        """Find the warnings about sentences that can be read, in text with errors."""
        for treebank, rows in readable_sentences(self._data, self._reading):
            self._find_warnings(self._placed(treebank), [self.n_sentences + 1 + row for row in rows])

    def _own_error(self) -> InputError | None:
        if self._header is not None:
            return self._header
        try:
            faults = by_line(chain(self._faults_of_taken(), self._faults()), self._most if self._most > 1 else MOST)
        except _NotText as error:
            return ConlluError(error.fault.in_file(self.name))
        nul = [*chain(*self._nul.values())]
        found = [*nul, *(faults if self._most > 1 or not nul else ())] or ([] if self.n_sentences else [EMPTY])
        if not found:
            return None
        if any(fault.slug == SOME_HEAD.slug for fault in found):  # words without heads are errors
            self._notices = {kind: some for kind, some in self._notices.items() if some[0].slug != "missing-trees"}
        warnings = self.warnings() if self._most > 1 else self._repair_warnings()
        return ConlluError(*(fault.in_file(self.name) for fault in (*found, *warnings)))

    def _faults_of_taken(self) -> Iterator[Fault]:
        """Yield the faults of words without heads that were taken, which are faults only if other words have heads."""
        if self._has_trees:
            yield SOME_HEAD
        yield from self._headless
        yield from repeat(self._headless[-1], self._n_headless - len(self._headless)) if self._headless else ()

    def _faults(self) -> Iterator[Fault]:
        """Yield the faults of the text that waits and of the rest of the file; too many end the search."""
        every, n_errors = self._most > 1, 0
        while True:
            self._normalize()
            treebank = scan_file(self._data, self._reading, start=not self._n_taken_lines) if self._data else None
            if treebank is not None and not treebank.has_trees:
                treebank = None  # each word without a head may be a fault
            numbers = count(self.n_sentences + 1 + (0 if treebank is None else len(treebank)))
            if treebank is not None:
                yield SOME_HEAD
            elif not self._has_nul() or every:
                for fault in walk(self._data, numbers, self._reading, line_of=self._line):
                    yield fault
                    n_errors += fault.slug != SOME_HEAD.slug  # which may not be an error
                    if every and n_errors > self._most:
                        yield Fault("too-many-errors", "the rest of the file is not checked", fault.place)
                        return
            if every and self._data:
                self._find_warnings_elsewhere()
            self._drop(len(self._data), next(numbers) - 1 - self.n_sentences)
            if self.ended or not self._read(AT_ONCE):
                return

    def _has_nul(self) -> bool:
        """Record NUL characters in the text that waits, and return whether there are any; invalid UTF-8 is an error."""
        most = max(1, self._most - sum(map(len, self._nul.values())))
        found = encoding_faults(self._data, self._line, self._n_taken_bytes, most)
        if found and found[0].slug == "encoding":
            raise _NotText(found[0])
        for fault in found:
            add_fault(self._nul, fault.slug, fault, self._most)
        return bool(found)
