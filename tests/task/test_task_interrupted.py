"""Interrupted runs and scoring, closing after failures of the organizer, and clocks that go back."""

import contextlib
import itertools
import json
import sys
from pathlib import Path

import pytest

from job_functions import wait_until
from levelhead.errors import InputError
from levelhead.task import sandbox
from levelhead.task.database import Database
from levelhead.task.description import SubmissionLimits, TaskFolder
from levelhead.task.sandbox import scratch_of
from levelhead.task.scoring import run_child
from levelhead.task.standings import close_task, leaderboard
from levelhead.task.submissions import (
    Refused,
    accept,
    claim,
    finish,
    new_token,
    organizer_failures,
    primary_of,
    primary_submissions,
    put_back,
    submission,
    submissions,
    team_of_token,
)
from task.sandbox_runs import BOMB
from task.task_server import (
    FREE,
    SANDBOX_USER,
    SANDBOX_USERS,
    drain,
    make_task,
    outputs,
    scored_here,
    serving,
    tar,
    task_of,
    token,
    upload,
)

ALPHA = tar(outputs("alpha"))


@pytest.fixture
def no_pauses(monkeypatch):
    monkeypatch.setattr("levelhead.task.worker._SECONDS_AFTER_INTERRUPTION", 0)


def attempted(tmp_path, kind, archive):
    """Process a submission, and return its result, its records, and the files left of its runs."""
    folder = TaskFolder(make_task(tmp_path / "task"))
    with Database(folder.database) as database:
        team = team_of_token(database, new_token(database, "alpha"))
        name = accept(database, folder, team, upload(folder, archive, kind=kind), FREE).id
        drain(task_of(folder.path))
        actions = [row["action"] for row in database.rows("SELECT action FROM audit WHERE submission = ?", name)]
        return submission(database, name), actions, list(folder.runs.iterdir())


def killed_children(monkeypatch, times):
    """Kill the first scoring processes."""
    from levelhead.task import scoring

    began = itertools.count(1)

    def run_or_kill(command, seconds):
        if next(began) <= times:
            command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
            return run_child(command, seconds)
        return scored_here(command, seconds)

    monkeypatch.setattr(scoring, "run_child", run_or_kill)


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("times", [1, 9])
def test_a_killed_scorer_is_retried_like_a_killed_runner(tmp_path, monkeypatch, times):
    killed_children(monkeypatch, times)
    found, actions, runs = attempted(tmp_path, "outputs", ALPHA)
    assert (found.state, found.attempts, found.reason, found.log) == ("finished", times + 1, None, None)
    assert actions == ["accepted", *["begun", "put back"] * times, "begun", "finished"]
    assert [path.name for path in runs] == [found.run]


@pytest.mark.usefixtures("no_pauses")
def test_a_scorer_that_is_killed_each_time_is_the_fault_of_the_organizer_and_can_be_rerun(
    tmp_path, monkeypatch, capsys
):
    killed_children(monkeypatch, 10)
    found, actions, runs = attempted(tmp_path, "outputs", ALPHA)
    assert (found.state, found.attempts, runs) == ("failed", 10, [])
    assert actions == ["accepted", *["begun", "put back"] * 9, "begun", "failed"]
    assert "10 times" in found.reason
    assert "signal" not in found.reason
    assert found.log == "interrupted 10 times; the last time: scoring was killed by signal 9"
    assert "attempt 3: scoring was killed by signal 9" in capsys.readouterr().err
    folder = TaskFolder(tmp_path / "task")
    with Database(folder.database) as database:
        assert organizer_failures(database) == [found]
        assert put_back(database) == 1
        drain(task_of(folder.path))
        assert (submission(database, found.id).state, submission(database, found.id).attempts) == ("finished", 1)
        assert organizer_failures(database) == []


@pytest.mark.usefixtures("no_pauses")
def test_scoring_that_cannot_be_started_is_retried(tmp_path, monkeypatch):
    failures = iter([BlockingIOError(11, "Resource temporarily unavailable")])
    monkeypatch.setattr("levelhead.task.scoring.run_child", lambda *args: started(args, failures))
    found, _, _ = attempted(tmp_path, "outputs", ALPHA)
    assert (found.state, found.attempts) == ("finished", 2)


