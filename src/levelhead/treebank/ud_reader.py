"""Levelhead's own reading of files in pieces: with all its checks, and lenient reading of invalid outputs.

In lenient reading, readable rows count even if their sentence is not a tree or has malformed rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count, groupby, islice, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import ConlluError, Fault, InputError, Place, add_fault
from levelhead.kernels import trees
from levelhead.kernels.pools import count_lines
from levelhead.treebank.faults import (
    EMPTY,
    MOST,
    RANGE,
    REPAIRS,
    SOME_HEAD,
    by_line,
    encoding_faults,
    is_utf16,
    repair,
    walk,
)
from levelhead.treebank.pieces import AT_ONCE, Lines, Pieces, line_numbers
from levelhead.treebank.provenance import FileSummary
from levelhead.treebank.scanner import HEADLESS, ReaderSettings, scan_file, scan_treebank
from levelhead.treebank.strings import ANY_SPACE
from levelhead.treebank.tokens import FIELDS, has_head, heads_in_sentences
from levelhead.treebank.treebank import PartialReading, Treebank
from levelhead.treebank.warning_checks import TEXT_COMMENTS, Kind, SentenceIds, in_order, text_faults, warnings_by_kind

_ID = re.compile(r"[1-9][0-9]{0,8}")
_HEAD, _DEPREL, _DEPS = (FIELDS.index(name) for name in ("HEAD", "DEPREL", "DEPS"))


class LenientTreebank(NamedTuple):
    """The readable part of a system's output."""

    treebank: Treebank  # a word without a HEAD is its own head, so it never matches gold
    is_tree: NDArray[np.bool_]  # whether each sentence is valid
    unreadable: int = 0

    @property
    def has_head(self) -> NDArray[np.bool_]:
        """Whether each word has a HEAD, other than itself; bool, shape (words,)."""
        return has_head(self.treebank)


def of_treebank(
    treebank: Treebank, is_tree: NDArray[np.bool_] | None = None, *, several_roots: bool = False
) -> LenientTreebank:
    """Return the readable part of a treebank; if it has no trees, no word has a HEAD."""
    if (partial := treebank.partial) is not None:
        treebank = replace(treebank, partial=None)
        is_tree = are_trees(treebank, several_roots=several_roots) & partial.intact
        return LenientTreebank(treebank, is_tree, partial.unreadable)
    if not treebank.has_trees:
        heads = np.arange(treebank.n_words, dtype=np.int32)
        return LenientTreebank(replace(treebank, heads=heads, has_trees=True), np.zeros(len(treebank), dtype=bool))
    return LenientTreebank(treebank, are_trees(treebank, several_roots=several_roots) if is_tree is None else is_tree)


def are_trees(treebank: Treebank, *, several_roots: bool) -> NDArray[np.bool_]:
    return np.equal(trees.bad_sentences(heads_in_sentences(treebank), treebank.sentence_starts, several_roots), 0)


SKIPPED, REWRITTEN, AS_IT_IS = range(3)
"""Marks of sentences: without a readable row; with invalid rows (regardless of heads); without invalid rows."""


def as_they_are(marks: bytes | bytearray) -> NDArray[np.bool_]:
    """Return which sentences with a readable row are valid regardless of heads; bool, shape (sentences,)."""
    all_marks = np.frombuffer(marks, dtype=np.uint8)
    return np.array(all_marks[all_marks != SKIPPED] == AS_IT_IS, dtype=bool)


def sentence_blocks(data: bytes) -> list[bytes]:
    """Return the sentences of a repaired file, each with the blank line that ends it."""
    return [block + b"\n\n" for block in data.split(b"\n\n") if block.strip(b"\n")]


_AT_ONCE = 64
"""The number of sentences that are scanned at once: a fault makes it necessary to scan its whole group again."""


def valid_blocks(blocks: Sequence[bytes], reading: ReaderSettings) -> list[bool]:
    """Return which sentences are valid: many at once, or otherwise each half separately."""
    valid = [False] * len(blocks)
    waiting = [range(start, min(start + _AT_ONCE, len(blocks))) for start in range(0, len(blocks), _AT_ONCE)]
    while waiting:
        group = waiting.pop()
        if scan_file(b"".join(blocks[group.start : group.stop]), reading, start=False) is not None:
            valid[group.start : group.stop] = [True] * len(group)
        elif len(group) > 1:
            middle = (group.start + group.stop) // 2
            waiting += [range(group.start, middle), range(middle, group.stop)]
    return valid


