"""Shared tasks with hidden gold: levelhead task and submit."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE, GATE, Commands, refuse_if, say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import Command, cluster_of, command
from levelhead.cli.shared.inputs import InputPath, check_paths, inputs_of
from levelhead.cli.shared.printing import emit, print_json, print_result
from levelhead.errors import Fault, InputError, number_of, printable, quoted
from levelhead.tables.table import Column, Table
from levelhead.tables.writers import WRITERS

if TYPE_CHECKING:
    from levelhead.jobs import Workers
    from levelhead.task.database import Database
    from levelhead.task.description import SharedTask

_FOLDER = InputPath(Path, checked=False)
_DIR = click.argument("folder", metavar="[DIR]", type=options.UNCHECKED, default=".")
_DIR_OPTION = click.option(
    "--dir", "folder", type=options.UNCHECKED, default=".", help="Task folder  [default: the current folder]"
)


@click.group(cls=Commands)
def task() -> None:
    """Run a shared task with hidden gold, sandboxed systems and a leaderboard.

    DIR is the task folder (default: the current folder).
    """


task.command_class = Command


@contextmanager
def _opened(folder: str, output: str | None = None) -> Iterator[tuple[SharedTask, Database]]:
    """Open a task, and refuse to overwrite its files: gold, inputs, its description, and the server's database."""
    from levelhead.task.database import Database
    from levelhead.task.description import gold_of_task, read_task

    shared_task = read_task(folder)
    files = shared_task.folder
    if output is not None and output != "-":
        if files.holds(Path(output)):
            raise click.UsageError(f"{printable(output)} belongs to the task: write the output to another file")
        kept = [files.description, *shared_task.manifest.definitions]
        with suppress(InputError):  # then no gold can be overwritten
            kept += gold_of_task(shared_task).values()
        check_paths(map(str, kept), [output])
    files.check_state()
    files.prepare()
    with Database(files.database) as database:
        yield shared_task, database


@task.command(short_help="Create a task folder")
@click.argument("folder", metavar="[DIR]", type=options.RESULT_FOLDER, default=".")
@click.option(
    "--gold", type=_FOLDER, help="Copy gold from this folder, which can have any layout that `levelhead rank` reads"
)
@click.option("--inputs", type=_FOLDER, help="Add this folder's TREEBANK.conllu files to the inputs")
@click.option("--title", default="A shared task", show_default=True, help="Title of the task")
def init(folder: str, gold: Path | None, inputs: Path | None, title: str) -> None:
    """Create a task folder with task.toml, the gold treebanks, and their raw text as inputs."""
    from levelhead.task.folders import create_task

    create_task(Path(folder), gold, title=title, inputs=inputs)
    say(f"{folder}: edit task.toml, then run levelhead task token NAME for each team, and levelhead task serve")


@task.command(short_help="Start the web server, and run and score submissions")
@_DIR
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen on this address")
@click.option(
    "--port", type=options.WholeNumber(0, 65535), default=8018, show_default=True,
    help="Listen on this port; 0 picks a free one",
)  # fmt: skip
@click.option(
    "-j",
    "--jobs",
    type=options.WHOLE["jobs"],
    help="Number of processes  [default: 1, or one per core with --cluster]",
)
@options.cluster_options
def serve(folder: str, host: str, port: int, **given: Any) -> None:
    """Start the web server, and run and score submissions until interrupted.

    Each submission is scored in a separate process, which uses --jobs processes or the cluster.
    """
    from levelhead.extras import require
    from levelhead.jobs import n_cores
    from levelhead.task.description import read_task
    from levelhead.task.scoring import ScoringWorkers

    address, tls = cluster_of(given)
    shared_task = read_task(folder)
    for library in ("starlette", "uvicorn", "jinja2"):
        require(library, "shared tasks")
    from levelhead.task.app import serve_task

    # by default a single process scores, since submitted systems run on the same machine
    jobs = given["jobs"] or (1 if address is None else n_cores())
    serve_task(shared_task, host=host, port=port, workers=ScoringWorkers(jobs, address, tls))


@task.command(short_help="Print a new token for a team")
@click.argument("name")
@_DIR_OPTION
@click.option("--replace", is_flag=True, help="Replace and invalidate the old token of an existing team")
def token(name: str, folder: str, *, replace: bool) -> None:
    """Print team NAME and its new token, separated by a tab."""
    from levelhead.task.submissions import new_token

    with _opened(folder) as (_, database):
        emit(f"{name}\t{new_token(database, name, replace=replace)}\n", None)


