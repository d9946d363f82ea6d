"""Lists of submissions for the organizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from levelhead.report import Column, Table
from levelhead.report.documents import header
from levelhead.task.model.database import shown_time
from levelhead.task.model.submissions import Submission, primary_of, why_primary

SHORT_ID = 8
"""The number of characters of an id that are shown."""


def submissions_document(found: Sequence[Submission]) -> dict[str, Any]:
    """Return submissions for JSON, for the organizer.

    Args:
        found: the submissions.
    """
    primary = {one.id for one in primary_of(found).values()}
    names = ("id", "number", "kind", "label", "received", "state", "finished", "reason", "log")
    documents = [
        {"team": one.team_name, **{name: getattr(one, name) for name in names}, "primary": one.id in primary}
        for one in found
    ]
    return {**header("submissions"), "submissions": documents}


def submissions_table(found: Sequence[Submission], *, exact: bool = True) -> Table:
    """Return submissions as a table for the organizer.

    Args:
        found: the submissions.
        exact: whether ids and times are written in full, as in the database.
    """
    names = ("ID", "Team", "Number", "Kind", "Name", "Received", "State", "Primary", "Remark")
    columns = tuple(Column(name, "number" if name == "Number" else "text") for name in names)
    primary = {one.id for one in primary_of(found).values()}
    rows = tuple(
        (one.id if exact else one.id[:SHORT_ID], one.team_name, one.number, one.kind, one.label,
         one.received if exact else shown_time(one.received), one.state,
         why_primary(one) if one.id in primary else "", one.log or one.reason)
        for one in found
    )  # fmt: skip
    return Table(columns, rows)
