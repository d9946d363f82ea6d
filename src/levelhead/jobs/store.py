"""Stores of results of jobs in an sqlite file: a killed process loses little, and damaged results are never used."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from typing import NamedTuple, Self
from urllib.parse import quote

from levelhead.errors import Fault, InputError, LevelheadError, OutputError, Place, printable

SECONDS_TO_WAIT = 60
"""The time to wait for another process that writes to the same file."""

_ENVIRONMENT_ERRORS = {
    *(sqlite3.SQLITE_AUTH, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
    *(sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY),
}  # full, locked, forbidden, no such folder; other errors are errors of the file


class DatabaseKind(NamedTuple):
    """A kind of sqlite file, which is recognized by the two numbers in its header."""

    application: int  # the number that distinguishes it from the files of other programs
    layout: int  # the version of its tables
    tables: tuple[str, ...]  # the statements that create them
    other: str  # the message for any other database
    version: str  # the message for a file with another layout, before the two versions
    upgrade: tuple[str, ...] = ()  # the statements that turn the previous layout into this one, if that is possible

    def prepare(self, connection: sqlite3.Connection, path: str) -> None:
        """Create the tables in an empty file, or upgrade a file with the previous layout; refuse other layouts."""
        for header, statements in (((0, 0), self.tables), ((self.application, self.layout - 1), self.upgrade)):
            if statements and _header_of(connection) == header:
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    if _header_of(connection) == header:  # not if another process was faster
                        if header == (0, 0):
                            self.check(connection, path)
                        numbers = (f"application_id = {self.application}", f"user_version = {self.layout}")
                        for statement in (*statements, *(f"PRAGMA {number}" for number in numbers)):
                            connection.execute(statement)
        self.check(connection, path)

    def check(self, connection: sqlite3.Connection, path: str) -> None:
        """Refuse a file that `prepare` refuses, without changing it."""
        application, layout = _header_of(connection)
        if (application, layout) == (0, 0) and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            return  # a new file
        if application != self.application:
            raise store_error("invalid-store", self.other, path)
        if layout != self.layout:
            versions = f"(its layout is {layout}, this version reads {self.layout})"
            raise store_error("store-version", f"{self.version} {versions}", path)


def _header_of(connection: sqlite3.Connection) -> tuple[int, int]:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    return application, connection.execute("PRAGMA user_version").fetchone()[0]


def store_error(slug: str, message: str, path: str) -> InputError:
    return InputError(Fault(slug, message, Place(path)))


@contextmanager
def sqlite_errors(path: str) -> Iterator[None]:
    """Convert errors of sqlite (not writable, no database, damaged), but leave violated constraints to the caller."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # the rest are details
        if code in _ENVIRONMENT_ERRORS:
            raise OutputError(str(error), "store", Place(path)) from error
        if code == sqlite3.SQLITE_NOTADB:
            raise store_error("invalid-store", "the file is not a store: name a new file", path) from error
        raise store_error("damaged-store", printable(str(error)), path) from error
    except UnicodeDecodeError as error:  # sqlite quotes unreadable text in its message
        raise store_error("damaged-store", "the definition of its table is not UTF-8", path) from error


_SECONDS_BETWEEN_COMMITS = 0.5
_KIND = DatabaseKind(
    application=0x4C564C48,  # "LVLH"
    layout=2,  # layout 1 had no checksums
    tables=("CREATE TABLE results (key TEXT PRIMARY KEY, checksum BLOB NOT NULL, result BLOB NOT NULL) WITHOUT ROWID",),
    other="it is another program's database",
    version="the store was written by another version of levelhead",
)


class Store:
    """A file that stores each result once, under a key. The end of a `with` block closes the file.

    The file at `path` is created if it does not exist. Results are committed twice a second: a killed process loses at
    most the results of the last half second, and never stores part of a result
    (https://www.sqlite.org/atomiccommit.html). A result that does not match its checksum counts as missing, so that it
    is computed and written again.

    Raises:
        InputError: the file is not a store, is damaged, or was written by another version.
        OutputError: the file cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(path)
        self._committed = time.monotonic()
        if "\0" in self.path:
            raise OutputError("a path cannot contain NUL", "store", Place(self.path))
        with self._errors():
            self._connection = sqlite3.connect(self.path, timeout=SECONDS_TO_WAIT, isolation_level=None)
        with ExitStack() as stack:
            stack.callback(self._connection.close)
            with self._errors():
                _KIND.prepare(self._connection, self.path)
                problem = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if problem != "ok":
                raise store_error("damaged-store", printable(problem), self.path)
            stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close(failing=kind is not None)

    def __len__(self) -> int:
        with self._errors():
            return int(self._connection.execute("SELECT count(*) FROM results").fetchone()[0])

    def get(self, key: str) -> bytes | None:
        """Return the result stored under `key`, or None if the result is missing or damaged."""
        # A damaged row can have values of other types; as bytes they fail the check like others.
        query = "SELECT CAST(checksum AS BLOB), CAST(result AS BLOB) FROM results WHERE key = ?"
        with self._errors():
            row = self._connection.execute(query, (key,)).fetchone()
        is_whole = row is not None and row[1] is not None and row[0] == _checksum(key, row[1])
        return bytes(row[1]) if is_whole else None

    def put(self, key: str, result: bytes) -> None:
        """Store a result under `key`, unless an undamaged result is already stored there."""
        with self._errors():
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            if self.get(key) is None:
                row = (key, _checksum(key, result), result)
                self._connection.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", row)
        if time.monotonic() - self._committed > _SECONDS_BETWEEN_COMMITS:
            self.commit()

    def commit(self) -> None:
        """Write all results to disk."""
        with self._errors():
            self._connection.commit()
        self._committed = time.monotonic()

    def close(self, *, failing: bool = False) -> None:
        """Commit and close the file."""
        try:
            self.commit()
        except LevelheadError:
            if not failing:  # an error that is being raised must not be hidden by this one
                raise
        finally:
            self._connection.close()

    def _errors(self) -> AbstractContextManager[None]:
        return sqlite_errors(self.path)


def check_store(path: str | os.PathLike[str]) -> None:
    """Check that a path can be a store, without creating or changing anything."""
    from levelhead.treebank.write import check_file

    name = os.fsdecode(path)
    exists = os.path.exists(name)  # noqa: PTH110 -- a path can have bytes that pathlib refuses
    if not name:
        raise OutputError("the path is empty: name a file", "store")
    if name == "-" or "://" in name:
        other = "standard output" if name == "-" else "an address"
        raise OutputError(f"a store is a file, not {other}", "store", Place(name))
    if exists and not os.path.isfile(name):  # noqa: PTH113
        reason = "it is a folder: name a file in it" if os.path.isdir(name) else "it is not a regular file"  # noqa: PTH112
        raise OutputError(reason, "store", Place(name))
    check_file(name)
    if exists:
        address = f"file:{quote(os.fsencode(name))}?mode=ro"
        with sqlite_errors(name), closing(sqlite3.connect(address, uri=True)) as connection:
            _KIND.check(connection, name)


def _checksum(key: str, result: bytes) -> bytes:
    """Return a hash of a key and a result; the length separates the two."""
    name = key.encode()
    return hashlib.sha256(b"%d:%b%b" % (len(name), name, result)).digest()
