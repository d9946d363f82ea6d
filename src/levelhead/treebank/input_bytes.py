"""Bytes from paths, standard input and compressed files, with limits against hostile files; files read in threads."""

from __future__ import annotations

import hashlib
import io
import math
import os
import stat
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from itertools import chain, count, islice
from typing import IO, Any, NamedTuple, Self, TypeVar

from levelhead.errors import ConlluError, Fault, InputError, Place, UnreadableFile, quoted, reason_of
from levelhead.immutable import immutable
from levelhead.kernels import scan

_CHUNK, _LONGEST_PATH = 1 << 20, 4095
_ZSTD_STEP = 1 << 10
_COMPRESSED = 1 << 16  # read at once: the end of each member copies what is left of it
_MOST_MEMBERS, _SMALL_MEMBER = 10_000, 1000  # more members must be larger on average: even empty ones take time


_Parts = Generator[bytes, None, None]


class Limits(NamedTuple):
    """Limits on the size of a file.

    Args:
        size: the maximum number of bytes after decompression.
        ratio: the maximum ratio of decompressed size to compressed size, for files larger than `harmless`.
        harmless: the decompressed size in bytes up to which the ratio is not limited.
    """

    size: int = 2**31 - 1
    ratio: int = 200
    harmless: int = 16 << 20


DEFAULT_LIMITS = Limits()
LONGEST_LINE = 1 << 24  # the maximum number of bytes of a line of a treebank: far more than any sentence needs


SUFFIXES = (".gz", ".xz", ".bz2", ".zst")
"""The suffixes of compressed files; whether a file is decompressed depends on its contents."""