def readable_sentences(data: bytes, reading: ReaderSettings) -> Iterator[tuple[Treebank, list[int]]]:
    """Yield the sentences that can be read although others are invalid, with any heads, and which of all they are."""
    if reading.layout is not None:
        data = reading.layout.ten_columns(data)[0]
    reading = reading._replace(layout=None, any_heads=True)
    blocks = sentence_blocks(data)
    starts = np.cumsum([0, *(block.count(b"\n") for block in blocks)])
    sentences = [i for i, block in enumerate(blocks) if reading.conllx or re.search(rb"(?m)^[^#\n]", block)]
    valid = valid_blocks([blocks[i] for i in sentences], reading)
    readable = [row for row, is_valid in enumerate(valid) if is_valid]
    for _, group in groupby(readable, lambda row: bool(re.search(HEADLESS, blocks[sentences[row]]))):
        rows = list(group)
        kept = [sentences[row] for row in rows]
        treebank = scan_file(b"".join(blocks[i] for i in kept), reading, start=False)
        if treebank is None:
            raise AssertionError("valid sentences are not valid together")
        before = starts[kept] - np.cumsum([0, *(blocks[i].count(b"\n") for i in kept[:-1])])
        lines = (treebank.source.lines + before).astype(np.int32)
        yield replace(treebank, source=replace(treebank.source, lines=lines)), rows


def _sentence(block: bytes, conllx: bool) -> tuple[bytes, int]:
    """Return the readable rows of a sentence as CoNLL-U, with any heads, and the number of its unreadable lines."""
    lines = block.decode().rstrip("\n").split("\n")
    comments = [] if conllx else [line for line in lines if line.startswith("#")]
    table = [line.split("\t") for line in lines if conllx or not line.startswith("#")]
    rows = [cells for cells in table if _is_row(cells) and _ID.fullmatch(cells[0])]
    if not rows:
        return b"", len(table)
    uses = Counter(cells[0] for cells in rows)
    places = {cells[0]: place for place, cells in enumerate(rows, 1) if uses[cells[0]] == 1}
    in_order = [cells[0] for cells in rows] == [str(number) for number in range(1, len(rows) + 1)]
    between = {} if conllx else _between(table, places, in_order=in_order)
    written: list[list[str]] = []
    for place, cells in enumerate(rows, 1):
        written += between.get(place - 1, ())
        head = 0 if cells[_HEAD] == "0" else places.get(cells[_HEAD], place)
        deps = cells[_DEPS] if in_order else "_"
        written.append([str(place), *cells[1:_HEAD], str(head), cells[_DEPREL] or "_", deps, cells[-1]])
    written += between.get(len(rows), ())
    text = "".join(f"{line}\n" for line in (*filter(_is_plain, comments), *map("\t".join, written), ""))
    return text.encode(), len(table) - len(written)


def _is_row(cells: Sequence[str]) -> bool:
    """Whether columns can be those of a word, a multiword token or an empty node."""
    return len(cells) == len(FIELDS) and bool(cells[1].translate(ANY_SPACE)) and all(map(_is_plain, cells))


def _is_plain(text: str) -> bool:
    return "\r" not in text and "\0" not in text


def _between(table: Sequence[list[str]], places: dict[str, int], *, in_order: bool) -> dict[int, list[list[str]]]:
    """The rows of multiword tokens and of empty nodes that can be kept, by the number of words before them."""
    kept: dict[int, list[list[str]]] = {}
    n_words = end = minor = 0
    pending = False  # whether the previous row was a multiword token
    for cells in filter(_is_row, table):
        if _ID.fullmatch(cells[0]):
            n_words, minor, pending = n_words + 1, 0, False
        elif span := RANGE.fullmatch(cells[0]):
            first, last = int(span[1]), int(span[2])
            numbers = range(first, last + 1) if last - first < len(places) else ()  # longer than the sentence
            words = [places.get(str(number)) for number in numbers]
            if words and n_words >= end and words == list(range(n_words + 1, n_words + 1 + len(words))):
                end, pending = n_words + len(words), True
                kept.setdefault(n_words, []).append([f"{n_words + 1}-{end}", *cells[1:]])
        elif in_order and not pending and cells[0] == f"{n_words}.{minor + 1}":
            minor += 1
            kept.setdefault(n_words, []).append(cells)
    return kept


