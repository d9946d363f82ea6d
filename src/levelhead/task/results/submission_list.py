"""Lists of submissions for the organizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from levelhead.report import Column, Table
from levelhead.tables.documents import header
from levelhead.task.model.database import shown_time
from levelhead.task.model.submissions import Submission, primary_of, shown_state, why_primary

SHORT_ID = 8
"""The number of characters of an id that are shown."""


def submissions_document(submissions: Sequence[Submission]) -> dict[str, Any]:
    """Return submissions for JSON, for the organizer."""
    primary = {submission.id for submission in primary_of(submissions).values()}
    names = ("id", "number", "kind", "label", "received", "state", "finished", "reason", "log", "valid", "outputs")
    documents = [
        {
            "team": submission.team_name,
            **{name: getattr(submission, name) for name in names},
            "primary": submission.id in primary,
        }
        for submission in submissions
    ]
    return {**header("submissions"), "submissions": documents}


def submissions_table(submissions: Sequence[Submission], *, exact: bool = True) -> Table:
    """Return submissions as a table for the organizer."""
    names = ("ID", "Team", "Number", "Kind", "Name", "Received", "State", "Primary", "Remark")
    columns = tuple(Column(name, "position" if name == "Number" else "text") for name in names)
    primary = {submission.id for submission in primary_of(submissions).values()}
    rows = tuple(
        (submission.id if exact else submission.id[:SHORT_ID], submission.team_name, submission.number,
         submission.kind, submission.label,
         submission.received if exact else shown_time(submission.received),
         shown_state(submission.state, submission.valid, submission.outputs),
         why_primary(submission) if submission.id in primary else "", submission.log or submission.reason)
        for submission in submissions
    )  # fmt: skip
    return Table(columns, rows)
