"""Unambiguous repairs of bytes; each leaves a warning."""

from __future__ import annotations

import io
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from levelhead.errors import Fault, Place
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


def repair(data: bytes, *, start: bool = True) -> Repaired:
    """Remove a byte order mark and extra blank lines; normalize line ends; end the last sentence.

    Args:
        data: the bytes of a file, or of a part of a file after a blank line.
        start: whether they are the start of the file.
    """
    warnings: list[Fault] = []
    if start:
        data = _without_mark(data, warnings)
    data = _with_line_feeds(data, warnings, start=start)
    numbers, n_lines = None, text.count_lines(data)
    if text.has_odd_lines(data):
        data, numbers = _with_single_blank_lines(data, warnings)
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


def _with_single_blank_lines(data: bytes, warnings: list[Fault]) -> tuple[bytes, Codes]:
    """Drop blank lines that do not end a sentence; lines with only white space are blank."""
    kept, numbers = bytearray(), array("i")
    first: dict[str, int] = {}
    counts: Counter[str] = Counter()
    previous = b""
    for number, line in enumerate(lines_of(data), 1):
        content = line if line.strip(b" \t\n") else b"\n"
        is_extra = content == b"\n" and previous in {b"", b"\n"}
        for slug, applies in (("blank-line-with-spaces", content != line), ("extra-blank-line", is_extra)):
            if applies:
                first.setdefault(slug, number)
                counts[slug] += 1
        if not is_extra:
            kept += content
            numbers.append(number)
            previous = content
    for slug, message in _BLANK_LINES.items():
        if slug in first:
            _warn(warnings, slug, message, first[slug], counts[slug])
    return bytes(kept), np.array(numbers, dtype=np.int32)


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
