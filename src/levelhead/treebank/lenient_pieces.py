"""A system's output read row by row, in pieces."""

from __future__ import annotations

from collections.abc import Iterator

from levelhead.errors import ConlluError, InputError
from levelhead.kernels.text import count_lines
from levelhead.treebank.input_bytes import refuse_long_lines
from levelhead.treebank.lenient_reader import no_readable_row, not_text, readable_rows
from levelhead.treebank.line_numbers import Lines, lines_of
from levelhead.treebank.pieces import Pieces
from levelhead.treebank.reader import ReaderSettings, scan_treebank
from levelhead.treebank.repair import repair
from levelhead.treebank.treebank import Treebank


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

    def _check(self, block: bytes) -> None:
        refuse_long_lines(block, self.name, self._n_lines)

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

    def _look_at(self, piece: Treebank) -> None:
        """Rows are read without warnings."""
