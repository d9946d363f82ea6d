"""levelhead agree: agreement between annotations of the same text."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths, holds_test_sets
from levelhead.cli.shared.option_types import PATH, Choice
from levelhead.cli.shared.printing import PageRequest, Printing, emit, page_options, print_provenance, printing_options


@command()
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FIRST SECOND...")
@click.option(
    "--by", type=Choice(["label", "measure", "pattern"]),
    help="Rows of the table: kinds of labels with coefficients, measures with F1, or patterns of disagreement "
    " [default: all three as text, otherwise label]",
)  # fmt: skip
@options.interval_options
@page_options()
@options.rules_option
@options.input_format_option
@click.option(
    "--gold-format", type=Choice(["conllu", "conllx"], "format"),
    help="Format of the first file, if different. If only the first file is CoNLL-U, its multiword tokens are split",
)  # fmt: skip
@printing_options()
def agree(files: tuple[str, ...], page: PageRequest, printing: Printing, **given: Any) -> None:
    """Measure the agreement between annotations of the same text. None of them counts as gold.

    F1 is the same in both directions. For heads, relations, tags and each feature, Cohen's kappa, Fleiss' kappa and
    Krippendorff's alpha correct for chance and have confidence intervals. Disagreements are grouped by pattern.
    """
    from levelhead.api.comparing import agree as agree_on

    if len(files) < 2:
        raise click.UsageError("agree requires at least two files")
    check_paths(files, [printing.output, *page.outputs()])
    if any(map(holds_test_sets, files)):
        raise click.UsageError("agree takes files, not folders")
    agreement = agree_on(*files, **options.arguments_for(agree_on, given))
    print_provenance(agreement.provenance)
    if printing.output_format == "text" and given["by"] is None:
        emit(f"{agreement}\n", printing.output)
    else:
        printing.print(lambda: agreement.table(by=given["by"] or "label"), agreement.to_dict)
    page.write(agreement)
