"""Repeated sentence ids in a file that is read in pieces: 8 bytes of memory per id, the ids themselves on disk."""

from __future__ import annotations

import contextlib
import pickle
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, Place
from levelhead.kernels import pools, text
from levelhead.treebank.warning_checks import repeated_id

if TYPE_CHECKING:
    from levelhead.treebank.treebank import Treebank

_IN_MEMORY = 1 << 20

Hashes = NDArray[np.int64]


class _Ids(NamedTuple):
    """The sentence ids of a piece.

    Args:
        names: the ids, each followed by a line feed.
        offsets: where each starts, and the end, int64, shape (ids + 1,).
        hashes: their hashes, int64, shape (ids,).
        lines: the line of each in the file, same type and shape.
        sentences: the sentence of each in the file, same type and shape.
    """

    names: bytes
    offsets: NDArray[np.int64]
    hashes: Hashes
    lines: NDArray[np.int64]
    sentences: NDArray[np.int64]

    def name(self, row: int) -> bytes:
        """Return an id."""
        return self.names[self.offsets[row] : self.offsets[row + 1] - 1]


class SentenceIds:
    """The sentence ids of the pieces of a file, as 64-bit hashes; the ids themselves are in a temporary file."""

    def __init__(self) -> None:
        self._hashes: list[Hashes] = []
        self._records = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 -- closed with this object
        weakref.finalize(self, self._records.close)

    def add(self, piece: Treebank, numbers: Sequence[int]) -> None:
        """Add the ids of a piece."""
        comments = piece.comments
        names, offsets, places = text.sentence_ids(comments.text)
        if not len(places):
            return
        sentences = np.searchsorted(comments.starts, places, side="right") - 1
        line_ends = np.flatnonzero(np.frombuffer(comments.text, dtype=np.uint8) == ord("\n"))
        below = np.searchsorted(line_ends, comments.starts[sentences + 1]) - np.searchsorted(line_ends, places)
        hashes = pools.hashes(names, offsets)
        self._hashes.append(hashes)
        lines = piece.source.lines[sentences] - below
        pickle.dump(_Ids(names, offsets, hashes, lines, np.asarray(numbers)[sentences]), self._records)

    def repeated(self, path: str | None, most: int = 1) -> list[Fault]:
        """Return the warnings about repeated ids."""
        every = np.concatenate([*self._hashes, np.zeros(0, dtype=np.int64)])
        self._hashes.clear()
        every.sort()
        suspects = np.unique(every[1:][every[1:] == every[:-1]])
        del every
        repeats = self._repeats(suspects) if len(suspects) else iter(())
        found = [repeated_id(name, Place(path, line, number), 1) for name, line, number in islice(repeats, most)]
        left = sum(1 for _ in repeats)
        return [*found[:-1], replace(found[-1], count=1 + left)] if left else found

    def _repeats(self, suspects: Hashes) -> Iterator[tuple[bytes, int, int]]:
        """Read the ids again and yield the repeated ids, whose 64-bit hashes are equal, with line and sentence."""
        again = np.zeros(len(suspects), dtype=np.int64)
        met = np.zeros(len(suspects), dtype=bool)
        others: set[bytes] = set()  # ids that share the first hash with another id, but not the second
        for ids in self._again():
            slots = np.searchsorted(suspects, ids.hashes).clip(max=len(suspects) - 1)
            for row in np.flatnonzero(suspects[slots] == ids.hashes).tolist():
                name, slot = ids.name(row), int(slots[row])
                second = hash(name)
                if not met[slot]:
                    met[slot], again[slot] = True, second
                elif again[slot] == second or name in others:
                    yield name, int(ids.lines[row]), int(ids.sentences[row])
                else:
                    others.add(name)

    def _again(self) -> Iterator[_Ids]:
        self._records.seek(0)
        with contextlib.suppress(EOFError):
            while True:
                yield pickle.load(self._records)  # noqa: S301 -- written above
