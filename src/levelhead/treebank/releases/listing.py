"""Lists of the files of UD releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from levelhead._version import VERSION
from levelhead.immutable import immutable
from levelhead.tables.documents import path_text
from levelhead.tables.table import Cell, Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.releases.index import ReleasedFile, index

if TYPE_CHECKING:
    from levelhead.tables.data import Layout


class TestSetRow(NamedTuple):
    """A test set, or another split.

    Args:
        name: the treebank and split.
        repository: the repository of the treebank.
        first: the first known release.
        last: the last known release.
        releases: the number of known releases.
        changes: the number of known releases in which the file differs from the known release before.
        sentences: the number of sentences in the last release; null if unknown.
        words: the number of words in the last release; null if unknown.
    """

    name: str
    repository: str
    first: str
    last: str
    releases: int
    changes: int
    sentences: int | None
    words: int | None


class ReleasedFileRow(NamedTuple):
    """A file of one or more releases.

    Args:
        name: the treebank and split.
        releases: the releases in which the file is the same.
        sentences: the number of sentences; null if unknown.
        words: the number of words; null if unknown.
        sha256: the SHA-256 of the contents; null if only the hash of its git blob is known.
        path: where the file is on this machine; null unless it was requested.
    """

    name: str
    releases: str
    sentences: int | None
    words: int | None
    sha256: str | None
    path: str | None


@immutable
class TestSets(Tabular):
    """Files of UD releases.

    Args:
        versions: the files, in the order of their names and releases.
        paths: where files are on this machine, by the place of the file; empty unless they were requested.
    """

    KIND: ClassVar[str] = "testsets"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"test_sets": (TestSetRow,), "versions": (ReleasedFileRow,)}

    versions: tuple[ReleasedFile, ...]
    paths: tuple[str, ...] = ()

    @property
    def provenance(self) -> Provenance:
        """The version."""
        return Provenance({"version": VERSION}, {})

    def _test_sets_rows(self) -> Iterator[TestSetRow]:
        order = index().releases
        for name, group in groupby(self.versions, lambda file: file.name):
            files = list(group)
            releases = sorted((order.index(release), n) for n, file in enumerate(files) for release in file.names)
            versions = [n for _, n in releases]
            last = files[versions[-1]]
            yield TestSetRow(
                name, last.repository, order[releases[0][0]], order[releases[-1][0]], len(releases),
                sum(a != b for a, b in pairwise(versions)), last.sentences, last.words,
            )  # fmt: skip

    def _versions_rows(self) -> Iterator[ReleasedFileRow]:
        for n, file in enumerate(self.versions):
            digest = None if file.is_blob else file.digest.hex()
            path = path_text(self.paths[n]) if self.paths else None
            yield ReleasedFileRow(file.name, file.releases, file.sentences, file.words, digest, path)

    @property
    def _by_file(self) -> bool:
        return len({file.name for file in self.versions}) in {1, len(self.versions)}

    def table(self) -> Table:
        """Return one row per test set; of a single one or a single release, one row per file."""
        if self._by_file:
            names = ["Name", "Sentences", "Words", *(["Path"] if self.paths else [])]
            rows: list[tuple[Cell, ...]] = [
                (f"{row.name}@{row.releases}", row.sentences, row.words, row.path) for row in self._versions_rows()
            ]
        else:
            names = ["Name", "First", "Last", "Releases", "Changes", "Sentences", "Words"]
            rows = [(row.name, *row[2:]) for row in self._test_sets_rows()]
        columns = (Column(name, "text" if name in {"Name", "First", "Last", "Path"} else "number") for name in names)
        return Table(tuple(columns), tuple(row[: len(names)] for row in rows))
