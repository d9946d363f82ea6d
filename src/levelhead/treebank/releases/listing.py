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
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"versions": (ReleasedFileRow,)}

    versions: tuple[ReleasedFile, ...]
    paths: tuple[str, ...] = ()

    @property
    def provenance(self) -> Provenance:
        """The version."""
        return Provenance({"version": VERSION}, {})

    def _versions_rows(self) -> Iterator[ReleasedFileRow]:
        for n, file in enumerate(self.versions):
            digest = None if file.is_blob else file.digest.hex()
            path = path_text(self.paths[n]) if self.paths else None
            yield ReleasedFileRow(file.name, file.releases, file.sentences, file.words, digest, path)

    def table(self) -> Table:
        """Return one row per test set; of a single one or a single release, one row per file.

        Changes are the known releases in which a test set differs from the known release before.
        """
        rows: list[tuple[Cell, ...]]
        if len({file.name for file in self.versions}) in {1, len(self.versions)}:
            names = ["Name", "Sentences", "Words", *(["Path"] if self.paths else [])]
            rows = [(f"{r.name}@{r.releases}", r.sentences, r.words, r.path) for r in self._versions_rows()]
        else:
            names = ["Name", "First", "Last", "Releases", "Changes", "Sentences", "Words"]
            rows = [_summary(name, list(files)) for name, files in groupby(self.versions, lambda file: file.name)]
        columns = (Column(name, "text" if name in {"Name", "First", "Last", "Path"} else "number") for name in names)
        return Table(tuple(columns), tuple(row[: len(names)] for row in rows))


def _summary(name: str, files: list[ReleasedFile]) -> tuple[Cell, ...]:
    order = index().releases
    releases, versions = zip(*sorted((order.index(each), n) for n, file in enumerate(files) for each in file.names))
    changes, last = sum(a != b for a, b in pairwise(versions)), files[versions[-1]]
    return name, order[releases[0]], order[releases[-1]], len(releases), changes, last.sentences, last.words
