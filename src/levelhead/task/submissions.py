"""Teams, their tokens and browser sessions, and their submissions, which are accepted completely or refused."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from levelhead.errors import Fault, InputError, LevelheadError, quoted, unknown
from levelhead.task.database import Database, now, record
from levelhead.task.description import SubmissionLimits, TaskFolder, sync

WAITING, RUNNING, FINISHED, FAILED = "waiting", "running", "finished", "failed"
"""The states of a submission; the last two are final."""

_LONGEST_NAME, _LONGEST_LABEL = 60, 80
_MOST_AN_HOUR = 30
_SESSION_SECONDS = 12 * 3600
_PREFIX = "lvlh_"  # so that scanners for leaked secrets can find tokens


class Team(NamedTuple):
    """A team of participants."""

    id: int
    name: str


class Session(NamedTuple):
    """A team that signed in with a browser, and a secret that its forms must send, so that other sites cannot post."""

    team: Team
    form: str


def _invalid(message: str) -> InputError:
    return InputError(Fault("invalid-task", message))


def _hash(secret: str) -> str:
    # Secrets are random numbers of 256 bits, so slow hashes would not improve security.
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def new_token(database: Database, name: str, *, replace: bool = False) -> str:
    if not name.strip() or name != name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise _invalid(f"invalid team name {quoted(name)}: use up to {_LONGEST_NAME} printable characters")
    token = _PREFIX + secrets.token_urlsafe(32)
    with database.transaction() as connection:
        names = [team.name for team in teams(database)]
        if replace and name not in names:
            raise _invalid(unknown("team", name, names))
        if not replace and name in names:
            raise _invalid(
                f"team {quoted(name)} already has a token: --replace makes a new one and invalidates the old one"
            )
        connection.execute(
            "INSERT INTO main.teams (name, token, made) VALUES (?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET token = excluded.token",
            (name, _hash(token), now()),
        )
        connection.execute("DELETE FROM main.sessions WHERE team = (SELECT id FROM teams WHERE name = ?)", (name,))
        record(connection, "organizer", "token made", detail=name)
    return token


def team_of_token(database: Database, token: str) -> Team | None:
    return next((Team(*row) for row in database.rows("SELECT id, name FROM teams WHERE token = ?", _hash(token))), None)


def teams(database: Database) -> list[Team]:
    return [Team(*row) for row in database.rows("SELECT id, name FROM teams ORDER BY name")]


def new_session(database: Database, team: Team) -> str:
    """Sign a team in, and return the secret that its browser sends from now on."""
    secret = secrets.token_urlsafe(32)
    with database.transaction() as connection:
        connection.execute("DELETE FROM main.sessions WHERE until < ?", (time.time(),))
        row = (_hash(secret), team.id, secrets.token_urlsafe(32), time.time() + _SESSION_SECONDS)
        connection.execute("INSERT INTO main.sessions (id, team, form, until) VALUES (?, ?, ?, ?)", row)
        record(connection, f"team {team.name}", "signed in")
    return secret


def session_of(database: Database, secret: str) -> Session | None:
    rows = database.rows(
        "SELECT team, name, form FROM sessions JOIN teams ON teams.id = team WHERE sessions.id = ? AND until > ?",
        _hash(secret),
        time.time(),
    )
    return Session(Team(rows[0]["team"], rows[0]["name"]), rows[0]["form"]) if rows else None


def end_session(database: Database, secret: str) -> None:
    with database.transaction() as connection:
        connection.execute("DELETE FROM main.sessions WHERE id = ?", (_hash(secret),))


class Refused(LevelheadError):
    """A submission that is not accepted; participants see its message, with an HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message, "refused-submission")
        self.status = status
        self.args = (message, status)


def refuse_if(is_wrong: object, message: str, status: int = 400) -> None:
    if is_wrong:
        raise Refused(message, status)


class Upload(NamedTuple):
    """A received and checked archive."""

    path: Path
    sha256: str
    size: int
    kind: str
    label: str = ""
    key: str | None = None  # chosen by the client: an upload that is sent twice with a key is accepted once


