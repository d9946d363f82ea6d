"""Files read in threads: two at the same time, or one while the rest of the program is loaded."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Self, TypeVar

from levelhead.kernels import scan
from levelhead.treebank.input_bytes import read_bytes, size_of_file

_First = TypeVar("_First")
_Second = TypeVar("_Second")
_Item = TypeVar("_Item")


def in_two_threads(first: Callable[[], _First], second: Callable[[], _Second]) -> tuple[_First, _Second]:
    """Return the results of two functions that run at the same time where they release Python's lock."""
    results: list[_Second] = []
    errors: list[BaseException] = []

    def run() -> None:  # an executor would do the same, but takes 4 ms to load
        try:
            results.append(second())
        except BaseException as error:  # noqa: BLE001 -- raised below
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        result = first()
    finally:
        thread.join()
    if errors:
        raise errors[0]
    return result, results[0]


def pipelined(items: Iterator[_Item], use: Callable[[_Item], None]) -> None:
    """Call a function with each item, in order, while the next item is computed."""
    item = next(items, None)
    while item is not None:
        item, _ = in_two_threads(partial(next, items, None), partial(use, item))


def are_large_files(*paths: object) -> bool:
    """Return whether all paths are regular files that are large enough to be read in separate threads."""
    return all(isinstance(path, str | os.PathLike) and size_of_file(path) >= 1 << 18 for path in paths)


class ScannedBytes(bytes):
    """The contents of a file, already hashed, and scanned as CoNLL-U."""

    sha256: str
    begun: scan.Begun


def sha256_of(data: bytes) -> str:
    return data.sha256 if isinstance(data, ScannedBytes) else hashlib.sha256(data).hexdigest()


class PrefetchedFile(os.PathLike[str]):
    """A file that is read in a separate thread, which `with` starts and waits for."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._outcome: bytes | Exception = b""
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
            self._outcome = data = ScannedBytes(contents)
            data.begun = scan.begin(contents)
            data.sha256 = hashlib.sha256(contents).hexdigest()
        except Exception as error:  # noqa: BLE001 -- raised when the contents are needed
            self._outcome = error

    def contents(self) -> bytes:
        self._thread.join()
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome
