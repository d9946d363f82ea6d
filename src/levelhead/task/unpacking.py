"""Unpacking of compressed files and archives in memory, with limits."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from levelhead.errors import LevelheadError
from levelhead.treebank.input_bytes import Limits, decompressed

_DEEPEST = 5
_MOST_BYTES = 1 << 30
_DAMAGED = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError,
    OverflowError, KeyError, IndexError,
)  # fmt: skip


class CannotUnpack(Exception):
    """A file cannot be unpacked: it is damaged, encrypted, nested too deeply or too large, as the message says."""


class UnpackedFile(NamedTuple):
    """The bytes of an unpacked file.

    Args:
        name: the path in the archive, with several paths for nested archives; empty outside of archives.
        data: the bytes.
    """

    name: str
    data: bytes


def unpacked_files(path: Path) -> Iterator[UnpackedFile]:
    """Yield everything in a file: first its unpacked contents, then its own bytes.

    The bytes of archives are included, since text can precede or follow the archive.
    """
    try:
        with path.open("rb") as file:
            yield from _Unpacking().contents("", file, 0)
    except LevelheadError as error:
        raise CannotUnpack(error.message) from error
    except _DAMAGED as error:
        raise CannotUnpack(str(error) or type(error).__name__) from error


class _Unpacking:
    """Unpacks one file, with a single limit for all of its contents."""

    def __init__(self) -> None:
        self._left = _MOST_BYTES

    def contents(self, name: str, file: IO[bytes], depth: int) -> Iterator[UnpackedFile]:
        """Yield the contents of a file of an archive, or of the file itself."""
        if depth > _DEEPEST:
            raise CannotUnpack(f"more than {_DEEPEST} archives or compressions inside each other")
        data = file.read(self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise CannotUnpack(f"more than {_MOST_BYTES >> 20} MB when unpacked")
        if zipfile.is_zipfile(io.BytesIO(data)):
            inside = self._in_zip(data)
        elif _is_tar(data):
            inside = self._in_tar(data)
        elif (plain := decompressed(data, name, Limits(size=self._left))) is not data:
            inside = iter([("", io.BytesIO(plain))])
        else:
            inside = iter(())
        for part, opened in inside:
            yield from self.contents("/".join(filter(None, (name, part))), opened, depth + 1)
        yield UnpackedFile(name, data)

    def _in_zip(self, data: bytes) -> Iterator[tuple[str, IO[bytes]]]:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                with archive.open(info) as contents:
                    yield info.filename, contents

    def _in_tar(self, data: bytes) -> Iterator[tuple[str, IO[bytes]]]:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                contents = archive.extractfile(member) if member.isreg() else None
                if contents is not None:
                    yield member.name, contents


def _is_tar(data: bytes) -> bool:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:"):
            return True
    except tarfile.TarError:
        return False