def read_bytes(path: str | os.PathLike[str], limits: Limits = DEFAULT_LIMITS, *, unpack: bool = True) -> bytes:
    """Return the contents of a file, decompressed if its first bytes mark it as compressed."""
    name = os.fsdecode(path)
    with _opened(name) as (file, size):
        step = (size or _CHUNK) + 1  # all at once, unless the file grows
        reads = islice(iter(partial(file.read, step), b""), limits.size // step + 1)
        data = b"".join(reads if (size or 0) <= limits.size else ())
        if max(size or 0, len(data)) > limits.size:
            raise _unreadable("file-too-large", f"more than {size_text(limits.size)}", name)
    return decompressed(data, name, limits) if unpack else data


def parts_of(path: str | os.PathLike[str]) -> closing[_Parts]:
    """Return the contents of a file in parts, decompressed as by `read_bytes`; `with` closes the file."""

    def parts(name: str) -> _Parts:
        with _opened(name) as (file, size):
            yield from _decoded(file, name, size)

    return closing(parts(os.fsdecode(path)))


@contextmanager
def _opened(name: str) -> Iterator[tuple[IO[bytes], int | None]]:
    """Open a file for reading; its size is None for pipes and other special files."""
    if name == "-" and sys.stdin is None:
        raise _unreadable("unreadable-file", "standard input is closed", name)
    try:  # `open`, since a path can have bytes that pathlib refuses
        with nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as file:  # noqa: PTH123
            before = None
            with suppress(OSError):  # not a file of the operating system, if Python code replaced standard input
                status = os.fstat(file.fileno())
                before = status if stat.S_ISREG(status.st_mode) else None
            yield file, before and before.st_size
            after = before and os.fstat(file.fileno())
            if before and after and (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                raise _unreadable("changing-file", "the file was changed while it was read", name)
    except UnreadableFile:
        raise
    except (OSError, ValueError) as error:
        raise cannot_open(name, reason_of(error)) from error


def cannot_open(name: str, reason: str) -> UnreadableFile:
    if ("\n" in name and "\t" in name) or len(name) > _LONGEST_PATH:
        name, reason = quoted(name), "this is text, not a path: levelhead.from_conllu reads the text of a treebank"
    return _unreadable("unreadable-file", reason, name)


def parts_of_bytes(raw: bytes, name: str) -> closing[_Parts]:
    """Return bytes in parts for `with`, decompressed if their first bytes mark them as compressed."""
    return closing(_decoded(io.BytesIO(raw), name, len(raw)))


def decompressed(raw: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return bytes, decompressed if their first bytes mark them as compressed."""
    if not raw.startswith((_ZIP, *_UNPACKERS)):
        return raw
    with closing(_decoded(io.BytesIO(raw), name, len(raw), limits, limits.size)) as parts:
        return b"".join(parts)


class _CountingReader:
    """A pipe from its start, of which some bytes were already read; counts all bytes read."""

    def __init__(self, file: IO[bytes], start: bytes) -> None:
        self._file, self._waiting, self.n_read = file, start, len(start)

    def read(self, size: int) -> bytes:
        if self._waiting:
            waiting, self._waiting = self._waiting[:size], self._waiting[size:]
            return waiting
        part = self._file.read(size)
        self.n_read += len(part)
        return part


def _decoded(
    file: IO[bytes], name: str, size: int | None, limits: Limits = DEFAULT_LIMITS, most: float = math.inf
) -> _Parts:
    """Yield the decompressed parts of a file; the size of a file from a pipe is only known at its end."""
    start = file.read(8)
    if start.startswith(_ZIP):
        raise _unreadable("archive", "zip archives are not supported", name)
    unpack = next((unpack for magic, unpack in _UNPACKERS.items() if start.startswith(magic)), None)
    if unpack is None:
        yield start
        yield from iter(partial(file.read, _CHUNK), b"")
        return
    reader: Any = file
    if size is None:
        reader = _CountingReader(file, start)
    else:
        file.seek(-len(start), os.SEEK_CUR)
    total = 0
    try:
        with closing(unpack(reader)) as parts:
            for part in parts:
                total += len(part)
                _check_growth(total, size or math.inf, name, limits, most)
                yield part
    except UnreadableFile:
        raise
    except ModuleNotFoundError as error:
        from levelhead.extras import missing_library

        raise UnreadableFile(missing_library("zstandard", ".zst files").in_file(name)) from error
    except Exception as error:  # each library raises different errors for damaged data
        reason = "the file is cut off" if isinstance(error, EOFError) else "the compressed data is damaged"
        raise _unreadable("damaged-compression", reason, name) from error
    if size is None:
        _check_growth(total, reader.n_read, name, limits, most)


def _check_growth(total: int, compressed: float, name: str, limits: Limits, most: float) -> None:
    if total > most:
        raise _unreadable("file-too-large", f"more than {size_text(limits.size)} when decompressed", name)
    if total > limits.harmless and total > limits.ratio * compressed:
        raise _unreadable("compression-bomb", f"{compressed:,.0f} bytes decompress to more than {total:,}", name)


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


@immutable
class PieceSizes:
    """The decompressed size in bytes above which a file is read in pieces, and the approximate size of a piece."""

    large: int = 1 << 25
    piece: int = 1 << 22


SIZES = PieceSizes()


class OnlyWhole(Exception):
    """It turned out that files cannot be read in pieces; the message is the cause, where a file may be a pipe."""


@contextmanager
def contents_or_parts(path: str | os.PathLike[str], most: int) -> Iterator[bytes | Iterator[bytes]]:
    """Yield the decompressed contents of a file, or an iterator over their parts if the file is large."""
    with parts_of(path) as parts:
        yield whole_or_parts(parts, 0 if size_of_file(path) > most else most)


def whole_or_parts(parts: Iterator[bytes], most: int) -> bytes | Iterator[bytes]:
    """Return the parts of a file joined, or an iterator over the parts if the file is large."""
    kept, size = deque[bytes](), 0
    for part in parts:
        kept.append(part)
        size += len(part)
        if size > most:
            return chain((kept.popleft() for _ in range(len(kept))), parts)  # keeps no references
    return b"".join(kept)


class TooManyMembers(ValueError):
    """A file is compressed in so many small parts that they would take long."""


def members(
    file: IO[bytes], new: Callable[[int | None], Any], memory: int | None = None, *, trusted: bool = True
) -> _Parts:
    """Yield decompressed bytes. A file can have several streams, with zeros after each; `memory` limits xz."""
    raw, total = b"", 0
    for number in count():
        if number >= _MOST_MEMBERS + (total // _SMALL_MEMBER if trusted else 0):
            raise TooManyMembers(f"it is compressed in more than {_MOST_MEMBERS} parts")
        stream = new(memory)
        while not stream.eof:
            tail = getattr(stream, "unconsumed_tail", b"")  # zlib leaves it to its caller, the others keep it
            data = b""
            if not tail and getattr(stream, "needs_input", True):
                data, raw = raw or file.read(_COMPRESSED), b""
            part = stream.decompress(tail + data, _CHUNK)
            if not (tail or data or part or stream.eof):
                raise EOFError("the compressed data end too early")
            total += len(part)
            yield part
        raw = stream.unused_data.lstrip(b"\0")
        while not raw and (more := file.read(_COMPRESSED)):
            raw = more.lstrip(b"\0")
        if not raw:
            return


def _zstd(file: IO[bytes]) -> _Parts:
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


_ZIP = b"PK\x03\x04"
DECOMPRESSORS: dict[bytes, Callable[[int | None], Any]] = {
    b"\x1f\x8b": lambda _: import_module("zlib").decompressobj(wbits=31),  # gzip
    b"\xfd7zXZ\x00": lambda memory: (lzma := import_module("lzma")).LZMADecompressor(lzma.FORMAT_XZ, memory),
    b"BZh": lambda _: import_module("bz2").BZ2Decompressor(),
}
"""What decompresses a member of a file, by its first bytes; given the largest number of bytes of memory."""

_UNPACKERS: dict[bytes, Callable[[IO[bytes]], _Parts]] = {
    **{magic: partial(members, new=new) for magic, new in DECOMPRESSORS.items()},
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
