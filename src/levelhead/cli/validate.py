"""levelhead validate: errors and warnings of files."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import BAD_INPUT, DONE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.values import Choice
from levelhead.errors import number_of
from levelhead.report.validation import annotation, fault_lines
from levelhead.treebank.checking import CHECKED_RULES
from levelhead.treebank.layouts import files_at
from levelhead.treebank.validation import validate as validate_files

if TYPE_CHECKING:
    from levelhead.treebank.validation import Validation


@command()
@click.argument("files", nargs=-1, required=True, type=options.PATH)
@options.input_format_option
@click.option(
    "--rules", type=Choice(CHECKED_RULES, "rules"), default="ud", show_default=True,
    help="Check CoNLL-U (ud), or files of morphosyntactic parsing (msp25, msp25-sorted)",
)  # fmt: skip
@options.format_option(*options.FORMATS, "github")
@options.output_option
def validate(files: tuple[str, ...], input_format: Any, rules: str, output_format: str, output: str | None) -> int:
    """List all errors and warnings of CoNLL-U FILES, or of all CoNLL-U files in folders.

    Warnings do not make a file invalid. On a terminal, the last line counts errors and warnings. The exit code is 2 if
    any file has an error.
    """
    paths = [file for path in files for file in files_at(path)]
    options.check_paths(paths, [output])
    found = validate_files(*paths, format=input_format, rules=rules)
    if output_format == "text":
        options.emit("".join(map(fault_lines, found.files.values())), output)
    elif output_format == "github":
        options.emit("".join(f"{annotation(fault)}\n" for fault in found.faults), output)
    else:
        options.print_result(
            found.table, found.to_dict, output_format, None, output, lines=lambda: found.to_dict()["faults"]
        )
    _count_on_terminal(found)
    return DONE if found.valid else BAD_INPUT


def _count_on_terminal(found: Validation) -> None:
    if sys.stderr is None or not sys.stderr.isatty():
        return
    counts = Counter(fault.severity for fault in found.faults for _ in range(fault.count))
    errors, warnings = number_of(counts["error"], "error"), number_of(counts["warning"], "warning")
    say(f"{number_of(len(found.files), 'file')}, {errors}, {warnings}")