class Submission(NamedTuple):
    """A submission of a team."""

    id: str  # cannot be guessed
    team: int
    team_name: str
    number: int  # among the submissions of the team, from 1
    kind: str
    label: str
    sha256: str
    size: int
    received: str
    state: str
    attempts: int  # how often it was started
    finished: str | None
    run: str | None  # the name of the folder of its outputs
    reason: str | None  # the error message for its team
    log: str | None  # the error message for the organizer
    document: dict[str, Any] | None  # its results
    chosen: bool  # by its team as the primary submission
    valid: int  # the number of its valid outputs
    outputs: int  # the number of test sets when it was scored


_COLUMNS = (
    "SELECT submissions.id, team, name AS team_name, number, kind, label, sha256, size, received, state, attempts,"
    " finished, run, reason, log, chosen, {} AS document,"
    # as `finish` writes it; in a text of the document the quotes would be escaped
    """ coalesce((length(document) - length(replace(document, '"state":"valid"', ''))) / 15, 0) AS valid,"""
    """ coalesce((length(document) - length(replace(document, '"state":"', ''))) / 9, 0) AS outputs"""
    " FROM submissions JOIN teams ON teams.id = team "
)
_WHOLE, _BRIEF = _COLUMNS.format("document"), _COLUMNS.format("NULL")


def _submission(row: sqlite3.Row) -> Submission:
    document = None if row["document"] is None else json.loads(row["document"])
    return Submission(**{**dict(row), "document": document, "chosen": bool(row["chosen"])})


def submissions(database: Database, team: Team | None = None, *, results: bool = False) -> list[Submission]:
    of_team, values = (" WHERE team = ?", [team.id]) if team else ("", [])
    query = f"{_WHOLE if results else _BRIEF}{of_team} ORDER BY submissions.rowid"
    return list(map(_submission, database.rows(query, *values)))


def submission(database: Database, name: str, team: Team | None = None) -> Submission | None:
    """Return a submission; None if it does not exist or belongs to another team."""
    rows = database.rows(_WHOLE + "WHERE submissions.id = ?", name)
    return _submission(rows[0]) if rows and team in {None, Team(rows[0]["team"], rows[0]["team_name"])} else None


def refuse_early(database: Database, team: Team, limits: SubmissionLimits) -> None:
    """Check the quota of a team before it uploads anything."""
    today = database.latest()[:10]
    rows = database.rows("SELECT received, state FROM submissions WHERE team = ?", team.id)
    if sum(row["received"].startswith(today) for row in rows) >= limits.submissions_a_day:
        raise Refused(f"your team has used its {limits.submissions_a_day} submissions for today, {today} (UTC)", 429)
    if sum(row["state"] in {WAITING, RUNNING} for row in rows) >= limits.waiting:
        raise Refused("your team has too many submissions waiting: try again when one is finished", 429)


def refuse_often(database: Database, team: Team, action: str) -> None:
    """Refuse what a team does too often, so that it cannot fill the audit log."""
    hour_ago = dt.datetime.fromisoformat(database.latest()) - dt.timedelta(hours=1)
    query = "SELECT count(*) AS n FROM audit WHERE action = ? AND actor = ? AND time >= ?"
    rows = database.rows(query, action, f"team {team.name}", hour_ago.isoformat(timespec="milliseconds"))
    if rows[0]["n"] >= _MOST_AN_HOUR:
        entries = f"{_MOST_AN_HOUR} entries '{action}' of your team in the last hour"
        raise Refused(f"the audit log has {entries}: try again later", 429)


def id_of_key(database: Database, team: Team, key: str | None) -> str | None:
    rows = database.rows("SELECT id FROM submissions WHERE team = ? AND key = ?", team.id, key)
    return rows[0]["id"] if rows else None


