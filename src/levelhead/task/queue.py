"""The queue: teams take turns, and each submission is finished exactly once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from levelhead.task.database import Database, now, record
from levelhead.task.submissions import (
    FAILED,
    FINISHED,
    RUNNING,
    WAITING,
    Refused,
    Submission,
    organizer_failures,
    submission,
)

_MOST_ATTEMPTS = 10

# A team is served when one of its submissions is started; teams that were never served are first.
_NEXT = """
WITH served AS (
    SELECT team, kind, max(audit.id) AS last FROM main.audit JOIN main.submissions ON submissions.id = audit.submission
    WHERE action = 'begun' GROUP BY team, kind)
SELECT id, attempts FROM submissions LEFT JOIN served USING (team, kind)
WHERE state = ? AND kind = ? ORDER BY coalesce(last, 0), submissions.rowid LIMIT 1
"""


class Interrupted(Exception):
    """A sandbox or scorer was killed or could not be started; the organizer sees the message."""


def claim(database: Database, kind: str) -> Submission | None:
    """Start and return the next waiting submission of the team whose turn it is; None if none is waiting.

    The next team is the one whose last submission was started the longest time ago.
    """
    with database.transaction() as connection:
        waits = "SELECT 1 FROM submissions WHERE state = ? AND kind = ? LIMIT 1"
        if not database.rows(waits, WAITING, kind):
            return None
        row = connection.execute(_NEXT, (WAITING, kind)).fetchone()
        connection.execute(
            "UPDATE main.submissions SET state = ?, attempts = attempts + 1 WHERE id = ?", (RUNNING, row["id"])
        )
        record(connection, "runner", "begun", row["id"], f"attempt {row['attempts'] + 1}")
    return submission(database, row["id"])


def finish(
    database: Database,
    name: str,
    *,
    run: str | None = None,
    document: Mapping[str, Any] | None = None,
    reason: str | None = None,
    log: str | None = None,
) -> bool:
    """Record the end of a submission, unless already recorded; return whether it was recorded now."""
    state = FAILED if document is None else FINISHED
    text = None if document is None else json.dumps(document, separators=(",", ":"))
    with database.transaction() as connection:
        changed = connection.execute(
            "UPDATE main.submissions SET state = ?, finished = ?, run = ?, document = ?, reason = ?, log = ?"
            " WHERE id = ? AND state = ?",
            (state, now(), run, text, reason, log, name, RUNNING),
        ).rowcount
        if changed:
            record(connection, "runner", state, name, reason or "")
    return bool(changed)


def recover(database: Database) -> None:
    """Put submissions that were running when a runner ended back into the queue.

    A submission that was started ten times without finishing fails, since it may cause the runner to end.
    """
    for row in database.rows("SELECT id FROM submissions WHERE state = ?", RUNNING):
        interrupt(database, row["id"], "the runner ended")


def interrupt(database: Database, name: str, why: str) -> None:
    """Put an interrupted submission back into the queue; after ten attempts it fails."""
    with database.transaction() as connection:
        changed = connection.execute(
            "UPDATE main.submissions SET state = ? WHERE id = ? AND state = ? AND attempts < ?",
            (WAITING, name, RUNNING, _MOST_ATTEMPTS),
        ).rowcount
        if changed:
            record(connection, "runner", "put back", name, why)
            return
    reason = f"interrupted {_MOST_ATTEMPTS} times; the organizer has been notified"
    finish(database, name, reason=reason, log=f"interrupted {_MOST_ATTEMPTS} times; the last time: {why}")


def put_back(database: Database, name: str | None = None) -> int:
    """Put submissions that failed through the organizer's fault back into the queue; return their number."""
    with database.transaction() as connection:
        if database.fact("final") is not None:
            raise Refused("the final ranking was already computed", 409)
        failures = [failed.id for failed in organizer_failures(database) if name in {None, failed.id}]
        update = "UPDATE main.submissions SET state = ?, attempts = 0, finished = NULL, reason = NULL, log = NULL"
        for failed in failures:
            connection.execute(f"{update} WHERE id = ?", (WAITING, failed))
            record(connection, "organizer", "put back", failed)
    return len(failures)
