"""The index of the files of UD releases, from the hashes of their contents to their names.

`scripts/testsets.py` writes it. Files over 4 MiB are known by the hash of their git blob only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

INDEX = f"{os.path.dirname(__file__)}/ud_files.bin"  # noqa: PTH120 -- pathlib is slow to load

RECORD = np.dtype(
    [
        ("digest", "V32"),  # SHA-256; or the SHA-1 of the git blob, followed by zeros
        ("repository", "<u2"),
        ("part", "<u1"),
        ("code", "<u2"),
        ("releases", "<u4"),  # one bit each
        ("sentences", "<u4"),  # 0 if unknown, as for files known by their git blob
        ("words", "<u4"),
    ]
)
_SHA1, _SHA256 = 20, 32  # bytes


def number_of(release: str) -> tuple[int, ...]:
    """Return a release for sorting: 2.10 follows 2.9."""
    return tuple(map(int, release.split(".")))


class ReleasedFile(NamedTuple):
    """A file of one or more UD releases.

    Args:
        repository: the repository of its treebank, as it is named today.
        code: today's code of the treebank.
        part: the split, "test", "dev" or "train"; or a part of it, such as "train-a".
        names: the name of the file in each release.
        releases: these releases as text: "2.2-2.3".
        digest: the SHA-256 of its contents, or the SHA-1 of its git blob.
        sentences: the number of sentences; None if unknown.
        words: the number of words; None if unknown.
    """

    repository: str
    code: str
    part: str
    names: Mapping[str, str]
    releases: str
    digest: bytes
    sentences: int | None
    words: int | None

    @property
    def name(self) -> str:
        """Its name without releases."""
        return f"{self.code}-{self.part}"

    @property
    def is_blob(self) -> bool:
        """Whether its digest is that of its git blob."""
        return len(self.digest) == _SHA1


class Index:
    """The index in memory."""

    def __init__(self, data: bytes) -> None:
        *lines, records = data.split(b"\n", 5)
        names = (line.decode().split(" ") for line in lines)
        self.releases, self._parts, self._repositories, self._today, self._codes = names
        self._records: Any = np.frombuffer(records, RECORD)
        self._digests = self._records["digest"].tobytes()

    @property
    def codes(self) -> list[str]:
        """The codes of all treebanks, today's first."""
        return [*dict.fromkeys([*self._today, *self._codes])]

    @cached_property
    def large_files(self) -> frozenset[str]:
        """The names of the files that are known by their git blob."""
        records = self._records[self._records["words"] == 0]
        return frozenset(map(self._file_name, records["code"].tolist(), records["part"].tolist()))

    def with_contents(self, digest: bytes) -> ReleasedFile | None:
        """Return the file with this SHA-256 of its contents, or SHA-1 of its git blob."""
        at = self._digests.find(digest.ljust(_SHA256, b"\0"))
        if at < 0:
            return None
        record = self._records[at // _SHA256]
        same = [self._records[name] == record[name] for name in ("repository", "part")]
        return self._file(self._records[same[0] & same[1]].tolist(), bytes(record["digest"]))

    def files(self, code: str = "*", part: str = "*", release: str | None = None) -> Iterator[ReleasedFile]:
        """Yield the files of a release, or of all, by patterns of the split and of the code, today's or as released."""
        from fnmatch import fnmatchcase  # not needed for results

        bit = -1 if release is None else 1 << self.releases.index(release)
        for (repository, number), group in groupby(self._records.tolist(), lambda record: record[1:3]):
            of_part = list(group)
            today = fnmatchcase(self._today[repository], code)
            chosen = (
                digest
                for digest, _, _, named, bits, *_ in of_part
                if bits & bit and (today or fnmatchcase(self._codes[named], code))
            )
            if fnmatchcase(self._parts[number], part):
                yield from (self._file(of_part, digest) for digest in dict.fromkeys(chosen))

    def _file(self, of_part: list[Any], digest: bytes) -> ReleasedFile:
        """Return a file, given all records of its treebank and part."""
        same = [record for record in of_part if record[0] == digest]
        _, repository, part, *_, sentences, words = same[0]
        codes = {release: code for _, _, _, code, bits, *_ in same for release in self._releases_in(bits)}
        known = {release for record in of_part for release in self._releases_in(record[4])}
        return ReleasedFile(
            self._repositories[repository],
            self._today[repository],
            self._parts[part],
            {self.releases[i]: self._file_name(codes[i], part) for i in sorted(codes)},
            _ranges([self.releases[i] if i in codes else "" for i in sorted(known)]),
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
