"""The documents of shared tasks match their JSON Schemas."""

import json
import re
import shutil
import tarfile

from json_schema_keys import faults
from levelhead.api.results import json_schema, load
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.scoring import score_submission
from levelhead.task.submissions import accept, claim, finish, new_token, team_of_token
from result_rows import rows_in
from task.task_server import EXAMPLES, FREE, make_task, outputs, serving, tar, task_of, upload


def test_the_export_has_no_formulas(tmp_path, run):
    """Spreadsheets run texts that start with =, +, - or @."""
    path = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    with Database(TaskFolder(path).database) as database:
        name = "=1+1"
        team = team_of_token(database, new_token(database, name))
        found = accept(database, TaskFolder(path), team, upload(TaskFolder(path)), FREE)
        claim(database, "outputs")
        document = score_submission(task_of(path), EXAMPLES / "systems" / "alpha", tmp_path / "result.json")
        shutil.copytree(EXAMPLES / "systems" / "alpha", TaskFolder(path).runs / "x" / "output")
        finish(database, found.id, run="x", document=document)
    assert run("task", "close", path)[0] == 0
    assert run("task", "export", path, "-o", tmp_path / "export.tar.gz")[0] == 0
    with tarfile.open(tmp_path / "export.tar.gz") as archive:
        for table in ("final/ranking.tsv", "final/results.tsv", "audit.tsv"):
            cells = re.split("[\t\n]", archive.extractfile(table).read().decode())
            assert "'=1+1" in cells
            assert not [cell for cell in cells if re.match(r"[=+@]", cell)]
    assert "\t=1+1\t" in run("task", "rank", path, "--format", "tsv")[1]


def printed(run, *arguments):
    code, text, error = run(*arguments, "--format", "json")
    assert code == 0, error
    return json.loads(text)


def check(name, document):
    assert faults(json_schema(name), document) == []
    return document


def failed_submission(database, folder, team):
    """Submit something that fails through the organizer's fault."""
    name = accept(database, folder, team, upload(folder), FREE).id
    claim(database, "outputs")
    finish(database, name, reason="it could not be scored", log="the disk is full")


def test_documents_of_a_task_are_as_their_schemas_say(tmp_path, run, monkeypatch):
    path = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    (tmp_path / "alpha.tar.gz").write_bytes(tar(outputs("alpha")))
    with Database(TaskFolder(path).database) as database:
        alpha, beta = (new_token(database, name) for name in ("alpha", "beta"))
        failed_submission(database, TaskFolder(path), team_of_token(database, beta))
    monkeypatch.setenv("LEVELHEAD_TOKEN", alpha)
    with serving(path) as server:
        sent = check("submission", printed(run, "submit", server.address, tmp_path / "alpha.tar.gz", "--primary"))
        assert (sent["state"], len(sent["outputs"]), len(sent["scores"])) == ("finished", 8, 32)
        check("task", server.ask("GET", "/task")[1])
        assert check("leaderboard", board := server.ask("GET", "/leaderboard")[1])["tables"]["standings"]
        assert load(board).to_dict() == board
        (listed,) = server.ask("GET", "/submissions", alpha)[1]
        assert check("submission", listed)["averages"]
    status = check("submissions", printed(run, "task", "status", path))
    assert [row["log"] for row in rows_in(status, "submissions")] == ["the disk is full", None]
    assert load(status).to_dict() == status
    ranked = check("rank", printed(run, "task", "rank", path))
    assert rows_in(ranked, "left_out") == [{"system": "beta", "submission": 1}]
    assert run("task", "close", path, "--force")[0] == 0
    check("rank", json.loads((TaskFolder(path).final / "ranking.json").read_text()))
    assert run("task", "export", path, "-o", tmp_path / "export.tar.gz")[0] == 0
    with tarfile.open(tmp_path / "export.tar.gz") as archive:
        names = [name for name in archive.getnames() if name.endswith("submission.json")]
        documents = [json.load(archive.extractfile(name)) for name in names]
    made = {check("submission", one)["state"]: one for one in documents}
    assert made.keys() == {"finished", "failed"}
    assert (made["failed"]["scores"], made["failed"]["signature"]) == ([], {})
    assert made["finished"]["signature"]["rules"] == "ud"
    assert {row["measure"] for row in made["finished"]["scores"]} == {"LAS", "MLAS", "BLEX", "CLAS"}
