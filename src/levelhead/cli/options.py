"""Options that several verbs share, and how they print."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from levelhead.cli.program import OutputClosed, say
from levelhead.errors import Fault, OutputError
from levelhead.report.table import Table
from levelhead.report.writers import WRITERS

FORMATS = ("text", "json", "jsonl", "tsv", "markdown", "latex")

PATH = click.Path(readable=False)
"""A path that is checked where it is opened, so that all errors of files are told alike."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def format_option(*formats: str) -> Decorator:
    """Return the option --format."""
    return click.option(
        "--format", "output_format", type=click.Choice(formats or FORMATS), default="text", show_default=True,
        help="How to print.",
    )  # fmt: skip


rules_option: Decorator = click.option(
    "--rules", type=click.Choice(["ud", "udtools", "conll18", "conll17"]), default="ud", show_default=True,
    help="Whose verdicts and numbers: levelhead's own, or exactly those of an official scorer.",
)  # fmt: skip
measure_option: Decorator = click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="A measure, for example LAS or CLAS.recall; can be repeated. Default: all that the rules' scorer prints.",
)  # fmt: skip
places_option: Decorator = click.option(
    "--places", type=click.IntRange(0, 15), help="Digits after the point. Default: 2; all in TSV. JSON always has all."
)
output_option: Decorator = click.option(
    "--output", "-o", type=PATH, help="Write to this file, whole or not at all, in place of standard output."
)
input_format_option: Decorator = click.option(
    "--input-format", type=click.Choice(["conllu", "conllx"]), default="conllu", show_default=True,
    help="The format of the files.",
)  # fmt: skip


def print_table(table: Table, output_format: str, places: int | None, output: str | None) -> None:
    """Print a finished table."""
    default = None if output_format == "tsv" else 2
    if output_format == "tsv":
        for note in table.notes:
            say(note)
    emit(WRITERS[output_format](table, default if places is None else places), output)


def check_paths(inputs: Iterable[str], output: str | None) -> None:
    """Refuse to read standard input twice, and to write over what is read (also under another name).

    Args:
        inputs: the paths of all files that are read.
        output: where to write.

    Raises:
        click.UsageError: these cannot be read or written.
    """
    paths = list(inputs)
    if paths.count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    if output is not None and any(_same_file(output, path) for path in paths):
        raise click.UsageError("--output names one of the files that are read")


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other) and os.path.isfile(one)  # noqa: PTH113, PTH121
    except (OSError, ValueError):
        return False


def print_json(document: object, output: str | None, *, lines: bool = False) -> None:
    """Print a document as JSON, or a list of documents as JSON lines."""
    import json

    if lines and isinstance(document, list):
        text = "".join(json.dumps(part, ensure_ascii=False) + "\n" for part in document)
    else:
        text = json.dumps(document, ensure_ascii=False, indent=None if lines else 2) + "\n"
    # what a terminal would obey or hide is escaped, which changes nothing for whoever reads the JSON
    emit(re.sub(r"[^\n -~]", lambda m: m[0] if m[0].isprintable() else json.dumps(m[0])[1:-1], text), output)


def emit(text: str, output: str | None) -> None:
    """Write text as UTF-8 to a file, whole or not at all, or to standard output."""
    data = text.encode("utf-8", "backslashreplace")
    if output is None or output == "-":
        if sys.stdout is None:
            raise OutputError("standard output is closed", "output")
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            raise OutputClosed from error
    else:
        from levelhead.treebank.write import replace_file

        replace_file(output, [data])


def print_warnings(faults: Iterable[Fault]) -> None:
    """Print warnings on standard error."""
    for fault in faults:
        say(f"warning: {fault}")
