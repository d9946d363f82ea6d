"""The index of the files of UD releases, from the hashes of their contents to their names.

`scripts/testsets.py` writes it. Files over 4 MiB are known by the hash of their git blob only.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from functools import cache, cached_property, lru_cache, partial, reduce
from itertools import groupby, takewhile
from operator import or_
from typing import NamedTuple

from levelhead.errors import InputError
from levelhead.treebank.input_bytes import SUFFIXES, parts_of

INDEX = f"{os.path.dirname(__file__)}/ud_files.bin"  # noqa: PTH120 -- pathlib is slow to load

RECORD = struct.Struct("<HBHIII")
"""Repository, part, code, releases (one bit each), sentences and words; 0 words for files known by their git blob."""

_SHA1, _SHA256 = 20, 32  # bytes
_Record = tuple[bytes, int, int, int, int, int, int]  # with the digest


class ReleasedFile(NamedTuple):
    """A file of one or more UD releases."""

    repository: str  # as it is named today
    code: str  # of the treebank, today
    part: str  # the split, "test", "dev" or "train"; or a part of it, such as "train-a"
    names: Mapping[str, str]  # the name of the file in each release
    releases: str  # these releases as text: "2.2-2.3"
    digest: bytes  # the SHA-256 of its contents, or the SHA-1 of its git blob
    sentences: int | None
    words: int | None

    @property
    def name(self) -> str:
        """The name of the file, such as `en_ewt-test`, without releases."""
        return f"{self.code}-{self.part}"

    @property
    def is_blob(self) -> bool:
        """Whether its digest is that of its git blob."""
        return len(self.digest) == _SHA1


class Index:
    """The index in memory: five lines of names, all digests (git blobs are followed by zeros), all records."""

    def __init__(self, data: bytes) -> None:
        *lines, records = data.split(b"\n", 5)
        names = (line.decode().split(" ") for line in lines)
        self.releases, self._parts, self._repositories, self._today, self._codes = names
        self._n_records = len(records) // (_SHA256 + RECORD.size)
        self._digests, self._records = records[: _SHA256 * self._n_records], records[_SHA256 * self._n_records :]

    def _record(self, number: int) -> _Record:
        digest = self._digests[_SHA256 * number : _SHA256 * (number + 1)]
        return digest, *RECORD.unpack_from(self._records, RECORD.size * number)

    @property
    def codes(self) -> list[str]:
        """The codes of all treebanks: first the current codes, then older codes."""
        return [*dict.fromkeys([*self._today, *self._codes])]

    @cached_property
    def large_files(self) -> frozenset[str]:
        """The names of the files that are known by their git blob."""
        large = (record for record in map(self._record, range(self._n_records)) if not record[-1])
        return frozenset(self._file_name(code, part) for _, _, part, code, *_ in large)

    def with_contents(self, digest: bytes) -> ReleasedFile | None:
        """Return the file with this SHA-256 of its contents, or SHA-1 of its git blob."""
        at = self._digests.find(digest.ljust(_SHA256, b"\0"))
        if at < 0:
            return None
        number = at // _SHA256
        digest, *part = self._record(number)[:3]

        def of_part(number: int) -> bool:
            return [*self._record(number)[1:3]] == part

        # the records of a part are next to each other
        after = takewhile(of_part, range(number, self._n_records))
        before = takewhile(of_part, range(number - 1, -1, -1))
        return self._file([self._record(i) for i in (*before, *after)], digest)

    def files(self, code: str = "*", part: str = "*", release: str | None = None) -> Iterator[ReleasedFile]:
        """Yield the files of one or all releases. `code` (current or older) and `part` are patterns."""
        from fnmatch import fnmatchcase  # not needed for results

        bit = -1 if release is None else 1 << self.releases.index(release)
        for (repository, number), group in groupby(
            map(self._record, range(self._n_records)), lambda record: record[1:3]
        ):
            of_part = list(group)
            today = fnmatchcase(self._today[repository], code)
            chosen = (
                digest
                for digest, _, _, named, bits, *_ in of_part
                if bits & bit and (today or fnmatchcase(self._codes[named], code))
            )
            if fnmatchcase(self._parts[number], part):
                yield from (self._file(of_part, digest) for digest in dict.fromkeys(chosen))

    def shared(self, ranges: Iterable[str]) -> str:
        """Return the releases that are in all ranges."""
        common = set(self.releases)
        for text in ranges:
            ends = (some.partition("-")[::2] for some in text.split(",") if some)
            spans = ((self.releases.index(first), self.releases.index(last or first)) for first, last in ends)
            common &= {release for first, last in spans for release in self.releases[first : last + 1]}
        return _ranges([release if release in common else "" for release in self.releases])

    def _file(self, of_part: list[_Record], digest: bytes) -> ReleasedFile:
        """Return a file, given all records of its treebank and part."""
        same = [record for record in of_part if record[0] == digest]
        _, repository, part, *_, sentences, words = same[0]
        codes = {release: code for _, _, _, code, bits, *_ in same for release in self._releases_in(bits)}
        known = reduce(or_, (record[4] for record in of_part))
        return ReleasedFile(
            self._repositories[repository],
            self._today[repository],
            self._parts[part],
            {self.releases[i]: self._file_name(codes[i], part) for i in sorted(codes)},
            _ranges([self.releases[i] if i in codes else "" for i in self._releases_in(known)]),
            digest if words else digest[:_SHA1],
            sentences or None,
            words or None,
        )

    def _releases_in(self, bits: int) -> Iterator[int]:
        return (i for i in range(len(self.releases)) if bits >> i & 1)

    def _file_name(self, code: int, part: int) -> str:
        return f"{self._codes[code]}-ud-{self._parts[part]}.conllu"


def _ranges(releases: list[str]) -> str:
    """Return the releases that follow one another as ranges; an empty text is a release with other contents."""
    runs = [list(group) for has_file, group in groupby(releases, bool) if has_file]
    return ",".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


@cache
def index() -> Index:
    """Return the index, which is loaded when it is first needed."""
    with open(INDEX, "rb") as file:  # noqa: PTH123
        return Index(file.read())


@lru_cache(maxsize=1024)
def released_as(sha256: str, path: str | None) -> ReleasedFile | None:
    """Return the file of UD releases with these contents; files over 4 MiB are read again if named like one."""
    known = index().with_contents(bytes.fromhex(sha256))
    if known is not None or path is None:
        return known
    name = os.path.basename(path)  # noqa: PTH119 -- pathlib is slow to load
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    if "-ud-" not in name or name not in index().large_files:
        return None
    try:
        return index().with_contents(digest_of(partial(parts_of, path), is_blob=True))
    except InputError:  # such as a file that was removed meanwhile
        return None


def digest_of(contents: Callable[[], closing[Generator[bytes, None, None]]], *, is_blob: bool) -> bytes:
    """Return the SHA-256 of contents, or the SHA-1 of their git blob, for which they are read twice."""
    digest = hashlib.sha256()
    if is_blob:
        with contents() as parts:
            digest = hashlib.sha1(b"blob %d\0" % sum(map(len, parts)), usedforsecurity=False)
    with contents() as parts:
        for part in parts:
            digest.update(part)
    return digest.digest()
