"""The queue: accepted submissions are finished exactly once, even if processes are killed; refused ones leave nothing."""

import itertools
import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from levelhead.errors import InputError
from levelhead.task.database import Database
from levelhead.task.description import SubmissionLimits, TaskFolder
from levelhead.task.standings import close_task
from levelhead.task.submissions import (
    Refused,
    accept,
    choose,
    claim,
    finish,
    new_token,
    primary_submissions,
    put_back,
    recover,
    submission,
    submissions,
    team_of_token,
    why_primary,
)
from levelhead.task.worker import Runner
from task.task_server import FREE, drain, make_task, outputs, tar, task_of, upload

ALPHA = tar(outputs("alpha"))


def test_what_is_accepted_is_on_the_disk_and_waits(place):
    folder, database, team = place
    found = accept(database, folder, team, upload(folder, b"data", label="first\n\u202etry" + "x" * 100), FREE)
    assert (folder.uploads / found.id).read_bytes() == b"data"
    assert (found.state, found.number, found.attempts) == ("waiting", 1, 0)
    assert found.label == ("firsttry" + "x" * 100)[:80]
    assert list(folder.incoming.iterdir()) == []


def test_limits_by_day_and_by_waiting(place):
    folder, database, team = place
    limits = SubmissionLimits(submissions_a_day=2, waiting=1)
    accept(database, folder, team, upload(folder), limits)
    with pytest.raises(Refused, match="wait") as refused:
        accept(database, folder, team, upload(folder), limits)
    assert refused.value.status == 429
    finish(database, claim(database, "outputs").id, document={})
    accept(database, folder, team, upload(folder), limits)
    finish(database, claim(database, "outputs").id, document={})
    with pytest.raises(Refused, match="2 submissions for today"):
        accept(database, folder, team, upload(folder), limits)
    with database.transaction() as connection:
        connection.execute("UPDATE main.submissions SET received = '2020-01-01T00:00:00.000+00:00'")
    accept(database, folder, team, upload(folder), limits)
    assert len(list(folder.uploads.iterdir())) == 3


