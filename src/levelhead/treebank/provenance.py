"""The provenance of results: the files that were read, with their sizes, warnings and hashes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from levelhead.errors import Fault, Place
from levelhead.immutable import immutable
from levelhead.tables.documents import file_text
from levelhead.treebank.treebank import Treebank

TREEBANK = "treebank"  # the code of a treebank without another code
MEMORY = "memory"  # used instead of the hash and the path of a treebank that was not read from a file


class FileId(NamedTuple):
    """The hash of a file's contents, and its name if it is part of a UD release; `str` gives a short form.

    Args:
        sha256: the SHA-256 of the contents, decompressed; None for a treebank in memory.
        name: the treebank and split, such as "en_ewt-test"; None for files that are in no known UD release.
        releases: the UD releases with exactly this file, such as "2.2-2.3"; None if `name` is None.
    """

    sha256: str | None
    name: str | None = None
    releases: str | None = None

    def __str__(self) -> str:
        return short_hash(self.sha256) if self.name is None else f"{self.name}@{self.releases}"

    def is_other_release(self, other: FileId) -> bool:
        """Return whether this file and `other` belong to the same treebank, but to different releases."""
        if self.name is None or other.name is None or self.name.partition("-")[0] != other.name.partition("-")[0]:
            return False
        return not releases_of_all([self, other])


def releases_of_all(files: Iterable[FileId]) -> str:
    """Return the releases to which all files belong, as text; empty if there are none."""
    from levelhead.treebank.releases.index import index

    return index().shared(file.releases or "" for file in files)


def file_id(sha256: str | None, path: str | None = None) -> FileId:
    """Return the contents of a file with their name; a large file needs its path to be recognized."""
    from levelhead.treebank.releases.index import released_as  # the index is loaded for results only

    if sha256 in {None, MEMORY}:
        return FileId(None)
    known = released_as(str(sha256), path)
    return FileId(sha256) if known is None else FileId(sha256, known.name, known.releases)


@immutable
class Provenance:
    """The settings and files behind a result.

    Args:
        signature: a mapping with everything that determines the numbers, such as the rules.
        files: the files of each treebank, by the code of the treebank. The key of a file is "gold", the name of a
            system (with the run) or, for other files, the path; its value is the file's hash and name.
        warnings: the warnings about the files.
        notes: notes about the numbers.
        about_files: messages about ignored files, and about outputs found only by the beginning of their file name.
    """

    signature: Mapping[str, str]
    files: Mapping[str, Mapping[str, FileId]]
    warnings: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    about_files: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the provenance as a dictionary of JSON values."""
        return {
            "signature": dict(self.signature),
            "files": {
                code: {
                    role: {"name": file.name, "releases": file.releases, "sha256": file.sha256}
                    for role, file in files.items()
                }
                for code, files in self.files.items()
            },
            "warnings": [
                {
                    "slug": fault.slug,
                    "message": fault.message,
                    "file": file_text(fault.place),
                    "line": fault.place.line,
                    "count": fault.count,
                }
                for fault in self.warnings
            ],
            "notes": [*self.notes, *self.about_files],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Provenance:
        """Return a provenance from a dictionary that `to_dict` has returned."""
        warnings = tuple(
            Fault(one["slug"], one["message"], Place(one["file"], one["line"]), "warning", one["count"])
            for one in document["warnings"]
        )
        files = {
            code: {role: FileId(**file) for role, file in files.items()} for code, files in document["files"].items()
        }
        return cls({**document["signature"]}, files, warnings, tuple(document["notes"]))

    def with_parts(self, **parts: str) -> Provenance:
        """Return the provenance with `parts` added at the end of the signature."""
        return replace(self, signature={**self.signature, **parts})


def short_hash(sha256: str | None) -> str:
    """Return the hash of a file as in signatures: its first twelve digits, or "memory" without a file."""
    return (sha256 or MEMORY)[:12]


def joint_hash(files: Iterable[FileId]) -> str:
    """Return a joint hash of files; for a single file its name or hash."""
    given = list(files)
    if len(given) == 1:
        return str(given[0])
    return hashlib.sha256("".join(short_hash(file.sha256) for file in given).encode()).hexdigest()[:12]


@immutable
class FileSummary:
    """The sizes of a treebank and the warnings about its file."""

    sha256: str | None  # of the file after decompression; None if the treebank was not read from a file
    sentences: int
    words: int
    tokens: int = 0
    warnings: tuple[Fault, ...] = ()
    path: str | None = None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The warnings about the gold file, including a warning if the file is training data."""
        file = self.id
        if file.name is None or "-train" not in file.name:
            return self.warnings
        return (*self.warnings, Fault("training-data", f"gold is training data: {file}", Place(self.path), "warning"))

    @property
    def id(self) -> FileId:
        """The hash of the file, with its name if it is part of a UD release."""
        return file_id(self.sha256, self.path)

    @property
    def name(self) -> str:
        """The name of the file without suffixes, which names the test set; "treebank" for a treebank in memory."""
        name = os.path.basename(self.path or "")  # noqa: PTH119 -- pathlib would be loaded for this alone
        return name.partition(".")[0] or name or TREEBANK


def summary_of(treebank: Treebank) -> FileSummary:
    source, n_words, n_tokens = treebank.source, treebank.n_words, treebank.n_tokens
    return FileSummary(source.sha256, len(treebank), n_words, n_tokens, source.warnings, source.path)


def contents_hash(treebank: Treebank) -> str:
    """Return the SHA-256 of the decompressed file that a treebank was read from, or else of its CoNLL-U text."""
    if treebank.source.sha256 is not None:
        return treebank.source.sha256
    from levelhead.treebank.sentence import conllu_parts

    digest = hashlib.sha256()
    for part in conllu_parts(treebank):
        digest.update(part)
    return digest.hexdigest()
