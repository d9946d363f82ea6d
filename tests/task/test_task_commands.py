"""Commands of organizers and teams: definitions, damaged databases, ports, outputs, and readable messages."""

import json
import re
import shutil
import socket
import sqlite3
from contextlib import closing

import pytest

from levelhead.cli.program import run
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from task.task_server import EXAMPLES, make_task, serving, token

OUTPUTS_ONLY = {"title": "t", "kinds": ["outputs"]}
DEFINITIONS = """
[measure.TAGGED]
needs = ["head", "upos"]

[scheme.mine]
classes = {SUBJECT = ["nsubj", "csubj"], REST = ["punct"]}
"""


@pytest.fixture
def refusal(capfd, monkeypatch):
    """Try to serve a task that cannot be served, and return the message."""
    uvicorn = pytest.importorskip("uvicorn")
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_: pytest.fail("the task is served"))

    def refused(folder, *arguments):
        assert run(["task", "serve", str(folder), *map(str, arguments)]) == 2
        printed = capfd.readouterr()
        assert printed.out == ""
        return printed.err

    return refused


def with_campaign(folder, lines, definitions=DEFINITIONS):
    path = folder / "task.toml"
    text = path.read_text()
    path.write_text(re.sub(r"(?m)^measures = .*$", lines, text))
    (folder / "own.toml").write_text(definitions)
    return folder


@pytest.mark.slow
def test_a_task_is_scored_by_measures_of_its_own(tmp_path, capfd, monkeypatch):
    lines = 'measures = ["TAGGED", "LAS@SUBJECT"]\ndefinitions = ["own.toml"]\nscheme = "mine"'
    folder = with_campaign(make_task(tmp_path / "task", task=OUTPUTS_ONLY), lines)
    monkeypatch.setenv("LEVELHEAD_TOKEN", token(folder, "alpha"))
    with serving(folder) as server:
        assert server.ask("GET", "/task")[1]["measures"] == ["TAGGED", "LAS@mine:SUBJECT"]
        assert run(["submit", server.address, str(EXAMPLES / "systems" / "alpha"), "--wait", "--format", "json"]) == 0
        found = json.loads(capfd.readouterr().out)
    assert {row["measure"] for row in found["scores"]} == {"TAGGED", "LAS@mine:SUBJECT"}
    definitions = ["--definitions", str(folder / "own.toml"), "--scheme", "mine"]
    measures = ["-m", "TAGGED", "-m", "LAS@SUBJECT"]
    systems = [str(EXAMPLES / "gold"), str(EXAMPLES / "systems"), "--system", "alpha"]
    assert run(["rank", *systems, *definitions, *measures]) == 0
    expected = capfd.readouterr().out
    assert run(["task", "rank", str(folder)]) == 0
    assert capfd.readouterr().out == expected
    assert run(["task", "close", str(folder)]) == 0
    assert "TAGGED" in (folder / "state" / "final" / "report.html").read_text()
    assert run(["task", "status", str(folder), "-o", str(folder / "own.toml")]) == 2
    assert (folder / "own.toml").read_text() == DEFINITIONS


@pytest.mark.parametrize(("lines", "said"), [
    ('measures = ["TAGGED"]', "TAGGED"), ('definitions = ["nowhere.toml"]', "nowhere.toml"),
    ('definitions = ["own.toml"]\nscheme = "yours"', "yours"), ('measures = ["MLAS"]\nrules = "conll17"', "MLAS"),
    ('measures = ["WLAS(nowhere.tsv)"]', "nowhere.tsv"), ('measures = ["WLAS(own.toml)"]', "invalid-weights"),
    ('measures = ["WLAS(w-{treebank}.tsv)"]', "w-ar.tsv"), ('measures = ["DPPL(nowhere.conllu)"]', "nowhere.conllu"),
    ('measures = ["WLAS(WDE)"]', "training treebanks"),
])  # fmt: skip
def test_what_cannot_be_scored_is_not_served(tmp_path, lines, said, refusal):
    folder = with_campaign(make_task(tmp_path / "task", task=OUTPUTS_ONLY), lines)
    path = folder / "task.toml"
    if "rules" in lines:
        path.write_text(path.read_text().replace('rules = "ud"\n', ""))
    assert said in refusal(folder, "--port", "0")


