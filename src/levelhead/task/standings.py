"""The final ranking of a task, the leaderboard, and the scores that teams can see of their own submissions."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from levelhead.campaign import OutputResult, Ranking, Results, groups_named, rank, with_intervals
from levelhead.campaign.ranked_systems import RankedSystems, average_interval
from levelhead.campaign.ranking import ALL, LeftOut, number, ranked
from levelhead.campaign.ranking_tables import LAYOUTS, left_out_notes, ranking_table, results_table
from levelhead.errors import Fault, InputError, number_of
from levelhead.immutable import immutable
from levelhead.jobs import Workers
from levelhead.significance.jackknife import Spread
from levelhead.tables.data import DataColumn, Layout, PercentInterval
from levelhead.tables.table import Column, Table
from levelhead.tables.writers import WRITERS, data_to_tsv
from levelhead.tabular import Tabular
from levelhead.task import description, submissions as queue
from levelhead.task.database import Database, now as time_now, record
from levelhead.task.documents import OwnAverage, without_formulas
from levelhead.task.scoring import public_results, read_result, score_folders
from levelhead.treebank.provenance import Provenance
from levelhead.treebank.write import replace_file


def rankings_of(task: description.SharedTask, results: Results) -> list[Ranking]:
    groups = groups_named(
        task.manifest.show or (ALL,), results.test_sets, own=task.manifest.groups, ranking=task.ranking
    )
    measures = [measure for measure in description.measures_of(task) if measure in results.measures]
    return [rank(results, measure, group, task.ranking) for group in groups for measure in measures]


def final_results(task: description.SharedTask, database: Database, workers: Workers | None = None) -> Results:
    folders = primary_outputs(task, database)
    if not folders:
        raise InputError(Fault("invalid-task", "no submission is finished yet"))
    results = score_folders(task, folders, workers=workers)  # as for submissions, so it is stored
    small = {key: result._replace(sentences={}, units=None, gold_hash="") for key, result in results.results.items()}
    return results._replace(results=small)


def final_ranking(task: description.SharedTask, database: Database, results: Results) -> RankedSystems:
    """Return the ranking of a task, with the submissions that it leaves out, but without warnings, which quote gold."""
    provenance = replace(results.provenance().with_parts(ranking=task.ranking), warnings=())
    return RankedSystems(tuple(rankings_of(task, results)), results, provenance, left_out_of(database))


def left_out_of(database: Database) -> tuple[LeftOut, ...]:
    return tuple(LeftOut(failed.team_name, failed.number) for failed in queue.organizer_failures(database))


def primary_outputs(task: description.SharedTask, database: Database) -> dict[str, Path]:
    return {best.team_name: task.folder.runs / str(best.run) / "output" for best in queue.primary_submissions(database)}


def close_task(
    task: description.SharedTask,
    database: Database,
    *,
    now: bool = False,
    force: bool = False,
    workers: Workers | None = None,
) -> RankedSystems | None:
    with database.transaction() as connection:
        query = "SELECT count(*) FROM submissions WHERE state IN (?, ?)"
        unfinished = connection.execute(query, (queue.WAITING, queue.RUNNING)).fetchone()[0]
        failures = [] if force else queue.organizer_failures(database)
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
    if not queue.primary_submissions(database):
        return None
    ranked = final_ranking(task, database, public_results(final_results(task, database, workers)))
    texts = {
        "ranking.json": json.dumps(ranked.to_dict(), ensure_ascii=False, indent=2) + "\n",
        "ranking.txt": WRITERS["text"](ranked.table(), 2),
        "ranking.tsv": data_to_tsv(without_formulas(ranked.data())),
        "results.tsv": data_to_tsv(without_formulas(ranked.data("scores"))),
    }
    files = {name: text.encode("utf-8", "backslashreplace") for name, text in texts.items()}
    files["report.html"] = report(task, database, workers)
    task.folder.final.mkdir(mode=0o700, exist_ok=True)
    for name, data in files.items():
        replace_file(task.folder.final / name, [data])
    description.sync([*(task.folder.final / name for name in files), task.folder.final])
    with database.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO main.facts (name, value) VALUES ('final', ?)", (time_now(),))
    return ranked


def report(task: description.SharedTask, database: Database, workers: Workers | None = None) -> bytes:
    """Return the report of `levelhead rank --significance` for the primary submissions, without words of gold."""
    from levelhead.report.page import render
    from levelhead.report.page.ranking import measures_of_page, ranking_page
    from levelhead.significance.estimates import InferenceSettings, signature_of_tests

    tests = InferenceSettings()
    shown = measures_of_page(task.rules, description.registry_of(task))
    results = score_folders(task, primary_outputs(task, database), shown, workers=workers)
    signature = {**results.signature, **signature_of_tests(tests, results.units)}
    results = public_results(results._replace(signature=signature))
    page = ranking_page(results, with_intervals(results, rankings_of(task, results), tests))
    notes = (*left_out_notes(left_out_of(database)), *page.notes)
    return render(page._replace(title=task.about.title, notes=notes))


_RECEIVED = DataColumn("received", "text", "Time of arrival (ISO 8601); null unless scores are open", optional=True)
_CHANGED = DataColumn("changed", "text", "Time of the last change; null unless scores are open", optional=True)


@immutable
class Leaderboard(Tabular):
    """The visible part of the leaderboard."""

    KIND: ClassVar[str] = "leaderboard"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "standings": (*LAYOUTS["standings"], _RECEIVED),
        "scores": LAYOUTS["scores"],
        "views": (DataColumn("view", "text", "How scores are shown", choices=description.VIEWS), _CHANGED),
    }

    view: description.View  # how scores are shown
    ranked: RankedSystems | None = None  # the teams; None if hidden, or without results yet
    # the times at which the submissions were received, by team; empty unless scores are open
    received: Mapping[str, str] = field(default_factory=dict)
    report: bool = False  # whether the report of the final ranking can be seen
    changed: str | None = None  # the time of the last change; None unless scores are open

    @property
    def provenance(self) -> Provenance:
        return Provenance({}, {})

    @property
    def verdict(self) -> str | None:
        return self.ranked.verdict if self.ranked else None

    def _standings_rows(self) -> Iterator[Any]:
        rows = self.ranked.records("standings") if self.ranked else ()
        return ((*row, self.received.get(row[2].system)) for row in rows)

    def _scores_rows(self) -> Iterable[Any]:
        return self.ranked.records("scores") if self.ranked else ()

    def _views_rows(self) -> list[tuple[description.View, str | None]]:
        return [(self.view, self.changed)]

    def table(self) -> Table:
        ranked = self.ranked
        if ranked is None:
            return Table((Column("System", "text"),), ())
        table = ranking_table(ranked.results, ranked.rankings)
        table = table._replace(notes=left_out_notes(ranked.left_out))  # reasons are only for the team that submitted it
        if not self.received:
            return table
        at = [column.name for column in table.columns].index("System")
        rows = tuple((*row, self.received[str(row[at])]) for row in table.rows)
        return table._replace(columns=(*table.columns, Column("Submitted", "text")), rows=rows)

    @cached_property
    def treebanks(self) -> dict[str, Table]:
        """A mapping from the code of each treebank to a table of results, the best team first."""
        if self.ranked is None:
            return {}
        by_treebank = results_table(self.ranked.results)
        return {one.code: _of_treebank(by_treebank, one.code) for one in self.ranked.results.test_sets}


def report_of(task: description.SharedTask, database: Database) -> Path | None:
    path = task.folder.final / "report.html"
    return path if view_of(task, database, own=False) == description.OPEN and path.is_file() else None


def view_of(task: description.SharedTask, database: Database, *, own: bool) -> description.View:
    if database.fact("final") is not None:
        return task.show.after
    return task.show.own if own else task.show.leaderboard


def leaderboard(task: description.SharedTask, database: Database) -> Leaderboard:
    """Return the visible leaderboard from stored results, with times and intervals only if scores are open."""
    view = view_of(task, database, own=False)
    primary = {submission.team_name: submission for submission in queue.primary_submissions(database)}
    documents = {name: submission.document or {} for name, submission in primary.items()}
    results, rankings = _shown_rankings(task, documents, view) if view != description.HIDDEN and primary else (None, [])
    if results is None or not rankings:
        return Leaderboard(view)
    left_out = left_out_of(database) if database.fact("final") is not None else ()
    ranked = RankedSystems(tuple(rankings), results, Provenance({}, {}), left_out)
    if view != description.OPEN:
        return Leaderboard(view, ranked, report=report_of(task, database) is not None)
    chosen = database.rows("SELECT max(time) AS time FROM audit WHERE action = 'chosen as primary'")[0]["time"]
    changed = max(chosen or "", *(submission.finished or "" for submission in primary.values()))
    received = {name: submission.received for name, submission in primary.items()}
    with_intervals = (
        [each._replace(interval=_interval(ranking, documents[each.system])) for each in ranking.standings]
        for ranking in rankings
    )
    tested = (ranking._replace(standings=tuple(own)) for ranking, own in zip(rankings, with_intervals, strict=True))
    ranked = replace(ranked, rankings=tuple(tested))
    return Leaderboard(view, ranked, received, report_of(task, database) is not None, changed)


def _shown_rankings(
    task: description.SharedTask, documents: Mapping[str, Mapping[str, Any]], view: description.View
) -> tuple[Results, list[Ranking]]:
    test_sets = description.test_sets_of(task)
    scored = [document["measures"] for document in documents.values()]
    measures = tuple(measure for measure in description.measures_of(task) if all(measure in names for names in scored))
    unscored = OutputResult("missing", dict.fromkeys(measures, Fraction(0)), "")  # added later by the organizer
    outputs = {
        (name, test_set.code): read_result(document["results"][test_set.code])._replace(reasons=())
        if test_set.code in document["results"]
        else unscored
        for name, document in documents.items()
        for test_set in test_sets
    }
    # scores are rounded before and after averaging, so that averages do not reveal more; equal averages share a rank
    if view == description.COARSE:
        outputs = {key: result._replace(values=_coarse(result.values)) for key, result in outputs.items()}
    results = Results(test_sets, tuple(documents), measures, outputs, {}, {})
    rankings = rankings_of(task, results)
    if view == description.COARSE:
        for number, ranking in enumerate(rankings):
            rounded = [team.with_value(to_five_percent(team.exact)) for team in ranking.standings]
            rankings[number] = ranking._replace(standings=tuple(ranked(rounded)))
    return results, rankings


def _interval(ranking: Ranking, document: Mapping[str, Any]) -> PercentInterval | None:
    """The interval of an average; None if a test set was scored before the required numbers were stored."""
    results = [document["results"].get(code, {}) for code in ranking.group.codes]
    # the errors of scores; documents of earlier versions lack them
    spreads = [result.get("spreads", {}).get(ranking.measure) for result in results]
    if ranking.undefined or None in spreads:
        return None
    values = [read_result(result).values[ranking.measure] or Fraction(0) for result in results]
    return average_interval(values, [Spread(*spread) for spread in spreads])


def to_five_percent(value: Fraction | None) -> Fraction | None:
    return None if value is None else Fraction(5 * math.floor(value / 5 + Fraction(1, 2)))


def _coarse(values: Mapping[str, Fraction | None]) -> dict[str, Fraction | None]:
    return {name: to_five_percent(value) for name, value in values.items()}


def _of_treebank(table: Table, code: str) -> Table:
    keep = [i for i, column in enumerate(table.columns) if column.name not in {"Treebank", "Reason"}]
    rows = [tuple(row[i] for i in keep) for row in table.rows if row[1] == code]
    rows.sort(key=lambda row: (-(row[1] if isinstance(row[1], float) else -1.0), str(row[0])))
    return Table(tuple(table.columns[i] for i in keep), tuple(rows))


def own_results(submission: queue.Submission, view: description.View) -> dict[str, dict[str, Any]]:
    shown: dict[str, dict[str, Any]] = {}
    for code, document in (submission.document or {}).get("results", {}).items():
        result = read_result(document)
        seen = result.values if view == description.OPEN else _coarse(result.values)
        values = {} if view == description.HIDDEN else {"values": {name: number(value) for name, value in seen.items()}}
        shown[code] = {"state": result.state, "reasons": list(result.reasons), **values}
    return shown


def own_averages(
    task: description.SharedTask, submission: queue.Submission, view: description.View
) -> dict[str, dict[str, OwnAverage]]:
    if view == description.HIDDEN or not submission.document:
        return {}
    _, rankings = _shown_rankings(task, {submission.team_name: submission.document}, view)
    averages: dict[str, dict[str, OwnAverage]] = {}
    for ranking in rankings:
        interval = _interval(ranking, submission.document) if view == description.OPEN else None
        average = OwnAverage(ranking.group.name, ranking.measure, ranking.standings[0].value, interval)
        averages.setdefault(average.group, {})[average.measure] = average
    return averages