@task.command(short_help="List all submissions with their state")
@_DIR
@options.printing_options("text", "json", "jsonl", "tsv", "markdown", places=False)
def status(folder: str, **given: Any) -> None:
    """List all submissions with their state and errors."""
    from levelhead.task.documents import Submissions
    from levelhead.task.submissions import submissions

    with _opened(folder, given["output"]) as (_, database):
        listed = Submissions(tuple(submissions(database)))
    print_result(given, listed)


@task.command(short_help="Retry submissions that failed through no fault of the team")
@click.argument("submission", metavar="[ID]", required=False)
@_DIR_OPTION
def retry(submission: str | None, folder: str) -> None:
    """Retry submission ID, or all submissions that failed through no fault of the team (a full disk, no sandbox).

    The first characters of an ID are enough.
    """
    from levelhead.task.submissions import put_back, submissions

    if submission is not None and Path(submission, "task.toml").is_file():
        raise click.UsageError(f"{submission} is the folder of a task, not a submission ID: use --dir {submission}")
    with _opened(folder) as (_, database):
        if submission is not None:
            ids = [other.id for other in submissions(database) if submission and other.id.startswith(submission)]
            if len(ids) != 1:
                several = f"the submission ID {quoted(submission)} matches {len(ids)} submissions: give more characters"
                none = f"unknown submission ID {quoted(submission)}: see levelhead task status"
                raise InputError(Fault("invalid-task", several if ids else none))
            (submission,) = ids
        say(f"{number_of(put_back(database, submission), 'submission')} put back into the queue")


@task.command(short_help="Rank the current primary submissions of all teams")
@_DIR
@options.worker_options
@options.result_options
def rank(folder: str, **given: Any) -> None:
    """Rank the current primary submissions of all teams, even if participants cannot see the ranking yet."""
    from levelhead.task.standings import final_ranking, final_results

    with _opened(folder, given["output"]) as (settings, database):
        database.check()
        results = final_results(settings, database, _workers(given, settings, database))
        ranked = final_ranking(settings, database, results)
    print_result(given, ranked)


def _workers(given: Mapping[str, Any], shared_task: SharedTask, database: Database) -> Workers:
    from levelhead.task.standings import primary_outputs

    folders = primary_outputs(shared_task, database).values()
    return options.workers_for(given, [path for folder in folders for path in folder.glob("*")])


@task.command(short_help="Close the task and compute the final ranking")
@_DIR
@click.option("--now", is_flag=True, help="Immediately stop accepting submissions, without waiting for the ranking")
@click.option(
    "--force", is_flag=True,
    help="Leave out submissions that failed through the organizer's fault; a note names them",
)  # fmt: skip
@options.worker_options
def close(folder: str, now: bool, force: bool, **given: Any) -> None:
    """Close the task and compute the final ranking.

    While submissions are waiting, or have failed through the organizer's fault, no ranking is computed, and the
    task stays open without --now. Run the command again when all are finished.
    """
    from levelhead.campaign.ranking_tables import left_out_notes
    from levelhead.task.standings import close_task, left_out_of
    from levelhead.task.submissions import primary_submissions, shown_state, why_primary

    with _opened(folder) as (shared_task, database):
        database.check()
        ranked = close_task(shared_task, database, now=now, force=force, workers=_workers(given, shared_task, database))
        for submission in primary_submissions(database):
            state = shown_state(submission.state, submission.valid, submission.outputs)
            say(f"{submission.team_name}: submission {submission.number} ({state}), {why_primary(submission)}")
        if ranked is None:
            say("the task is closed, without a ranking: no submission was finished")
            for note in left_out_notes(left_out_of(database)):
                say(note)
        else:
            print_result({"output_format": "text"}, ranked)


@task.command(short_help="Write an archive for publication")
@_DIR
@click.option("-o", "--output", type=options.RESULT, required=True, help="Write the archive to this tar.gz file")
@click.option("--with-gold", is_flag=True, help="Include gold in the archive")
def export(folder: str, output: str, with_gold: bool) -> None:
    """Write an archive for publication: outputs, scores, logs, signatures."""
    from levelhead.task.folders import export_task

    with _opened(folder, output) as (shared_task, database):
        database.check()
        export_task(shared_task, database, Path(output), gold=with_gold)


