"""levelhead select: select comparable treebanks."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import treebank_files
from levelhead.cli.shared.option_types import PATH, Choice, FiniteRange, limited
from levelhead.cli.shared.printing import Printing, print_warnings, printing_options


@command()
@click.argument("treebanks", nargs=-1, required=True, type=PATH)
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
@printing_options(places=False)
def select(treebanks: tuple[str, ...], printing: Printing, **given: Any) -> None:
    """Select the TREEBANKS that can be compared by Callin's criteria, and list all reasons for excluding the others.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. The train, dev and test file of a treebank
    count as one treebank. "-" is standard input.
    """
    from levelhead.api.treebanks import select as selected

    treebank_files(treebanks, [printing.output], merge=True)
    selection = selected(*treebanks, **options.arguments_for(selected, given))
    print_warnings(selection.provenance.warnings)
    printing.print(selection.table, selection.to_dict, lines=selection.documents)
