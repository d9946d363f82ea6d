"""The documents of shared tasks match their JSON Schemas."""

import json
import tarfile

from json_schema_keys import faults
from levelhead.report import json_schema
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.submissions import accept, claim, finish, new_token, team_of_token
from task.task_server import FREE, make_task, outputs, serving, tar, upload


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
        sent = check("team-submission", printed(run, "submit", server.address, tmp_path / "alpha.tar.gz", "--primary"))
        assert (sent["state"], len(sent["results"])) == ("finished", 8)
        check("task", server.ask("GET", "/task")[1])
        assert check("leaderboard", server.ask("GET", "/leaderboard")[1])["ranking"]["rows"]
        (listed,) = server.ask("GET", "/submissions", alpha)[1]
        check("team-submission", listed)
    assert len(check("submissions", printed(run, "task", "status", path))["submissions"]) == 2
    assert check("ranking", printed(run, "task", "rank", path))["left_out"] == [{"system": "beta", "submission": 1}]
    assert run("task", "close", path, "--force")[0] == 0
    check("ranking", json.loads((TaskFolder(path).final / "ranking.json").read_text()))
    assert run("task", "export", path, "-o", tmp_path / "export.tar.gz")[0] == 0
    with tarfile.open(tmp_path / "export.tar.gz") as archive:
        names = [name for name in archive.getnames() if name.endswith("submission.json")]
        documents = [json.load(archive.extractfile(name)) for name in names]
    made = {check("exported-submission", one)["state"]: one["document"] for one in documents}
    assert (made.keys(), made["failed"]) == ({"finished", "failed"}, None)
    check("submission", made["finished"])
