"""Repeated sentence ids in a file that is read in pieces: 8 bytes of memory per id, the ids themselves on disk."""

from __future__ import annotations

import re
import tempfile
import weakref
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, Place
from levelhead.treebank.warning_checks import SENT_ID, repeated_id

if TYPE_CHECKING:
    from levelhead.treebank.treebank import Treebank

_IN_MEMORY = 1 << 20
_AT_ONCE = 100_000

Hashes = NDArray[np.int64]


class SentenceIds:
    """The sentence ids of the pieces of a file, as 64-bit hashes; the ids themselves are in a temporary file."""

    def __init__(self) -> None:
        self._hashes: list[Hashes] = []
        self._records = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 -- closed with this object
        weakref.finalize(self, self._records.close)

    def add(self, piece: Treebank, before: int) -> None:
        """Add the ids of a piece.

        Args:
            piece: some sentences, with their lines in the file.
            before: the number of earlier sentences.
        """
        comments = piece.comments
        ids = list(re.finditer(SENT_ID, comments.text))
        if not ids:
            return
        names = [match[1].strip() for match in ids]
        at = np.array([match.start() for match in ids])
        sentences = np.searchsorted(comments.starts, at, side="right") - 1
        line_ends = np.flatnonzero(np.frombuffer(comments.text, dtype=np.uint8) == ord("\n"))
        below = np.searchsorted(line_ends, comments.starts[sentences + 1]) - np.searchsorted(line_ends, at)
        lines = piece.source.lines[sentences] - below
        self._hashes.append(hashes_of(names))
        rows = zip(lines.tolist(), (sentences + before + 1).tolist(), names)
        self._records.write(b"".join(b"%d %d %s\n" % row for row in rows))

    def repeated(self, path: str | None) -> tuple[Fault, ...]:
        """Return the warning about repeated ids, or None.

        Args:
            path: the file, for its place.
        """
        every = np.concatenate([*self._hashes, np.zeros(0, dtype=np.int64)])
        self._hashes.clear()
        every.sort()
        suspects = np.unique(every[1:][every[1:] == every[:-1]])
        del every
        first, count = None, 0
        if len(suspects):
            for record in self._repeats(suspects):
                first, count = first or record, count + 1
        if first is None:
            return ()
        line, sentence, name = first.split(b" ", 2)
        return (repeated_id(name, Place(path, int(line), int(sentence)), count),)

    def _repeats(self, suspects: Hashes) -> Iterator[bytes]:
        """Read the ids again and yield the repeated ids: their 64-bit hashes are equal."""
        again = np.zeros(len(suspects), dtype=np.int64)
        met = np.zeros(len(suspects), dtype=bool)
        others: set[bytes] = set()  # ids that share the first hash with another id, but not the second
        self._records.seek(0)
        while batch := [record.removesuffix(b"\n") for record in islice(self._records, _AT_ONCE)]:
            hashes = hashes_of([record.split(b" ", 2)[2] for record in batch])
            slots = np.searchsorted(suspects, hashes).clip(max=len(suspects) - 1)
            for row in np.flatnonzero(suspects[slots] == hashes).tolist():
                name, slot = batch[row].split(b" ", 2)[2], int(slots[row])
                second = hash(b"again " + name)
                if not met[slot]:
                    met[slot], again[slot] = True, second
                elif again[slot] == second or name in others:
                    yield batch[row]
                else:
                    others.add(name)


def hashes_of(names: list[bytes]) -> Hashes:
    """Return 64-bit hashes, which are others in every process.

    Args:
        names: ids, or other texts.
    """
    return np.fromiter(map(hash, names), dtype=np.int64, count=len(names))
