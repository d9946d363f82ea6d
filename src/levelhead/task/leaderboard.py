"""The scores that teams and the public can see: hidden, rounded or exact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from levelhead.campaign import OutputResult, Ranking, Results
from levelhead.campaign.ranked_systems import average_interval
from levelhead.campaign.ranking import ranked
from levelhead.campaign.ranking_tables import ranking_table, results_table
from levelhead.report import Column, Table
from levelhead.significance.jackknife import Spread
from levelhead.tables.table import interval_cell
from levelhead.task.database import Database
from levelhead.task.description import COARSE, HIDDEN, OPEN, SharedTask, measures_of, test_sets_of
from levelhead.task.scoring import read_result
from levelhead.task.standings import left_out_notes, rankings_of
from levelhead.task.submissions import Submission, organizer_failures, primary_submissions


class Leaderboard(NamedTuple):
    """The visible part of the leaderboard.

    Args:
        view: the visibility: hidden, coarse or open.
        ranking: a table of teams; None if hidden, or without results yet.
        treebanks: a table for each test set, by code.
        report: whether the report of the final ranking can be seen.
        changed: the time of the last change; None unless scores are open.
    """

    view: str
    ranking: Table | None
    treebanks: Mapping[str, Table]
    report: bool = False
    changed: str | None = None


def report_of(task: SharedTask, database: Database) -> Path | None:
    """Return the report of the final ranking if it exists and is public, otherwise None."""
    path = task.folder.final / "report.html"
    return path if view_of(task, database, own=False) == OPEN and path.is_file() else None


def view_of(task: SharedTask, database: Database, *, own: bool) -> str:
    """Return the current visibility of scores."""
    if database.fact("final") is not None:
        return task.show.after
    return task.show.own if own else task.show.leaderboard


def leaderboard(task: SharedTask, database: Database) -> Leaderboard:
    """Return the visible part of the leaderboard, computed from stored results without reading gold.

    Intervals and times are only included if scores are open.
    """
    view = view_of(task, database, own=False)
    primary = primary_submissions(database)
    if view == HIDDEN or not primary:
        return Leaderboard(view, None, {})
    documents = {submission.team_name: submission.document or {} for submission in primary}
    results, rankings = _shown_rankings(task, documents, view)
    if not rankings:
        return Leaderboard(view, None, {})
    table = ranking_table(results, rankings)
    left_out = organizer_failures(database) if database.fact("final") is not None else ()
    table = table._replace(notes=left_out_notes(left_out))  # reasons are only for the team that submitted it
    changed = None
    if view == OPEN:
        times = {submission.team_name: submission.received for submission in primary}
        table = _with_details(table, rankings, documents, times)
        chosen = database.rows("SELECT max(time) AS time FROM audit WHERE action = 'chosen as primary'")[0]["time"]
        changed = max(chosen or "", *(submission.finished or "" for submission in primary))
    by_treebank = results_table(results)
    treebanks = {test_set.code: _of_treebank(by_treebank, test_set.code) for test_set in results.test_sets}
    return Leaderboard(view, table, treebanks, report_of(task, database) is not None, changed)


def _shown_rankings(
    task: SharedTask, documents: Mapping[str, Mapping[str, Any]], view: str
) -> tuple[Results, list[Ranking]]:
    """The visible results and rankings, exact or coarse; no rankings without measures.

    Coarse values are rounded before they are averaged, so that averages do not reveal more; averages are rounded as
    well, and teams with equal rounded averages share a rank.
    """
    test_sets = test_sets_of(task)
    known = [set(document["measures"]) for document in documents.values()]
    measures = tuple(measure for measure in measures_of(task) if all(measure in names for names in known))
    unscored = OutputResult("missing", dict.fromkeys(measures, Fraction(0)), "")  # added later by the organizer
    outputs = {
        (name, test_set.code): read_result(document["results"][test_set.code])
        if test_set.code in document["results"]
        else unscored
        for name, document in documents.items()
        for test_set in test_sets
    }
    if view == COARSE:
        outputs = {key: result._replace(values=_coarse(result.values)) for key, result in outputs.items()}
    results = Results(test_sets, tuple(documents), measures, outputs, {}, {})
    rankings = rankings_of(task, results)
    if view == COARSE:
        for number, ranking in enumerate(rankings):
            rounded = [team._replace(rank=None, value=to_five_percent(team.value)) for team in ranking.standings]
            rankings[number] = ranking._replace(standings=tuple(ranked(rounded)))
    return results, rankings


def _with_details(
    table: Table, rankings: Sequence[Ranking], documents: Mapping[str, Mapping[str, Any]], times: Mapping[str, str]
) -> Table:
    """Add intervals after the values of the first measure, and the times of the primary submissions."""
    firsts = [ranking for ranking in rankings if ranking.measure == rankings[0].measure]
    shown = [(ranking, standing.system) for ranking in firsts for standing in ranking.standings]
    intervals = [_interval(ranking, documents[name]) for ranking, name in shown]
    after = [column.name for column in table.columns].index(firsts[0].measure) + 1
    columns = (
        *table.columns[:after],
        Column("95% CI", ends=("low", "high")),
        *table.columns[after:],
        Column("Submitted", "text"),
    )
    rows = tuple(
        (*row[:after], interval_cell(interval, perplexity=False), *row[after:], times[name])
        for row, interval, (_, name) in zip(table.rows, intervals, shown, strict=True)
    )
    return table._replace(columns=columns, rows=rows)


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
        values = result.values if view == OPEN else _coarse(result.values)
        shown[code] = {"state": result.state, "reasons": list(result.reasons)}
        if view != HIDDEN:
            shown[code]["values"] = {
                name: None if value is None else float(100 * value) for name, value in values.items()
            }
    return shown


class OwnAverage(NamedTuple):
    """The average of a submission over test sets, as visible to its team.

    Args:
        value: the average in percent; None if the measure has no value on a test set.
        interval: the confidence interval in percent; None if unknown, or unless scores are open.
    """

    value: float | None
    interval: tuple[float, float] | None = None


def own_averages(task: SharedTask, database: Database, submission: Submission) -> dict[str, dict[str, OwnAverage]]:
    """Return the averages of a team's own submission that it can see, by group and measure; empty if hidden.

    Coarse averages are rounded averages of rounded scores.
    """
    view = view_of(task, database, own=True)
    if view == HIDDEN or submission.document is None:
        return {}
    _, rankings = _shown_rankings(task, {submission.team_name: submission.document}, view)
    averages: dict[str, dict[str, OwnAverage]] = {}
    for ranking in rankings:
        interval = _interval(ranking, submission.document) if view == OPEN else None
        value = ranking.standings[0].value
        average = OwnAverage(
            None if value is None else float(100 * value), interval and (100 * interval[0], 100 * interval[1])
        )
        averages.setdefault(ranking.group.name, {})[ranking.measure] = average
    return averages