@pytest.mark.slow
def test_files_that_measures_name_are_relative_to_the_task(tmp_path, capfd, monkeypatch):
    folder = with_campaign(make_task(tmp_path / "task", task=OUTPUTS_ONLY), 'measures = ["WLAS(w.tsv,default=1)"]')
    (folder / "w.tsv").write_text("nsubj 2\n")
    monkeypatch.setenv("LEVELHEAD_TOKEN", token(folder, "alpha"))
    with serving(folder) as server:
        assert server.ask("GET", "/task")[1]["measures"] == ["WLAS(w.tsv,default=1)"]
        assert run(["submit", server.address, str(EXAMPLES / "systems" / "alpha"), "--wait"]) == 0
    capfd.readouterr()
    assert run(["task", "rank", str(folder)]) == 0
    assert "WLAS(w.tsv,default=1)" in capfd.readouterr().out
    assert run(["task", "close", str(folder)]) == 0


def test_a_damaged_database_is_neither_served_nor_ranked(tmp_path, refusal, capfd):
    """Damage in a later page would only be noticed hours later, so the whole file is checked."""
    folder = make_task(tmp_path / "task", task=OUTPUTS_ONLY)
    database = TaskFolder(folder).database
    with Database(database) as opened:
        with opened.transaction() as connection:
            insert = "INSERT INTO main.audit (time, actor, action) VALUES ('t', 'a', ?)"
            connection.executemany(insert, [("x" * 500,)] * 500)
        opened.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = bytearray(database.read_bytes())
    size = int.from_bytes(whole[16:18], "big")
    for page in (len(whole) // size // 2, len(whole) // size - 2):
        whole[page * size : page * size + 64] = b"\xff" * 64
    database.write_bytes(whole)
    said = refusal(folder, "--port", "0")
    assert "the database is damaged" in said
    assert "restore state/ from a backup" in said
    for command in (["rank"], ["close", "--now"], ["export", "-o", str(tmp_path / "e.tar.gz")]):
        assert run(["task", command[0], str(folder), *command[1:]]) == 2
        assert "the database is damaged" in capfd.readouterr().err


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_that_is_taken_is_said_plainly(tmp_path, host, refusal):
    folder = make_task(tmp_path / "task", task=OUTPUTS_ONLY)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = refusal(folder, "--host", host, "--port", port)
    assert said == (
        f"cannot-listen: cannot listen on {host}:{port}: Address already in use; choose another --port or --host\n"
    )  # and nothing of the library's own
    assert "cannot listen on no.such.host.invalid:0" in refusal(folder, "--host", "no.such.host.invalid", "--port", "0")


@pytest.fixture
def submitted(tmp_path, monkeypatch):
    """A served task, a team's token in the environment and in a file, and a folder of outputs."""
    folder = make_task(tmp_path / "task", task=OUTPUTS_ONLY)
    secret = token(folder, "alpha")
    (tmp_path / "token").write_text(secret)
    monkeypatch.setenv("LEVELHEAD_TOKEN", secret)
    shutil.copytree(EXAMPLES / "systems" / "alpha", tmp_path / "outputs")
    with serving(folder, tmp_path / "errors") as server:
        yield server.address, tmp_path, folder


def test_nothing_that_is_submitted_is_written_over(submitted, capfd):
    address, folder, _ = submitted
    archive, secret = shutil.make_archive(str(folder / "me"), "gztar", folder / "outputs"), folder / "token"
    before = {path: path.read_bytes() for path in (folder / "me.tar.gz", secret, folder / "outputs" / "en.conllu")}
    token_file = ["--token-file", str(secret)]
    (folder / "outputs" / "en.txt").write_text("mine")
    (folder / "inputs").mkdir()
    for arguments in (
        [archive, "-o", archive], [archive, *token_file, "-o", str(secret)],
        [str(folder / "outputs"), "-o", str(folder / "outputs" / "en.conllu")],
        [str(folder / "outputs"), "--inputs", str(folder / "outputs")],
        ["--inputs", str(folder / "inputs"), "-o", str(folder / "inputs" / "en.txt"), archive],
    ):  # fmt: skip
        assert run(["submit", address, *arguments]) == 2
        said = capfd.readouterr().err
        refused = ("is an input file", "two results cannot be written to the same file", "is a folder of inputs")
        assert any(message in said for message in refused)
    assert {path: path.read_bytes() for path in before} == before
    assert (folder / "outputs" / "en.txt").read_text() == "mine"
    assert run(["submit", address, archive, *token_file, "-o", str(folder / "answer")]) == 0
    assert "Submission 1 (outputs)" in (folder / "answer").read_text()  # the first: none of the others was sent


def test_answers_are_for_people_unless_json_is_asked_for(submitted, capfd):
    address, folder, task = submitted
    (folder / "outputs" / "fi.conllu").write_text("1\tonly\n\n")
    arguments = ["submit", address, str(folder / "outputs"), "--label", "a try\x1b[2J", "--primary"]
    assert run(arguments) == 0
    text = capfd.readouterr().out
    assert "\x1b" not in text
    lines = text.splitlines()
    assert lines[0] == "Submission 1 (outputs, a try[2J): finished, 7 of 8 outputs valid, your primary submission"
    assert re.fullmatch(r"Received 20\d\d-\d\d-\d\d \d\d:\d\d UTC", lines[1])
    assert re.fullmatch(rf"{re.escape(address)}/submissions/[0-9a-f]{{32}}", lines[2])
    assert lines[4].split() == ["Treebank", "|", "State", "|", "LAS", "|", "MLAS", "|", "BLEX", "|", "CLAS"]
    row = next(line for line in lines if line.startswith("en "))
    assert row.split(" | ")[1:3] == ["valid  ", "89.02"]
    assert any(line.startswith("fi: line 1: ") for line in lines)
    assert run([*arguments, "--format", "json"]) == 0
    found = json.loads(capfd.readouterr().out)
    (las,) = (row["value"] for row in found["scores"] if (row["treebank"], row["measure"]) == ("en", "LAS"))
    assert las == pytest.approx(89.02, abs=0.01)
    assert run(["task", "status", str(task)]) == 0
    status = capfd.readouterr().out
    assert found["id"] not in status
    assert found["id"][:8] in status
    assert not re.search(r"\d\d:\d\d:\d\d", status)
    assert re.search(r"\d\d:\d\d UTC", status)
    assert run(["task", "status", str(task), "--format", "json"]) == 0
    listed = json.loads(capfd.readouterr().out)["tables"]["submissions"]
    assert [one["id"] for one in listed][1] == found["id"]
    assert listed[1]["received"] == found["received"]
    assert (listed[0]["team"], listed[0]["number"], listed[1]["primary"]) == ("alpha", 1, True)


def test_a_submission_is_done_again_by_the_short_id_of_status(tmp_path, capfd):
    folder = make_task(tmp_path / "task", task=OUTPUTS_ONLY)
    token(folder, "a")
    with Database(TaskFolder(folder).database) as database, database.transaction() as connection:
        for number, name in enumerate(("abcdef00" + "0" * 24, "abcdef00" + "1" * 24, "12345678" + "0" * 24), 1):
            connection.execute(
                "INSERT INTO main.submissions (id, team, number, kind, label, sha256, size, received, state, log)"
                " VALUES (?, 1, ?, 'outputs', '', '', 0, '2026-01-01T00:00:00.000+00:00', 'failed', 'x')",
                (name, number),
            )
    for name, said in [("abcdef00", "matches 2 submissions"), ("ffff", "unknown"), ("", "unknown")]:
        assert run(["task", "retry", name, "--dir", str(folder)]) == 2
        assert said in capfd.readouterr().err
    assert run(["task", "retry", str(folder)]) == 2
    assert f"use --dir {folder}" in capfd.readouterr().err
    assert run(["task", "retry", "12345678", "--dir", str(folder)]) == 0
    assert "1 submission" in capfd.readouterr().err
    with closing(sqlite3.connect(TaskFolder(folder).database)) as connection:
        assert connection.execute("SELECT number FROM submissions WHERE state = 'waiting'").fetchall() == [(3,)]


def test_only_the_token_of_an_existing_team_can_be_replaced(tmp_path, capfd):
    folder = make_task(tmp_path / "task")
    assert run(["task", "token", "alpha", "--dir", str(folder)]) == 0
    assert run(["task", "token", "alhpa", "--dir", str(folder), "--replace"]) == 2
    assert "unknown team 'alhpa': did you mean alpha?" in capfd.readouterr().err
    assert run(["task", "token", "beta", "--dir", str(folder), "--replace"]) == 2
    assert "unknown team 'beta': use alpha" in capfd.readouterr().err
    assert run(["task", "status", str(folder)]) == 0
    assert run(["task", "token", "alpha", "--dir", str(folder), "--replace"]) == 0
