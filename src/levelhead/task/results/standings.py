"""The ranking of the primary submissions of all teams."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from levelhead.campaign import Ranking, Results, groups_named, rank
from levelhead.campaign.ranking import ALL
from levelhead.campaign.ranking_tables import ranking_document, ranking_table
from levelhead.errors import Fault, InputError
from levelhead.jobs import Workers
from levelhead.report import Table
from levelhead.task.model.campaign import measures_of
from levelhead.task.model.database import Database
from levelhead.task.model.description import SharedTask
from levelhead.task.model.submissions import Submission, organizer_failures, primary_submissions
from levelhead.task.runner.scoring import score_folders


def rankings_of(task: SharedTask, results: Results) -> list[Ranking]:
    """Return the rankings of systems under the rules of a task."""
    rule = task.manifest.ranking or "exact"
    names = task.manifest.show or (ALL,)
    groups = groups_named(names, results.test_sets, own=task.manifest.groups, ranking=rule)
    measures = [measure for measure in measures_of(task) if measure in results.measures]
    return [rank(results, measure, group, rule) for group in groups for measure in measures]


def final_results(task: SharedTask, database: Database, workers: Workers | None = None) -> Results:
    """Return the results of the primary submissions of all teams, scored as by `levelhead rank`."""
    folders = primary_outputs(task, database)
    if not folders:
        raise InputError(Fault("invalid-task", "no submission is finished yet"))
    results = score_folders(task, folders, by_sentence=True, workers=workers)  # as for submissions, so it is stored
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