def started(arguments, failures):
    for error in failures:
        raise error
    return scored_here(*arguments)


@pytest.mark.sandbox
@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize(("times", "state", "attempts"), [(2, "finished", 3), (10, "failed", 10)])
def test_a_system_that_could_not_be_run_is_retried_then_the_fault_of_the_organizer(
    tmp_path, monkeypatch, times, state, attempts
):
    """It does not score 0, since its output is unknown."""
    began, command = itertools.count(1), sandbox._command

    def starved(system, inputs, limits):
        few = limits._replace(processes=1) if next(began) <= times else limits
        return command(system, inputs, few)

    monkeypatch.setattr(sandbox, "_command", starved)
    program = b'#!/bin/sh\ncp /system/*.conllu "$2"\n'
    found, _, _ = attempted(tmp_path, "system", tar({"run": program, **outputs("alpha")}))
    assert (found.state, found.attempts) == (state, attempts)
    if state == "finished":
        assert found.reason is None
        assert found.valid
    else:
        assert "the sandbox did not start the system" in found.log
        assert "10 times" in found.reason


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.skipif(not SANDBOX_USER, reason="only root can run systems as several users")
def test_a_fork_bomb_of_a_team_does_not_reach_another_team(tmp_path):
    """Both need a single attempt: the other system runs and is scored while the bomb continues, until it kills itself."""
    limits = {"user": SANDBOX_USERS, "at_once": 2, "processes": 24, "seconds": 1000}
    folder = make_task(tmp_path / "task", sandbox=limits)
    alpha, beta = (token(folder, name) for name in ("alpha", "beta"))
    program = b'#!/bin/sh\nfor file in /system/*.conllu; do cp "$file" "$2" & done\nwait\n'
    with serving(folder) as server:
        _, first = server.submit(alpha, tar({"run": BOMB.encode()}), "system")
        wait_until(lambda: processes_of_users() >= 20)
        _, second = server.submit(beta, tar({"run": program, **outputs("alpha")}), "system")
        assert server.wait(beta, second["id"])["reason"] is None
        assert processes_of_users() >= 20
        (scratch_of(task_of(folder).sandbox, folder) / first["id"] / "input" / "stop").touch()
        assert "killed" in server.wait(alpha, first["id"])["reason"]
    with Database(TaskFolder(folder).database) as database:
        found = submissions(database)
    assert [(one.state, one.attempts, one.valid > 0) for one in found] == [
        ("finished", 1, False),
        ("finished", 1, True),
    ]


def processes_of_users():
    """The number of processes of the users of systems."""
    first, last = map(int, SANDBOX_USERS.split("-"))
    owners = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError):
            owners.append(path.stat().st_uid)
    return sum(first <= owner <= last for owner in owners)


@pytest.mark.sandbox
def test_a_system_that_produces_nothing_is_finished_at_once(tmp_path):
    """It scores 0 without a second run, and is not the organizer's fault, even if it kills all processes that it can."""
    for i, program in enumerate((b"#!/bin/sh\nexit 0\n", b"#!/bin/sh\nkill -9 -1\n", b"#!/bin/sh\nkill -9 1 $PPID\n")):
        found, _, _ = attempted(tmp_path / str(i), "system", tar({"run": program}))
        assert (found.state, found.attempts, found.log) == ("finished", 1, None)
        assert {one["state"] for one in found.document["results"].values()} == {"missing"}


def fail(database, folder, team, log):
    """Submit something that fails through the organizer's fault."""
    name = accept(database, folder, team, upload(folder), FREE).id
    claim(database, "outputs")
    finish(database, name, reason="it could not be scored", log=log)
    return name


