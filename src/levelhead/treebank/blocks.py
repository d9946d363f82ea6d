"""The bytes of a file, cut into blocks after blank lines, and its hash."""

from __future__ import annotations

import hashlib
import os
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from levelhead.errors import Fault, Place, UnreadableFile
from levelhead.immutable import immutable
from levelhead.treebank.input_bytes import DEFAULT_LIMITS, LONGEST_LINE, parts_of, size_of_file, size_text

_FURTHER = 1 << 16


@immutable
class PieceSizes:
    """The decompressed size in bytes above which a file is read in pieces, and the approximate size of a piece."""

    large: int = 1 << 25
    piece: int = 1 << 22


SIZES = PieceSizes()


class OnlyWhole(Exception):
    """It turned out that files cannot be read in pieces; the message is the cause, where a file may be a pipe."""


@contextmanager
def contents_or_parts(path: str | os.PathLike[str], most: int) -> Iterator[bytes | Iterator[bytes]]:
    """Yield the decompressed contents of a file, or an iterator over their parts if the file is large."""
    with parts_of(path) as parts:
        yield whole_or_parts(parts, 0 if size_of_file(path) > most else most)


def whole_or_parts(parts: Iterator[bytes], most: int) -> bytes | Iterator[bytes]:
    """Return the parts of a file joined, or an iterator over the parts if the file is large."""
    kept, size = deque[bytes](), 0
    for part in parts:
        kept.append(part)
        size += len(part)
        if size > most:
            return chain((kept.popleft() for _ in range(len(kept))), parts)  # keeps no references
    return b"".join(kept)


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
        """Return the next block: the rest if no blank line follows, everything read if a line is too long."""
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
