"""Files of UD releases: recognized by their contents, and found by their names on this machine or on the web."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache

from levelhead.errors import InputError
from levelhead.treebank.input_bytes import SUFFIXES, parts_of
from levelhead.treebank.releases.index import ReleasedFile, index


@lru_cache(maxsize=1024)
def released_as(sha256: str, path: str | None) -> ReleasedFile | None:
    """Return the file of UD releases with these contents; files over 4 MiB are read again if named like one."""
    known = index().with_contents(bytes.fromhex(sha256))
    if known is not None or path is None:
        return known
    name = os.path.basename(path)  # noqa: PTH119 -- pathlib would be loaded for this alone
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    if name not in index().large_files:
        return None
    try:
        return index().with_contents(blob_digest(path))
    except InputError:  # such as a file that was removed meanwhile
        return None


def blob_digest(path: str) -> bytes:
    """Return the SHA-1 of the contents of a file as a git blob."""
    with parts_of(path) as parts:
        size = sum(map(len, parts))
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with parts_of(path) as parts:
        for part in parts:
            digest.update(part)
    return digest.digest()
