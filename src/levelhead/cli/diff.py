"""levelhead diff: changes between two versions of a treebank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import PageRequest, Printing, emit, page_options, print_provenance, printing_options
from levelhead.cli.shared.reading import check_paths, inputs_of
from levelhead.cli.shared.result_paths import RESULT
from levelhead.cli.shared.values import Choice, limited

if TYPE_CHECKING:
    from levelhead.comparison.change_tables import Rows


@command()
@click.argument("old", type=options.PATH)
@click.argument("new", type=options.PATH)
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
@printing_options
def diff(
    old: str,
    new: str,
    by: Rows | None,
    limit: int | None,
    changelog: str | None,
    page: PageRequest,
    rules: str,
    input_format: Any,
    printing: Printing,
) -> int:
    """List the changes from OLD to NEW, two versions of a treebank or two outputs.

    Sentences can be added, removed, re-tokenized or re-annotated, and their text can change. Changes of annotation are
    grouped by column and pattern, such as `obl -> obj`. Sentences are paired by sent_id, otherwise by text. OLD and NEW
    can also be folders, such as two releases of a treebank: files are paired by name.
    """
    from levelhead.api.comparing import diff as diff_of

    check_paths(inputs_of([old, new]), [printing.output, changelog, *page.outputs()])
    changes = diff_of(old, new, rules=rules, format=input_format)
    print_provenance(changes.provenance)
    if changelog is not None:
        emit(changes.changelog(limit), changelog)
    if printing.output_format == "text" and by is None:
        emit(changes.text(limit), printing.output)
    else:
        printing.print(lambda: changes.table(by=by or "pattern", most=limit), lambda: changes.to_dict(most=limit))
    page.write_result(changes)
    return DONE
