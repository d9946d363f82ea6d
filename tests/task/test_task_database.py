"""The database of a task: checksums of all values, databases of the last version, and a bounded audit log."""

import datetime as dt
import re
import sqlite3
from contextlib import closing

import pytest

from levelhead.errors import InputError
from levelhead.task import database as module
from levelhead.task.database import Database, record
from levelhead.task.submissions import (
    Refused,
    accept,
    choose,
    claim,
    finish,
    new_session,
    refuse_often,
    session_of,
    submission,
    submissions,
    team_of_token,
    teams,
)
from task.task_server import FREE, upload


def finished(folder, database, team):
    found = accept(database, folder, team, upload(folder), FREE)
    claim(database, "outputs")
    finish(database, found.id, document={"value": "7178/10127"})
    return submission(database, found.id)


@pytest.mark.parametrize(
    ("before", "after", "read"),
    [
        (b"7178/10127", b"3178/10127", submissions),
        (b"first week", b"third week", teams),
        (b"closed2026", b"closed2027", lambda database: database.fact("closed")),
        (b"begunattempt 1", b"begunattempt 3", lambda database: database.rows("SELECT * FROM audit")),
    ],
    ids=["score", "team", "fact", "audit"],
)
def test_every_changed_value_is_found_when_it_is_read(place, before, after, read):
    folder, database, team = place
    name = finished(folder, database, team).id
    with database.transaction() as connection:
        connection.execute("INSERT INTO main.facts (name, value) VALUES ('closed', '2026-11-23')")
        connection.execute("UPDATE main.teams SET made = 'first week'")
        connection.execute("UPDATE main.audit SET submission = NULL, detail = 'attempt 1' WHERE action = 'begun'")
    database.check()
    database.close()
    contents = folder.database.read_bytes()
    assert contents.count(before) == 1
    folder.database.write_bytes(contents.replace(before, after))
    with Database(folder.database) as damaged:
        assert damaged.rows("PRAGMA integrity_check(1)")[0][0] == "ok"
        for look in (read, Database.check):
            with pytest.raises(
                InputError, match=r"the database is damaged \(wrong checksum in \w+, row .*restore state"
            ):
                look(damaged)
        if read is submissions:  # a change of the row must not give it a new checksum
            with (
                pytest.raises(InputError, match=f"wrong checksum in submissions, row {name}"),
                damaged.transaction() as c,
            ):
                c.execute("UPDATE main.submissions SET chosen = 1")


def test_a_row_whose_key_is_changed_does_not_disappear(place):
    """The index has the old key."""
    folder, database, team = place
    name = finished(folder, database, team).id.encode()
    database.close()
    contents = folder.database.read_bytes()
    changed, n = re.subn(re.escape(name) + b"(?=.{0,2}outputs)", b"~" + name[1:], contents, flags=re.DOTALL)
    assert n  # also in places that sqlite no longer uses
    folder.database.write_bytes(changed)
    with Database(folder.database) as damaged:
        with pytest.raises(InputError, match=r"the database is damaged \(wrong key in submissions\)"):
            submissions(damaged)
        with pytest.raises(InputError, match="the database is damaged"):
            damaged.check()


def test_invalid_text_in_the_database_is_damage(place):
    folder, database, team = place
    finished(folder, database, team)
    database.close()
    contents = folder.database.read_bytes()
    folder.database.write_bytes(contents.replace(b"7178/10127", b"\xff178/10127"))
    with Database(folder.database) as damaged, pytest.raises(InputError, match=r"damaged \(invalid text\)"):
        submissions(damaged)


def test_a_database_of_the_last_version_is_upgraded(tmp_path):
    path = tmp_path / "task.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(module._TABLES)
        connection.executescript("PRAGMA application_id = 0x4C564C54; PRAGMA user_version = 1")
        connection.execute("INSERT INTO teams VALUES (1, 'alpha', 'hash', 'today')")
        connection.execute("INSERT INTO audit VALUES (7, '2099-01-01T00:00:00.000+00:00', 'organizer', 'x', NULL, '')")
        connection.commit()
    for _ in range(2):
        with Database(path) as database:
            database.check()
            assert [team.name for team in teams(database)] == ["alpha"]
            assert database.latest().startswith("2099")
            with database.transaction() as changes:
                record(changes, "organizer", "closed")
    with Database(path) as database:
        assert [row["id"] for row in database.rows("SELECT id FROM audit WHERE action = ?", "closed")] == [8, 9]


def test_teams_sign_in_and_choose_a_limited_number_of_times_an_hour(place, monkeypatch):
    folder, database, team = place
    first, second = (finished(folder, database, team).id for _ in range(2))
    for _ in range(15):
        choose(database, submission(database, first))
        choose(database, submission(database, first))  # changes nothing, so it does not count
        choose(database, submission(database, second))
    with pytest.raises(Refused, match="30 entries 'chosen as primary'") as refused:
        choose(database, submission(database, first))
    assert refused.value.status == 429
    refuse_often(database, team, "signed in")
    later = (dt.datetime.now(dt.UTC) + dt.timedelta(hours=1, minutes=1)).isoformat(timespec="milliseconds")
    monkeypatch.setattr(module, "now", lambda: later)
    choose(database, submission(database, first))


def test_the_time_of_the_audit_log_is_found_without_reading_the_log(place):
    _, database, _ = place
    plans = [
        database.rows("EXPLAIN QUERY PLAN SELECT time FROM audit ORDER BY id DESC LIMIT 1"),
        database.rows("EXPLAIN QUERY PLAN SELECT action FROM audit WHERE actor = 'a' AND action = 'b' AND time >= 'c'"),
    ]
    assert not any("TEMP B-TREE" in row["detail"] for plan in plans for row in plan)
    assert "INDEX actions (action=? AND actor=? AND time>?)" in plans[1][0]["detail"]


def test_sessions_have_checksums_too(place):
    _, database, team = place
    secret = new_session(database, team)
    assert session_of(database, secret).team == team
    with database.transaction() as connection:
        connection.execute("UPDATE main.sessions SET checksum = 0")
    with pytest.raises(InputError, match="wrong checksum in sessions"):
        session_of(database, secret)
    assert team_of_token(database, "lvlh_unknown") is None