class LenientPieces(Pieces):
    """A file read row by row, as `read_leniently` does; `known` are its marks, if it was already read."""

    def __init__(
        self, parts: Iterator[bytes], name: str | None, *, conllx: bool = False, known: bytes | None = None
    ) -> None:
        super().__init__(parts, name, spaces=True)
        self.marks = bytearray()  # of each sentence with a line that may be a row
        self.unreadable = 0
        self._known = None if known is None else iter(known)
        self._reading = ReaderSettings(conllx)
        self._n_repaired = 0
        self._error: ConlluError | None = None

    def _normalized(self, block: bytes) -> tuple[bytes, Lines, int]:
        try:
            text = b"" if self.failed else self._readable(block)
        except ConlluError as error:
            text, self.failed, self._error = b"", True, error
        return text, line_numbers(text), count_lines(block)

    def _readable(self, block: bytes) -> bytes:
        repaired = repair(block, start=not self._n_lines)
        data = repaired.data
        if not self._n_lines:
            self._reading = self._reading.of(data, self.name)
        text = data if self._n_repaired == 0 and is_utf16(data) else data.replace(b"\0", b" ")  # NUL is accepted
        faults = encoding_faults(text, lambda line: self._n_lines + repaired.line(line), self._n_repaired)
        if faults:
            raise ConlluError(*(fault.in_file(self.name) for fault in faults))
        self._n_repaired += len(data)
        conllx, layout = self._reading.conllx, self._reading.layout
        ten = data if layout is None else layout.ten_columns(data)[0]
        blocks = []
        for sentence in sentence_blocks(re.sub(HEADLESS, rb"\1\2\1", ten)):
            if re.search(rb"(?m)^[1-9][0-9]*\t", sentence):
                blocks.append(sentence)
            else:
                lines = sentence.rstrip(b"\n").split(b"\n")
                self.unreadable += sum(conllx or not line.startswith(b"#") for line in lines)
        if self._known is None:
            valid = valid_blocks(blocks, ReaderSettings(conllx, any_heads=True))
        else:
            valid = [mark == AS_IT_IS for mark in islice(self._known, len(blocks))]
        for i, is_valid in enumerate(valid):
            if not is_valid:
                blocks[i], unreadable = _sentence(blocks[i], conllx)
                self.unreadable += unreadable
            self.marks.append(AS_IT_IS if is_valid else REWRITTEN if blocks[i] else SKIPPED)
        return b"".join(blocks)

    def _parse(self) -> None:
        self._normalize()
        if self._data and not self.failed:
            self._waiting = scan_treebank(self._data, conllx=self._reading.conllx, any_heads=True)
            self.failed = self._waiting is None

    def _own_error(self) -> InputError | None:
        if self._error is None and (self.failed or not self.n_sentences):
            return ConlluError(Fault("no-readable-row", "the file has no readable row", Place(self.name)))
        return self._error


def read_leniently(data: bytes, name: str | None = None, *, conllx: bool = False) -> Treebank:
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
        raise pieces.error() or AssertionError("rows are read, but no error is found")
    return replace(treebank, partial=PartialReading(as_they_are(pieces.marks), pieces.unreadable))


