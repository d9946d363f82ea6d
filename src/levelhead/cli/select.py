"""levelhead select: select comparable treebanks."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_result, print_warnings
from levelhead.cli.shared.reading import treebank_files
from levelhead.cli.shared.values import Choice, FiniteRange, limited
from levelhead.typology import Criteria, collection
from levelhead.typology import profile_tables as report

if TYPE_CHECKING:
    from levelhead.treebank.reader import Format


@command()
@click.argument("treebanks", nargs=-1, required=True, type=options.PATH)
@click.option(
    "--min-tokens", type=limited("min-tokens"), default=30_000, show_default=True,
    help="Select treebanks with at least this many tokens",
)  # fmt: skip
@click.option(
    "--max-nonprojective", type=FiniteRange(0), default=25.0, show_default=True, metavar="PERCENT",
    help="Select treebanks with a smaller share of non-projective trees",
)  # fmt: skip
@click.option(
    "--nonprojective", type=Choice(["callin", "true"]), default="callin", show_default=True,
    help="Count non-projective trees as Callin's program does, or by the definition",
)  # fmt: skip
@click.option("--any-features", is_flag=True, help="Also select treebanks without morphological features")
@click.option(
    "--several-per-language", is_flag=True, help="Select several treebanks per language, not only the largest"
)
@options.input_format_option
@options.format_option()
@options.output_option
def select(
    treebanks: tuple[str, ...],
    min_tokens: int,
    max_nonprojective: float,
    nonprojective: str,
    any_features: bool,
    several_per_language: bool,
    input_format: str,
    output_format: str,
    output: str | None,
) -> None:
    """Select the TREEBANKS that can be compared by Callin's criteria, and list all reasons for excluding the others.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. The train, dev and test file of a treebank
    count as one treebank. "-" is standard input.
    """
    files = treebank_files(treebanks, [output], merge=True)
    criteria = Criteria(
        not any_features, min_tokens, max_nonprojective / 100, nonprojective == "callin", not several_per_language
    )
    selection = collection.select_treebanks(files, criteria, format=cast("Format", input_format))
    print_warnings(selection.provenance.warnings)
    print_result(
        selection.table, selection.to_dict, output_format, None, output,
        lines=lambda: report.row_documents(selection.to_dict()),
    )  # fmt: skip
