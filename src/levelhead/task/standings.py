"""The organizer's list of submissions, the final ranking, and the scores that teams and the public can see."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from levelhead.campaign import OutputResult, Ranking, Results, groups_named, rank
from levelhead.campaign.ranked_systems import average_interval
from levelhead.campaign.ranking import ALL, ranked
from levelhead.campaign.ranking_tables import ranking_document, ranking_table, results_table
from levelhead.errors import Fault, InputError, number_of
from levelhead.jobs import Workers
from levelhead.report import WRITERS, Column, Table
from levelhead.significance.jackknife import Spread
from levelhead.tables.documents import header
from levelhead.tables.table import interval_cell
from levelhead.task.database import Database, record, shown_time
from levelhead.task.database import now as time_now
from levelhead.task.description import COARSE, HIDDEN, OPEN, SharedTask, measures_of, registry_of, sync, test_sets_of
from levelhead.task.scoring import public_results, read_result, score_folders
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


def submissions_document(submissions: Sequence[Submission]) -> dict[str, Any]:
    """Return submissions for JSON, for the organizer."""
    primary = {submission.id for submission in primary_of(submissions).values()}
    names = ("id", "number", "kind", "label", "received", "state", "finished", "reason", "log", "valid", "outputs")
    documents = [
        {"team": submission.team_name}
        | {name: getattr(submission, name) for name in names}
        | {"primary": submission.id in primary}
        for submission in submissions
    ]
    return {**header("submissions"), "submissions": documents}


def submissions_table(submissions: Sequence[Submission], *, exact: bool = True) -> Table:
    """Return submissions as a table for the organizer."""
    names = ("ID", "Team", "Number", "Kind", "Name", "Received", "State", "Primary", "Remark")
    columns = tuple(Column(name, "position" if name == "Number" else "text") for name in names)
    primary = {submission.id for submission in primary_of(submissions).values()}
    rows = tuple(
        (submission.id if exact else submission.id[:8], submission.team_name, submission.number,
         submission.kind, submission.label,
         submission.received if exact else shown_time(submission.received),
         shown_state(submission.state, submission.valid, submission.outputs),
         why_primary(submission) if submission.id in primary else "", submission.log or submission.reason)
        for submission in submissions
    )  # fmt: skip
    return Table(columns, rows)


def rankings_of(task: SharedTask, results: Results) -> list[Ranking]:
    groups = groups_named(
        task.manifest.show or (ALL,), results.test_sets, own=task.manifest.groups, ranking=task.ranking
    )
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
    teams = [
        f"{name} (submission {', '.join(str(failed.number) for failed in of_team)})"
        for name, of_team in groupby(sorted(failures, key=attrgetter("team_name")), attrgetter("team_name"))
    ]
    return (f"left out because the organizer could not run or score them: {'; '.join(teams)}",) if teams else ()


def primary_outputs(task: SharedTask, database: Database) -> dict[str, Path]:
    """Return the folders of outputs of the primary submissions, by the names of their teams."""
    return {best.team_name: task.folder.runs / str(best.run) / "output" for best in primary_submissions(database)}


def close_task(
    task: SharedTask, database: Database, *, now: bool = False, force: bool = False, workers: Workers | None = None
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
        waiting = f"{number_of(unfinished, 'submission')} {'is' if unfinished == 1 else 'are'} still waiting"
        message = (
            f"the task is closed for new submissions, but {waiting}: run this again when all are finished"
            if closed
            else f"{waiting}, so the task stays open: run this again when all are finished, or close it with --now"
        )
        raise InputError(Fault("invalid-task", message))
    if failures:
        is_final = database.fact("final") is not None
        state = "the task is closed for new submissions, but has no final ranking" if closed else "the task stays open"
        again = "" if is_final else "run them again with `levelhead task retry`, or "
        summary = f"{number_of(len(failures), 'submission')} failed through no fault of the team"
        state = "" if is_final else f", so {state}"
        last_lines = ((failed, (failed.log or "").strip().rpartition("\n")[2]) for failed in failures)
        messages = (
            f"{summary}{state}: {again}leave them out of the ranking with --force",
            *(f"submission {it.number} of {it.team_name} ({it.id}): {line}" for it, line in last_lines),
        )
        raise InputError(*(Fault("invalid-task", message) for message in messages))
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


def report(task: SharedTask, database: Database, workers: Workers | None = None) -> bytes:
    """Return the page of `levelhead rank --significance --report` of the primary submissions, without words of gold."""
    from levelhead.campaign import with_intervals
    from levelhead.evaluation.provenance import signature_of_tests
    from levelhead.report.page import render
    from levelhead.report.page.ranking import measures_of_page, ranking_page
    from levelhead.significance import InferenceSettings

    tests = InferenceSettings()
    shown = measures_of_page(task.rules, registry_of(task))
    results = score_folders(task, primary_outputs(task, database), shown, workers=workers)
    signature = {**results.signature, **signature_of_tests(tests, results.units)}
    results = public_results(results._replace(signature=signature))
    intervals = with_intervals(results, rankings_of(task, results), tests)
    page = ranking_page(results, intervals.rankings, intervals)
    notes = (*left_out_notes(organizer_failures(database)), *page.notes)
    return render(page._replace(title=task.about.title, notes=notes))


class Leaderboard(NamedTuple):
    """The visible part of the leaderboard."""

    view: str  # hidden, coarse or open
    ranking: Table | None  # a table of teams; None if hidden, or without results yet
    treebanks: Mapping[str, Table]  # a table for each test set, by code
    report: bool = False  # whether the report of the final ranking can be seen
    changed: str | None = None  # the time of the last change; None unless scores are open


def report_of(task: SharedTask, database: Database) -> Path | None:
    """Return the report of the final ranking if it exists and is public, otherwise None."""
    path = task.folder.final / "report.html"
    return path if view_of(task, database, own=False) == OPEN and path.is_file() else None


def view_of(task: SharedTask, database: Database, *, own: bool) -> str:
    if database.fact("final") is not None:
        return task.show.after
    return task.show.own if own else task.show.leaderboard


def leaderboard(task: SharedTask, database: Database) -> Leaderboard:
    """Return the visible leaderboard from stored results, with times and intervals only if scores are open."""
    view = view_of(task, database, own=False)
    primary = {submission.team_name: submission for submission in primary_submissions(database)}
    documents = {name: submission.document or {} for name, submission in primary.items()}
    rankings: list[Ranking] = []
    if view != HIDDEN and primary:
        results, rankings = _shown_rankings(task, documents, view)
    if not rankings:
        return Leaderboard(view, None, {})
    table = ranking_table(results, rankings)
    changed = None
    left_out = organizer_failures(database) if database.fact("final") is not None else ()
    table = table._replace(notes=left_out_notes(left_out))  # reasons are only for the team that submitted it
    if view == OPEN:
        chosen = database.rows("SELECT max(time) AS time FROM audit WHERE action = 'chosen as primary'")[0]["time"]
        changed = max(chosen or "", *(submission.finished or "" for submission in primary.values()))
        firsts = [ranking for ranking in rankings if ranking.measure == rankings[0].measure]
        after = [column.name for column in table.columns].index(firsts[0].measure) + 1
        columns = table.columns
        interval = Column("95% CI", ends=("low", "high"))
        shown = [(ranking, standing.system) for ranking in firsts for standing in ranking.standings]
        cells = [interval_cell(_interval(ranking, documents[name]), perplexity=False) for ranking, name in shown]
        table = table._replace(
            columns=(*columns[:after], interval, *columns[after:], Column("Submitted", "text")),
            rows=tuple(
                (*row[:after], cell, *row[after:], primary[name].received)
                for row, cell, (_, name) in zip(table.rows, cells, shown, strict=True)
            ),
        )
    by_treebank = results_table(results)
    treebanks = {test_set.code: _of_treebank(by_treebank, test_set.code) for test_set in results.test_sets}
    return Leaderboard(view, table, treebanks, report_of(task, database) is not None, changed)


def _shown_rankings(
    task: SharedTask, documents: Mapping[str, Mapping[str, Any]], view: str
) -> tuple[Results, list[Ranking]]:
    """The visible results and rankings, exact or coarse; no rankings without measures."""
    test_sets = test_sets_of(task)
    scored = [document["measures"] for document in documents.values()]
    measures = tuple(measure for measure in measures_of(task) if all(measure in names for names in scored))
    unscored = OutputResult("missing", dict.fromkeys(measures, Fraction(0)), "")  # added later by the organizer
    outputs = {
        (name, test_set.code): read_result(document["results"][test_set.code])
        if test_set.code in document["results"]
        else unscored
        for name, document in documents.items()
        for test_set in test_sets
    }
    if view == COARSE:  # before and after averaging, so that averages do not reveal more; equal averages share a rank
        outputs = {key: result._replace(values=_coarse(result.values)) for key, result in outputs.items()}
    results = Results(test_sets, tuple(documents), measures, outputs, {}, {})
    rankings = rankings_of(task, results)
    if view == COARSE:
        for number, ranking in enumerate(rankings):
            rounded = [team._replace(rank=None, value=to_five_percent(team.value)) for team in ranking.standings]
            rankings[number] = ranking._replace(standings=tuple(ranked(rounded)))
    return results, rankings


def _interval(ranking: Ranking, document: Mapping[str, Any]) -> tuple[float, float] | None:
    """The interval of an average; None if a test set was scored before the required numbers were stored."""
    results = [document["results"].get(code, {}) for code in ranking.group.codes]
    # the errors of scores; documents of earlier versions lack them
    spreads = [result.get("spreads", {}).get(ranking.measure) for result in results]
    if ranking.undefined or None in spreads:
        return None
    return average_interval(
        [Fraction(result["values"][ranking.measure]) for result in results], [Spread(*spread) for spread in spreads]
    )


def to_five_percent(value: Fraction | None) -> Fraction | None:
    """Return a ratio to the nearest five percent."""
    return None if value is None else Fraction(math.floor(value * 20 + Fraction(1, 2)), 20)


def _coarse(values: Mapping[str, Fraction | None]) -> dict[str, Fraction | None]:
    return {name: to_five_percent(value) for name, value in values.items()}


def _of_treebank(table: Table, code: str) -> Table:
    """Return the rows of a test set, the best first, without the reasons."""
    keep = [i for i, column in enumerate(table.columns) if column.name not in {"Treebank", "Reason"}]
    rows = [tuple(row[i] for i in keep) for row in table.rows if row[1] == code]
    rows.sort(key=lambda row: (-(row[1] if isinstance(row[1], float) else -1.0), str(row[0])))
    return Table(tuple(table.columns[i] for i in keep), tuple(rows))


def own_results(task: SharedTask, database: Database, submission: Submission) -> dict[str, dict[str, Any]]:
    """Return the results of a team's own submission that it can see: states, reasons and percentages by test set."""
    view = view_of(task, database, own=True)
    shown: dict[str, dict[str, Any]] = {}
    for code, document in (submission.document or {}).get("results", {}).items():
        result = read_result(document)
        seen = result.values if view == OPEN else _coarse(result.values)
        percents = {name: None if value is None else float(100 * value) for name, value in seen.items()}
        values = {} if view == HIDDEN else {"values": percents}
        shown[code] = {"state": result.state, "reasons": list(result.reasons), **values}
    return shown


class OwnAverage(NamedTuple):
    """The average of a submission over test sets in percent, as visible to its team."""

    value: float | None  # None if the measure has no value on a test set
    interval: tuple[float, float] | None = None  # the confidence interval; None if unknown, or unless scores are open


def own_averages(task: SharedTask, database: Database, submission: Submission) -> dict[str, dict[str, OwnAverage]]:
    """The averages of a submission that its team can see, by group and measure, coarse ones of rounded scores."""
    view = view_of(task, database, own=True)
    if view == HIDDEN or submission.document is None:
        return {}
    _, rankings = _shown_rankings(task, {submission.team_name: submission.document}, view)
    averages: dict[str, dict[str, OwnAverage]] = {}
    for ranking in rankings:
        interval = _interval(ranking, submission.document) if view == OPEN else None
        value = ranking.standings[0].value
        averages.setdefault(ranking.group.name, {})[ranking.measure] = OwnAverage(
            None if value is None else float(100 * value), interval and (100 * interval[0], 100 * interval[1])
        )
    return averages
