"""The JSON documents of a shared task that are not results of commands: its description and a submission."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from levelhead.campaign.ranking_tables import STATE_COLUMN
from levelhead.immutable import immutable
from levelhead.tables.data import (
    MEASURE_COLUMN,
    TREEBANK_COLUMN,
    DataColumn,
    DataTable,
    Layout,
    PercentInterval,
    schema_of_rows,
    table_of,
)
from levelhead.tables.documents import SCHEMA, document_schema, object_schema
from levelhead.tables.table import Column, Table, escaped
from levelhead.tabular import Tabular
from levelhead.task.database import shown_time
from levelhead.task.description import KINDS, SharedTask, SubmissionLimits, Visibility, measures_of
from levelhead.task.submissions import (
    FAILED,
    FINISHED,
    RUNNING,
    WAITING,
    Submission,
    primary_of,
    shown_state,
    why_primary,
)
from levelhead.treebank.provenance import Provenance

SUBMISSION: Layout = (
    DataColumn("id", "text", "Its ID"),
    DataColumn("team", "text", "The team"),
    DataColumn("number", "integer", "Its number within the team's submissions", limits=(0,)),
    DataColumn("kind", "text", "What was submitted", choices=KINDS),
    DataColumn("label", "text", "Its name, given by the team"),
    DataColumn("sha256", "text", "The SHA-256 of the archive"),
    DataColumn("size", "integer", "The size of the archive in bytes", limits=(0,)),
    DataColumn("received", "text", "The time of arrival (ISO 8601)"),
    DataColumn("state", "text", "Its state", choices=(WAITING, RUNNING, FINISHED, FAILED)),
    DataColumn("finished", "text", "The time of completion; null before", optional=True),
    DataColumn("reason", "text", "Why it failed, as the team sees it; null if it did not", optional=True),
    DataColumn("n_valid", "integer", "The number of its valid outputs", limits=(0,)),
    DataColumn("n_outputs", "integer", "The number of treebanks when it was scored", limits=(0,)),
    DataColumn("primary", "boolean", "Whether it is the team's primary submission"),
)


class OwnAverage(NamedTuple):
    """The average of a submission over a group of treebanks, as far as its team may see it.

    Args:
        group: the group of treebanks.
        measure: the measure.
        value: the average in percent, or of perplexities; null if the measure has no value on a treebank.
        interval: the confidence interval of the value; null if unknown, or unless scores are open.
    """

    group: str
    measure: str
    value: float | None
    interval: PercentInterval | None = None


PARTS: Mapping[str, Layout] = MappingProxyType(
    {
        "averages": (OwnAverage,),
        "outputs": (TREEBANK_COLUMN, STATE_COLUMN),
        "reasons": (TREEBANK_COLUMN, DataColumn("reason", "text", "An error of the output")),
        "scores": (
            TREEBANK_COLUMN,
            MEASURE_COLUMN,
            DataColumn(
                "value", "number", "The value in percent, or the perplexity; null without a value", optional=True
            ),
        ),
    }
)
"""The columns of the lists in the document of a submission: what its team may see of its results."""


def _state_of(submission: Submission, *, primary: bool) -> tuple[Any, ...]:
    names = ("number", "kind", "label", "sha256", "size", "received", "state", "finished", "reason", "valid", "outputs")
    return submission.id, submission.team_name, *(getattr(submission, name) for name in names), primary


def submission_document(
    submission: Submission,
    results: Mapping[str, Mapping[str, Any]],
    averages: Mapping[str, Mapping[str, OwnAverage]],
    *,
    primary: bool,
    signature: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return a submission for JSON, with its visible results and averages, and in exports with its signature."""
    rows: Mapping[str, Sequence[Any]] = {
        "averages": [average for by_measure in averages.values() for average in by_measure.values()],
        "outputs": [(code, result["state"]) for code, result in results.items()],
        "reasons": [(code, reason) for code, result in results.items() for reason in result["reasons"]],
        "scores": [
            (code, name, value) for code, result in results.items() for name, value in result.get("values", {}).items()
        ],
    }
    (state,) = table_of(SUBMISSION, [_state_of(submission, primary=primary)]).documents()
    lists = {name: table_of(layout, rows[name]).documents() for name, layout in PARTS.items()}
    return {"schema": SCHEMA, "kind": "submission", **state, **lists, "signature": dict(signature)}


