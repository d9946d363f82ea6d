"""Files read in pieces with levelhead's own checks and repairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count, islice, repeat

import numpy as np

from levelhead.errors import ConlluError, Fault, InputError, add_fault
from levelhead.kernels.pools import count_lines
from levelhead.treebank.faults import EMPTY, MOST, REPAIRS, SOME_HEAD, by_line, encoding_faults, repair, walk
from levelhead.treebank.lenient_reader import readable_sentences
from levelhead.treebank.pieces import AT_ONCE, Lines, Pieces, line_numbers
from levelhead.treebank.provenance import FileSummary
from levelhead.treebank.scanner import ReaderSettings, scan_file
from levelhead.treebank.treebank import Treebank
from levelhead.treebank.warning_checks import TEXT_COMMENTS, Kind, SentenceIds, in_order, text_faults, warnings_by_kind


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
