"""What teams and the public may see of the scores: hidden, rounded or exact."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from levelhead.campaign import OutputResult, Ranking, Results
from levelhead.campaign.ranking import ranked
from levelhead.report import Table
from levelhead.report.ranking import ranking_table, results_table
from levelhead.task.model.campaign import measures_of, test_sets_of
from levelhead.task.model.database import Database
from levelhead.task.model.description import COARSE, HIDDEN, OPEN, SharedTask
from levelhead.task.model.submissions import Submission, organizer_failures, primary_submissions
from levelhead.task.results.standings import left_out_notes, rankings_of
from levelhead.task.runner.scoring import read_result


class Leaderboard(NamedTuple):
    """The leaderboard as far as it may be shown.

    Args:
        view: how much: hidden, coarse or open.
        ranking: a table of teams; None if hidden, or without results yet.
        treebanks: a table for each test set, by code.
        report: whether the report of the final ranking can be seen.
    """

    view: str
    ranking: Table | None
    treebanks: Mapping[str, Table]
    report: bool = False


def report_of(task: SharedTask, database: Database) -> Path | None:
    """Return the report of the final ranking, if there is one and everybody may see it.

    Args:
        task: the task.
        database: its database.
    """
    path = task.folder.final / "report.html"
    return path if view_of(task, database, own=False) == OPEN and path.is_file() else None


def view_of(task: SharedTask, database: Database, *, own: bool) -> str:
    """Return how much of the scores is shown now.

    Args:
        task: the task.
        database: its database.
        own: whether the scores are those of a team's own submissions, shown to that team.
    """
    if database.fact("final") is not None:
        return task.show.after
    return task.show.own if own else task.show.leaderboard


def leaderboard(task: SharedTask, database: Database) -> Leaderboard:
    """Return the leaderboard as it may be shown now, from stored results: gold is not read.

    Args:
        task: the task.
        database: its database.
    """
    view = view_of(task, database, own=False)
    primary = primary_submissions(database)
    if view == HIDDEN or not primary:
        return Leaderboard(view, None, {})
    results = _kept_results(task, primary)
    if not results.measures:
        return Leaderboard(view, None, {})
    if view == COARSE:
        results = _coarse(results)
    rankings = [_ranked_as_shown(one) for one in rankings_of(task, results)] if view == COARSE else None
    table = ranking_table(results, rankings or rankings_of(task, results))
    left_out = organizer_failures(database) if database.fact("final") is not None else ()
    table = table._replace(notes=left_out_notes(left_out))  # reasons are for the team that handed it in
    by_treebank = results_table(results)
    treebanks = {one.code: _of_treebank(by_treebank, one.code) for one in results.test_sets}
    return Leaderboard(view, table, treebanks, report_of(task, database) is not None)


def _kept_results(task: SharedTask, primary: list[Submission]) -> Results:
    documents = {one.team_name: one.document or {} for one in primary}
    test_sets = test_sets_of(task)
    measures = tuple(
        measure for measure in measures_of(task) if all(measure in one["measures"] for one in documents.values())
    )
    unscored = OutputResult("missing", dict.fromkeys(measures, Fraction(0)), "")  # the organizer added it later
    found = {
        (name, one.code): read_result(document["results"][one.code]) if one.code in document["results"] else unscored
        for name, document in documents.items()
        for one in test_sets
    }
    return Results(test_sets, tuple(documents), measures, found, {}, {})


def to_five_percent(value: Fraction | None) -> Fraction | None:
    """Return a ratio to the nearest five percent.

    Args:
        value: the ratio.
    """
    return None if value is None else Fraction(math.floor(value * 20 + Fraction(1, 2)), 20)


def _coarse(results: Results) -> Results:
    """Round every value, so that averages reveal no more than the rounded values."""
    found = {
        key: one._replace(values={name: to_five_percent(value) for name, value in one.values.items()})
        for key, one in results.results.items()
    }
    return results._replace(results=found)


def _ranked_as_shown(ranking: Ranking) -> Ranking:
    """Round averages, too; teams with equal rounded averages share a rank."""
    rounded = [one._replace(rank=None, value=to_five_percent(one.value)) for one in ranking.standings]
    return ranking._replace(standings=tuple(ranked(rounded)))


def _of_treebank(table: Table, code: str) -> Table:
    """Return the rows of a test set, the best first, without the reasons."""
    keep = [i for i, column in enumerate(table.columns) if column.name not in {"Treebank", "Reason"}]
    rows = [tuple(row[i] for i in keep) for row in table.rows if row[1] == code]
    rows.sort(key=lambda row: (-(row[1] if isinstance(row[1], float) else -1.0), str(row[0])))
    return Table(tuple(table.columns[i] for i in keep), tuple(rows))


def own_results(task: SharedTask, database: Database, submission: Submission) -> dict[str, dict[str, Any]]:
    """Return what a team may see of its own submission: by test set its state, reasons, and values in percent.

    Args:
        task: the task.
        database: its database.
        submission: the submission.
    """
    view = view_of(task, database, own=True)
    shown: dict[str, dict[str, Any]] = {}
    for code, document in (submission.document or {}).get("results", {}).items():
        result = read_result(document)
        values = {name: to_five_percent(v) if view != OPEN else v for name, v in result.values.items()}
        percent = {name: None if value is None else float(100 * value) for name, value in values.items()}
        shown[code] = {"state": result.state, "reasons": list(result.reasons)}
        if view != HIDDEN:
            shown[code]["values"] = percent
    return shown
