"""levelhead validate: list errors and warnings of files."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import BAD_INPUT, DONE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import emit, print_result
from levelhead.cli.shared.reading import check_paths
from levelhead.cli.shared.result_paths import RESULT_OR_FOLDER, refuse_compressed
from levelhead.cli.shared.values import Choice
from levelhead.errors import number_of
from levelhead.treebank.layouts import files_at
from levelhead.treebank.validation import CHECKED_RULES, annotation, validation_text
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
@click.option(
    "--fix", "copies", type=RESULT_OR_FOLDER, metavar="COPY",
    help="Write a repaired copy, list the changes, and check the copy. Only unambiguous repairs are made (white"
    " space, blank lines, empty columns). For several files, COPY is a folder",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Fail if there are warnings, too: the exit code is then 2")
@options.format_option(*options.FORMATS, "github")
@options.output_option
def validate(
    files: tuple[str, ...],
    input_format: Any,
    rules: str,
    copies: str | None,
    strict: bool,
    output_format: str,
    output: str | None,
) -> int:
    """List all errors and warnings of CoNLL-U FILES, or of all CoNLL-U files in folders or a manifest's gold.

    Text shows one line for all warnings of a kind; other formats list each with its line. Warnings do not make a file
    invalid. On a terminal, the last line counts errors and warnings. The exit code is 2 if any file has an error; with
    --fix, if any copy has.
    """
    if any(path.endswith(".toml") for path in files):
        from levelhead.campaign.find import listed_gold

        files = tuple(file for path in files for file in (listed_gold(path) if path.endswith(".toml") else [path]))
    paths = [file for path in files for file in files_at(path)]
    _refuse_copies(copies, rules)
    check_paths([*paths, *(path for path in files if path not in paths)], [output, copies])
    validation = validate_files(*files, format=input_format, rules=rules, fix=copies)
    if output_format == "text":
        emit(validation_text(validation), output)
    elif output_format == "github":
        emit("".join(f"{annotation(fault)}\n" for fault in validation.faults), output)
    else:
        print_result(
            validation.table,
            validation.to_dict,
            output_format,
            None,
            output,
            lines=lambda: _lines(validation.to_dict()),
        )
    _count_on_terminal(validation)
    return BAD_INPUT if not validation.valid or (strict and validation.faults) else DONE


def _refuse_copies(path: str | None, rules: str) -> None:
    if path is not None and rules != "ud":
        raise click.UsageError(f"--fix repairs CoNLL-U: it cannot be combined with --rules {rules}")
    if path == "-":
        raise click.UsageError("--fix requires a file or folder: errors and warnings go to standard output")
    refuse_compressed("the copy is", path)


def _count_on_terminal(validation: Validation) -> None:
    if sys.stderr is None or not sys.stderr.isatty():
        return
    counts = Counter(fault.severity for fault in validation.faults for _ in range(fault.count))
    errors, warnings = number_of(counts["error"], "error"), number_of(counts["warning"], "warning")
    say(f"{number_of(len(validation.files), 'file')}, {errors}, {warnings}")


def _lines(document: dict[str, Any]) -> list[Any]:
    return [*document.get("changes", ()), *document["faults"]]
