"""The queue with its runner and server: faulty outputs, and processes that are killed or stopped."""

import contextlib
import gzip
import io
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from job_functions import killed_at_end, wait_until
from levelhead.errors import InputError
from levelhead.task.app import _PROGRAM
from levelhead.task.database import Database
from levelhead.task.description import MEGABYTE, TaskFolder
from levelhead.task.sandbox import scratch_of
from levelhead.task.scoring import ONE_PROCESS
from levelhead.task.submissions import (
    accept,
    claim,
    finish,
    new_token,
    put_back,
    submission,
    submissions,
    team_of_token,
)
from levelhead.task.worker import Runner, _end_with_server, collect_outputs
from task.task_server import FREE, Server, drain, make_task, outputs, serving, tar, task_of, token, upload

ALPHA = tar(outputs("alpha"))


def test_outputs_with_a_fault_of_ours_fail_with_a_word_for_the_organizer(tmp_path, monkeypatch, capsys):
    folder = TaskFolder(make_task(tmp_path / "task"))
    with Database(folder.database) as database:
        team = team_of_token(database, new_token(database, "alpha"))
        name = accept(database, folder, team, upload(folder, ALPHA), FREE).id
        monkeypatch.setattr("levelhead.task.worker.unpack", lambda *_: 1 / 0)
        drain(task_of(folder.path))
        found = submission(database, name)
        assert (found.state, found.reason) == ("failed", "it could not be scored; the organizer has been notified")
        assert "ZeroDivisionError" in found.log
        assert "ZeroDivisionError" in capsys.readouterr().err
        monkeypatch.undo()
        put_back(database)
        drain(task_of(folder.path))
        assert submission(database, name).state == "finished"


def result_of(tmp_path, archive, kind="outputs"):
    """Process a submission, and return its stored result."""
    folder = TaskFolder(make_task(tmp_path / "task"))
    with Database(folder.database) as database:
        team = team_of_token(database, new_token(database, "alpha"))
        name = accept(database, folder, team, upload(folder, archive, kind=kind), FREE).id
        drain(task_of(folder.path))
        found = submission(database, name)
    assert found.state == "finished", found
    return found, found.document["results"]


def test_an_output_that_is_compressed_is_0_and_the_others_are_scored(tmp_path):
    """Unusable outputs score 0 with a reason, whatever their names; an additional compressed copy changes nothing."""
    files = outputs("alpha")
    files["fi.conllu.gz"] = gzip.compress(files.pop("fi.conllu"))
    files["de.conllu"] = gzip.compress(files["de.conllu"])
    files["en.conllu.xz"] = b"a copy"
    found, results = result_of(tmp_path, tar(files))
    assert found.reason is None
    compressed = "{} is compressed: only the archive itself can be compressed"
    for code, name in (("fi", "fi.conllu.gz"), ("de", "de.conllu")):
        assert (results[code]["state"], results[code]["reasons"]) == ("missing", [compressed.format(name)])
        assert set(results[code]["values"].values()) == {"0"}
    others = [one for code, one in results.items() if code not in {"fi", "de"}]
    assert all(one["state"] == "valid" and one["reasons"] == [] for one in others)


def test_an_output_that_is_many_times_its_gold_is_not_scored(tmp_path):
    """A zip file of 1 MB can contain 20 million words, which would take gigabytes to score and block the queue."""
    words = b"1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n" * 60_000
    _, results = result_of(tmp_path, tar(outputs("alpha") | {"en.conllu": words}))
    (reason,) = results["en"]["reasons"]
    assert results["en"]["state"] == "missing"
    assert reason == f"en.conllu has {len(words)} bytes, far more than an output for this test set needs"
    assert set(results["en"]["values"].values()) == {"0"}
    assert {one["state"] for code, one in results.items() if code != "en"} == {"valid"}