def test_closing_refuses_while_failures_of_the_organizer_were_not_rerun(tmp_path):
    path = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    folder, task = TaskFolder(path), task_of(path)
    with Database(folder.database) as database:
        alpha, beta = (team_of_token(database, new_token(database, name)) for name in ("alpha", "beta"))
        accept(database, folder, alpha, upload(folder, ALPHA), FREE)
        drain(task)
        failed = [fail(database, folder, team, f"Traceback\n{i} is full") for i, team in enumerate((alpha, beta, beta))]
        theirs = accept(database, folder, beta, upload(folder, b"no archive"), FREE).id
        drain(task)
        assert submission(database, theirs).state == "failed"
        for options, phase in (({}, "the task stays open"), ({"now": True}, "closed for new"), ({}, "closed for new")):
            with pytest.raises(InputError) as refused:
                close_task(task, database, **options)
            summary, *listed = str(refused.value).split("\n")
            assert "3 submissions failed through no fault of the team" in summary
            assert phase in summary
            assert "levelhead task retry" in summary
            assert "--force" in summary
            named = [(2, "alpha", 0), (1, "beta", 1), (2, "beta", 2)]
            for line, name, (number, team, i) in zip(listed, failed, named, strict=True):
                assert f"submission {number} of {team} ({name}): {i} is full" in line
        assert not folder.final.exists()
        assert put_back(database, failed[0]) == 1  # closed for teams, but not for the organizer
        drain(task)
        assert close_task(task, database, force=True) is not None
        check_left_out(folder, "left out because the organizer could not run or score them: beta (submission 1, 2)")
        with pytest.raises(InputError) as again:
            close_task(task, database)
        assert "retry" not in str(again.value)  # which is refused now
        assert close_task(task, database, force=True) is not None


def check_left_out(folder, note):
    for name in ("ranking.txt", "report.html"):
        assert note in (folder.final / name).read_text()
    document = json.loads((folder.final / "ranking.json").read_text())
    assert document["tables"]["left_out"] == [{"system": "beta", "submission": n} for n in (1, 2)]
    with Database(folder.database) as database:
        assert leaderboard(task_of(folder.path), database).table().notes == (note,)


def test_a_task_whose_every_submission_failed_by_the_organizer_is_not_closed_by_accident(tmp_path):
    folder = TaskFolder(make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]}))
    with Database(folder.database) as database:
        team = team_of_token(database, new_token(database, "alpha"))
        for _ in range(12):
            fail(database, folder, team, "no space")
        with pytest.raises(InputError, match="12 submissions failed"):
            close_task(task_of(folder.path), database)
        accept(database, folder, team, upload(folder), FREE)  # it is still open
        with pytest.raises(InputError, match="1 submission is still waiting"):
            close_task(task_of(folder.path), database, force=True)


def clock(monkeypatch, time):
    for module in ("database", "submissions"):
        monkeypatch.setattr(f"levelhead.task.{module}.now", lambda: f"{time}.000+00:00")


def test_a_clock_that_goes_back_neither_changes_the_primary_nor_the_order(place, monkeypatch):
    folder, database, team = place
    new_token(database, "beta")
    clock(monkeypatch, "2099-11-22T12:00:00")
    names = [accept(database, folder, team, upload(folder), FREE).id]
    clock(monkeypatch, "2099-11-20T12:00:00")
    names += [accept(database, folder, team, upload(folder), FREE).id for _ in range(2)]
    with database.transaction() as connection:  # as an earlier version wrote them
        connection.execute("UPDATE main.submissions SET received = '2099-11-20T11:00:00.000+00:00' WHERE number > 1")
    for name in names:
        assert claim(database, "outputs").id == name
        finish(database, name, document={})
    assert [one.id for one in submissions(database)] == [one.id for one in submissions(database, team)] == names
    assert primary_of(submissions(database, team)) == primary_of(submissions(database))
    assert [one.id for one in primary_submissions(database)] == names[-1:]


def test_a_clock_that_goes_back_does_not_renew_the_daily_quota(place, monkeypatch):
    folder, database, team = place
    limits = SubmissionLimits(submissions_a_day=2, waiting=100)
    clock(monkeypatch, "2099-11-22T23:00:00")
    accept(database, folder, team, upload(folder), limits)
    clock(monkeypatch, "2099-11-20T10:00:00")
    with Database(folder.database) as restarted:
        found = accept(restarted, folder, team, upload(folder), limits)
        assert found.received == "2099-11-22T23:00:00.000+00:00"
        for time in ("2099-11-20T10:00:00", "2099-11-21T10:00:00", "2099-11-22T23:59:59"):
            clock(monkeypatch, time)
            with pytest.raises(Refused, match="2 submissions for today, 2099-11-22"):
                accept(restarted, folder, team, upload(folder), limits)
        clock(monkeypatch, "2099-11-23T00:00:00")
        accept(restarted, folder, team, upload(folder), limits)
