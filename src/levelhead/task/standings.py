"""For the organizer: the list of submissions, the ranking of all teams, and the closing of a task."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from levelhead.campaign import Ranking, Results, groups_named, rank
from levelhead.campaign.ranking import ALL
from levelhead.campaign.ranking_tables import ranking_document, ranking_table, results_table
from levelhead.errors import Fault, InputError, number_of
from levelhead.jobs import Workers
from levelhead.report import WRITERS, Column, Table
from levelhead.tables.documents import header
from levelhead.task.database import Database, record, shown_time
from levelhead.task.database import now as time_now
from levelhead.task.description import SharedTask, measures_of, registry_of, sync
from levelhead.task.scoring import public_results, score_folders
from levelhead.task.submissions import (
    RUNNING,
    WAITING,
    Submission,
    organizer_failures,
    primary_of,
    primary_submissions,
    shown_state,
    why_primary,
)
from levelhead.treebank.write import replace_file

_RESAMPLES = 2000  # as `levelhead rank --significance`

_SHORT_ID = 8  # characters


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
        (submission.id if exact else submission.id[:_SHORT_ID], submission.team_name, submission.number,
         submission.kind, submission.label,
         submission.received if exact else shown_time(submission.received),
         shown_state(submission.state, submission.valid, submission.outputs),
         why_primary(submission) if submission.id in primary else "", submission.log or submission.reason)
        for submission in submissions
    )  # fmt: skip
    return Table(columns, rows)


def rankings_of(task: SharedTask, results: Results) -> list[Ranking]:
    """Return the rankings of systems under the rules of a task."""
    names = task.manifest.show or (ALL,)
    groups = groups_named(names, results.test_sets, own=task.manifest.groups, ranking=task.ranking)
    measures = [measure for measure in measures_of(task) if measure in results.measures]
    return [rank(results, measure, group, task.ranking) for group in groups for measure in measures]


def final_results(task: SharedTask, database: Database, workers: Workers | None = None) -> Results:
    """Return the results of the primary submissions of all teams, scored as by `levelhead rank`."""
    folders = primary_outputs(task, database)
    if not folders:
        raise InputError(Fault("invalid-task", "no submission is finished yet"))
    results = score_folders(task, folders, workers=workers)  # as for submissions, so it is stored
    small = {key: result._replace(sentences={}, units=None, gold_hash="") for key, result in results.results.items()}
    return results._replace(results=small)


def standings_table(task: SharedTask, database: Database, results: Results) -> Table:
    """Return the ranking of a task as a table, with a note on submissions that it leaves out."""
    table = ranking_table(results, rankings_of(task, results))
    return table._replace(notes=(*left_out_notes(organizer_failures(database)), *table.notes))


def standings_document(task: SharedTask, database: Database, results: Results) -> dict[str, Any]:
    """Return the ranking of a task for JSON, with the submissions that it leaves out."""
    left_out = [{"system": failed.team_name, "submission": failed.number} for failed in organizer_failures(database)]
    return {**ranking_document(results, rankings_of(task, results)), "left_out": left_out}


def left_out_notes(failures: Sequence[Submission]) -> tuple[str, ...]:
    """Return notes on the submissions that a ranking leaves out."""
    numbers: dict[str, list[str]] = {}
    for failed in failures:
        numbers.setdefault(failed.team_name, []).append(str(failed.number))
    teams = (f"{name} (submission {', '.join(of_team)})" for name, of_team in sorted(numbers.items()))
    return (f"left out because the organizer could not run or score them: {'; '.join(teams)}",) if numbers else ()


def primary_outputs(task: SharedTask, database: Database) -> dict[str, Path]:
    """Return the folders of outputs of the primary submissions, by the names of their teams."""
    runs = task.folder.runs
    return {primary.team_name: runs / str(primary.run) / "output" for primary in primary_submissions(database)}


def close_task(
    task: SharedTask,
    database: Database,
    *,
    now: bool = False,
    force: bool = False,
    workers: Workers | None = None,
) -> Results | None:
    """Close a task for submissions, and store the final ranking."""
    with database.transaction() as connection:
        query = "SELECT count(*) FROM submissions WHERE state IN (?, ?)"
        unfinished = connection.execute(query, (WAITING, RUNNING)).fetchone()[0]
        failures = [] if force else organizer_failures(database)
        closed = database.fact("closed") is not None
        if not closed and (now or not (unfinished or failures)):
            connection.execute("INSERT INTO main.facts (name, value) VALUES ('closed', ?)", (time_now(),))
            record(connection, "organizer", "closed")
            closed = True
    if unfinished:
        message = f"{number_of(unfinished, 'submission')} {'is' if unfinished == 1 else 'are'} still waiting"
        if closed:
            message = f"the task is closed for new submissions, but {message}: run this again when all are finished"
        else:
            message += ", so the task stays open: run this again when all are finished, or close it with --now"
        raise InputError(Fault("invalid-task", message))
    if failures:
        raise InputError(*_failed(failures, closed=closed, final=database.fact("final") is not None))
    if not primary_submissions(database):
        return None
    results = public_results(final_results(task, database, workers))
    table = standings_table(task, database, results)
    texts = {
        "ranking.json": json.dumps(standings_document(task, database, results), ensure_ascii=False, indent=2) + "\n",
        "ranking.txt": WRITERS["text"](table, 2),
        "ranking.tsv": WRITERS["tsv"](table, None),
        "results.tsv": WRITERS["tsv"](results_table(results), None),
    }
    files = {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}
    files["report.html"] = report(task, database, workers)
    task.folder.final.mkdir(mode=0o700, exist_ok=True)
    for name, data in files.items():
        replace_file(task.folder.final / name, [data])
    sync([*(task.folder.final / name for name in files), task.folder.final])
    with database.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO main.facts (name, value) VALUES ('final', ?)", (time_now(),))
    return results


def _failed(failures: Sequence[Submission], *, closed: bool, final: bool) -> Iterator[Fault]:
    """Yield a summary of the submissions that failed through the organizer's fault, then each submission."""
    state = "the task is closed for new submissions, but has no final ranking" if closed else "the task stays open"
    again = "" if final else "run them again with `levelhead task retry`, or "
    yield Fault(
        "invalid-task",
        f"{number_of(len(failures), 'submission')} failed through no fault of the team"
        f"{'' if final else f', so {state}'}: {again}leave them out of the ranking with --force",
    )
    for failed in failures:
        lines = (failed.log or "").strip().split("\n")
        yield Fault("invalid-task", f"submission {failed.number} of {failed.team_name} ({failed.id}): {lines[-1]}")


def report(task: SharedTask, database: Database, workers: Workers | None = None) -> bytes:
    """Return the page of `levelhead rank --significance --report` of the primary submissions, without words of gold."""
    from levelhead.campaign import with_intervals
    from levelhead.evaluation.provenance import signature_of_draws
    from levelhead.report.page import render
    from levelhead.report.page.ranking import measures_of_page, ranking_page
    from levelhead.significance import InferenceSettings

    tests = InferenceSettings(resamples=_RESAMPLES)
    shown = measures_of_page(task.rules, registry_of(task))
    results = score_folders(task, primary_outputs(task, database), shown, workers=workers)
    results = public_results(results._replace(signature={**results.signature, **signature_of_draws(tests)}))
    intervals = with_intervals(results, rankings_of(task, results), tests)
    page = ranking_page(results, intervals.rankings, intervals)
    notes = (*left_out_notes(organizer_failures(database)), *page.notes)
    return render(page._replace(title=task.about.title, notes=notes))
