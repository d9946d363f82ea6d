"""The database of a task: one sqlite file; committed changes are on disk."""

from __future__ import annotations

import datetime as dt
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from levelhead.errors import InputError, printable
from levelhead.jobs.store import SECONDS_TO_WAIT, DatabaseKind, sqlite_errors, store_error

_TABLES = """
CREATE TABLE teams (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE, made TEXT NOT NULL);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, team INTEGER NOT NULL, form TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE submissions (
    id TEXT PRIMARY KEY, team INTEGER NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL,
    sha256 TEXT NOT NULL, size INTEGER NOT NULL, received TEXT NOT NULL, state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, finished TEXT, run TEXT, reason TEXT, log TEXT, document TEXT,
    chosen INTEGER NOT NULL DEFAULT 0, key TEXT, UNIQUE (team, number), UNIQUE (team, key));
CREATE INDEX queue ON submissions (state, kind, received);
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
    submission TEXT, detail TEXT);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_VALUES = {  # the first column is the key
    "teams": "id name token made",
    "sessions": "id team form until",
    "submissions": "id team number kind label sha256 size received state attempts finished run reason log document"
    " chosen key",
    "audit": "id time actor action submission detail",
    "facts": "name value",
}


def _listed(table: str, row: str) -> str:
    return ", ".join(f"{row}.{column}" for column in _VALUES[table].split())


def _checksums(table: str) -> tuple[str, ...]:
    """The statements that give each row of a table a checksum, which is checked before the row changes."""
    key = _VALUES[table].split()[0]
    old, update = _listed(table, "OLD"), f"UPDATE {table} SET checksum = checksum_of("  # noqa: S608 -- our own names
    of_new = f"{update}{_listed(table, 'NEW')}) WHERE {key} = NEW.{key};"
    columns = _VALUES[table].replace(" ", ", ")
    check = f"SELECT intact('{table}', OLD.checksum, {old});"
    return (
        f"ALTER TABLE {table} ADD COLUMN checksum INTEGER",
        f"{update}{columns})",
        f"CREATE TRIGGER {table}_inserted AFTER INSERT ON {table} BEGIN {of_new} END",
        f"CREATE TRIGGER {table}_updated AFTER UPDATE OF {columns} ON {table} BEGIN {check} {of_new} END",
    )


_LAYOUT_2 = (
    *(statement for table in _VALUES for statement in _checksums(table)),
    "CREATE INDEX actions ON audit (action, actor, time)",
)
_KIND = DatabaseKind(
    application=0x4C564C54,  # "LVLT"
    layout=2,
    tables=(*_TABLES.strip().split(";\n"), *_LAYOUT_2),
    upgrade=_LAYOUT_2,
    other="it is not the database of a shared task",
    version="the database was written by another version of levelhead",
)


class Database(AbstractContextManager["Database"]):
    """A connection for all threads of a process; a file that it creates is readable only by its user."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        with self._errors():
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._connection = sqlite3.connect(
                path, timeout=SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
            )
        with ExitStack() as stack:
            stack.callback(self._connection.close)
            with self._errors():
                self._connection.row_factory = sqlite3.Row
                self._connection.create_function("checksum_of", -1, _checksum_of)
                self._connection.create_function("intact", -1, self._intact)
                self._connection.execute("PRAGMA trusted_schema = ON")  # triggers call these functions
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = FULL")
                _KIND.prepare(self._connection, str(self.path))
                # Views hide the tables, so that every row that a query reads is checked; changes name `main.TABLE`. The
                # row is read a second time, since sqlite replaces columns that a query compares with a value by this
                # value. A row that is not found by its key has no checksum, so it is damaged.
                for table, columns in _VALUES.items():
                    key = columns.split()[0]
                    rowid = "found.rowid AS rowid, " * (table == "submissions")
                    self._connection.execute(
                        f"CREATE TEMP VIEW {table} AS SELECT {rowid}{_listed(table, 'found')}"  # noqa: S608
                        f" FROM main.{table} AS found LEFT JOIN main.{table} AS checked ON checked.{key} = found.{key}"
                        f" WHERE intact('{table}', checked.checksum, {_listed(table, 'checked')})"
                    )
            stack.pop_all()

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock, self._errors():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction, which makes all of its changes or none; other processes wait."""
        with self._lock, self._errors(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection

    def check(self) -> None:
        try:
            problem = self.rows("PRAGMA integrity_check(1)")[0][0]
        except InputError as error:
            problem = error.message
        if problem != "ok":
            raise self._damage(problem)
        for table in _VALUES:
            self.rows(f"SELECT count(*) FROM {table}")  # noqa: S608 -- our own names

    def fact(self, name: str) -> str | None:
        return next((row["value"] for row in self.rows("SELECT value FROM facts WHERE name = ?", name)), None)

    def latest(self) -> str:
        """Return the latest time in the audit log or the current time, whichever is later."""
        return max([now(), *(str(row["time"]) for row in self.rows("SELECT time FROM audit ORDER BY id DESC LIMIT 1"))])

    def _intact(self, table: str, checksum: int | None, key: object, *values: object) -> bool:
        if checksum != _checksum_of(key, *values):
            self._damaged = f"wrong key in {table}" if key is None else f"wrong checksum in {table}, row {key}"
            raise ValueError(self._damaged)  # which ends the query
        return True

    def _damage(self, problem: str) -> InputError:
        message = f"the database is damaged ({printable(problem)}): restore state/ from a backup"
        return store_error("damaged-store", message, str(self.path))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        self._damaged = "invalid text"  # which does not reach `_intact`
        try:
            with sqlite_errors(str(self.path)):
                yield
        except InputError as error:
            if "user-defined function" in error.message:
                raise self._damage(self._damaged) from error
            raise


def _checksum_of(*values: object) -> int:
    return zlib.crc32(repr(values).encode())


def now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")


def shown_time(time: str | dt.datetime, form: str = "%Y-%m-%d %H:%M UTC") -> str:
    """Return a time in readable form: `2026-11-21 18:04 UTC`."""
    moment = dt.datetime.fromisoformat(time) if isinstance(time, str) else time
    return moment.astimezone(dt.UTC).strftime(form)


def record(
    connection: sqlite3.Connection, actor: str, action: str, submission: str | None = None, detail: str = ""
) -> None:
    """Write a line of the audit log, in the transaction of the action; times never decrease."""
    connection.execute(  # the latest time, since the clock may have gone back
        "INSERT INTO main.audit (time, actor, action, submission, detail)"
        " VALUES (max(?, coalesce((SELECT time FROM audit ORDER BY id DESC LIMIT 1), '')), ?, ?, ?, ?)",
        (now(), actor, action, submission, detail),
    )
