"""levelhead submit: submit outputs or a system to a shared task."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from levelhead.cli.program import DONE, GATE, say
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths, inputs_of
from levelhead.cli.shared.option_types import PATH, RESULT_FOLDER, Choice
from levelhead.cli.shared.printing import Printing, emit, print_json, printing_options
from levelhead.errors import number_of, printable
from levelhead.tables.table import Column, Table
from levelhead.tables.writers import WRITERS


@command()
@click.argument("address")
@click.argument("archive", type=PATH, required=False)
@click.option(
    "--kind", type=Choice(["outputs", "system"]), default="outputs", show_default=True,
    help="Parsed test sets, or a system with a program `run`",
)  # fmt: skip
@click.option("--label", default="", help="Name of the submission")
@click.option(
    "--token-file", type=PATH,
    help="File with the team's token, - for standard input  [default: the environment variable LEVELHEAD_TOKEN]",
)  # fmt: skip
@click.option("--wait", is_flag=True, help="Wait until the submission is finished; exit with 1 if it failed")
@click.option("--primary", is_flag=True, help="Wait, and make this the primary submission")
@click.option(
    "--inputs", type=RESULT_FOLDER, metavar="FOLDER",
    help="Download the inputs to this folder; ARCHIVE is then optional",
)  # fmt: skip
@printing_options("text", "json", places=False)
def submit(
    address: str,
    archive: str | None,
    kind: str,
    label: str,
    token_file: str | None,
    wait: bool,
    primary: bool,
    inputs: str | None,
    printing: Printing,
) -> int:
    """Submit ARCHIVE, a tar or zip file or a folder, to the shared task at ADDRESS, and print its state and scores."""
    from levelhead.task.client import Client

    if archive is None and inputs is None:
        raise click.UsageError("give ARCHIVE, or --inputs FOLDER")
    read = [*(() if archive is None else inputs_of([archive])), *filter(None, (token_file,))]
    check_paths(read, [printing.output])
    client = Client(address, _token(token_file))
    if inputs is not None:
        names = client.inputs()
        check_paths(read, [printing.output, *(str(Path(inputs, name)) for name in names)])
        client.download(names, Path(inputs))
        say(f"{inputs}: {number_of(len(names), 'input')}")
    if archive is None:
        return DONE
    submission = client.submit(Path(archive), kind, label)
    if wait or primary:
        submission = client.wait(submission["id"])
    if primary and submission["state"] == "finished":
        client.choose(submission["id"])
        submission["primary"] = True
    if printing.output_format == "json":
        print_json(submission, printing.output)
    else:
        emit(_text(submission, address), printing.output)
    return GATE if submission["state"] == "failed" else DONE


def _text(submission: Mapping[str, Any], address: str) -> str:
    """Return the state of a submission as text."""
    from levelhead.task.database import shown_time
    from levelhead.task.submissions import shown_state

    states = [result["state"] for result in submission.get("results", {}).values()]
    state = shown_state(submission["state"], states.count("valid"), len(states))
    label = f", {submission['label']}" if submission["label"] else ""
    primary = ", your primary submission" if submission["primary"] else ""
    lines = [
        f"Submission {submission['number']} ({submission['kind']}{label}): {state}{primary}",
        f"Received {shown_time(submission['received'])}",
        f"{address.rstrip('/')}/submissions/{submission['id']}",
        *([submission["reason"]] if submission["reason"] else []),
    ]
    table = _results(submission["results"], submission.get("averages", {})) if submission.get("results") else ""
    return "".join(f"{printable(line)}\n" for line in lines) + (f"\n{table}" if table else "")


def _results(results: Mapping[str, Any], averages: Mapping[str, Any]) -> str:
    """Return results as a table: the scores and averages that the team may see, and errors of outputs."""
    measures = list(dict.fromkeys(name for result in results.values() for name in result.get("values", {})))
    columns = (Column("Treebank", "text"), Column("State", "text"), *(Column(name) for name in measures))
    rows = tuple(
        (code, result["state"], *(_ratio(result.get("values", {}).get(name)) for name in measures))
        for code, result in results.items()
    )
    notes = tuple(f"{code}: {reason}" for code, result in results.items() for reason in result["reasons"])
    summary = tuple(
        (f"Average ({group})", None, *(_ratio(some.get(name, {}).get("value")) for name in measures))
        for group, some in averages.items()
    )
    return WRITERS["text"](Table(columns, rows, notes, summary=summary), 2)


def _ratio(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _token(path: str | None) -> str:
    """The token; it is not an argument, since other users of the machine could see it."""
    if path is None:
        if "LEVELHEAD_TOKEN" not in os.environ:
            raise click.UsageError("give --token-file, or set LEVELHEAD_TOKEN")
        return os.environ["LEVELHEAD_TOKEN"].strip()
    if path == "-":
        return sys.stdin.readline().strip()
    from levelhead.treebank.input_bytes import read_bytes

    return read_bytes(path).decode("utf-8", "replace").strip()
