"""The files of a job, with checks that they do not change after planning."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from levelhead.errors import Place
from levelhead.jobs import StaleInput
from levelhead.treebank.blocks import whole_or_parts
from levelhead.treebank.input_bytes import DEFAULT_LIMITS, decompressed, parts_of, parts_of_bytes


@dataclass(frozen=True)
class File:
    """A file with the hash of its contents when the jobs were planned.

    Args:
        path: its path.
        sha256: the hash of its bytes on disk.
        data: the bytes themselves, if available: those of a pipe, which can be read only once, and those of a file that
            this process has just read for the hash and scores itself.
    """

    path: str
    sha256: str
    data: bytes | None = field(default=None, compare=False, repr=False)


class LargeFile(Exception):
    """A file that is too large to be read whole."""


def contents(file: File) -> bytes:
    """Return the bytes of a file without decompression."""
    if file.data is not None:
        return file.data
    try:
        data = Path(file.path).read_bytes()
    except OSError as error:
        raise _unreadable(file, error) from error
    _check(file, hashlib.sha256(data).hexdigest())
    return data


def whole_contents(file: File, most: int) -> bytes:
    """Return the contents of a file, decompressed."""
    if file.data is None and _state(file)[0] > most:
        raise LargeFile
    raw = contents(file)
    if most >= DEFAULT_LIMITS.size:
        return decompressed(raw, "")
    with parts_of_bytes(raw, "") as parts:
        whole = whole_or_parts(parts, most)
    if not isinstance(whole, bytes):
        raise LargeFile
    return whole


def parts_of_file(file: File) -> AbstractContextManager[Iterator[bytes]]:
    """Return the decompressed contents of a file in parts; `with` closes the file."""
    return parts_of(file.path) if file.data is None else parts_of_bytes(file.data, "")


@contextmanager
def unchanged(*files: File) -> Iterator[None]:
    """Check that files are unchanged since the job was planned, and remain unchanged."""
    on_disk = [file for file in files if file.data is None]
    before = [_state(file) for file in on_disk]
    for file in on_disk:
        try:
            with Path(file.path).open("rb") as opened:
                _check(file, hashlib.file_digest(opened, "sha256").hexdigest())
        except OSError as error:
            raise _unreadable(file, error) from error
    try:
        yield
    finally:
        for file, state in zip(on_disk, before, strict=True):
            if _state(file) != state:
                raise _changed(file)


def _state(file: File) -> tuple[int, int, int]:
    """The size, modification time and inode of a file."""
    try:
        status = Path(file.path).stat()
    except OSError as error:
        raise _unreadable(file, error) from error
    return status.st_size, status.st_mtime_ns, status.st_ino


def _check(file: File, sha256: str) -> None:
    if sha256 != file.sha256:
        raise _changed(file)


def _changed(file: File) -> StaleInput:
    return StaleInput("it was written to while it was read", "changing-file", Place(file.path))


def _unreadable(file: File, error: OSError) -> StaleInput:
    return StaleInput(error.strerror or str(error), "changing-file", Place(file.path))
