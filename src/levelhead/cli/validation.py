"""levelhead validate: list errors and warnings of files."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.program import BAD_INPUT, DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import check_paths, refuse_compressed
from levelhead.cli.shared.printing import below_verdict, emit, emit_folded, limit_of, print_result
from levelhead.treebank.layouts.gold import files_at
from levelhead.treebank.validation import CHECKED_RULES, annotation, validation_text


@command()
@click.argument("files", nargs=-1, required=True, type=options.PATH)
@options.input_format_option
@setting("--rules", type=options.Choice(CHECKED_RULES, "rules"))
@setting("--fix", type=options.ResultPath("file or folder"), metavar="COPY")
@click.option("--strict", is_flag=True, help="Fail if there are warnings, too: the exit code is then 2")
@options.quiet_option
@options.limit_option
@options.printing_options(*options.FORMATS, "github", places=False)
def validate(files: tuple[str, ...], rules: str | None, fix: str | None, strict: bool, **given: Any) -> int:
    """List all errors and warnings of CoNLL-U FILES, or of all CoNLL-U files in folders or a manifest's gold.

    Text shows one line for all warnings of a kind; other formats list each with its line. Warnings do not make a file
    invalid. The exit code is 2 if any file has an error; with --fix, if any copy has.
    """
    from levelhead.api.validation import gold_of_manifests

    golds = gold_of_manifests(files)
    paths = [file for path in golds for file in files_at(path)]
    if fix is not None and rules not in {None, "ud"}:
        raise click.UsageError(f"--fix repairs CoNLL-U: it cannot be combined with --rules {rules}")
    if fix == "-":
        raise click.UsageError("--fix requires a file or folder: errors and warnings go to standard output")
    refuse_compressed(fix)
    check_paths([*paths, *(path for path in golds if path not in paths)], [given["output"], fix])
    validation = options.call(given | {"rules": rules, "fix": fix}, *files)
    if given["output_format"] == "text":
        text = validation_text(validation, limit_of(given))
        emit_folded(below_verdict(given, validation, text), given["output"])
    elif given["output_format"] == "github":
        emit("".join(f"{annotation(fault)}\n" for fault in validation.faults[: limit_of(given)]), given["output"])
    else:
        print_result(given, validation)
    return BAD_INPUT if not validation.valid or (strict and validation.faults) else DONE
