"""sqlite files of levelhead: create new files, refuse other kinds of files, and convert errors of sqlite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from levelhead.errors import Fault, InputError, OutputError, Place, printable

SECONDS_TO_WAIT = 60
"""The time to wait for another process that writes to the same file."""

_ENVIRONMENT_ERRORS = {
    *(sqlite3.SQLITE_AUTH, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
    *(sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY),
}  # full, locked, forbidden, no such folder; other errors are errors of the file


class DatabaseKind(NamedTuple):
    """A kind of sqlite file.

    Args:
        application: the number in its header that distinguishes it from the files of other programs.
        layout: the version of its tables.
        tables: the statements that create its tables.
        other: the message for any other database.
        version: the message for a file with another layout, before the two versions.
        upgrade: the statements that turn the previous layout into this one; none if it cannot be upgraded.
    """

    application: int
    layout: int
    tables: tuple[str, ...]
    other: str
    version: str
    upgrade: tuple[str, ...] = ()

    def prepare(self, connection: sqlite3.Connection, path: str) -> None:
        """Create the tables in an empty file, or upgrade the previous layout; refuse any other file."""
        if _header_of(connection) == (0, 0):
            self._create(connection, path)
        if self.upgrade and _header_of(connection) == (self.application, self.layout - 1):
            self._upgrade(connection)
        self._refuse_other(connection, path)

    def check(self, connection: sqlite3.Connection, path: str) -> None:
        """Refuse a file that `prepare` refuses, without changing it."""
        if _header_of(connection) == (0, 0):
            self._refuse_tables(connection, path)
        else:
            self._refuse_other(connection, path)

    def _create(self, connection: sqlite3.Connection, path: str) -> None:
        connection.execute("BEGIN IMMEDIATE")  # another process may be creating it
        if _header_of(connection) == (0, 0):
            self._refuse_tables(connection, path)
            for statement in self.tables:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {self.application}")
            connection.execute(f"PRAGMA user_version = {self.layout}")
        connection.execute("COMMIT")

    def _upgrade(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        if _header_of(connection) == (self.application, self.layout - 1):
            for statement in self.upgrade:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {self.layout}")
        connection.execute("COMMIT")

    def _refuse_tables(self, connection: sqlite3.Connection, path: str) -> None:
        """Refuse a database without levelhead's header that is not empty."""
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise store_error("invalid-store", self.other, path)

    def _refuse_other(self, connection: sqlite3.Connection, path: str) -> None:
        """Refuse a file with the header of another kind or layout."""
        application, layout = _header_of(connection)
        if application != self.application:
            raise store_error("invalid-store", self.other, path)
        if layout != self.layout:
            versions = f"its layout is {layout}, this version reads {self.layout}"
            raise store_error("store-version", f"{self.version}: {versions}", path)


def _header_of(connection: sqlite3.Connection) -> tuple[int, int]:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    return application, connection.execute("PRAGMA user_version").fetchone()[0]


def store_error(slug: str, message: str, path: str) -> InputError:
    """Return an error about a file."""
    return InputError(Fault(slug, message, Place(path)))


@contextmanager
def sqlite_errors(path: str) -> Iterator[None]:
    """Convert errors of sqlite: the file cannot be written, is not a database, or is damaged.

    Violated constraints are left to the caller.
    """
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # the rest are details
        if code in _ENVIRONMENT_ERRORS:
            raise OutputError(str(error), "store", Place(path)) from error
        slug = "invalid-store" if code == sqlite3.SQLITE_NOTADB else "damaged-store"
        raise store_error(slug, printable(str(error)), path) from error
    except UnicodeDecodeError as error:  # sqlite quotes unreadable text in its message
        raise store_error("damaged-store", "the definition of its table is not UTF-8", path) from error
