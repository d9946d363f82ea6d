"""Reading and unpacking of untrusted tar and zip files, with limits and inside one folder."""

from __future__ import annotations

import io
import lzma
import os
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO

from levelhead.errors import LevelheadError, quoted
from levelhead.task.description import MEGABYTE, SubmissionLimits
from levelhead.treebank.input_bytes import DECOMPRESSORS, TooManyMembers, members

_CHUNK = 1 << 16
_HEADER = 1536  # maximum bytes of an entry of a tar file in addition to its contents
_MOST_AT_ONCE = 1 << 20  # headers of tar files state their length: names of a megabyte are not needed
_XZ_MEMORY = 160 << 20
_LONGEST_NAME = 255
_LONGEST_PATH = 1024  # the machine allows at most 4096, including its own folders
_DEEPEST = 16
DAMAGED = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, OverflowError,
    RuntimeError, struct.error, LookupError, AttributeError,
)  # fmt: skip
"""The errors of the standard library for damaged archives."""


class UnsafeArchive(LevelheadError):
    """An archive that is damaged, too large, or not allowed; participants see the message."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "unsafe-archive")
        self.args = (message,)


def _refuse_if(is_wrong: object, message: str) -> None:
    if is_wrong:
        raise UnsafeArchive(message)


_Entry = tuple[tuple[str, ...], bool, IO[bytes]]
"""The parts of the path of a file, whether it is executable, and its contents."""


def check_archive(archive: Path, limits: SubmissionLimits) -> list[str]:
    names = unpack(archive, None, limits)
    _refuse_if(not names, "it contains no files")
    return names


def unpack(archive: Path, target: Path | None, limits: SubmissionLimits) -> list[str]:
    """Unpack an archive into an empty folder, and write nothing anywhere else; without a folder, write nothing."""
    names: set[tuple[str, ...]] = set()
    folders: set[tuple[str, ...]] = set()
    left = limits.unpacked_megabytes * MEGABYTE
    try:
        for parts, executable, contents in _entries(archive, limits):
            above = {parts[:i] for i in range(1, len(parts))}
            if parts in names or parts in folders or not above.isdisjoint(names):
                raise UnsafeArchive(f"it contains {quoted('/'.join(parts))} twice")
            names.add(parts)
            folders |= above
            left -= _copy(contents, target and target.joinpath(*parts), left, 0o755 if executable else 0o644)
    except TooManyMembers as error:
        raise UnsafeArchive(str(error)) from error
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno is not None:  # an error of the disk, not of the archive
            raise
        raise UnsafeArchive("it is damaged, or not a zip or tar file (plain, gzip, bzip2 or xz)") from error
    return sorted(map("/".join, names))


def _copy(contents: IO[bytes], path: Path | None, left: int, mode: int) -> int:
    size = 0
    with ExitStack() as stack:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
            file = stack.enter_context(os.fdopen(handle, "wb"))
        while part := contents.read(_CHUNK):
            size += len(part)
            _refuse_if(size > left, "it is larger than allowed when unpacked")
            if path is not None:
                file.write(part)
    return size


def _entries(archive: Path, limits: SubmissionLimits) -> Iterator[_Entry]:
    with archive.open("rb") as file:
        start = file.read(8)
        file.seek(0)
        if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            yield from _zip_entries(file, limits)
            return
        new = next((new for magic, new in DECOMPRESSORS.items() if start.startswith(magic)), None)
        parts = iter(partial(file.read, _CHUNK), b"") if new is None else members(file, new, _XZ_MEMORY, trusted=False)
        with tempfile.TemporaryFile(dir=archive.parent) as plain:
            for part in parts:
                plain.write(part)
                if plain.tell() > limits.unpacked_megabytes * MEGABYTE + _HEADER * (limits.files + 10):
                    raise UnsafeArchive("it is larger than allowed when unpacked")
            plain.seek(0)
            yield from _tar_entries(plain, limits)


class _LimitedReader(io.RawIOBase):
    """A file with limits on reads, since tarfile trusts the sizes in tar headers."""

    def __init__(self, file: IO[bytes], reads: int) -> None:
        super().__init__()
        self.file, self.reads = file, reads

    def read(self, size: int = -1) -> bytes:
        self.reads -= size == tarfile.BLOCKSIZE
        _refuse_if(not 0 <= size <= _MOST_AT_ONCE or self.reads < 0, "it has a header that is too long")
        return self.file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()


def _tar_entries(file: IO[bytes], limits: SubmissionLimits) -> Iterator[_Entry]:
    reader = _LimitedReader(file, 20 * limits.files + 1000)
    n_entries = 0
    with tarfile.open(fileobj=reader, mode="r:") as tar:
        while (member := tar.next()) is not None:
            setattr(tar, "members", [])  # noqa: B010 -- the library would keep them all
            n_entries += 1
            _check_count(n_entries, limits)
            parts = _path_parts(member.name, folder=member.isdir())
            if member.isdir():
                continue
            if member.type not in {tarfile.REGTYPE, tarfile.AREGTYPE} or member.sparse is not None or member.size < 0:
                raise UnsafeArchive(f"{quoted(member.name)} is not a regular file")
            contents = tar.extractfile(member)
            if contents is not None:
                yield parts, bool(member.mode & 0o100), contents


def _zip_entries(file: IO[bytes], limits: SubmissionLimits) -> Iterator[_Entry]:
    # Too many entries are refused before the library reads their list into memory. The end record of the file is
    # "PK 5 6", four numbers of two bytes, the size and the place of the list, the length of a comment
    # (APPNOTE.TXT 4.3.16).
    file.seek(max(0, file.seek(0, os.SEEK_END) - 22 - (1 << 16) - 20))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < 22:
        raise zipfile.BadZipFile
    n_entries, n_bytes = struct.unpack_from("<HL", tail, at + 10)
    has_more = b"PK\x06\x07" in tail[max(0, at - 20) : at] or n_bytes > 1024 * limits.files
    _check_count(limits.files + 1 if has_more else n_entries, limits)
    with zipfile.ZipFile(file) as archive:
        for number, info in enumerate(archive.infolist(), 1):
            _check_count(number, limits)
            parts = _path_parts(info.filename, folder=info.is_dir())
            mode = info.external_attr >> 16
            if info.is_dir():
                continue
            _refuse_if(stat.S_IFMT(mode) not in {0, stat.S_IFREG}, f"{quoted(info.filename)} is not a regular file")
            if info.flag_bits & 1 or info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise UnsafeArchive(f"{quoted(info.filename)} is encrypted, or compressed in an unusual way")
            with archive.open(info) as contents:
                yield parts, bool(mode & 0o100), contents


def _check_count(n_entries: int, limits: SubmissionLimits) -> None:
    _refuse_if(n_entries > limits.files, f"it has more than {limits.files} entries")


def _path_parts(name: str, *, folder: bool) -> tuple[str, ...]:
    """Return the parts of a relative path; refuse paths that leave the folder."""
    parts = tuple(part for part in name.split("/") if part not in {"", "."})
    _refuse_if(not name.isprintable(), f"the name {quoted(name)} contains unprintable characters")
    _refuse_if(len(parts) > _DEEPEST, f"{quoted(name)} is in more than {_DEEPEST - 1} folders")
    sizes = [len(part.encode("utf-8", "surrogateescape")) for part in parts]
    if max(sizes, default=0) > _LONGEST_NAME or sum(sizes) > _LONGEST_PATH:
        allowed = f"{_LONGEST_NAME} bytes for a file or folder, {_LONGEST_PATH} for a path"
        raise UnsafeArchive(f"the name {quoted(name)} is too long: the limit is {allowed}")
    if name.startswith("/") or "\\" in name or ".." in parts or (not parts and not folder):
        raise UnsafeArchive(f"{quoted(name)} is not a relative path inside the archive")
    return parts
