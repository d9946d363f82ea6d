"""The errors and warnings of files."""

from __future__ import annotations

import os
from collections.abc import Mapping

from levelhead.arguments import checked, choice, path
from levelhead.errors import Fault, number_of
from levelhead.immutable import immutable
from levelhead.tabular import Tabular
from levelhead.treebank.checking import CHECKED_RULES, faults_of
from levelhead.treebank.layouts import files_at
from levelhead.treebank.reader import Format


@immutable(eq=True, repr=False)
class Validation(Tabular):
    """The errors and warnings of files.

    Args:
        files: the errors and warnings of each file, by its path.
    """

    files: Mapping[str, tuple[Fault, ...]]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The errors and warnings of all files."""
        return tuple(fault for faults in self.files.values() for fault in faults)

    @property
    def valid(self) -> bool:
        """Whether all files are free of errors; warnings are allowed."""
        return not any(fault.severity == "error" for fault in self.faults)

    def __repr__(self) -> str:
        return f"<Validation: {number_of(len(self.files), 'file')}, {len(self.faults)} errors and warnings>"


@checked(paths=path, format=choice(("conllu", "conllx")), rules=choice(CHECKED_RULES))
def validate(
    *paths: str | os.PathLike[str],
    format: Format = "conllu",  # noqa: A002
    rules: str = "ud",
) -> Validation:
    """Return every error of CoNLL-U files, and their warnings.

    Args:
        paths: files, compressed or not, or folders of files.
        format: "conllu" or "conllx".
        rules: "ud" for CoNLL-U, "msp25" or "msp25-sorted" for files of morphosyntactic parsing.

    Raises:
        InputError: a folder has no CoNLL-U file.
    """
    return Validation({file: faults_of(file, format=format, rules=rules) for path in paths for file in files_at(path)})