@command()
@click.argument("address")
@click.argument("archive", type=options.PATH, required=False)
@click.option(
    "--kind", type=options.Choice(["outputs", "system"]), default="outputs", show_default=True,
    help="What ARCHIVE contains: parsed test sets (`outputs`), or an executable named `run` (`system`)",
)  # fmt: skip
@click.option("--label", default="", help="Name of the submission")
@click.option(
    "--token-file", type=options.PATH,
    help="File with the team's token (- for standard input)  [default: token in the environment variable"
    " LEVELHEAD_TOKEN]",
)  # fmt: skip
@click.option("--wait", is_flag=True, help="Wait until the submission is finished; exit with code 1 if it failed")
@click.option(
    "--primary", is_flag=True,
    help="Wait until the submission is finished, then make it the team's primary submission, which is ranked",
)  # fmt: skip
@click.option(
    "--inputs", type=options.RESULT_FOLDER, metavar="FOLDER",
    help="Download the task's inputs to this folder (ARCHIVE can be left out)",
)  # fmt: skip
@options.printing_options("text", "json", places=False)
def submit(address: str, archive: str | None, token_file: str | None, inputs: str | None, **given: Any) -> int:
    """Submit ARCHIVE (a tar or zip file, or a folder) to the shared task at ADDRESS, and print its state and scores."""
    from levelhead.task.client import Client

    refuse_if(archive is None and inputs is None, "give ARCHIVE, or --inputs FOLDER")
    client = Client(address, _token(token_file))
    if inputs is not None:
        names = client.inputs()
        read = inputs_of(filter(None, [archive, token_file]))
        check_paths(read, [given["output"], *(str(Path(inputs, name)) for name in names)])
        client.download(names, Path(inputs))
        say(f"{inputs}: {number_of(len(names), 'input')}")
    if archive is None:
        return DONE
    submission = client.submit(Path(archive), given["kind"], given["label"])
    if given["wait"] or given["primary"]:
        submission = client.wait(submission["id"])
    if given["primary"] and submission["state"] == "finished":
        client.choose(submission["id"])
        submission["primary"] = True
    if given["output_format"] == "json":
        print_json(submission, given["output"])
    else:
        emit(_text(submission, address), given["output"])
    return GATE if submission["state"] == "failed" else DONE


def _text(submission: Mapping[str, Any], address: str) -> str:
    """Return the state of a submission, and the scores and averages that the team may see with errors of outputs."""
    from levelhead.task.database import shown_time
    from levelhead.task.submissions import shown_state

    state = shown_state(submission["state"], submission["n_valid"], submission["n_outputs"])
    kind = ", ".join(filter(None, (submission["kind"], submission["label"])))
    lines = [
        f"Submission {submission['number']} ({kind}): {state}{', your primary submission' * submission['primary']}",
        f"Received {shown_time(submission['received'])}",
        f"{address.rstrip('/')}/submissions/{submission['id']}",
        *([submission["reason"]] if submission["reason"] else []),
    ]
    text = "".join(f"{printable(line)}\n" for line in lines)
    if not submission["outputs"]:
        return text
    scores = {(row["treebank"], row["measure"]): row["value"] for row in submission["scores"]}
    means = {(row["group"], row["measure"]): row["value"] for row in submission["averages"]}
    measures, groups = (dict.fromkeys(key[i] for key in some) for some, i in ((scores, 1), (means, 0)))
    columns = (Column("Treebank", "text"), Column("State", "text"), *(Column(name, "percent") for name in measures))
    rows = tuple(
        (row["treebank"], row["state"], *(scores.get((row["treebank"], name)) for name in measures))
        for row in submission["outputs"]
    )
    notes = tuple(f"{row['treebank']}: {row['reason']}" for row in submission["reasons"])
    summary = tuple((f"Average ({group})", None, *(means.get((group, name)) for name in measures)) for group in groups)
    return f"{text}\n{WRITERS['text'](Table(columns, rows, notes, summary=summary), 2)}"


def _token(path: str | None) -> str:
    """The token; it is not an argument, since other users of the machine could see it."""
    if path is None:
        refuse_if("LEVELHEAD_TOKEN" not in os.environ, "give --token-file, or set LEVELHEAD_TOKEN")
        return os.environ["LEVELHEAD_TOKEN"].strip()
    if path == "-":
        return sys.stdin.readline().strip()
    from levelhead.treebank.input_bytes import read_bytes

    return read_bytes(path).decode("utf-8", "replace").strip()
