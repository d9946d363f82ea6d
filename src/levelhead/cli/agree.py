"""levelhead agree: agreement between annotations of the same text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.grouped import grouped
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import PageRequest, Printing, emit, page_options, print_provenance, printing_options
from levelhead.cli.shared.reading import Reading, check_paths, holds_test_sets
from levelhead.cli.shared.values import Choice

if TYPE_CHECKING:
    from levelhead.comparison.agreement import Rows

_first_format = click.option(
    "--gold-format", type=Choice(["conllu", "conllx"], "format"),
    help="Format of the first file, if different. If only the first file is CoNLL-U, its multiword tokens are split",
)  # fmt: skip


@command()
@click.argument("files", nargs=-1, required=True, type=options.PATH, metavar="FIRST SECOND...")
@click.option(
    "--by", type=Choice(["label", "measure", "pattern"]),
    help="Rows of the table: kinds of labels with coefficients, measures with F1, or patterns of disagreement "
    " [default: all three as text, otherwise label]",
)  # fmt: skip
@options.resample_by_option
@options.level_option
@page_options()
@grouped("reading", Reading, (options.rules_option, options.input_format_option, _first_format))
@printing_options
def agree(
    files: tuple[str, ...],
    by: Rows | None,
    resample_by: str,
    level: float,
    page: PageRequest,
    reading: Reading,
    printing: Printing,
) -> int:
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
    formats: dict[str, Any] = {"format": reading.input_format, "gold_format": reading.gold_format}
    agreement = agree_on(*files, rules=reading.rules, resample_by=resample_by, level=level, **formats)
    print_provenance(agreement.provenance)
    if printing.output_format == "text" and by is None:
        emit(f"{agreement}\n", printing.output)
    else:
        printing.print(lambda: agreement.table(by=by or "label"), agreement.to_dict)
    page.write_result(agreement)
    return DONE
