"""Unambiguous repairs of bytes; each leaves a warning."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from levelhead.errors import Fault, Place, add_fault
from levelhead.kernels import text

if TYPE_CHECKING:
    from levelhead.treebank.strings import Codes

_BOM = b"\xef\xbb\xbf"
_BLANK_LINES = {
    "blank-line-with-spaces": "the line has only white space",
    "extra-blank-line": "the blank line does not end a sentence",
}

REPAIRS = ("byte-order-mark", "line-ends", *_BLANK_LINES, "missing-final-blank-line")
"""The kinds of repairs, in the order in which they are reported."""


class Repaired(NamedTuple):
    """A file with a line feed after each line and a single blank line after each sentence.

    Args:
        data: its bytes.
        warnings: the repairs.
        numbers: the original line number of each line, int32; None if no line was removed.
    """

    data: bytes
    warnings: tuple[Fault, ...] = ()
    numbers: Codes | None = None

    def line(self, number: int) -> int:
        """Return the original number of a line of the repaired file."""
        if self.numbers is None or number > len(self.numbers):
            return number
        return int(self.numbers[number - 1])

    def lines(self, numbers: Codes) -> Codes:
        """Return the original numbers of lines of the repaired file, int32."""
        return numbers if self.numbers is None else self.numbers[numbers - 1]


def repair(data: bytes, *, start: bool = True, most: int = 1) -> Repaired:
    """Remove a byte order mark and extra blank lines; normalize line ends; end the last sentence."""
    warnings: list[Fault] = []
    if start:
        data = _without_mark(data, warnings)
    data = _with_line_feeds(data, warnings, start=start)
    numbers, n_lines = None, text.count_lines(data)
    if text.has_odd_lines(data):
        data, numbers = _with_single_blank_lines(data, warnings, most)
    ended = _with_final_blank_line(data)
    if ended != data:
        _warn(warnings, "missing-final-blank-line", "no blank line follows the last sentence", n_lines + 1)
    return Repaired(ended, tuple(warnings), numbers)


def _warn(warnings: list[Fault], slug: str, message: str, line: int, count: int = 1) -> None:
    warnings.append(Fault(slug, message, Place(line=line), "warning", count))


def _without_mark(data: bytes, warnings: list[Fault]) -> bytes:
    if not data.startswith(_BOM):
        return data
    _warn(warnings, "byte-order-mark", "the byte order mark at the start is ignored", 1)
    return data[len(_BOM) :]


def _with_line_feeds(data: bytes, warnings: list[Fault], *, start: bool) -> bytes:
    if b"\r" not in data:
        return data
    if start and b"\n" not in data:
        _warn(warnings, "line-ends", "lines end with carriage returns", 1, data.count(b"\r"))
        return data.replace(b"\r", b"\n")
    pairs = data.count(b"\r\n")
    if pairs:
        first = data.count(b"\n", 0, data.index(b"\r\n")) + 1
        _warn(warnings, "line-ends", "lines end with a carriage return and a line feed", first, pairs)
    return data.replace(b"\r\n", b"\n")


def _with_single_blank_lines(data: bytes, warnings: list[Fault], most: int) -> tuple[bytes, Codes]:
    """Drop blank lines that do not end a sentence; lines with only white space are blank."""
    kept: list[bytes] = []
    numbers = [np.zeros(0, dtype=np.int32)]
    found: dict[str, list[Fault]] = {}
    end, line = 0, 1  # of the blank lines before: their end, and the number of the next line
    for match in _BLANK.finditer(data):
        blank, before = match[0], data[end : match.start()]
        if not blank or (blank == b"\n" and before):
            continue  # the usual blank line after a sentence, which is kept with the text before it
        first = line + text.count_lines(before)
        n_lines = text.count_lines(blank) + (not blank.endswith(b"\n"))
        n_kept = 1 if before else 0
        numbers.append(np.arange(line, first + n_kept, dtype=np.int32))
        kept += [before, b"\n" * n_kept]
        n_spaced, spaced = _lines_with_spaces(blank)
        for slug, at, n in (
            ("blank-line-with-spaces", first + spaced, n_spaced),
            ("extra-blank-line", first + n_kept, n_lines - n_kept),
        ):
            if n:
                add_fault(found, slug, Fault(slug, _BLANK_LINES[slug], Place(line=at), "warning", n), most)
        end, line = match.end(), first + n_lines
    last = data[end:]
    n_last = text.count_lines(last) + (bool(last) and not last.endswith(b"\n"))
    numbers.append(np.arange(line, line + n_last, dtype=np.int32))
    warnings += [fault for slug in _BLANK_LINES for fault in found.get(slug, ())]
    return b"".join([*kept, last]), np.concatenate(numbers)


_BLANK = re.compile(rb"(?m)^[ \t\n]*(?:\n|\Z)")
"""Consecutive blank lines."""


def _lines_with_spaces(blank: bytes) -> tuple[int, int]:
    """Return how many of some blank lines have white space, and the position of the first."""
    if blank.count(b"\n") == len(blank):
        return 0, 0
    feeds = np.frombuffer(blank, dtype=np.uint8) == ord("\n")
    n_empty = int(feeds[0]) + int(np.count_nonzero(feeds[1:] & feeds[:-1]))
    n_lines = int(np.count_nonzero(feeds)) + (not feeds[-1])
    return n_lines - n_empty, int(np.argmin(feeds))


def lines_of(data: bytes) -> Iterator[bytes]:
    """Yield the lines of a file, each with its line feed; the last line may have none."""
    return iter(io.BytesIO(data))


def _with_final_blank_line(data: bytes) -> bytes:
    """Add the line end and the blank line that the last sentence lacks."""
    if not data or data.endswith(b"\n\n"):
        return data
    last = data.rstrip(b"\n").rpartition(b"\n")[2]
    if not last or last.startswith(b"#"):
        return data  # there is no sentence to end
    return data + (b"\n" if data.endswith(b"\n") else b"\n\n")
