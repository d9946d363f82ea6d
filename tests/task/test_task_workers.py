"""Scoring of a shared task by one process, several, or a cluster, with the same results."""

import json
import shutil
import subprocess

import pytest

from levelhead.cli.program import run
from levelhead.jobs import Tls
from levelhead.task import scoring
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.scoring import ScoringFailed, ScoringWorkers, run_child, score_submission
from levelhead.task.submissions import accept, new_token, team_of_token
from result_rows import rows_in
from task.task_server import (
    EXAMPLES,
    FREE,
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

OUTPUTS_ONLY = {"title": "t", "kinds": ["outputs"]}
CODES = ("ar", "en", "tr")


def small_task(folder):
    """Create a task with three test sets."""
    (folder / "gold").mkdir()
    for code in CODES:
        shutil.copy(EXAMPLES / "gold" / f"{code}.conllu", folder / "gold")
    return make_task(folder / "task", folder / "gold", task=OUTPUTS_ONLY)


def handed_in(folder):
    """Accept the outputs of two teams, one of them with an invalid file."""
    files = TaskFolder(folder)
    with Database(files.database) as database:
        for name in ("alpha", "gamma"):
            team = team_of_token(database, new_token(database, name))
            accept(
                database,
                files,
                team,
                upload(files, tar({f"{code}.conllu": outputs(name)[f"{code}.conllu"] for code in CODES})),
                FREE,
            )
    return files


@pytest.mark.parametrize(
    "workers",
    [
        ScoringWorkers(),
        ScoringWorkers(3),
        ScoringWorkers(2, "local"),
        ScoringWorkers(1, "tls://host:1", Tls("a b", "c", "d")),
    ],
)
def test_workers_are_passed_on_as_text(workers):
    assert ScoringWorkers.from_text(str(workers)) == workers


@pytest.mark.cluster
@pytest.mark.usefixtures("two_workers")
def test_the_scorer_writes_the_same_result_with_any_workers(tmp_path, scheduler):
    task = task_of(small_task(tmp_path))
    task.folder.prepare()
    found = []
    for workers in (ScoringWorkers(), ScoringWorkers(2), ScoringWorkers(1, scheduler)):
        task.folder.scores.unlink(missing_ok=True)  # otherwise nothing is left to count
        document = score_submission(task, EXAMPLES / "systems" / "gamma", tmp_path / "result", workers)
        found.append((tmp_path / "result").read_bytes())
    assert found == found[:1] * 3
    assert {result["state"] for result in document["results"].values()} == {"valid", "invalid"}


def test_the_scorer_uses_the_workers_that_it_is_given(tmp_path, monkeypatch):
    monkeypatch.setattr(scoring, "run_child", run_child)
    task = task_of(small_task(tmp_path))
    task.folder.prepare()
    with pytest.raises(ScoringFailed, match=r"8\.8\.8\.8 is a public address"):
        score_submission(task, EXAMPLES / "systems" / "gamma", tmp_path / "r", ScoringWorkers(1, "tcp://8.8.8.8:1"))


@pytest.mark.slow
@pytest.mark.cluster
def test_a_server_scores_with_workers(tmp_path):
    folder = small_task(tmp_path)
    alpha = token(folder, "alpha")
    found = []
    for given in ([], ["--cluster", "local", "--jobs", "1"]):
        TaskFolder(folder).scores.unlink(missing_ok=True)
        with serving(folder, options=given) as server:
            _, submission = server.submit(alpha, tar(outputs("gamma")))
            done = server.wait(alpha, submission["id"])
            found.append((done["outputs"], done["scores"], done["averages"]))
    assert found[0] == found[1]
    assert {"treebank": "en", "state": "valid"} in found[0][0]


@pytest.mark.cluster
@pytest.mark.usefixtures("two_workers")
def test_rank_and_close_count_with_workers(tmp_path, capfd, scheduler):
    folder = small_task(tmp_path)
    files = handed_in(folder)
    drain(task_of(folder))
    printed, final = [], []
    for of_rank, of_close in (([], []), (["--cluster", scheduler], ["--jobs", "2"])):
        files.scores.unlink()
        assert run(["task", "rank", str(folder), "--format", "json", *of_rank]) == 0
        files.scores.unlink()
        assert run(["task", "close", str(folder), *of_close]) == 0
        printed.append(capfd.readouterr().out)
        final.append({path.name: path.read_bytes() for path in files.final.iterdir()})
    assert printed[0] == printed[1]
    assert final[0] == final[1]
    ranking = json.loads(final[0]["ranking.json"])
    assert [row["system"] for row in rows_in(ranking, "standings", measure="LAS")] == ["alpha", "gamma"]


@pytest.mark.parametrize("command", ["serve", "rank", "close"])
def test_an_address_that_cannot_be_used_is_refused_at_once(tmp_path, capfd, command):
    folder = small_task(tmp_path)
    assert run(["task", command, str(folder), "--cluster", "tcp://8.8.8.8:1"]) == 2
    assert "8.8.8.8 is a public address" in capfd.readouterr().err


def test_serving_with_a_cluster_needs_dask(tmp_path, capfd, monkeypatch):
    """The error comes when the server starts, not when the first submission is scored."""
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    folder = small_task(tmp_path)
    assert run(["task", "serve", str(folder), "--cluster", "local"]) == 2
    assert "pip install 'levelhead[cluster]'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (subprocess.TimeoutExpired("x", 600), "scoring took more than 600 seconds"),
        (subprocess.CompletedProcess("x", 3), "scoring needed more than 8000 MB of memory"),
    ],
    ids=["time", "memory"],
)
def test_an_output_that_exceeds_the_limits_of_scoring_is_to_blame(tmp_path, monkeypatch, end, reason):
    """The others are scored as without it, and the final ranking does not score it again."""
    task = task_of(small_task(tmp_path))
    asked = []

    def limited(command, seconds):
        asked.append((command[-1], seconds))
        if (tmp_path / "outputs" / "en.conllu").exists() and command[-1] in {"", "en"}:
            if isinstance(end, Exception):
                raise end
            return end
        return scored_here(command, seconds)

    sent = tmp_path / "sent"
    sent.mkdir()
    for code in CODES:
        shutil.copy(EXAMPLES / "systems" / "alpha" / f"{code}.conllu", sent)
    whole = score_submission(task, sent, tmp_path / "whole")["results"]
    shutil.copytree(sent, tmp_path / "outputs")
    monkeypatch.setattr(scoring, "run_child", limited)
    found = score_submission(task, tmp_path / "outputs", tmp_path / "result")["results"]
    assert (found["en"]["state"], found["en"]["reasons"], set(found["en"]["values"].values())) == (
        "missing",
        [reason],
        {"0"},
    )
    assert {code: one for code, one in found.items() if code != "en"} == {c: o for c, o in whole.items() if c != "en"}
    codes = sorted(whole)
    assert asked == [("", 600), *((code, 600) for code in codes), ("", 600 * len(codes))]
    assert not (tmp_path / "outputs" / "en.conllu").exists()
