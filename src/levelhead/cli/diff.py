"""levelhead diff: changes between two versions of a treebank."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths, inputs_of
from levelhead.cli.shared.option_types import PATH, RESULT, Choice, limited
from levelhead.cli.shared.printing import PageRequest, Printing, emit, page_options, print_provenance, printing_options


@command()
@click.argument("old", type=PATH)
@click.argument("new", type=PATH)
@click.option(
    "--by", type=Choice(["pattern", "sentence", "file"]),
    help="Rows of the table: patterns of changes, changed sentences, or files  [default: a summary and the most"
    " frequent patterns as text, otherwise pattern]",
)  # fmt: skip
@click.option(
    "--limit", type=limited("limit"), metavar="N",
    help="List at most N patterns (in a changelog: for each column) or sentences  [default: 10 patterns in the summary"
    " and the changelog, otherwise all]",
)  # fmt: skip
@click.option("--changelog", type=RESULT, metavar="MARKDOWN", help="Also write a draft changelog to this Markdown file")
@page_options()
@options.rules_option
@options.input_format_option
@printing_options()
def diff(limit: int | None, changelog: str | None, page: PageRequest, printing: Printing, **given: Any) -> None:
    """List the changes from OLD to NEW, two versions of a treebank or two outputs.

    Sentences can be added, removed, re-tokenized or re-annotated, and their text can change. Changes of annotation are
    grouped by column and pattern, such as `obl -> obj`. Sentences are paired by sent_id, otherwise by text. OLD and NEW
    can also be folders, such as two releases of a treebank: files are paired by name.
    """
    from levelhead.api.comparing import diff as diff_of

    check_paths(inputs_of([given["old"], given["new"]]), [printing.output, changelog, *page.outputs()])
    changes = diff_of(**options.arguments_for(diff_of, given))
    print_provenance(changes.provenance)
    if changelog is not None:
        emit(changes.changelog(limit), changelog)
    if printing.output_format == "text" and given["by"] is None:
        emit(changes.text(limit), printing.output)
    else:
        rows: Any = given["by"] or "pattern"
        printing.print(lambda: changes.table(by=rows, most=limit), lambda: changes.to_dict(most=limit))
    page.write(changes)
