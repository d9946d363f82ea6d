"""Two files read at the same time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from levelhead.treebank.input_bytes import size_of_file

_First = TypeVar("_First")
_Second = TypeVar("_Second")
_Item = TypeVar("_Item")

_WORTH_IT = 1 << 18
"""The size in bytes above which starting a thread for a file saves time."""


def in_two_threads(first: Callable[[], _First], second: Callable[[], _Second]) -> tuple[_First, _Second]:
    """Return the results of two functions that run at the same time, as far as each releases Python's lock.

    Reading, decompression, hashing and the kernels release it. Errors are the same as for sequential calls: if both
    fail, the error of the first is raised.
    """
    results: list[_Second] = []
    errors: list[BaseException] = []

    def run() -> None:
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


def one_ahead(items: Iterator[_Item], use: Callable[[_Item], None]) -> None:
    """Call a function with each item, in order, while the next item is computed."""
    item = next(items, None)
    while item is not None:
        item, _ = in_two_threads(partial(next, items, None), partial(use, item))


def are_files(*paths: str) -> bool:
    """Return whether all paths are regular files, which never block their reader."""
    return all(map(os.path.isfile, paths))


def are_large_files(*paths: object) -> bool:
    """Return whether all paths are regular files that are large enough to be read in separate threads.

    Pipes and standard input are not, since they must be read in order.
    """
    return all(isinstance(path, str | os.PathLike) and size_of_file(path) >= _WORTH_IT for path in paths)
