"""Bytes from a path, standard input, or a compressed file, with limits against hostile ones."""

from __future__ import annotations

import io
import math
import os
import stat
import sys
from typing import IO, TYPE_CHECKING, NamedTuple

from levelhead.errors import ConlluError, Fault, Place, UnreadableFile

if TYPE_CHECKING:
    import bz2
    import lzma
    from collections.abc import Callable, Iterator

_CHUNK = 1 << 20
_ZSTD_STEP = 1 << 10
_MOST_MEMBERS = 10_000


class Limits(NamedTuple):
    """How much a file may hold.

    Args:
        size: the most bytes after decompression.
        ratio: how many times larger than the compressed file it may be, once it is larger than `harmless`.
        harmless: a size in bytes below which the ratio does not matter.
    """

    size: int = 2**31 - 1
    ratio: int = 200
    harmless: int = 16 << 20


DEFAULT_LIMITS = Limits()

LONGEST_LINE = 1 << 24
"""How many bytes a line of a treebank may have: far more than any sentence needs."""


class _TooLarge(Exception):
    """A file that is larger than allowed."""


class _Changing(Exception):
    """A file that is written while it is read."""


SUFFIXES = (".gz", ".xz", ".bz2", ".zst")
"""The suffixes of compressed files; whether a file is decompressed depends on its contents."""


