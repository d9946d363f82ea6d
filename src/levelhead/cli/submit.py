"""levelhead submit: hand in outputs or a system to a shared task."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from levelhead.cli import options
from levelhead.cli.program import DONE, GATE, say


@click.command()
@click.argument("address")
@click.argument("archive", type=options.PATH, required=False)
@click.option(
    "--kind", type=click.Choice(["outputs", "system"]), default="outputs", show_default=True,
    help="Parsed test sets, or a system with a program `run`.",
)  # fmt: skip
@click.option("--label", default="", help="What to call the submission.")
@click.option(
    "--token-file", type=options.PATH,
    help="A file with the team's token; - is standard input.  [default: the variable LEVELHEAD_TOKEN]",
)  # fmt: skip
@click.option("--wait", is_flag=True, help="Wait until it is finished; exit with 1 if it failed.")
@click.option("--primary", is_flag=True, help="Wait, and make it the primary submission.")
@click.option("--inputs", type=options.PATH, metavar="FOLDER", help="Download the inputs; nothing need be submitted.")
@options.output_option
def submit(
    address: str,
    archive: str | None,
    kind: str,
    label: str,
    token_file: str | None,
    wait: bool,
    primary: bool,
    inputs: str | None,
    output: str | None,
) -> int:
    """Hand in ARCHIVE, a tar or zip file or a folder, to the shared task at ADDRESS; print how it stands, as JSON."""
    from levelhead.service.client import Client

    if archive is None and inputs is None:
        raise click.UsageError("give ARCHIVE, or --inputs FOLDER")
    client = Client(address, _token(token_file))
    if inputs is not None:
        say(f"{inputs}: {len(client.download(Path(inputs)))} inputs")
    if archive is None:
        return DONE
    found = client.submit(Path(archive), kind, label)
    if wait or primary:
        found = client.wait(found["id"])
    if primary and found["state"] == "finished":
        client.choose(found["id"])
        found["primary"] = True
    return _print(found, output)


def _print(found: dict[str, Any], output: str | None) -> int:
    options.print_json(found, output)
    return GATE if found["state"] == "failed" else DONE


def _token(path: str | None) -> str:
    """The token: never an argument, which others on the machine could see."""
    if path is None:
        if "LEVELHEAD_TOKEN" not in os.environ:
            raise click.UsageError("give --token-file, or set LEVELHEAD_TOKEN")
        return os.environ["LEVELHEAD_TOKEN"].strip()
    if path == "-":
        return sys.stdin.readline().strip()
    from levelhead.treebank.source import read_bytes

    return read_bytes(path).decode("utf-8", "replace").strip()
