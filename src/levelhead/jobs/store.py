"""Results of jobs in one sqlite file, which survives whatever happens to the process that writes it."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from levelhead.errors import Fault, InputError, OutputError, Place

_APPLICATION = 0x4C564C48  # "LVLH", so that a store is told from any other sqlite file
_LAYOUT = 1
_SECONDS_BETWEEN_COMMITS = 0.5
_SECONDS_TO_WAIT = 60


class Store:
    """Results by key; each is written once. A context manager, which closes the file.

    Results are committed twice a second: a process that is killed loses what the last half second brought, never
    what was there before, and never half a result (https://www.sqlite.org/atomiccommit.html).

    Args:
        path: the file, which is made if it does not exist.

    Raises:
        InputError: the file is something else.
        OutputError: the file cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(path)
        self._committed = time.monotonic()
        if "\0" in self.path:
            raise OutputError("a path cannot hold NUL", "store", Place(self.path))
        with self._errors():
            self._connection = sqlite3.connect(self.path, timeout=_SECONDS_TO_WAIT, isolation_level=None)
        try:
            with self._errors():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(failing=kind is not None)

    def __len__(self) -> int:
        with self._errors():
            return int(self._connection.execute("SELECT count(*) FROM results").fetchone()[0])

    def get(self, key: str) -> bytes | None:
        """Return the result of a key, or None if there is none.

        Args:
            key: the key of a job.
        """
        with self._errors():
            row = self._connection.execute("SELECT result FROM results WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, key: str, result: bytes) -> None:
        """Add a result; a key that is there already keeps what it has.

        Args:
            key: the key of a job.
            result: what the job gave.

        Raises:
            OutputError: it cannot be written, for example because the disk is full.
        """
        with self._errors():
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("INSERT OR IGNORE INTO results VALUES (?, ?)", (key, result))
        if time.monotonic() - self._committed > _SECONDS_BETWEEN_COMMITS:
            self.commit()

    def commit(self) -> None:
        """Make sure that all that was put is on the disk.

        Raises:
            OutputError: it cannot be written.
        """
        with self._errors():
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
        self._committed = time.monotonic()

    def close(self, *, failing: bool = False) -> None:
        """Commit and close the file.

        Args:
            failing: whether an error is on its way already, which one of closing must not hide.
        """
        try:
            self.commit()
        except OutputError:
            if not failing:
                raise
        finally:
            self._connection.close()

    def _prepare(self) -> None:
        """Make the table if the file is new; refuse a file of something else."""
        if self._marks() == (_APPLICATION, _LAYOUT):
            return
        self._connection.execute("BEGIN IMMEDIATE")  # another process may be doing this
        if self._marks() != (_APPLICATION, _LAYOUT):
            if any(self._marks()) or self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise self._not_a_store("it is a database of something else")
            self._connection.execute("CREATE TABLE results (key TEXT PRIMARY KEY, result BLOB NOT NULL) WITHOUT ROWID")
            self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        self._connection.execute("COMMIT")

    def _marks(self) -> tuple[int, int]:
        application = self._connection.execute("PRAGMA application_id").fetchone()[0]
        return application, self._connection.execute("PRAGMA user_version").fetchone()[0]

    def _not_a_store(self, message: str) -> InputError:
        return InputError(Fault("invalid-store", message, Place(self.path)))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of the database into ours: not a store, or not writable."""
        try:
            yield
        except sqlite3.OperationalError as error:  # full, locked, forbidden, no such folder
            raise OutputError(str(error), "store", Place(self.path)) from error
        except sqlite3.DatabaseError as error:
            raise self._not_a_store(str(error)) from error