def test_how_many_times_its_gold_an_output_may_be_is_a_limit_of_the_task(tmp_path):
    folder = make_task(tmp_path / "task", limits={"times_gold": 2})
    gold = folder / "gold" / "en.conllu"
    gold.write_bytes(gold.read_bytes() * (MEGABYTE // gold.stat().st_size + 1))
    for extra, refused in ((0, set()), (1, {"en"})):
        run = tmp_path / f"run{extra}" / "output"
        run.mkdir(parents=True)
        for code, data in outputs("alpha").items():
            (run / code).write_bytes(data)
        (run / "en.conllu").write_bytes(b"x" * (2 * gold.stat().st_size + extra))
        assert set(collect_outputs(task_of(folder), run, "outputs")) == refused


MACOS = {"__MACOSX/out/._en.conllu": b"\0\5\26\7", "out/.DS_Store": b"x", ".DS_Store": b"x", "._out": b"x"}


def test_a_folder_packed_on_macos_is_that_folder_and_what_is_missing_is_named(tmp_path):
    files = {f"out/{name}": data for name, data in outputs("alpha").items() if name != "fi.conllu"}
    _, results = result_of(tmp_path, tar(files | MACOS))
    assert {code for code, one in results.items() if one["state"] != "valid"} == {"fi"}
    assert results["fi"]["reasons"] == ["no fi.conllu at the top of the archive"]
    _, results = result_of(tmp_path / "elsewhere", tar(files | {"readme": b"x"}))
    assert {code: one["reasons"] for code, one in results.items()} == {
        code: [f"no {code}.conllu at the top of the archive"] for code in results
    }


@pytest.mark.sandbox
def test_a_system_packed_on_macos_is_run_and_what_it_did_not_write_is_named(tmp_path):
    program = b'#!/bin/sh\ncp /system/en.conllu "$2"\ngzip -c /system/fi.conllu > "$2/fi.conllu.gz"\n'
    files = {f"out/{name}": data for name, data in outputs("alpha").items()}
    found, results = result_of(tmp_path, tar({"out/run": program} | files | MACOS), "system")
    assert found.reason is None
    assert results["en"]["state"] == "valid"
    assert results["de"]["reasons"] == ["the system wrote no de.conllu to the output folder"]
    assert results["fi"]["reasons"] == ["fi.conllu.gz is compressed: only the archive itself can be compressed"]
    assert not Runner(task_of(tmp_path / "task"), None).scratch.exists()


def children(pid):
    """The child processes of a process."""
    return [int(n) for path in Path(f"/proc/{pid}/task").glob("*/children") for n in path.read_text().split()]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it may end while it is looked at
        return False


@pytest.mark.slow
@pytest.mark.sandbox
def test_killed_servers_and_runners_finish_everything_once(tmp_path):
    """kill -9 of the runner during runs, and of the server during uploads; afterwards, everything is finished."""
    folder = make_task(tmp_path / "task", sandbox={"seconds": 60})
    secrets = [token(folder, f"team {i}") for i in range(2)]
    slow = b'#!/bin/sh\nsleep 0.7\ncp /system/*.conllu "$2"\n'
    system = tar({"run": slow, **outputs("beta")})
    accepted, moments = set(), random.Random(9)
    for killed in ("runner", "server"):
        before = begun(folder)
        with serving(folder) as server:
            senders = [
                threading.Thread(target=send, args=(server, one, system if i == 0 else ALPHA, accepted, i == 0))
                for i, one in enumerate(secrets)
            ]
            for sender in senders:
                sender.start()
            with locked_scores(folder):
                wait_until(lambda: begun(folder) > before)  # noqa: B023
                time.sleep(moments.uniform(0, 0.3))  # any moment
                runner = runner_of(server)
                os.kill(runner if killed == "runner" else server.process.pid, signal.SIGKILL)
                wait_until(lambda: not alive(runner))  # noqa: B023
            for sender in senders:
                sender.join()
    with serving(folder):
        wait_until(lambda: all(one.state in {"finished", "failed"} for one in all_of(folder)))
    found = all_of(folder)
    with Database(TaskFolder(folder).database) as database:
        ends = database.rows("SELECT submission, count(*) AS n FROM audit WHERE action = 'finished' GROUP BY 1")
    assert accepted
    assert accepted <= {one.id for one in found}
    assert {one.state for one in found} == {"finished"}
    assert sum(one.attempts for one in found) >= len(found) + 2  # some were interrupted
    assert {row["submission"]: row["n"] for row in ends} == {one.id: 1 for one in found}
    assert {p.name for p in TaskFolder(folder).uploads.iterdir()} == {one.id for one in found}
    assert {p.name for p in TaskFolder(folder).runs.iterdir()} == {one.run for one in found}  # nothing is left of those
    assert all(len(list((TaskFolder(folder).runs / one.run / "output").iterdir())) == 8 for one in found)


def all_of(folder):
    with Database(TaskFolder(folder).database) as database:
        return submissions(database)


def begun(folder):
    """How often a submission was started."""
    return sum(one.attempts for one in all_of(folder))


def runner_of(server: Server):
    wait_until(lambda: children(server.process.pid))
    return children(server.process.pid)[0]


def send(server, secret, data, accepted, is_system):
    """Submit twice; an upload that was cut off may or may not be accepted."""
    for _ in range(2):
        try:
            status, found = server.submit(secret, data, "system" if is_system else "outputs")
        except OSError:
            return
        except ValueError:
            return
        assert status == 201, found
        accepted.add(found["id"])


def test_the_runner_ends_with_the_server_and_is_begun_again_if_it_ends(tmp_path):
    folder = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    with serving(folder) as server:
        first = runner_of(server)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: [n for n in children(server.process.pid) if n != first and alive(n)])
        (second,) = (n for n in children(server.process.pid) if n != first and alive(n))
        server.process.kill()
        wait_until(lambda: not alive(second))


@contextlib.contextmanager
def locked_scores(folder):
    """Whoever scores waits, and does not end by itself meanwhile."""
    with contextlib.closing(sqlite3.connect(TaskFolder(folder).scores, isolation_level=None)) as locked:
        locked.execute("BEGIN EXCLUSIVE")
        yield


def scorers(folder):
    """The scoring processes of a task."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            said = (path / "cmdline").read_bytes()
            if b"levelhead.task.scoring" in said and os.fsencode(folder) in said and alive(int(path.name)):
                found.add(int(path.name))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("killed", ["server", "runner"])
def test_scoring_ends_with_whoever_is_killed(tmp_path, killed):
    """Otherwise each restart would leave another process with gigabytes of memory."""
    folder = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    with locked_scores(folder), running(folder) as (process, secret):
        with Database(TaskFolder(folder).database) as database:
            team = team_of_token(database, secret)
            accept(database, TaskFolder(folder), team, upload(TaskFolder(folder), ALPHA), FREE)
        wait_until(lambda: scorers(folder))
        (before,) = scorers(folder)
        if killed == "server":
            process.stdin.close()  # which is what its end is to the runner
        else:
            process.kill()
        wait_until(lambda: not alive(before))


@contextlib.contextmanager
def running(folder):
    """A runner, started as by `serve`, and the token of a team."""
    command = [sys.executable, "-c", _PROGRAM, str(folder), str(ONE_PROCESS)]
    with killed_at_end(subprocess.Popen(command, stdin=subprocess.PIPE)) as process:
        yield process, token(folder, "alpha")


def test_nothing_fails_because_the_server_ends(tmp_path, monkeypatch):
    """The folder of systems is removed at the end; interrupting a copy to it does not fail the submission."""
    folder = TaskFolder(make_task(tmp_path / "task"))
    with Database(folder.database) as database:
        team = team_of_token(database, new_token(database, "alpha"))
        name = accept(database, folder, team, upload(folder), FREE).id
        claim(database, "outputs")
        recorder = threading.Thread(target=finish, args=(database, name), kwargs={"reason": "its folder is gone"})

        class Ended(Exception):
            pass

        def end(code):
            recorder.start()  # while the folder is being removed
            recorder.join(0.2)
            assert code == 0
            states.append(submission(database, name).state)
            raise Ended

        states = []
        monkeypatch.setattr("levelhead.task.worker.os._exit", end)
        monkeypatch.setattr("levelhead.task.worker.sys.stdin", io.TextIOWrapper(io.BytesIO()))
        with pytest.raises(RuntimeError, match="once"):  # the last of the two ends, which real processes never reach
            _end_with_server(tmp_path / "scratch", [database])
        assert states == ["running"]
        recorder.join()


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_server_that_is_ended_leaves_nothing_of_a_run_behind(tmp_path, sent):
    folder = make_task(tmp_path / "task", sandbox={"seconds": 1000})
    scratch = scratch_of(task_of(folder).sandbox, folder)
    with serving(folder) as server:
        server.submit(token(folder, "alpha"), tar({"run": b"#!/bin/sh\nsleep 1000\n"}), "system")
        wait_until(scratch.exists)
        server.process.send_signal(sent)
        server.process.wait()
    if sent == signal.SIGKILL:  # then it is the runner that sees that the server is gone
        wait_until(lambda: not scratch.exists())
    assert not scratch.exists()
    assert [one.state for one in all_of(folder)] == ["running"]  # it is begun again next time


def test_one_task_is_served_once(tmp_path):
    folder = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    with serving(folder):
        command = [sys.executable, "-m", "levelhead", "task", "serve", str(folder), "--port", "0"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 2
    assert "already being served" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_of_another_version_is_refused(tmp_path):
    """As for a store, the message names both versions, and the file does not change."""
    path = tmp_path / "task.sqlite"
    Database(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(InputError, match=r"store-version: .*its layout is 7, this version reads 2"):
        Database(path)
