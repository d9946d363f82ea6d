"""Bytes from a path, standard input, or a compressed file, with limits against hostile files."""

from __future__ import annotations

import contextlib
import io
import math
import os
import stat
import sys
from collections.abc import Callable, Generator, Iterator
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from levelhead.errors import ConlluError, Fault, InputError, Place, UnreadableFile

if TYPE_CHECKING:
    import bz2
    import lzma

_CHUNK = 1 << 20
_ZSTD_STEP = 1 << 10
_MAGIC = 8
_MOST_MEMBERS = 10_000


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


_Generator = Generator[bytes, None, None]
_Opener = Callable[[_Readable], Iterator[bytes]]


class Limits(NamedTuple):
    """The limits of the size of a file.

    Args:
        size: the maximum number of bytes after decompression.
        ratio: the maximum ratio of decompressed to compressed size, for files larger than `harmless`.
        harmless: the size in bytes below which the ratio is not limited.
    """

    size: int = 2**31 - 1
    ratio: int = 200
    harmless: int = 16 << 20


DEFAULT_LIMITS = Limits()

LONGEST_LINE = 1 << 24
"""The maximum number of bytes of a line of a treebank: far more than any sentence needs."""


SUFFIXES = (".gz", ".xz", ".bz2", ".zst")
"""The suffixes of compressed files; whether a file is decompressed depends on its contents."""


