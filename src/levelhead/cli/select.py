"""levelhead select: select comparable treebanks."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_result, print_warnings
from levelhead.cli.shared.reading import treebank_files
from levelhead.cli.shared.values import Choice, FiniteRange, limited


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
    nonprojective: Any,
    any_features: bool,
    several_per_language: bool,
    input_format: Any,
    output_format: str,
    output: str | None,
) -> None:
    """Select the TREEBANKS that can be compared by Callin's criteria, and list all reasons for excluding the others.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. The train, dev and test file of a treebank
    count as one treebank. "-" is standard input.
    """
    from levelhead.api.treebanks import select as selected

    treebank_files(treebanks, [output], merge=True)
    selection = selected(
        *treebanks, min_tokens=min_tokens, max_nonprojective=max_nonprojective, nonprojective=nonprojective,
        any_features=any_features, several_per_language=several_per_language, format=input_format,
    )  # fmt: skip
    print_warnings(selection.provenance.warnings)
    print_result(
        selection.table, selection.to_dict, output_format, None, output,
        lines=selection.documents,
    )  # fmt: skip
