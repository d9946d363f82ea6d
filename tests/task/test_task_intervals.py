"""Intervals on the leaderboard equal those of `levelhead rank --significance`; they are stored at scoring."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from levelhead.cli.program import run
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.scoring import score_submission
from levelhead.task.standings import final_ranking, final_results, leaderboard, own_averages
from levelhead.task.submissions import accept, claim, finish, new_token, submission, team_of_token
from result_rows import rows_in
from task.task_server import EXAMPLES, FREE, make_task, task_of, upload


def scored(task, database, name, folder):
    """Submit a folder of outputs, and score it as the runner does."""
    team = team_of_token(database, new_token(database, name))
    found = accept(database, task.folder, team, upload(task.folder), FREE)
    document = score_submission(task, folder, task.folder.path / f"{name}.json")
    claim(database, "outputs")
    finish(database, found.id, run="x", document=document)
    return submission(database, found.id)


@pytest.fixture(scope="module")
def three_teams(tmp_path_factory):
    """A task with two complete systems, and one with an invalid and a missing output; and their folders."""
    folder = tmp_path_factory.mktemp("intervals")
    systems = shutil.copytree(EXAMPLES / "systems", folder / "systems")
    broken = shutil.copytree(systems / "alpha", systems / "broken")
    first, last = sorted(broken.iterdir())[:2]
    first.unlink()
    last.write_bytes(last.read_bytes().replace(b"\t1\t", b"\t99\t", 5))
    path = make_task(folder / "task", task={"title": "t", "kinds": ["outputs"]})
    with Database(TaskFolder(path).database) as database:
        task = task_of(path)
        names = sorted(one.name for one in systems.iterdir())
        yield task, database, systems, {name: scored(task, database, name, systems / name) for name in names}


def ranked(task, systems, capsys):
    """The standings of `levelhead rank --significance` by system, for the first measure."""
    code = run(["rank", str(task.folder.gold), str(systems), "--significance", "--format", "json"])
    assert code == 0
    return standings(json.loads(capsys.readouterr().out))


def standings(document, measure="LAS"):
    return {row["system"]: row for row in rows_in(document, "standings", measure=measure)}


def test_intervals_are_those_of_rank(three_teams, capsys):
    task, database, systems, own = three_teams
    expected = ranked(task, systems, capsys)
    found = standings(leaderboard(task, database).to_dict())
    assert set(found) == set(expected) == {"broken", *(path.name for path in (EXAMPLES / "systems").iterdir())}
    for name, one in expected.items():
        ends = [found[name][end] for end in ("low", "high")]
        assert ends == pytest.approx([one["low"], one["high"]], rel=1e-9)
        assert ends[0] < one["value"] < ends[1]
        average = own_averages(task, own[name], "open")["all"]
        assert average["LAS"].value == pytest.approx(one["value"])
        assert average["LAS"].interval == pytest.approx(ends)
        assert all(some.interval for some in average.values())


def test_other_views_have_neither_intervals_nor_times(three_teams):
    task, database, _, own = three_teams
    for view in ("hidden", "coarse"):
        closed = task._replace(show=task.show._replace(own=view, leaderboard=view))
        board = leaderboard(closed, database)
        assert board.changed is None
        assert not {"95% CI", "Submitted"} & {column.name for column in board.table().columns}
        rows = board.to_dict()["tables"]["standings"]
        assert bool(rows) == (view == "coarse")
        assert all(row["low"] is row["high"] is row["received"] is None for row in rows)
        averages = own_averages(closed, own["alpha"], view)
        found = [one for some in averages.values() for one in some.values()]
        assert bool(found) == (view == "coarse")
        assert all(one.interval is None and one.value % 5 == 0 for one in found)


def test_documents_of_older_versions_have_no_interval(three_teams):
    task, database, _, own = three_teams
    kept = own["alpha"].document
    for results in kept["results"].values():
        results.pop("spreads", None)
    with database.transaction() as connection:
        connection.execute("UPDATE main.submissions SET document = ? WHERE id = ?", (json.dumps(kept), own["alpha"].id))
    table = leaderboard(task, database).table()
    names = [column.name for column in table.columns]
    intervals = {row[names.index("System")]: row[names.index("95% CI")] for row in table.rows}
    assert intervals.pop("alpha") is None
    assert all(intervals.values())
    assert own_averages(task, own["alpha"]._replace(document=kept), "open")["all"]["LAS"].interval is None


def test_documents_do_not_have_what_teams_may_not_see(three_teams):
    """Spreads are stored, but not shown for single test sets."""
    _, _, _, own = three_teams
    from levelhead.task.standings import own_results

    assert own["beta"].document["results"]["en"]["spreads"]["LAS"][0] > 0
    assert set(own_results(own["beta"], "open")["en"]) == {"state", "reasons", "values"}


def test_the_ranking_of_the_organizer_scores_nothing_again(three_teams):
    """The stored results of submissions are enough; the document has no units of intervals."""
    task, database, systems, own = three_teams
    for name, one in own.items():
        folder = task.folder.runs / one.id
        if not folder.exists():
            shutil.copytree(systems / name, folder / "output")
        with database.transaction() as connection:
            connection.execute("UPDATE main.submissions SET run = ? WHERE id = ?", (one.id, one.id))
    with closing(sqlite3.connect(task.folder.scores)) as store:
        tables = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        before = {name: store.execute(f"SELECT count(*) FROM {name}").fetchone() for name in tables}
        document = final_ranking(task, database, final_results(task, database)).to_dict()
        assert {name: store.execute(f"SELECT count(*) FROM {name}").fetchone() for name in tables} == before
    assert document["tables"]["units"] == []
    assert list(standings(document))[-1] == "broken"