def read_bytes(path: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the contents of a file, decompressed if its first bytes mark it as compressed."""
    return decompressed(raw_bytes(path, limits), os.fsdecode(path), limits)


def raw_bytes(path: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the contents of a file without decompression; a regular file that is too large is not even read."""
    name = os.fsdecode(path)
    with _opened(name) as (file, size):
        parts, total = [], 0
        step = _CHUNK if size is None or size > limits.size else size + 1  # all at once, unless the file grows
        while (size or 0) <= limits.size and total <= limits.size and (part := file.read(step)):
            parts.append(part)
            total += len(part)
            step = _CHUNK
        if max(size or 0, total) > limits.size:
            raise _unreadable("file-too-large", f"more than {size_text(limits.size)}", name)
    return b"".join(parts)


def parts_of(path: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS) -> contextlib.closing[_Generator]:
    """Return the contents of a file in parts, decompressed as by `read_bytes`; `with` closes the file.

    Its size is not limited. Errors are raised while the parts are read.
    """

    def parts(name: str) -> _Generator:
        with _opened(name) as (file, size):
            yield from _decoded(_CountingReader(file), name, size, limits)

    return contextlib.closing(parts(os.fsdecode(path)))


@contextlib.contextmanager
def _opened(name: str) -> Iterator[tuple[IO[bytes], int | None]]:
    """Open a file for reading; its size is None for pipes and other special files.

    A regular file that is written meanwhile is refused, since the contents could be a mixture of old and new.
    """
    if name == "-" and sys.stdin is None:
        raise _unreadable("unreadable-file", "standard input is closed", name)
    try:  # `open`, since a path can have bytes that pathlib refuses
        with contextlib.nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as file:  # noqa: PTH123
            before = _status(file)
            yield file, before and before.st_size
            after = _status(file)
            if before and after and (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                raise _unreadable("changing-file", "the file was changed while it was read", name)
    except UnreadableFile:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _unreadable("unreadable-file", f"{reason}", name) from error


def parts_of_bytes(raw: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> contextlib.closing[_Generator]:
    """Return bytes in parts for `with`, decompressed if their first bytes mark them as compressed."""
    return contextlib.closing(_decoded(_CountingReader(io.BytesIO(raw)), name, len(raw), limits))


class _CountingReader:
    """A partly read file: its first bytes, and the number of bytes read since."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.start = self._waiting = file.read(_MAGIC)
        self.n_read = len(self.start)

    def read(self, size: int = _CHUNK, /) -> bytes:
        if self._waiting:
            waiting, self._waiting = self._waiting[:size], self._waiting[size:]
            return waiting
        part = self._file.read(size)
        self.n_read += len(part)
        return part


def _decoded(file: _CountingReader, name: str, size: int | None, limits: Limits, most: float = math.inf) -> _Generator:
    """Yield the decompressed parts of a file; the size of a file from a pipe is only known at its end."""
    opener = _opener_of(file.start, name)
    if opener is None:
        yield from iter(file.read, b"")
        return
    total = 0
    with contextlib.closing(_parts(opener, file, name)) as parts:
        for part in parts:
            total += len(part)
            if total > most:
                raise _unreadable("file-too-large", f"more than {size_text(limits.size)} when decompressed", name)
            _check_ratio(total, size or math.inf, name, limits)
            yield part
    if size is None:
        _check_ratio(total, file.n_read, name, limits)


def _opener_of(start: bytes, name: str) -> _Opener | None:
    """Return what decompresses a file with this start; None for other files."""
    if start.startswith(b"PK\x03\x04"):
        raise _unreadable("archive", "zip archives are not supported", name)
    return next((opener for magic, opener in _OPENERS.items() if start.startswith(magic)), None)


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is standard input or a pipe, which can be read only once."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116 -- pathlib is slow to load
    except (OSError, ValueError):
        return os.fspath(path) == "-"


def size_of_file(path: str | os.PathLike[str]) -> int:
    """Return the size of a regular file in bytes, as it is stored; 0 for anything else."""
    try:
        return os.path.getsize(path) if os.path.isfile(path) else 0  # noqa: PTH113, PTH202 -- pathlib is slow to load
    except (OSError, ValueError):
        return 0


def _status(file: IO[bytes]) -> os.stat_result | None:
    """The status of a regular file; None for pipes and other special files."""
    try:
        status = os.fstat(file.fileno())
    except OSError:  # not a file of the operating system, for example if Python code replaced standard input
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def decompressed(raw: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return bytes, decompressed if their first bytes mark them as compressed."""
    if _opener_of(raw, name) is None:
        return raw
    file = _CountingReader(io.BytesIO(raw))
    with contextlib.closing(_decoded(file, name, len(raw), limits, limits.size)) as parts:
        return b"".join(parts)


def with_line_feeds(data: bytes) -> bytes:
    """Return bytes with line feeds instead of all line ends of Python's text mode."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def refuse_long_lines(data: bytes, name: str | None = None, before: int = 0) -> None:
    """Refuse a treebank with a line of more than `LONGEST_LINE` bytes, before it is split into lines."""
    line_end = b"\n" if b"\n" in data or before else b"\r"
    start = 0
    while len(data) - start > LONGEST_LINE:  # jumps from line end to line end, so few bytes are read
        end = data.rfind(line_end, start, start + LONGEST_LINE + 1)
        if end < 0:
            place = Place(name, before + data.count(line_end, 0, start) + 1)
            raise ConlluError(Fault("line-too-long", f"the line has more than {LONGEST_LINE:,} bytes", place))
        start = end + 1


def size_text(size: int) -> str:
    """Return a size for a message: in MiB if it is a whole number of MiB, otherwise in bytes."""
    return f"{size} bytes" if size % (1 << 20) else f"{size >> 20} MiB"


def _check_ratio(total: int, compressed: float, name: str, limits: Limits) -> None:
    if total > limits.harmless and total > limits.ratio * compressed:
        raise _unreadable("compression-bomb", f"{compressed:,.0f} bytes grow to more than {total:,}", name)


def _parts(opener: _Opener, file: _Readable, name: str) -> _Generator:
    try:
        yield from opener(file)
    except ModuleNotFoundError as error:
        from levelhead.extras import missing_library

        raise UnreadableFile(missing_library("zstandard", ".zst files").in_file(name)) from error
    except Exception as error:  # each library raises different errors for damaged data
        raise _unreadable("damaged-compression", str(error) or type(error).__name__, name) from error


def _gzip(file: _Readable) -> Iterator[bytes]:
    import gzip

    with gzip.GzipFile(fileobj=cast("IO[bytes]", file)) as unpacked:  # which only reads
        while part := unpacked.read(_CHUNK):
            yield part


def _xz(file: _Readable) -> Iterator[bytes]:
    import lzma

    return _streams(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), padding=b"\0")


def _bz2(file: _Readable) -> Iterator[bytes]:
    import bz2

    return _streams(file, bz2.BZ2Decompressor)


def _streams(
    file: _Readable, decompressor: Callable[[], lzma.LZMADecompressor | bz2.BZ2Decompressor], padding: bytes = b""
) -> Iterator[bytes]:
    """Decompress consecutive streams with padding between them, one part at a time."""
    raw = file.read(_CHUNK)
    for _ in range(_MOST_MEMBERS):
        stream = decompressor()
        while not stream.eof:
            part = stream.decompress(raw, _CHUNK)
            raw = file.read(_CHUNK) if stream.needs_input and not stream.eof else b""
            if not (part or raw) and stream.needs_input and not stream.eof:
                raise EOFError("the compressed data end too early")
            yield part
        raw = stream.unused_data.lstrip(padding)
        while not raw and (more := file.read(_CHUNK)):
            raw = more.lstrip(padding)
        if not raw:
            return
    raise ValueError(f"more than {_MOST_MEMBERS} compressed streams follow each other")


def _zstd(file: _Readable) -> Iterator[bytes]:
    import zstandard

    raw, at = file.read(_CHUNK), 0
    for _ in range(_MOST_MEMBERS):
        stream = zstandard.ZstdDecompressor().decompressobj()
        while not stream.eof:
            if at >= len(raw):
                raw, at = file.read(_CHUNK), 0
            if not raw:
                raise EOFError("the compressed data end too early")
            yield stream.decompress(raw[at : at + _ZSTD_STEP])  # a small step: a bomb grows a thousandfold
            at += _ZSTD_STEP
        raw, at = stream.unused_data + raw[at:], 0
        raw = raw or file.read(_CHUNK)
        if not raw:
            return
    raise ValueError(f"more than {_MOST_MEMBERS} compressed streams follow each other")


_OPENERS: dict[bytes, _Opener] = {
    b"\x1f\x8b": _gzip,
    b"\xfd7zXZ\x00": _xz,
    b"BZh": _bz2,
    b"\x28\xb5\x2f\xfd": _zstd,
}


def _unreadable(slug: str, message: str, name: str) -> UnreadableFile:
    return UnreadableFile(Fault(slug, message, Place(name)))


def parsed_toml(data: bytes, name: str, slug: str) -> dict[str, Any]:
    """Return the contents of a TOML file; a byte order mark is ignored."""
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(Fault(slug, "the file is not UTF-8 text: save it as UTF-8", Place(name))) from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(Fault(slug, f"not TOML: {error}", Place(name))) from error
    except RecursionError as error:
        raise InputError(Fault(slug, "not TOML: tables or lists are nested too deeply", Place(name))) from error
