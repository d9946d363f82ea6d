"""The tables of rows in an answer: a model can start again, or explain before, between and after tables."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from levelhead.recovery.headers import Header, header_of
from levelhead.recovery.lists import rows_of_lists
from levelhead.recovery.rows import LONGEST_LINE, AnswerRow, RangeRow, read_cells, read_row

FENCES, PROSE, BLANK, PIPES, LIST = "fences", "prose", "blank lines", "table", "list"
"""Steps of unpacking: text around rows, and rows of Markdown tables and of lists in JSON or Python."""

LONGEST_ANSWER = 1 << 24
"""The maximum number of characters of an answer."""

_MOST_ATTEMPTS = 100
_LEAST_CELLS, _MOST_CELLS = 4, 100
_COMMENT = re.compile(r"#\s*(?:[\w.]+(?:\[\w+\])?\s*=.*|newdoc|newpar)\s*", re.DOTALL)
_SENT_ID = re.compile(r"^[^\S\n]*#[^\S\n]*sent_id[^\S\n]*=([^\n]*)", re.MULTILINE)
_RULE = re.compile(r"[\s|:+=-]+")


class Attempt(NamedTuple):
    """A table of rows.

    Args:
        rows: its rows, numbered; only the first if there are far too many.
        ranges: its rows of multiword tokens and empty nodes.
        n_rows: the number of its rows.
    """

    rows: tuple[AnswerRow, ...]
    ranges: tuple[RangeRow, ...]
    n_rows: int


class Tables(NamedTuple):
    """The contents of an answer.

    Args:
        attempts: its tables of rows, in order.
        steps: the kinds of text that were removed around them.
    """

    attempts: tuple[Attempt, ...]
    steps: frozenset[str]


def sent_id_of(text: str) -> str | None:
    """Return the sent_id in a comment of an answer, or None."""
    found = _SENT_ID.search(text) if "sent_id" in text else None
    return (found[1].strip() or None) if found else None


def tables_of(text: str, forms: Sequence[str]) -> Tables:
    """Return the tables of rows in an answer, and the text around them."""
    if len(text) > LONGEST_ANSWER:
        return Tables((), frozenset())
    reader = _Reader(frozenset(forms), 2 * len(forms) + 1000)
    lines = text.strip("\n").split("\n")
    for line in lines:
        reader.take(line)
    reader.close(cut_off=True)
    if not reader.found:
        reader = _of_lists(text, reader)
    return Tables(tuple(reader.found), frozenset(reader.steps))


def _of_lists(text: str, failed: _Reader) -> _Reader:
    """Read an answer without tables as lists of rows."""
    reader = _Reader(failed.forms, failed.most_rows)
    for rows in rows_of_lists(text, failed.forms):
        for row in rows:
            reader.add(row, in_list=True)
        reader.close()
    if reader.found:
        reader.steps.add(LIST)
        return reader
    return failed


@dataclass
class _Reader:
    """Collects rows line by line; a number that is not larger than all earlier numbers starts a new attempt."""

    forms: Collection[str]
    most_rows: int
    found: deque[Attempt] = field(default_factory=lambda: deque(maxlen=_MOST_ATTEMPTS))
    steps: set[str] = field(default_factory=set)
    rows: list[AnswerRow] = field(default_factory=list)
    ranges: list[RangeRow] = field(default_factory=list)
    n_rows: int = 0
    last: int = 0
    apart: bool = False  # whether there is text between the last row and here
    header: Header | None = None  # of the current table

    def take(self, line: str) -> None:
        """Read a line."""
        if not self._take_by_header(line):
            self._take_by_place(line)

    def _take_by_header(self, line: str) -> bool:
        """Read a header, or a row of a table with a header; return whether the line is either."""
        header = header_of(line)
        if header is not None:
            self.header, self.apart = header, True
            self.steps.add(PIPES)
            return True
        if self.header is None:
            return False
        row = self.header.row(line)
        if row is None:
            return self.header.loses(line) and not _RULE.fullmatch(line)
        self.add(row)
        return True

    def _take_by_place(self, line: str) -> None:
        row = read_row(line, self.last + 1, self.forms)
        if row is None and "|" in line:
            row = self._piped(line)
        if row is None:
            self._other(line)
        elif isinstance(row, RangeRow):
            if int(re.split("[-.]", row.id)[0]) < self.last:
                self.close()
            if len(self.ranges) < self.most_rows:
                self.ranges.append(row)
        else:
            self.add(row)

    def add(self, row: AnswerRow, *, in_list: bool = False) -> None:
        """Add a row, which can start a new attempt unless it is in the same list as the previous row."""
        number = self.last + 1 if row.id is None else row.id
        if self.n_rows and number <= self.last and (self.apart or number <= 1) and not in_list:
            self.close()
            number = 1 if row.id is None else number
        if len(self.rows) < self.most_rows:
            self.rows.append(row if row.id == number else row._replace(id=number))
        self.n_rows += 1
        self.last = max(self.last, number)
        self.apart = False

    def close(self, *, cut_off: bool = False) -> None:
        """End an attempt."""
        if cut_off and not self.apart and len(self.rows) > 1 and self.n_rows == len(self.rows):
            self.rows[-1] = _if_cut(self.rows[-1], self.rows[-2].n_cells)
        if self.rows:
            self.found.append(Attempt(tuple(self.rows), tuple(self.ranges), self.n_rows))
        self.rows, self.ranges, self.n_rows, self.last = [], [], 0, 0

    def _piped(self, line: str) -> AnswerRow | None:
        """Read a row of a Markdown table."""
        cells = _pipe_cells(line)
        if len(cells) < _LEAST_CELLS:
            return None
        row = read_cells(cells, self.last + 1, self.forms)
        if row is not None:
            self.steps.add(PIPES)
        return row

    def _other(self, line: str) -> None:
        """Record text between rows."""
        stripped = line.strip()
        if _COMMENT.fullmatch(stripped):
            return
        self.apart = True
        if stripped and not _RULE.fullmatch(stripped):
            self.header = None
        if not stripped:
            self.steps.add(BLANK)
        elif stripped.startswith(("```", "~~~")):
            self.steps.add(FENCES)
        elif _RULE.fullmatch(stripped) and "|" in stripped:
            self.steps.add(PIPES)
        else:
            self.steps.add(PROSE)


def _pipe_cells(line: str) -> list[str]:
    """Cut a line at pipes; pipes without white space around them are part of features if there are others."""
    inner = line.strip()
    if len(inner) > LONGEST_LINE or inner.count("|") > _MOST_CELLS:
        return []
    parts = inner.removeprefix("|").removesuffix("|").split("|")
    spaced = [parts[0]]
    for part in parts[1:]:
        if part[:1].isspace() and spaced[-1][-1:].isspace():
            spaced.append(part)
        else:
            spaced[-1] += f"|{part}"
    return [cell.strip().replace("\\|", "|") for cell in (spaced if len(spaced) >= _LEAST_CELLS else parts)]


def _if_cut(row: AnswerRow, n_cells: int) -> AnswerRow:
    """Discard the last column of an answer that ends in the middle of a row: `1` may be half of `12`."""
    if row.n_cells >= n_cells:
        return row
    if row.relation == "_":
        return row._replace(head=None)
    return row._replace(relation="_") if row.n_cells <= 8 else row
