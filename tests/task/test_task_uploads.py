"""Uploads over HTTP: slow ones, refused ones, several at a time."""

import contextlib
import datetime as dt
import sqlite3
import time
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from job_functions import wait_until
from levelhead.task.description import TaskFolder
from levelhead.task.site import Uploads
from task.task_server import make_task, outputs, tar, token
from task.task_site import MEGABYTE, NO_SYSTEMS, Site, connect, head, in_process


def test_slow_uploads_are_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr("levelhead.task.app.SECONDS_FOR_A_PART", 0.3)
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS)
    secret = token(folder, "a")
    with in_process(folder) as server:
        site = Site.of(folder, server)
        form = [
            "POST /sign-in HTTP/1.1",
            "Host: x",
            "Content-Length: 9",
            "Content-Type: multipart/form-data; boundary=b",
        ]
        for data in (head(site, secret, "Content-Length: 1000") + b"x", "\r\n".join([*form, "", ""]).encode()):
            with connect(site) as connection:
                connection.sendall(data)
                connection.settimeout(300)
                assert b" 408 " in connection.recv(1000)[:20]
        assert list(TaskFolder(folder).incoming.iterdir()) == []
        assert server.submit(secret, tar(outputs("alpha")))[0] == 201


def test_slow_connections_of_one_client_shut_nobody_out(tmp_path):
    """250 unfinished requests: other clients still get responses."""
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS)
    with in_process(folder) as server, contextlib.ExitStack() as slow:
        site = Site.of(folder, server)
        for _ in range(250):
            slow.enter_context(connect(site)).sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert site.browse("GET", "/")[0] == 200
        assert server.submit(token(folder, "a"), tar(outputs("alpha")))[0] == 201


def test_forms_are_refused_before_their_files_are_read(tmp_path, monkeypatch):
    """A server that waited for the whole announced body would respond with 408."""
    monkeypatch.setattr("levelhead.task.app.SECONDS_FOR_A_PART", 0.3)
    limits = {"submissions_a_day": 1, "upload_megabytes": 1, "free_megabytes": 1}
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS, limits=limits)
    full = make_task(tmp_path / "full", task=NO_SYSTEMS, limits=limits | {"free_megabytes": 2_000_000_000})
    with in_process(folder) as server, in_process(full) as without_room:
        site, other = Site.of(folder, server), Site.of(full, without_room)
        secret = token(folder, "a")
        cookie, _ = site.sign_in(secret)
        assert begun(site, 2000, cookie) == 408
        assert begun(site, 2 * MEGABYTE, cookie) == 413
        assert begun(site, 2000, "levelhead_session=x") == 401
        assert begun(other, 2000, other.sign_in(token(full, "a"))[0]) == 507
        assert server.submit(secret, tar(outputs("alpha")))[0] == 201
        assert begun(site, 2000, cookie) == 429


def test_archives_that_are_refused_count(tmp_path):
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS, limits={"submissions_a_day": 3, "free_megabytes": 1})
    secret, other = token(folder, "a"), token(folder, "b")
    with in_process(folder) as server:
        assert server.submit(secret, tar(outputs("alpha")))[0] == 201
        for _ in range(2):
            assert server.submit(secret, tar({"../evil": b"x"}))[0] == 400
        status, found = server.submit(secret, tar(outputs("alpha")))
        assert (status, "refused archives count as well (2 today)" in found["error"]) == (429, True)
        assert server.submit(secret, tar({"../evil": b"x"}))[0] == 429
        assert server.submit(other, tar(outputs("alpha")))[0] == 201


def test_refused_archives_count_while_the_clock_is_back(tmp_path, monkeypatch):
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS, limits={"submissions_a_day": 3, "free_megabytes": 1})
    secret, evil = token(folder, "a"), tar({"../evil": b"x"})
    monkeypatch.setattr("levelhead.task.database.now", lambda: "2100-01-03T12:00:00.000+00:00")
    with in_process(folder) as server:
        assert server.submit(secret, evil)[0] == 400
        monkeypatch.setattr("levelhead.task.database.now", lambda: "2100-01-01T12:00:00.000+00:00")
        assert [server.submit(secret, evil)[0] for _ in range(4)] == [400, 400, 429, 429]
        monkeypatch.setattr("levelhead.task.database.now", lambda: "2100-01-04T00:00:00.000+00:00")
        assert server.submit(secret, evil)[0] == 400
    with closing(sqlite3.connect(TaskFolder(folder).database)) as database:
        rows = database.execute("SELECT time FROM audit WHERE action = 'refused' ORDER BY id").fetchall()
    assert [time[:10] for (time,) in rows] == ["2100-01-03"] * 3 + ["2100-01-04"]


def test_an_accepted_archive_can_be_sent_again_after_refused_archives(tmp_path):
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS, limits={"submissions_a_day": 2, "free_megabytes": 1})
    secret, good, evil = token(folder, "a"), tar(outputs("alpha")), tar({"../evil": b"x"})
    with in_process(folder) as server:
        status, found = server.submit(secret, good, Idempotency_Key="k" * 8)
        assert status == 201
        assert server.submit(secret, evil)[0] == 400
        for archive in (good, evil):  # the archive is not unpacked again, so that its key does not allow endless checks
            status, again = server.submit(secret, archive, Idempotency_Key="k" * 8)
            assert (status, again.get("id")) == (201, found["id"])
        for key in ({}, {"Idempotency_Key": "n" * 8}):
            assert server.submit(secret, good, **key)[0] == 429
    with closing(sqlite3.connect(TaskFolder(folder).database)) as database:
        (refused,) = database.execute("SELECT count(*) FROM audit WHERE action = 'refused'")
    assert refused == (1,)


