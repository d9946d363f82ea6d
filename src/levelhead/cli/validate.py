"""levelhead validate: every fault of files."""

from __future__ import annotations

import click

from levelhead.cli import options
from levelhead.cli.program import BAD_INPUT, DONE
from levelhead.report.faults import annotation, fault_lines, faults_document
from levelhead.treebank import faults_of


@click.command()
@click.argument("files", nargs=-1, required=True, type=options.PATH)
@options.input_format_option
@options.format_option("text", "jsonl", "github")
@options.output_option
def validate(files: tuple[str, ...], input_format: str, output_format: str, output: str | None) -> int:
    """List every fault of CoNLL-U FILES, with line and kind; warnings too, which make no file invalid.

    Exit code 2 if any file has an error.
    """
    options.check_paths(files, [output])
    found = {path: faults_of(path, format=input_format) for path in files}  # type: ignore[arg-type]
    if output_format == "jsonl":
        documents = [document for path, faults in found.items() for document in faults_document(path, faults)]
        options.print_json(documents, output, lines=True)
    elif output_format == "github":
        options.emit("".join(f"{annotation(fault)}\n" for faults in found.values() for fault in faults), output)
    else:
        options.emit("".join(map(fault_lines, found.values())), output)
    return BAD_INPUT if any(fault.severity == "error" for faults in found.values() for fault in faults) else DONE
