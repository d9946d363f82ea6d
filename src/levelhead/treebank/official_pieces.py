"""Files read in pieces as an official scorer reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from levelhead.errors import ConlluError, InputError
from levelhead.kernels.text import count_lines, survey
from levelhead.treebank.input_bytes import LONGEST_LINE, refuse_long_lines
from levelhead.treebank.line_numbers import Lines
from levelhead.treebank.official_reader import (
    Crash,
    OfficialReading,
    check_deps_of_part,
    check_depth,
    read_part,
    refusal_of_encoding,
    with_line_feeds,
)
from levelhead.treebank.pieces import AT_ONCE, Pieces
from levelhead.treebank.treebank import Treebank

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

    def _look_at(self, piece: Treebank) -> None:
        """Do nothing: official scorers give no warnings."""

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
                check_deps_of_part(treebank, self.name)
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