def submission_schema() -> dict[str, Any]:
    parts = {name: schema_of_rows(layout) for name, layout in PARTS.items()}
    parts["signature"] = {
        "type": "object",
        "description": "In exports: everything that determines the numbers, by name",
        "additionalProperties": {"type": "string"},
    }
    return document_schema("submission", "A submission to a shared task", {**_properties(SUBMISSION), **parts})


def without_formulas(table: DataTable) -> DataTable:
    """Return a table for an export, in which no spreadsheet runs a text as a formula."""
    rows = ([escaped(value) if isinstance(value, str) else value for value in row] for row in table.rows)
    return DataTable(table.columns, list(rows))


TASK: Layout = (
    DataColumn("title", "text", "The title"),
    DataColumn("description", "text", "The description and the rules"),
    DataColumn("contact", "text", "The contact of the organizer"),
    DataColumn("opens", "text", "When it opens (ISO 8601); null if it is open from the start", optional=True),
    DataColumn("closes", "text", "When it closes (ISO 8601); null if there is no deadline", optional=True),
    DataColumn("phase", "text", "The phase", choices=("early", "open", "over", "closed")),
    DataColumn("message", "text", "The phase in a sentence"),
    DataColumn("rules", "text", "The scoring rules"),
    DataColumn("ranking", "text", "The rule of ranking"),
)

_TREEBANKS: Layout = (TREEBANK_COLUMN, DataColumn("language", "text", "The language; empty if unknown"))


def task_document(task: SharedTask, languages: Mapping[str, str], phase: str, message: str) -> dict[str, Any]:
    """Return a task for JSON, given the language of each treebank, and its phase in a word and in a sentence."""
    about = task.about
    times = (about.opens and about.opens.isoformat(), about.closes and about.closes.isoformat())
    texts = (about.title, about.description, about.contact, *times, phase, message, task.rules, task.ranking)
    (state,) = table_of(TASK, [texts]).documents()
    return {
        "schema": SCHEMA,
        "kind": "task",
        **state,
        "kinds": list(about.kinds),
        "measures": list(measures_of(task)),
        "treebanks": table_of(_TREEBANKS, languages.items()).documents(),
        "limits": task.limits._asdict(),
        "show": task.show._asdict(),
    }


def task_schema() -> dict[str, Any]:
    kinds = {"type": "array", "description": "Kinds of submissions", "items": {"enum": [*KINDS]}}
    measures = {"type": "array", "description": "Measures; the first one ranks", "items": {"type": "string"}}
    parts = {
        "kinds": kinds,
        "measures": measures,
        "treebanks": schema_of_rows(_TREEBANKS),
        "limits": object_schema(_properties((SubmissionLimits,))),
        "show": object_schema(_properties((Visibility,))),
    }
    return document_schema("task", "A shared task", {**_properties(TASK), **parts})


def _properties(layout: Layout) -> dict[str, Any]:
    properties: dict[str, Any] = schema_of_rows(layout)["items"]["properties"]
    return properties


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = MappingProxyType(
    {"task": task_schema, "submission": submission_schema}
)


_LOG = DataColumn("log", "text", "Why it failed, as the organizer sees it; null if it did not", optional=True)


@immutable
class Submissions(Tabular):
    """The submissions of all teams, for the organizer."""

    KIND: ClassVar[str] = "submissions"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"submissions": (*SUBMISSION, _LOG)}

    submissions: tuple[Submission, ...]  # the submissions, in the order in which they were accepted

    @property
    def provenance(self) -> Provenance:
        return Provenance({}, {})

    def _submissions_rows(self) -> Iterator[tuple[Any, ...]]:
        primary = self._primary()
        return ((*_state_of(one, primary=one.id in primary), one.log) for one in self.submissions)

    def table(self) -> Table:
        names = ("ID", "Team", "Number", "Kind", "Name", "Received", "State", "Primary", "Remark")
        columns = tuple(Column(name, "position" if name == "Number" else "text") for name in names)
        primary = self._primary()
        rows = tuple(
            (one.id[:8], one.team_name, one.number, one.kind, one.label, shown_time(one.received),
             shown_state(one.state, one.valid, one.outputs), why_primary(one) if one.id in primary else "",
             one.log or one.reason)
            for one in self.submissions
        )  # fmt: skip
        return Table(columns, rows)

    def _primary(self) -> set[str]:
        return {submission.id for submission in primary_of(self.submissions).values()}
