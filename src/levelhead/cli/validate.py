"""levelhead validate: errors and warnings of files."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

import click

from levelhead.cli.program import BAD_INPUT, DONE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.errors import number_of
from levelhead.report.validation import annotation, fault_lines, faults_document
from levelhead.treebank import faults_of


@command()
@click.argument("files", nargs=-1, required=True, type=options.PATH)
@options.input_format_option
@options.format_option("text", "jsonl", "github")
@options.output_option
def validate(files: tuple[str, ...], input_format: str, output_format: str, output: str | None) -> int:
    """List all errors and warnings of CoNLL-U FILES, or of all CoNLL-U files in folders.

    Warnings do not make a file invalid. On a terminal, the last line counts errors and warnings. The exit code is 2 if
    any file has an error.
    """
    paths = list(_files(files))
    options.check_paths(paths, [output])
    found = {path: faults_of(path, format=input_format) for path in paths}  # type: ignore[arg-type]
    if output_format == "jsonl":
        documents = [document for path, faults in found.items() for document in faults_document(path, faults)]
        options.print_json(documents, output, lines=True)
    elif output_format == "github":
        options.emit("".join(f"{annotation(fault)}\n" for faults in found.values() for fault in faults), output)
    else:
        options.emit("".join(map(fault_lines, found.values())), output)
    counts = Counter(fault.severity for faults in found.values() for fault in faults for _ in range(fault.count))
    if sys.stderr is not None and sys.stderr.isatty():
        errors, warnings = number_of(counts["error"], "error"), number_of(counts["warning"], "warning")
        say(f"{number_of(len(found), 'file')}, {errors}, {warnings}")
    return BAD_INPUT if counts["error"] else DONE


def _files(arguments: Iterable[str]) -> Iterator[str]:
    """Give every file, also those in folders."""
    for path in arguments:
        if os.path.isdir(path):  # noqa: PTH112 -- pathlib is slow to load
            from pathlib import Path

            from levelhead.errors import Fault, InputError, Place
            from levelhead.treebank.layouts import treebanks_in

            found = treebanks_in(Path(path))
            if not found:
                raise InputError(Fault("no-pairs", "the folder has no CoNLL-U file", Place(path)))
            yield from (os.fspath(inside) for inside in found.values())
        else:
            yield path