def begun(site, size, cookie):
    """Start to send the form of an upload, and return the status of the response."""
    lines = ["POST /submissions HTTP/1.1", f"Host: {site.host}", f"Cookie: {cookie}", f"Content-Length: {size}"]
    with connect(site) as connection:
        connection.sendall("\r\n".join([*lines, "Content-Type: multipart/form-data; boundary=b", "", "--b"]).encode())
        connection.settimeout(300)
        return int(connection.recv(1000).split()[1])


def test_one_upload_a_team_at_a_time(tmp_path):
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS)
    secret = token(folder, "a")
    with in_process(folder) as server:
        site = type("S", (), {"host": urlsplit(server.address).netloc})
        with connect(site) as connection:
            connection.sendall(head(site, secret, "Content-Length: 1000") + b"x")
            wait_until(lambda: list(TaskFolder(folder).incoming.iterdir()))
            status, found = server.submit(secret, tar(outputs("alpha")))
            assert (status, found["error"][:22]) == (429, "your team already has ")
            assert server.submit(token(folder, "b"), tar(outputs("alpha")))[0] == 201
        wait_until(lambda: server.submit(secret, tar(outputs("alpha")))[0] == 201)


def test_a_full_disk_is_told(tmp_path):
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS, limits={"free_megabytes": 2_000_000_000})
    with in_process(folder) as server:
        status, found = server.submit(token(folder, "a"), tar(outputs("alpha")))
    assert (status, found["error"]) == (507, "the disk of the server is full: please tell the organizer")


@pytest.mark.parametrize(("times", "word"), [
    ({"opens": "2999-01-01T00:00:00Z"}, "early"), ({"closes": "2001-01-01T00:00:00Z"}, "over"),
])  # fmt: skip
def test_dates_are_kept(tmp_path, times, word):
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS)
    path = folder / "task.toml"
    lines = "".join(f"{name} = {value}\n" for name, value in times.items())
    path.write_text(path.read_text().replace("[task]\n", f"[task]\n{lines}"))
    secret = token(folder, "a")
    with in_process(folder) as server:
        assert server.ask("GET", "/task")[1]["phase"] == word
        if word == "early":
            assert "The task opens at 2999-01-01 00:00 UTC." in Site.of(folder, server).browse("GET", "/")[2]
        assert server.submit(secret, tar(outputs("alpha")))[0] == 403
        assert (server.ask("GET", "/inputs", secret)[1] == []) == (word == "early")
        assert (server.ask("GET", "/inputs/en.txt", secret)[0] == 404) if word == "early" else True


@pytest.mark.parametrize(("minutes", "status"), [(5, 201), (11, 403)])
def test_uploads_are_accepted_ten_minutes_after_the_deadline(tmp_path, minutes, status):
    """A proxy that buffers passes an upload on when it is complete, however early it began."""
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS)
    path = folder / "task.toml"
    closes = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=minutes)
    path.write_text(path.read_text().replace("[task]\n", f"[task]\ncloses = {closes.isoformat()}\n"))
    with in_process(folder) as server:
        shown = server.ask("GET", "/task")[1]
        assert shown["phase"] == "over"
        assert ("Uploads are accepted until" in shown["message"]) == (status == 201)
        assert server.submit(token(folder, "a"), tar(outputs("alpha")))[0] == status


def test_an_upload_that_ends_after_the_grace_is_refused(tmp_path, monkeypatch):
    over = []
    monkeypatch.setattr(Uploads, "is_over", lambda _: bool(over))
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS)
    incoming, data = TaskFolder(folder).incoming, tar(outputs("alpha"))
    with in_process(folder) as server, connect(site := Site.of(folder, server)) as connection:
        connection.sendall(head(site, token(folder, "a"), f"Content-Length: {len(data)}") + data[:100])
        while not list(incoming.iterdir()):
            time.sleep(0.01)
        over.append(True)
        connection.sendall(data[100:])
        answer = connection.recv(1000)
        assert b" 403 " in answer[:20]
        assert list(TaskFolder(folder).uploads.iterdir()) == []


def test_an_upload_has_a_total_time(tmp_path):
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS, limits={"upload_seconds": 1, "free_megabytes": 1})
    with in_process(folder) as server, connect(site := Site.of(folder, server)) as connection:
        connection.sendall(head(site, token(folder, "a"), "Content-Length: 1000"))
        connection.setblocking(False)
        for _ in range(990):  # a byte now and then: no pause is too long
            try:
                assert b" 408 " in connection.recv(1000)[:20]
                break
            except BlockingIOError:
                connection.send(b"x")
                time.sleep(0.05)
        else:
            pytest.fail("the upload may take any time")


def test_inputs_can_be_kept_back(tmp_path):
    folder = make_task(tmp_path / "task", task=NO_SYSTEMS, show={"inputs": False})
    secret = token(folder, "a")
    with in_process(folder) as server:
        assert "/inputs/" not in Site.of(folder, server).browse("GET", "/")[2]
        assert server.ask("GET", "/inputs", secret) == (200, [])
        assert server.ask("GET", "/inputs/en.txt", secret)[0] == 404
        assert server.ask("GET", "/inputs.zip", secret)[0] == 404
