"""The files of a shared task."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from levelhead.errors import Fault, InputError, OutputError, Place


class TaskFolder(NamedTuple):
    """The folder of a task.

    Args:
        path: the folder itself.
    """

    path: Path

    @property
    def description(self) -> Path:
        """The description of the task, written by the organizer."""
        return self.path / "task.toml"

    @property
    def blind(self) -> Path:
        """The inputs, which participants can download."""
        return self.path / "blind"

    def inputs(self) -> list[Path]:
        """Return the inputs by name: regular files, not links."""
        if not self.blind.is_dir():
            return []
        return sorted(path for path in self.blind.iterdir() if path.is_file() and not path.is_symlink())

    @property
    def gold(self) -> Path:
        """The gold treebanks, which are never served."""
        return self.path / "gold"

    @property
    def state(self) -> Path:
        """The data of the server, readable only by its user."""
        return self.path / "state"

    @property
    def database(self) -> Path:
        """Teams, submissions, results and the audit log."""
        return self.state / "task.sqlite"

    @property
    def incoming(self) -> Path:
        """Uploads that are not accepted yet."""
        return self.state / "incoming"

    @property
    def uploads(self) -> Path:
        """Accepted archives, by submission."""
        return self.state / "uploads"

    @property
    def runs(self) -> Path:
        """Outputs and logs, by submission."""
        return self.state / "runs"

    @property
    def scores(self) -> Path:
        """The store of results, as for `levelhead rank --store`."""
        return self.state / "scores"

    @property
    def inputs_archive(self) -> Path:
        """All inputs in one archive, for participants."""
        return self.state / "inputs.zip"

    @property
    def final(self) -> Path:
        """The final ranking."""
        return self.state / "final"

    def holds(self, path: Path) -> bool:
        """Return whether a path is a file of the task or in one of its folders, following links."""
        resolved = path.resolve()
        folders = (self.gold, self.blind, self.state)
        inside = any(resolved.is_relative_to(folder.resolve()) for folder in folders)
        return inside or resolved == self.description.resolve()

    def check_state(self) -> None:
        """Check that the database exists: `init` creates it, so a missing database was lost."""
        try:
            exists = self.database.stat().st_size > 0
        except OSError:
            exists = False
        if not exists:
            message = (
                "the database of teams and submissions is missing: restore state/ from a backup, or create a new "
                "task in another folder with levelhead task init"
            )
            raise InputError(Fault("invalid-task", message, Place(str(self.database))))

    def prepare(self) -> None:
        """Create the missing folders of the server, readable only by its user."""
        try:
            for path in (self.state, self.incoming, self.uploads, self.runs):
                path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise OutputError(error.strerror or str(error), "output", Place(str(self.state))) from error


def sync(paths: Iterable[Path]) -> None:
    """Write files and folders to the disk (fsync)."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sync_tree(folder: Path) -> None:
    """Write a folder and everything in it to the disk (fsync)."""
    sync([*folder.rglob("*"), folder, folder.parent])