class CheckedPieces(Pieces):
    """A file read with levelhead's own checks and repairs.

    `most` is the largest number of warnings of each kind; if it is not 1, warnings are also found after errors, and
    `# text` comments are compared with the forms. Warnings that are `known` are not searched for again.
    """

    def __init__(
        self,
        parts: Iterator[bytes],
        name: str | None,
        reading: ReaderSettings,
        *,
        most: int = 1,
        splits_tokens: bool = False,
        known: FileSummary | None = None,
    ) -> None:
        super().__init__(parts, name, spaces=True, splits_tokens=splits_tokens)
        self._known, self._most, self._reading = known, most, reading
        self._has_trees: bool | None = None  # unknown before the first sentence
        self._headless: list[Fault] = []  # the first words without heads that were taken
        self._n_headless = 0
        self._header: ConlluError | None = None
        self._repairs: dict[str, list[Fault]] = {}
        self._notices: dict[Kind, list[Fault]] = {}
        self._nul: dict[str, list[Fault]] = {}
        self._ids = SentenceIds()

    def contents(self) -> FileSummary:
        return self._known or super().contents()

    def warnings(self) -> tuple[Fault, ...]:
        repeated = self._ids.repeated(self.name, self._most)
        return (*self._repair_warnings(), *in_order(self._notices, repeated, every=self._most > 1))

    def _repair_warnings(self) -> list[Fault]:
        return [fault.in_file(self.name) for slug in REPAIRS for fault in self._repairs.get(slug, ())]

    def _normalized(self, block: bytes) -> tuple[bytes, Lines, int]:
        repaired = repair(block, start=not self._n_lines, most=self._most)
        for fault in repaired.warnings:
            place = fault.place._replace(line=self._n_lines + (fault.place.line or 0))
            most = 1 if fault.slug == "line-ends" else self._most
            add_fault(self._repairs, fault.slug, replace(fault, place=place), most)
        lines = line_numbers(repaired.data) if repaired.numbers is None else repaired.numbers.astype(np.int64)
        return repaired.data, lines, count_lines(block)

    def _parse(self) -> None:
        treebank = None
        with suppress(ConlluError):
            treebank = self._scan(self._data + self._new) if self._new else None  # most files need no repair
        if treebank is not None:
            last = len(treebank) - 1  # to count all lines would take longer
            n_rows = treebank.n_words - int(treebank.sentence_starts[last])
            n_rows += sum(int((part.sentence == last).sum()) for part in (treebank.multiword, treebank.empty))
            n_lines = int(treebank.source.lines[last]) + n_rows - len(self._lines)
            self._add(self._new, range(1, n_lines + 1), n_lines)
        else:
            self._normalize()
            if not self._data:
                return  # only blank lines
            try:
                treebank = self._scan(self._data)
            except ConlluError as error:
                self._header = error
        if treebank is None or self._has_trees not in {None, treebank.has_trees}:
            self.failed = True
        else:
            self._has_trees = treebank.has_trees
            self._waiting = self._placed(treebank)

    def _scan(self, data: bytes) -> Treebank | None:
        if not self._n_taken_lines:
            self._reading = self._reading.of(data, self.name)
        return scan_file(data, self._reading, start=not self._n_taken_lines)

    def _drop(self, n_bytes: int, n_sentences: int) -> None:
        if n_sentences and self._waiting is not None and not self._waiting.has_trees:
            faults = walk(self._data[:n_bytes], count(self.n_sentences + 1), self._reading, line_of=self._line)
            headless = (fault for fault in faults if fault.slug == SOME_HEAD.slug)
            self._headless += islice(headless, MOST - len(self._headless))
            self._n_headless += int(self._waiting.sentence_starts[n_sentences])
        super()._drop(n_bytes, n_sentences)

    def _find_warnings(self, piece: Treebank, numbers: Sequence[int]) -> None:
        if not self._reading.conllx and self._known is None:
            for kind, fault in warnings_by_kind(piece, self._most):
                most = 1 if fault.slug == "missing-trees" else self._most
                add_fault(self._notices, kind, self._in_file(fault, numbers), most)
            self._ids.add(piece, numbers)
        for fault in text_faults(piece) if self._most > 1 else ():
            add_fault(self._notices, TEXT_COMMENTS, self._in_file(fault, numbers), self._most)

    def _own_error(self) -> InputError | None:
        if self._header is not None:
            return self._header
        try:
            faults = by_line(self._faults(), self._most if self._most > 1 else MOST)
        except ConlluError as error:
            return error
        nul = [*chain(*self._nul.values())]
        errors = [*nul, *(faults if self._most > 1 or not nul else ())] or ([] if self.n_sentences else [EMPTY])
        if not errors:
            return None
        if any(fault.slug == SOME_HEAD.slug for fault in errors):  # words without heads are errors
            self._notices = {kind: some for kind, some in self._notices.items() if some[0].slug != "missing-trees"}
        errors += self.warnings() if self._most > 1 else self._repair_warnings()
        return ConlluError(*(fault.in_file(self.name) for fault in errors))

    def _faults(self) -> Iterator[Fault]:
        """Yield the faults from the text that waits to the end of the file; too many end the search."""
        if self._has_trees:
            yield SOME_HEAD
        yield from self._headless
        yield from repeat(self._headless[-1], self._n_headless - len(self._headless)) if self._headless else ()
        reports_all = self._most > 1
        n_errors = 0
        while True:
            self._normalize()
            treebank = scan_file(self._data, self._reading, start=not self._n_taken_lines) if self._data else None
            n_valid = len(treebank) if treebank and treebank.has_trees else 0  # each word without a head may be a fault
            numbers = count(self.n_sentences + 1 + n_valid)
            if n_valid:
                yield SOME_HEAD
            else:
                most = max(1, self._most - sum(map(len, self._nul.values())))
                not_text = encoding_faults(self._data, self._line, self._n_taken_bytes, most)
                for fault in not_text:
                    if fault.slug == "encoding":
                        raise ConlluError(fault.in_file(self.name))  # the only error that is reported
                    add_fault(self._nul, fault.slug, fault, self._most)
                lines = b"" if not_text and not reports_all else self._data
                for fault in walk(lines, numbers, self._reading, line_of=self._line):
                    yield fault
                    n_errors += fault.slug != SOME_HEAD.slug  # which may not be an error
                    if reports_all and n_errors > self._most:
                        yield Fault("too-many-errors", "the rest of the file is not checked", fault.place)
                        return
            for readable, rows in readable_sentences(self._data, self._reading) if reports_all else ():
                self._find_warnings(self._placed(readable), [self.n_sentences + 1 + row for row in rows])
            self._drop(len(self._data), next(numbers) - 1 - self.n_sentences)
            if self.ended or not self._read(AT_ONCE):
                return
