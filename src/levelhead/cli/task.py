"""levelhead task: a shared task with hidden gold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelhead.cli.program import DONE, Commands, say
from levelhead.cli.shared import options
from levelhead.cli.shared.result_paths import RESULT, RESULT_FOLDER

if TYPE_CHECKING:
    from levelhead.service.database import Database
    from levelhead.service.description import Task

_DIR = click.argument("folder", metavar="[DIR]", type=click.Path(), default=".")


@click.group(cls=Commands)
def task() -> None:
    """Run a shared task: hidden gold, blind systems, a leaderboard.

    DIR is the folder of the task, this one if it is not given.
    """


@contextmanager
def _opened(folder: str, output: str | None = None) -> Iterator[tuple[Task, Database]]:
    """Open a task that is there, if the output is none of its own files."""
    from levelhead.service.database import Database
    from levelhead.service.description import read_task
    from levelhead.service.folder import Folder

    found = read_task(folder)
    _check_output(found, output)
    Folder(found.folder).check_state()
    Folder(found.folder).prepare()
    with Database(Folder(found.folder).database) as database:
        yield found, database


def _check_output(found: Task, output: str | None) -> None:
    """Refuse to write over what the task is made of: gold, inputs, its description, and what the server keeps."""
    from levelhead.errors import InputError
    from levelhead.service.folder import Folder
    from levelhead.service.scoring import gold_files

    if output is None or output == "-":
        return
    if Folder(found.folder).holds(Path(output)):
        raise click.UsageError("a file that is read cannot be written")
    gold = []
    with suppress(InputError):  # then there is none that could be written over
        gold = gold_files(found)
    options.check_paths(map(str, (found.folder / "task.toml", *found.manifest.definitions, *gold)), [output])


@task.command()
@click.argument("folder", metavar="[DIR]", type=RESULT_FOLDER, default=".")
@click.option("--gold", type=options.PATH, help="A folder of gold treebanks, as `levelhead rank` takes it.")
@click.option("--inputs", type=options.PATH, help="A folder of TREEBANK.conllu files that become inputs too.")
@click.option("--title", default="A shared task", show_default=True, help="The title of the task.")
def init(folder: str, gold: str | None, inputs: str | None, title: str) -> int:
    """Make the folder of a task: task.toml, gold, and its raw text as inputs."""
    from levelhead.service.preparation import init as make

    make(
        Path(folder), None if gold is None else Path(gold), title=title, inputs=None if inputs is None else Path(inputs)
    )
    say(f"{folder}: edit task.toml, then run levelhead task token NAME for each team, and levelhead task serve")
    return DONE


@task.command()
@_DIR
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8018, show_default=True, help="The port; 0 for any.")
def serve(folder: str, host: str, port: int) -> int:
    """Serve the task, and do what is submitted, until interrupted."""
    from levelhead.service.description import read_task

    _with_extra(lambda: read_task(folder), lambda found: _serve(found, host, port))
    return DONE


def _serve(found: Task, host: str, port: int) -> None:
    from levelhead.service.serving import serve as serve_task

    serve_task(found, host=host, port=port)


def _with_extra(read: Callable[[], Task], use: Callable[[Task], None]) -> None:
    """Say which extra is missing, if one is."""
    from levelhead.errors import Fault, InputError
    from levelhead.extras import install_command

    found = read()
    try:
        use(found)
    except ModuleNotFoundError as error:
        message = f"shared tasks need {error.name}: {install_command('server')}"
        raise InputError(Fault("missing-extra", message)) from error


@task.command()
@click.argument("name")
@click.option("--dir", "folder", type=click.Path(), default=".", help="The folder of the task.  [default: this one]")
def token(name: str, folder: str) -> int:
    """Print a token for the team NAME; one that it had before is no longer valid."""
    from levelhead.service.teams import new_token

    with _opened(folder) as (_, database):
        options.emit(f"{new_token(database, name)}\n", None)
    return DONE


@task.command()
@_DIR
@options.format_option("text", "json", "tsv", "markdown")
@options.output_option
def status(folder: str, output_format: str, output: str | None) -> int:
    """Print the state of every submission, and what went wrong."""
    from levelhead.service.standings import submissions_document, submissions_table
    from levelhead.service.submissions import submissions

    with _opened(folder, output) as (_, database):
        found = submissions(database)
    if output_format == "json":
        options.print_json(submissions_document(found), output)
    else:
        table = submissions_table(found, exact=output_format == "tsv")
        options.print_table(table, output_format, None, output)
    return DONE


@task.command()
@click.argument("submission", metavar="[ID]", required=False)
@click.option("--dir", "folder", type=click.Path(), default=".", help="The folder of the task.  [default: this one]")
def retry(submission: str | None, folder: str) -> int:
    """Do again what failed without its team's doing (a full disk, no sandbox): submission ID, or all of them.

    The first characters of an ID are enough.
    """
    from levelhead.errors import number_of
    from levelhead.service.submissions import put_back

    with _opened(folder) as (_, database):
        name = None if submission is None else _whole_id(database, submission)
        say(f"{number_of(put_back(database, name), 'submission')} put back into the queue")
    return DONE


def _whole_id(database: Database, start: str) -> str:
    """Return the id that begins so; `status` shows the first characters."""
    from levelhead.errors import Fault, InputError, quoted
    from levelhead.service.submissions import submissions

    found = [one.id for one in submissions(database) if start and one.id.startswith(start)]
    if len(found) == 1:
        return found[0]
    problem = (
        f"is that of {len(found)} submissions: give more of it" if found else "is unknown: see levelhead task status"
    )
    raise InputError(Fault("invalid-task", f"the submission ID {quoted(start)} {problem}"))


@task.command()
@_DIR
@options.format_option(*options.FORMATS[:2], *options.FORMATS[3:])
@options.places_option
@options.output_option
def rank(folder: str, output_format: str, places: int | None, output: str | None) -> int:
    """Rank the primary submissions of all teams, as they are now and whatever participants see."""
    from levelhead.service.standings import final_results, standings_document, standings_table

    with _opened(folder, output) as (found, database):
        results = final_results(found, database)
        if output_format == "json":
            options.print_json(standings_document(found, database, results), output)
        else:
            options.print_table(standings_table(found, database, results), output_format, places, output)
    return DONE


@task.command()
@_DIR
@click.option(
    "--now", is_flag=True, help="Accept no more submissions from now on, even if the ranking cannot be made yet."
)
@click.option(
    "--force",
    is_flag=True,
    help="Leave out submissions that failed through the organizer's fault; the ranking names them.",
)
def close(folder: str, now: bool, force: bool) -> int:
    """Accept no more submissions, and make the final ranking.

    While submissions wait, or failed through the organizer's fault, there is no ranking, and an open task stays open
    unless --now is given. Run the command again when all are finished. With --force, only those that wait prevent the
    ranking.
    """
    from levelhead.service.closing import close as close_task
    from levelhead.service.standings import left_out_notes, standings_table
    from levelhead.service.submissions import organizer_failures, primary_submissions, why_primary

    with _opened(folder) as (found, database):
        results = close_task(found, database, now=now, force=force)
        for one in primary_submissions(database):
            say(f"{one.team_name}: submission {one.number}, {why_primary(one)}")
        if results is None:
            say("the task is closed; no submission was finished, so there is no ranking")
            for note in left_out_notes(organizer_failures(database)):
                say(note)
        else:
            options.print_table(standings_table(found, database, results), "text", None, None)
    return DONE


@task.command()
@_DIR
@click.option("-o", "--output", type=RESULT, required=True, help="The archive to write, a tar.gz file.")
@click.option("--with-gold", is_flag=True, help="Add the gold treebanks.")
def export(folder: str, output: str, with_gold: bool) -> int:
    """Write an archive for publication: outputs, scores, logs, signatures."""
    from levelhead.service.export import export as export_task

    with _opened(folder, output) as (found, database):
        export_task(found, database, Path(output), gold=with_gold)
    return DONE