def accept(database: Database, folder: TaskFolder, team: Team, upload: Upload, limits: SubmissionLimits) -> Submission:
    """Put an upload into the queue, unless it was sent before with the same key; it is then processed in any case."""
    sync([upload.path])
    with database.transaction() as connection:
        name = id_of_key(database, team, upload.key)
        if name is not None:
            upload.path.unlink(missing_ok=True)
        else:
            refuse_early(database, team, limits)
            refuse_if(database.fact("closed") is not None, "the task is closed", 403)
            name = secrets.token_hex(16)
            label = "".join(c for c in upload.label if c.isprintable())[:_LONGEST_LABEL]
            connection.execute(
                "INSERT INTO main.submissions (id, team, kind, label, sha256, size, received, state, key, number)"
                " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(max(number), 0) + 1 FROM submissions WHERE team = ?",
                (name, team.id, upload.kind, label, upload.sha256, upload.size, database.latest(), WAITING, upload.key,
                 team.id),
            )  # fmt: skip
            record(connection, f"team {team.name}", "accepted", name, f"{upload.kind} {upload.sha256} {upload.size}")
            # before the transaction ends: the runner removes archives that are not in the database when it starts
            os.replace(upload.path, folder.uploads / name)  # noqa: PTH105 -- one step
            sync([folder.uploads])
    accepted = submission(database, name)
    assert accepted is not None
    return accepted


def organizer_failures(database: Database) -> list[Submission]:
    return [failed for failed in submissions(database) if failed.state == FAILED and failed.log is not None]


def choose(database: Database, chosen: Submission) -> None:
    refuse_if(chosen.state != FINISHED, "only a finished submission can be the primary one", 409)
    if chosen.chosen:
        return
    refuse_often(database, Team(chosen.team, chosen.team_name), "chosen as primary")
    with database.transaction() as connection:
        refuse_if(database.fact("closed") is not None, "the task is closed", 403)
        connection.execute("UPDATE main.submissions SET chosen = (id = ?) WHERE team = ?", (chosen.id, chosen.team))
        record(connection, f"team {chosen.team_name}", "chosen as primary", chosen.id)


def shown_state(state: str, valid: int, outputs: int) -> str:
    return f"{state}, {valid} of {outputs} outputs valid" if valid < outputs else state


def primary_of(candidates: Iterable[Submission]) -> dict[str, Submission]:
    """Return each team's primary submission: chosen, or the last with most valid outputs, if possible of a good run."""
    finished = [candidate for candidate in candidates if candidate.state == FINISHED]
    finished.sort(key=lambda candidate: (candidate.chosen, candidate.valid, candidate.reason is None))
    return {candidate.team_name: candidate for candidate in finished}


def why_primary(primary: Submission) -> str:
    if primary.chosen:
        return "chosen by the team"
    return "the last with the most valid outputs" if primary.valid else "the last; none has a valid output"


def primary_submissions(database: Database) -> list[Submission]:
    whole = (submission(database, brief.id) for brief in primary_of(submissions(database)).values())
    return sorted(filter(None, whole), key=lambda submission: submission.team_name)


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
    """Start the next waiting submission and return it, or None; the team that was served longest ago comes first."""
    with database.transaction() as connection:
        if not database.rows("SELECT 1 FROM submissions WHERE state = ? AND kind = ? LIMIT 1", WAITING, kind):
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
    for row in database.rows("SELECT id FROM submissions WHERE state = ?", RUNNING):
        interrupt(database, row["id"], "the runner ended")


def interrupt(database: Database, name: str, why: str) -> None:
    """Put an interrupted submission back into the queue; after ten attempts it fails, since it may be the cause."""
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
    with database.transaction() as connection:
        refuse_if(database.fact("final") is not None, "the final ranking was already computed", 409)
        failures = [failed.id for failed in organizer_failures(database) if name in {None, failed.id}]
        update = "UPDATE main.submissions SET state = ?, attempts = 0, finished = NULL, reason = NULL, log = NULL"
        for failed in failures:
            connection.execute(f"{update} WHERE id = ?", (WAITING, failed))
            record(connection, "organizer", "put back", failed)
    return len(failures)