def read_bytes(path: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the contents of a file, decompressed if its first bytes mark it as compressed.

    Args:
        path: a path, or "-" for standard input.
        limits: how large it may be.

    Raises:
        UnreadableFile: it cannot be opened, is too large, changes while it is read, or its compression is damaged.
    """
    return decompressed(raw_bytes(path, limits), os.fsdecode(path), limits)


def raw_bytes(path: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the contents of a file as they are.

    Args:
        path: a path, or "-" for standard input.
        limits: how large it may be.

    Raises:
        UnreadableFile: it cannot be opened, is too large, or changes while it is read.
    """
    name = os.fsdecode(path)
    try:
        if name == "-":
            return _read_at_most(_standard_input(), limits.size)
        with open(name, "rb") as file:  # noqa: PTH123 -- a path may hold bytes that pathlib refuses
            return _read_at_most(file, limits.size)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _unreadable("unreadable-file", f"{reason}", name) from error
    except _TooLarge as error:
        raise _unreadable("file-too-large", f"more than {limits.size} bytes", name) from error
    except _Changing as error:
        raise _unreadable("changing-file", "the file was changed while it was read", name) from error


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is standard input or a pipe, which can be read only once.

    Args:
        path: a path, or "-" for standard input.
    """
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116 -- pathlib is slow to load
    except (OSError, ValueError):
        return os.fspath(path) == "-"


def _standard_input() -> IO[bytes]:
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return sys.stdin.buffer


def _read_at_most(file: IO[bytes], size: int) -> bytes:
    """Read a whole file, unless it is too large; a regular file that is too large is refused unread.

    A regular file that is written meanwhile is refused: what was read may be half of the old and half of the new.
    """
    before = _status(file)
    known = math.inf if before is None else before.st_size
    if size < known < math.inf:
        raise _TooLarge
    step = int(known) + 1 if known < math.inf else _CHUNK  # all at once, unless the file grows or hides its size
    parts, total = [], 0
    while part := file.read(step):
        parts.append(part)
        total += len(part)
        step = _CHUNK
        if total > size:
            raise _TooLarge
    after = _status(file)
    if before and after and (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise _Changing
    return b"".join(parts)


def _status(file: IO[bytes]) -> os.stat_result | None:
    """The status of a regular file; None for pipes and the like."""
    try:
        status = os.fstat(file.fileno())
    except OSError:  # not a file of the operating system, as when Python code replaces standard input
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def decompressed(raw: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return bytes, decompressed if their first few mark them as compressed.

    Raises:
        UnreadableFile: they are too large when decompressed, are damaged, or are an archive.
    """
    if raw.startswith(b"PK\x03\x04"):
        raise _unreadable("archive", "zip archives are not supported", name)
    for magic, opener in _OPENERS.items():
        if raw.startswith(magic):
            return _expand(opener, raw, name, limits)
    return raw


def refuse_long_lines(data: bytes, name: str | None = None) -> None:
    """Refuse a treebank with a line of more than `LONGEST_LINE` bytes, before anything else splits it into lines.

    Args:
        data: the contents of the file, decompressed.
        name: what to call the file in messages.

    Raises:
        ConlluError: a line is too long.
    """
    line_end = b"\n" if b"\n" in data else b"\r"
    start = 0
    while len(data) - start > LONGEST_LINE:  # jumps from line end to line end, so few bytes are read
        end = data.rfind(line_end, start, start + LONGEST_LINE + 1)
        if end < 0:
            place = Place(name, data.count(line_end, 0, start) + 1)
            raise ConlluError(Fault("line-too-long", f"the line has more than {LONGEST_LINE:,} bytes", place))
        start = end + 1


def _expand(opener: Callable[[bytes], Iterator[bytes]], raw: bytes, name: str, limits: Limits) -> bytes:
    parts: list[bytes] = []
    size = 0
    for part in _parts(opener, raw, name):
        parts.append(part)
        size += len(part)
        if size > limits.size:
            raise _unreadable("file-too-large", f"more than {limits.size} bytes when decompressed", name)
        if size > limits.harmless and size > limits.ratio * len(raw):
            raise _unreadable("compression-bomb", f"{len(raw)} bytes grow to more than {size}", name)
    return b"".join(parts)


def _parts(opener: Callable[[bytes], Iterator[bytes]], raw: bytes, name: str) -> Iterator[bytes]:
    try:
        yield from opener(raw)
    except ModuleNotFoundError as error:
        from levelhead.extras import missing_library

        raise UnreadableFile(missing_library("zstandard", ".zst files").in_file(name)) from error
    except Exception as error:  # each library has its own errors for damaged data
        raise _unreadable("damaged-compression", str(error) or type(error).__name__, name) from error


def _gzip(raw: bytes) -> Iterator[bytes]:
    import gzip

    with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
        while part := file.read(_CHUNK):
            yield part


def _xz(raw: bytes) -> Iterator[bytes]:
    import lzma

    for _ in range(_MOST_MEMBERS):  # streams may follow each other, with zeros between
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        yield from _members(stream, raw)
        raw = stream.unused_data.lstrip(b"\0")
        if not raw:
            return
    raise ValueError(f"more than {_MOST_MEMBERS} compressed streams follow each other")


def _bz2(raw: bytes) -> Iterator[bytes]:
    import bz2

    for _ in range(_MOST_MEMBERS):
        stream = bz2.BZ2Decompressor()
        yield from _members(stream, raw)
        raw = stream.unused_data
        if not raw:
            return
    raise ValueError(f"more than {_MOST_MEMBERS} compressed streams follow each other")


def _members(stream: lzma.LZMADecompressor | bz2.BZ2Decompressor, raw: bytes) -> Iterator[bytes]:
    """Decompress to the end of one member, a piece at a time."""
    while not stream.eof:
        part = stream.decompress(raw, _CHUNK)
        raw = b""
        if not part and stream.needs_input:
            raise EOFError("the compressed data end too early")
        yield part


def _zstd(raw: bytes) -> Iterator[bytes]:
    import zstandard

    for _ in range(_MOST_MEMBERS):
        stream = zstandard.ZstdDecompressor().decompressobj()
        at = 0
        while not stream.eof:
            if at >= len(raw):
                raise EOFError("the compressed data end too early")
            yield stream.decompress(raw[at : at + _ZSTD_STEP])  # a small step: a bomb grows a thousandfold
            at += _ZSTD_STEP
        raw = stream.unused_data + raw[at:]
        if not raw:
            return
    raise ValueError(f"more than {_MOST_MEMBERS} compressed streams follow each other")


_OPENERS: dict[bytes, Callable[[bytes], Iterator[bytes]]] = {
    b"\x1f\x8b": _gzip,
    b"\xfd7zXZ\x00": _xz,
    b"BZh": _bz2,
    b"\x28\xb5\x2f\xfd": _zstd,
}


def _unreadable(slug: str, message: str, name: str) -> UnreadableFile:
    return UnreadableFile(Fault(slug, message, Place(name)))
