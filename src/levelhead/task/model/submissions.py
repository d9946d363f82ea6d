"""Submissions: accepted completely or refused, kept in a queue, finished exactly once."""

from __future__ import annotations

import datetime as dt
import json
import os
import secrets
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from levelhead.errors import LevelheadError
from levelhead.task.model.database import Database, record
from levelhead.task.model.description import SubmissionLimits
from levelhead.task.model.folder import TaskFolder, sync
from levelhead.task.model.teams import Team

WAITING, RUNNING, FINISHED, FAILED = "waiting", "running", "finished", "failed"
"""The states of a submission; the last two are final."""

_LONGEST_LABEL = 80
_MOST_AN_HOUR = 30


class Refused(LevelheadError):
    """A submission that is not accepted; participants see its message.

    Args:
        message: the reason.
        status: the HTTP status of the response.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message, "refused-submission")
        self.status = status
        self.args = (message, status)


class Upload(NamedTuple):
    """A received and checked archive.

    Args:
        path: its current path.
        sha256: the hash of its bytes.
        size: its size in bytes.
        kind: outputs or a system.
        label: the name given by its team.
        key: identifies the upload, chosen by the client: an upload that is sent twice is accepted once.
    """

    path: Path
    sha256: str
    size: int
    kind: str
    label: str = ""
    key: str | None = None


class Submission(NamedTuple):
    """A submission of a team.

    Args:
        id: its name, which cannot be guessed.
        team: the number of the team.
        team_name: its name.
        number: its number among the submissions of the team, from 1.
        kind: outputs or a system.
        label: the name given by its team.
        sha256: the hash of the archive.
        size: its size in bytes.
        received: the time at which it was received.
        state: waiting, running, finished or failed.
        attempts: the number of times that it was started.
        finished: the time at which it was finished.
        run: the name of the folder of its outputs.
        reason: the error message for its team.
        log: the error message for the organizer.
        document: its results.
        chosen: whether its team chose it as the primary submission.
        valid: the number of its valid outputs.
        outputs: the number of test sets when it was scored.
    """

    id: str
    team: int
    team_name: str
    number: int
    kind: str
    label: str
    sha256: str
    size: int
    received: str
    state: str
    attempts: int
    finished: str | None
    run: str | None
    reason: str | None
    log: str | None
    document: dict[str, Any] | None
    chosen: bool
    valid: int
    outputs: int


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
    values = dict(row)
    document = None if values["document"] is None else json.loads(values["document"])
    return Submission(**{**values, "document": document, "chosen": bool(values["chosen"])})


def submissions(database: Database, team: Team | None = None, *, results: bool = False) -> list[Submission]:
    """Return all submissions, or those of a team, in the order in which they were accepted."""
    columns = _WHOLE if results else _BRIEF
    if team is None:
        return [_submission(row) for row in database.rows(columns + "ORDER BY submissions.rowid")]
    return [_submission(row) for row in database.rows(columns + "WHERE team = ? ORDER BY number", team.id)]


def submission(database: Database, name: str, team: Team | None = None) -> Submission | None:
    """Return a submission; None if it does not exist or belongs to another team."""
    found = [_submission(row) for row in database.rows(_WHOLE + "WHERE submissions.id = ?", name)]
    return found[0] if found and (team is None or found[0].team == team.id) else None


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
        message = f"the audit log has {_MOST_AN_HOUR} entries '{action}' of your team in the last hour: try again later"
        raise Refused(message, 429)


def accept(database: Database, folder: TaskFolder, team: Team, upload: Upload, limits: SubmissionLimits) -> Submission:
    """Put an upload into the queue; once this returns, it will be processed in any case.

    The archive is on disk under its final name before it is in the database; archives that are not in the database are
    removed when the runner starts. An archive that was sent before with the same key is not accepted again.
    """
    name = secrets.token_hex(16)
    target = folder.uploads / name
    sync([upload.path])
    with database.transaction() as connection:
        same_key = connection.execute("SELECT id FROM submissions WHERE team = ? AND key = ?", (team.id, upload.key))
        if upload.key is not None and (earlier := same_key.fetchone()) is not None:
            upload.path.unlink(missing_ok=True)
            name = earlier["id"]
        else:
            _insert(connection, team, upload, name, database, limits)
            os.replace(upload.path, target)  # noqa: PTH105 -- one step
            sync([folder.uploads])
    accepted = submission(database, name)
    assert accepted is not None
    return accepted


def _insert(
    connection: sqlite3.Connection, team: Team, upload: Upload, name: str, database: Database, limits: SubmissionLimits
) -> None:
    refuse_early(database, team, limits)
    if database.fact("closed") is not None:
        raise Refused("the task is closed", 403)
    label = "".join(c for c in upload.label if c.isprintable())[:_LONGEST_LABEL]
    values = (name, team.id, upload.kind, label, upload.sha256, upload.size, database.latest(), WAITING, upload.key)
    connection.execute(
        "INSERT INTO main.submissions (id, team, kind, label, sha256, size, received, state, key, number)"
        " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(max(number), 0) + 1 FROM submissions WHERE team = ?",
        (*values, team.id),
    )
    record(connection, f"team {team.name}", "accepted", name, f"{upload.kind} {upload.sha256} {upload.size}")


def organizer_failures(database: Database) -> list[Submission]:
    """Return the submissions that failed through the organizer's fault and were not run again."""
    return [failed for failed in submissions(database) if failed.state == FAILED and failed.log is not None]


def choose(database: Database, chosen: Submission) -> None:
    """Make a submission the primary one of its team."""
    if chosen.state != FINISHED:
        raise Refused("only a finished submission can be the primary one", 409)
    if chosen.chosen:
        return
    refuse_often(database, Team(chosen.team, chosen.team_name), "chosen as primary")
    with database.transaction() as connection:
        if database.fact("closed") is not None:
            raise Refused("the task is closed", 403)
        connection.execute("UPDATE main.submissions SET chosen = (id = ?) WHERE team = ?", (chosen.id, chosen.team))
        record(connection, f"team {chosen.team_name}", "chosen as primary", chosen.id)


def shown_state(state: str, valid: int, outputs: int) -> str:
    """Return the state of a submission, with the number of its valid outputs unless all are valid."""
    return f"{state}, {valid} of {outputs} outputs valid" if valid < outputs else state


def _preference(candidate: Submission) -> tuple[bool, int, bool]:
    return candidate.chosen, candidate.valid, candidate.reason is None


def primary_of(candidates: Iterable[Submission]) -> dict[str, Submission]:
    """Return the primary submission of each team that has one, by team name.

    It is the submission chosen by the team, or otherwise the last one with the most valid outputs; among these, one
    with a failed run counts only if all runs failed.
    """
    primary: dict[str, Submission] = {}
    for candidate in candidates:
        before = primary.get(candidate.team_name)
        if candidate.state == FINISHED and (before is None or _preference(candidate) >= _preference(before)):
            primary[candidate.team_name] = candidate
    return primary


def why_primary(primary: Submission) -> str:
    """Return a short reason why a submission is the primary submission of its team."""
    if primary.chosen:
        return "chosen by the team"
    return "the last with the most valid outputs" if primary.valid else "the last; none has a valid output"


def primary_submissions(database: Database) -> list[Submission]:
    """Return the primary submissions with their results, sorted by team name."""
    by_team = primary_of(submissions(database))
    with_results = (submission(database, by_team[name].id) for name in sorted(by_team))
    return [primary for primary in with_results if primary is not None]
