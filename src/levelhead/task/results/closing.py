"""Closing of a task: the final ranking and its report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from levelhead.campaign import Results
from levelhead.campaign.ranking_tables import results_table
from levelhead.errors import Fault, InputError, number_of
from levelhead.jobs import Workers
from levelhead.report import WRITERS
from levelhead.task.model.campaign import registry_of, rules_of
from levelhead.task.model.database import Database, record
from levelhead.task.model.database import now as time_now
from levelhead.task.model.description import SharedTask
from levelhead.task.model.folder import sync
from levelhead.task.model.submissions import RUNNING, WAITING, Submission, organizer_failures, primary_submissions
from levelhead.task.results.standings import (
    final_results,
    left_out_notes,
    primary_outputs,
    rankings_of,
    standings_document,
    standings_table,
)
from levelhead.task.runner.scoring import public_results, score_folders
from levelhead.treebank.write import replace_file

_RESAMPLES = 2000  # as `levelhead rank --significance`


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
        raise InputError(Fault("invalid-task", _still_waiting(unfinished, closed=closed)))
    if failures:
        raise InputError(*_failed(failures, closed=closed, final=database.fact("final") is not None))
    if not primary_submissions(database):
        return None
    results = public_results(final_results(task, database, workers))
    _write_final(task, database, results, report(task, database, workers))
    with database.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO main.facts (name, value) VALUES ('final', ?)", (time_now(),))
    return results


def _still_waiting(unfinished: int, *, closed: bool) -> str:
    wait = f"{number_of(unfinished, 'submission')} {'is' if unfinished == 1 else 'are'} still waiting"
    if closed:
        return f"the task is closed for new submissions, but {wait}: run this again when all are finished"
    return f"{wait}, so the task stays open: run this again when all are finished, or close it with --now"


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


def _write_final(task: SharedTask, database: Database, results: Results, page: bytes) -> None:
    """Write the final ranking to its folder."""
    folder = task.folder
    folder.final.mkdir(mode=0o700, exist_ok=True)
    table = standings_table(task, database, results)
    document = standings_document(task, database, results)
    texts = {
        "ranking.json": json.dumps(document, ensure_ascii=False, indent=2) + "\n",
        "ranking.txt": WRITERS["text"](table, 2),
        "ranking.tsv": WRITERS["tsv"](table, None),
        "results.tsv": WRITERS["tsv"](results_table(results), None),
    }
    files = {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()} | {"report.html": page}
    for name, data in files.items():
        replace_file(folder.final / name, [data])
    sync([*(folder.final / name for name in files), folder.final])


def report(task: SharedTask, database: Database, workers: Workers | None = None) -> bytes:
    """Return the page of `levelhead rank --significance --report` of the primary submissions, without words of gold."""
    from levelhead.campaign import with_intervals
    from levelhead.evaluation.provenance import signature_of_draws
    from levelhead.report.page import render
    from levelhead.report.page.ranking import measures_of_page, ranking_page
    from levelhead.significance import InferenceSettings

    tests = InferenceSettings(resamples=_RESAMPLES)
    shown = measures_of_page(rules_of(task), registry_of(task))
    classes = [name for name in shown if name.startswith("LAS@")]
    results = score_folders(task, primary_outputs(task, database), shown, by_sentence=True, workers=workers)
    results = public_results(results._replace(signature={**results.signature, **signature_of_draws(tests)}))
    intervals = with_intervals(results, rankings_of(task, results), tests)
    page = ranking_page(results, intervals.rankings, intervals, classes)
    notes = (*left_out_notes(organizer_failures(database)), *page.notes)
    return render(page._replace(title=task.about.title, notes=notes))
