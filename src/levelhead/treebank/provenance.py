"""Where the numbers of a result come from: one value that every result has."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from levelhead.errors import Fault

TREEBANK = "treebank"
"""The code of a treebank that has no other."""

MEMORY = "memory"
"""What stands for the hash and the path of a treebank that was not read from a file."""


class Provenance(NamedTuple):
    """Where the numbers of a result come from.

    Args:
        signature: everything that decides the numbers, by name.
        files: the hashes of all files, by treebank and then by "gold", the system (and run), or the path of the file.
        warnings: the warnings about the files.
        notes: what to know before the numbers are used, in sentences.
    """

    signature: Mapping[str, str]
    files: Mapping[str, Mapping[str, str]]
    warnings: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()

    def with_parts(self, **parts: str) -> Provenance:
        """Return the same with more parts in the signature, after the others."""
        return self._replace(signature={**self.signature, **parts})


def short_hash(sha256: str | None) -> str:
    """Return a file's hash as signatures have it: its first twelve digits, "memory" if there was no file.

    Args:
        sha256: the hash of the file, or None.
    """
    return (sha256 or MEMORY)[:12]


def joint_hash(hashes: Iterable[str]) -> str:
    """Return one hash for many files as signatures have it: of the starts of theirs, in order; that of one its own.

    Args:
        hashes: the hashes of the files, or their first twelve digits.
    """
    starts = [one[:12] for one in hashes]
    return starts[0] if len(starts) == 1 else hashlib.sha256("".join(starts).encode()).hexdigest()[:12]
