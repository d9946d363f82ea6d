"""Files that are read in a thread while the rest of the program is loaded."""

from __future__ import annotations

import hashlib
import os
import threading
from typing import Self

from levelhead.kernels import scan
from levelhead.treebank.input_bytes import read_bytes


class ScannedBytes(bytes):
    """The contents of a file, already hashed and scanned.

    Attributes:
        sha256: their hash.
        begun: the result of `scan.begin` for CoNLL-U.
    """

    sha256: str
    begun: scan.Begun


def sha256_of(data: bytes) -> str:
    """Return the hash of the contents of a file."""
    return data.sha256 if isinstance(data, ScannedBytes) else hashlib.sha256(data).hexdigest()


def begin(data: bytes, *, ranges: bool) -> scan.Begun:
    """Return the result of `scan.begin` for the contents of a file, which may already have been scanned."""
    if ranges and isinstance(data, ScannedBytes):
        return data.begun
    return scan.begin(data, ranges)


class FileAhead(os.PathLike[str]):
    """A file that is read in a separate thread, which `with` starts and waits for.

    Args:
        path: its path.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._data: bytes | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def __fspath__(self) -> str:
        return self._path

    def _read(self) -> None:
        try:
            contents = read_bytes(self._path)
            data = ScannedBytes(contents)
            data.begun = scan.begin(contents)
            data.sha256 = hashlib.sha256(contents).hexdigest()
            self._data = data
        except Exception as error:  # noqa: BLE001 -- raised when the contents are needed
            self._error = error

    def contents(self) -> bytes:
        """Return the contents, decompressed."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._data is not None
        return self._data
