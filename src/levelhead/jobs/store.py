"""Results of jobs in one sqlite file: a killed process loses little, and a damaged result is never used."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from types import TracebackType
from typing import Self
from urllib.parse import quote

from levelhead.errors import Fault, InputError, LevelheadError, OutputError, Place, printable

_APPLICATION = 0x4C564C48  # "LVLH": marks an sqlite file as a store
_LAYOUT = 2  # 1 had no checksums
_TABLE = "CREATE TABLE results (key TEXT PRIMARY KEY, checksum BLOB NOT NULL, result BLOB NOT NULL) WITHOUT ROWID"
_SECONDS_BETWEEN_COMMITS = 0.5
_SECONDS_TO_WAIT = 60
_OF_THE_SURROUNDINGS = {
    *(sqlite3.SQLITE_AUTH, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
    *(sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY),
}  # full, locked, forbidden, no such folder; any other error is one of the file


class Store:
    """Results by key; each is written once. A context manager, which closes the file.

    Results are committed twice a second: a process that is killed loses the results of the last half second, never
    older ones, and never half a result (https://www.sqlite.org/atomiccommit.html).

    Every result has a checksum over its key and its bytes. A result that does not match its checksum counts as absent,
    so that it is computed and written again. A file whose structure is damaged is refused.

    Args:
        path: the file, which is made if it does not exist.

    Raises:
        InputError: the file is not a store, is damaged, or was written by another version.
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
        """Return the result of a key, or None if it is absent or damaged.

        Args:
            key: the key of a job.

        Raises:
            InputError: the file is damaged.
        """
        # A damaged row may hold values of other types; as bytes they fail the check like any other.
        query = "SELECT CAST(checksum AS BLOB), CAST(result AS BLOB) FROM results WHERE key = ?"
        with self._errors():
            row = self._connection.execute(query, (key,)).fetchone()
        if row is None or row[1] is None or row[0] != _checksum(key, row[1]):
            return None
        return bytes(row[1])

    def put(self, key: str, result: bytes) -> None:
        """Add a result; a key that has an undamaged result keeps it.

        Args:
            key: the key of a job.
            result: what the job gave.

        Raises:
            InputError: the file is damaged.
            OutputError: it cannot be written, for example because the disk is full.
        """
        with self._errors():
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            if self.get(key) is None:
                row = (key, _checksum(key, result), result)
                self._connection.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", row)
        if time.monotonic() - self._committed > _SECONDS_BETWEEN_COMMITS:
            self.commit()

    def commit(self) -> None:
        """Make sure that every result is on the disk.

        Raises:
            InputError: the file is damaged.
            OutputError: it cannot be written.
        """
        with self._errors():
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
        self._committed = time.monotonic()

    def close(self, *, failing: bool = False) -> None:
        """Commit and close the file.

        Args:
            failing: whether another error is being raised, which an error of closing must not hide.
        """
        try:
            self.commit()
        except LevelheadError:
            if not failing:
                raise
        finally:
            self._connection.close()

    def _prepare(self) -> None:
        """Create the table in a new file; refuse any file that is not a sound store of this version."""
        if _marks(self._connection) == (0, 0):
            self._create()
        _refuse_marks(self._connection, self.path)
        found = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise _store_error("damaged-store", printable(found), self.path)

    def _create(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")  # another process may be creating it
        if _marks(self._connection) == (0, 0):
            _refuse_tables(self._connection, self.path)
            self._connection.execute(_TABLE)
            self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        self._connection.execute("COMMIT")

    def _errors(self) -> AbstractContextManager[None]:
        return _errors(self.path)


def check_store(path: str | os.PathLike[str]) -> None:
    """Check that a path can be a store, without making or changing anything.

    Args:
        path: a file, which need not exist.

    Raises:
        InputError: there is another file, or one of another version.
        OutputError: no file can be written there.
    """
    from levelhead.treebank.write import check_file

    name = os.fsdecode(path)
    if reason := _no_file(name):
        raise OutputError(reason, "store", Place(name or None))
    check_file(name)
    if not os.path.exists(name):  # noqa: PTH110 -- a path may hold bytes that pathlib refuses
        return
    with _errors(name), closing(sqlite3.connect(f"file:{quote(os.fsencode(name))}?mode=ro", uri=True)) as connection:
        if _marks(connection) == (0, 0):
            _refuse_tables(connection, name)
        else:
            _refuse_marks(connection, name)


def _no_file(name: str) -> str | None:
    """Why a path cannot be that of a file of results."""
    if not name:
        return "the path is empty: name a file"
    if name == "-" or "://" in name:
        return f"a store is a file, not {'standard output' if name == '-' else 'an address'}"
    if os.path.exists(name) and not os.path.isfile(name):  # noqa: PTH110, PTH113 -- as above
        return "it is a folder: name a file in it" if os.path.isdir(name) else "it is not a regular file"  # noqa: PTH112
    return None


def _marks(connection: sqlite3.Connection) -> tuple[int, int]:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    return application, connection.execute("PRAGMA user_version").fetchone()[0]


def _refuse_tables(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a database without our marks that is not empty."""
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise _store_error("invalid-store", "it is another program's database", path)


def _refuse_marks(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a file that is not a store of this version."""
    application, layout = _marks(connection)
    if application != _APPLICATION:
        raise _store_error("invalid-store", "it is another program's database", path)
    if layout != _LAYOUT:
        versions = f"its layout is {layout}, this version reads {_LAYOUT}"
        message = f"the store was written by another version of levelhead: {versions}"
        raise _store_error("store-version", message, path)


def _store_error(slug: str, message: str, path: str) -> InputError:
    return InputError(Fault(slug, message, Place(path)))


@contextmanager
def _errors(path: str) -> Iterator[None]:
    """Turn errors of the database into ours: cannot be written, not a store, or damaged."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # the rest are details
        if code in _OF_THE_SURROUNDINGS:
            raise OutputError(str(error), "store", Place(path)) from error
        slug = "invalid-store" if code == sqlite3.SQLITE_NOTADB else "damaged-store"
        raise _store_error(slug, printable(str(error)), path) from error
    except UnicodeDecodeError as error:  # sqlite quotes what it cannot read in a message of its own
        raise _store_error("damaged-store", "the definition of its table is not UTF-8", path) from error


def _checksum(key: str, result: bytes) -> bytes:
    """Return a hash that binds a result to its key; the length keeps the two apart."""
    name = key.encode()
    return hashlib.sha256(b"%d:%b%b" % (len(name), name, result)).digest()
