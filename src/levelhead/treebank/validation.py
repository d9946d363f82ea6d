"""The errors and warnings of files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from levelhead.arguments import checked, choice, path
from levelhead.errors import Fault, InputError, Place
from levelhead.tabular import Tabular
from levelhead.treebank.layouts import treebanks_in
from levelhead.treebank.reader import Format, faults_of


@dataclass(frozen=True, repr=False)
class Validation(Tabular):
    """The errors and warnings of files.

    Args:
        files: the errors and warnings of each file, by its path.
    """

    files: Mapping[str, tuple[Fault, ...]]

    @property
    def valid(self) -> bool:
        """Whether all files are free of errors; warnings are allowed."""
        return not any(fault.severity == "error" for faults in self.files.values() for fault in faults)

    def __repr__(self) -> str:
        n_faults = sum(map(len, self.files.values()))
        return f"<Validation: {len(self.files)} files, {n_faults} errors and warnings>"


@checked(paths=path, format=choice(("conllu", "conllx")))
def validate(*paths: str | os.PathLike[str], format: Format = "conllu") -> Validation:  # noqa: A002
    """Return every error of CoNLL-U files, and their warnings.

    Args:
        paths: files, compressed or not, or folders of files.
        format: "conllu" or "conllx".

    Raises:
        InputError: a folder has no CoNLL-U file.
    """
    return Validation({path: faults_of(path, format=format) for path in _files(paths)})


def _files(paths: Iterable[str | os.PathLike[str]]) -> Iterable[str]:
    """Give every file, including those in folders."""
    for given in paths:
        path = os.fspath(given)
        if not os.path.isdir(path):  # noqa: PTH112 -- a path may hold what pathlib refuses
            yield path
            continue
        found = treebanks_in(Path(path))
        if not found:
            raise InputError(Fault("no-pairs", "the folder has no CoNLL-U file", Place(path)))
        yield from map(os.fspath, found.values())
