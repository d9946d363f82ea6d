"""The errors and warnings of files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field

from levelhead.arguments import checked, choice, optional, path
from levelhead.errors import Fault, InputError, number_of
from levelhead.immutable import immutable
from levelhead.progress import tracked
from levelhead.tabular import Tabular
from levelhead.treebank.checking import CHECKED_RULES, faults_of
from levelhead.treebank.fixing import copies_of, write_fixed
from levelhead.treebank.layouts import files_at
from levelhead.treebank.reader import Format


@immutable(eq=True, repr=False)
class Validation(Tabular):
    """The errors and warnings of files.

    Args:
        files: the errors and warnings of each file, or of its repaired copy, by path.
        copies: the path of the repaired copy of each file, by the path of the file.
        changes: the changes in the copy of each file, by the path of the file.
    """

    files: Mapping[str, tuple[Fault, ...]]
    copies: Mapping[str, str] = field(default_factory=dict)
    changes: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)

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


@checked(paths=path, format=choice(("conllu", "conllx")), rules=choice(CHECKED_RULES), fix=optional(path))
def validate(
    *paths: str | os.PathLike[str],
    format: Format = "conllu",  # noqa: A002
    rules: str = "ud",
    fix: str | os.PathLike[str] | None = None,
) -> Validation:
    """Return all errors and warnings of CoNLL-U files, each with its line.

    Consecutive blank lines are one warning with their number. Beyond 100,000 warnings of a kind in a file, the last
    counts the others; after 100,000 errors, the rest of the file is not checked. So memory is limited.

    Args:
        paths: files, compressed or not, or folders of files.
        format: "conllu" or "conllx".
        rules: "ud" for CoNLL-U, "msp25" or "msp25-sorted" for files of morphosyntactic parsing.
        fix: the path of repaired copies, with only unambiguous repairs: a file for a single file, otherwise a folder.
            The errors and warnings are then those of the copies.

    Raises:
        InputError: a folder has no CoNLL-U file.
        OutputError: a copy cannot be written, or would replace a file or another copy.
    """
    files = list(dict.fromkeys(file for path in paths for file in files_at(path)))
    if fix is None:
        with tracked(files, "validating") as tracked_files:
            return Validation({file: faults_of(file, format=format, rules=rules) for file in tracked_files})
    if rules != "ud":
        message = "fix requires the rules ud: files of morphosyntactic parsing cannot be repaired"
        raise InputError(Fault("invalid-argument", message))
    copies = copies_of(files, os.fspath(fix), folder=any(map(os.path.isdir, paths)))
    return _fixed(copies, format)


def _fixed(copies: Mapping[str, str], form: Format) -> Validation:
    """Write copies; for a file that cannot be copied, report the errors of the file itself."""
    faults: dict[str, tuple[Fault, ...]] = {}
    changes: dict[str, tuple[Fault, ...]] = {}
    with tracked(copies.items(), "repairing") as items:
        for file, copy in items:
            try:
                changes[file] = write_fixed(file, copy)
            except InputError as error:
                faults[file] = error.faults
            else:
                faults[copy] = faults_of(copy, format=form)
    return Validation(faults, {file: copies[file] for file in changes}, changes)