def test_the_same_key_is_accepted_once_even_at_the_same_time(place):
    folder, database, team = place
    found, uploads = [], [upload(folder, key="same-key") for _ in range(8)]
    threads = [
        threading.Thread(target=lambda one=one: found.append(accept(database, folder, team, one, FREE).id))
        for one in uploads
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert len(submissions(database)) == len(list(folder.uploads.iterdir())) == 1
    assert list(folder.incoming.iterdir()) == []
    other = team_of_token(database, new_token(database, "beta"))
    assert accept(database, folder, other, upload(folder, key="same-key"), FREE).id not in found


def test_teams_take_turns(place):
    """A team with many submissions does not block others, nor do submissions restarted after the runner was killed."""
    folder, database, alpha = place
    beta, gamma = (team_of_token(database, new_token(database, name)) for name in ("beta", "gamma"))
    for team, n in ((alpha, 4), (beta, 2), (gamma, 1)):
        for _ in range(n):
            accept(database, folder, team, upload(folder), FREE)
    begun = []
    for _ in range(5):
        found = claim(database, "outputs")
        begun.append((found.team_name, found.number))
        finish(database, found.id, document={})
    assert begun == [("alpha", 1), ("beta", 1), ("gamma", 1), ("alpha", 2), ("beta", 2)]
    accept(database, folder, gamma, upload(folder), FREE)
    assert claim(database, "outputs").team_name == "gamma"
    recover(database)
    assert claim(database, "outputs").team_name == "alpha"
    assert claim(database, "system") is None


def test_a_claim_is_nobody_else_s(place):
    folder, database, team = place
    for _ in range(20):
        accept(database, folder, team, upload(folder), FREE)
    with Database(folder.database) as second:
        claimed = []
        threads = [
            threading.Thread(
                target=lambda one=one: claimed.extend(iter(lambda: (claim(one, "outputs") or [None])[0], None))
            )
            for one in (database, second)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(claimed) == len(set(claimed)) == 20


def test_a_submission_ends_once(place):
    folder, database, team = place
    name = accept(database, folder, team, upload(folder), FREE).id
    assert not finish(database, name, document={})  # it was not begun
    claim(database, "outputs")
    assert finish(database, name, document={"a": 1})
    assert not finish(database, name, reason="late")
    assert submission(database, name).document == {"a": 1}
    recover(database)
    assert submission(database, name).state == "finished"


def test_what_ends_the_runner_is_given_up_in_the_end(place):
    folder, database, team = place
    name = accept(database, folder, team, upload(folder), FREE).id
    for _ in range(10):
        assert claim(database, "outputs").id == name
        recover(database)
    assert claim(database, "outputs") is None
    assert "10 times" in submission(database, name).reason
    assert put_back(database, name) == 1
    assert claim(database, "outputs").id == name


def test_only_what_failed_by_our_fault_is_done_again(place):
    folder, database, team = place
    theirs, ours = (accept(database, folder, team, upload(folder), FREE).id for _ in range(2))
    claim(database, "outputs"), claim(database, "outputs")
    finish(database, theirs, reason="it is damaged")
    finish(database, ours, reason="it could not be scored", log="No space left on device")
    assert put_back(database) == 1
    assert {one.id: one.state for one in submissions(database)} == {theirs: "failed", ours: "waiting"}


def test_the_primary_submission_is_the_chosen_or_the_last(place):
    folder, database, team = place
    names = [accept(database, folder, team, upload(folder), FREE).id for _ in range(4)]
    assert primary_submissions(database) == []
    for name in names[:3]:
        claim(database, "outputs")
        finish(database, name, document={})
    assert [one.id for one in primary_submissions(database)] == [names[2]]
    crashed = accept(database, folder, team, upload(folder, kind="system"), FREE).id
    claim(database, "system")
    finish(database, crashed, document={}, reason="it ended with exit code 1")
    assert [one.id for one in primary_submissions(database)] == [names[2]]
    choose(database, submission(database, names[0]))
    assert [one.id for one in primary_submissions(database)] == [names[0]]
    with pytest.raises(Refused, match="finished"):
        choose(database, submission(database, names[3]))
    choose(database, submission(database, names[1]))
    assert [one.id for one in primary_submissions(database)] == [names[1]]


def test_what_has_no_valid_output_becomes_primary_only_if_nothing_has(place):
    """A submission with fewer valid outputs, or with a failed run, does not replace a better one; the choice of the team always has priority."""
    folder, database, team = place

    def hand_in(*states, reason=None):
        name = accept(database, folder, team, upload(folder), FREE).id
        claim(database, "outputs")
        results = {str(i): {"state": state, "reasons": ['"state":"valid"']} for i, state in enumerate(states)}
        finish(database, name, document={"results": results}, reason=reason)
        return name

    def primary():
        (one,) = primary_submissions(database)
        return one.id, why_primary(one)

    nothing = hand_in("invalid", "missing")
    assert primary() == (nothing, "the last; none has a valid output")
    good = hand_in("invalid", "valid", reason="it ended with exit code 1")
    last = hand_in("invalid", "invalid")
    assert primary() == (good, "the last with the most valid outputs")
    assert [(one.valid, one.outputs) for one in submissions(database)] == [(0, 2), (1, 2), (0, 2)]
    complete = hand_in("valid", "valid", reason="it ended with exit code 1")
    assert primary() == (complete, "the last with the most valid outputs")
    hand_in("valid", "missing")
    assert primary()[0] == complete
    better = hand_in("valid", "valid")
    hand_in("valid", "valid", reason="it ended with exit code 1")
    assert primary()[0] == better
    choose(database, submission(database, last))
    assert primary() == (last, "chosen by the team")


def test_closing_waits_for_what_is_under_way_unless_it_is_to_be_at_once(tmp_path):
    path = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    folder, task = TaskFolder(path), task_of(path)
    with Database(folder.database) as database:
        team = team_of_token(database, new_token(database, "alpha"))
        accept(database, folder, team, upload(folder, ALPHA), FREE)
        with pytest.raises(InputError, match=r"1 submission is still waiting, so the task stays open.*--now"):
            close_task(task, database)
        accept(database, folder, team, upload(folder, ALPHA), FREE)
        with pytest.raises(InputError, match="new submissions, but 2 submissions are still waiting"):
            close_task(task, database, now=True)
        with pytest.raises(Refused, match="closed"):
            accept(database, folder, team, upload(folder, ALPHA), FREE)
        with pytest.raises(InputError, match="new submissions, but 2"):
            close_task(task, database)
        drain(task)
        assert close_task(task, database) is not None


def test_a_foreign_file_is_no_database(tmp_path):
    path = tmp_path / "task.sqlite"
    sqlite3.connect(path).execute("CREATE TABLE other (x)").connection.close()
    with pytest.raises(InputError, match="not the database"):
        Database(path)
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(InputError):
        Database(path)


def test_a_full_disk_refuses_and_leaves_nothing(place, monkeypatch):
    folder, database, team = place

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("levelhead.task.submissions.os.replace", full)
    with pytest.raises(OSError, match="No space"):
        accept(database, folder, team, upload(folder), FREE)
    assert submissions(database) == []


class Crashes(RuleBasedStateMachine):
    """Any order of uploads, work and crashes; a model says how many were accepted, and each ends once."""

    numbers = itertools.count()

    def __init__(self):
        super().__init__()
        import tempfile

        self.temporary = tempfile.TemporaryDirectory()
        self.folder = TaskFolder(Path(self.temporary.name))
        self.folder.prepare()
        self.database = Database(self.folder.database)
        self.team = team_of_token(self.database, new_token(self.database, "team"))
        self.accepted, self.ended, self.running = set(), {}, []

    def teardown(self):
        self.database.close()
        self.temporary.cleanup()

    @rule(key=st.sampled_from([None, "key-1", "key-2"]))
    def send(self, key):
        self.accepted.add(accept(self.database, self.folder, self.team, upload(self.folder, key=key), FREE).id)

    @rule()
    def crash_before_the_database_knows(self):
        (self.folder.uploads / f"lost{next(self.numbers)}").write_bytes(b"")

    @rule()
    def begin(self):
        found = claim(self.database, "outputs")
        if found is not None:
            self.running.append(found.id)

    @precondition(lambda self: self.running)
    @rule()
    def end(self):
        name = self.running.pop(0)
        assert finish(self.database, name, document={})
        self.ended[name] = self.ended.get(name, 0) + 1

    @rule()
    def kill_and_restart(self):
        self.database.close()
        self.database = Database(self.folder.database)
        self.running = []
        Runner(task_like(self.folder), self.database).recover()
        assert {p.name for p in self.folder.uploads.iterdir()} == self.accepted

    @invariant()
    def every_one_is_there_and_ended_at_most_once(self):
        states = {one.id: one.state for one in submissions(self.database)}
        assert set(states) == self.accepted
        assert {name for name, state in states.items() if state == "finished"} == set(self.ended)
        assert set(self.ended.values()) <= {1}


def task_like(folder):
    from levelhead.task.description import About, SandboxLimits, SharedTask, Visibility

    return SharedTask(folder, About(), FREE, SandboxLimits(scratch=str(folder.path / "scratch")), Visibility(), None)


TestCrashes = pytest.mark.slow(Crashes.TestCase)


TestCrashes.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)


def all_of(folder):
    with Database(TaskFolder(folder).database) as database:
        return submissions(database)


def begun(folder):
    """How often a submission was started."""
    return sum(one.attempts for one in all_of(folder))
