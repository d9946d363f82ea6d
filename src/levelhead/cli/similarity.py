"""levelhead similarity: similarity of treebanks."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_result, print_warnings
from levelhead.cli.shared.reading import refused, treebank_files

if TYPE_CHECKING:
    from levelhead.treebank.reader import Format


@command()
@click.argument("treebanks", nargs=-1, required=True, type=options.PATH)
@options.merge_option
@options.input_format_option
@options.format_option()
@options.places_option
@options.output_option
def similarity(
    treebanks: tuple[str, ...],
    merge: bool,
    input_format: str,
    output_format: str,
    places: int | None,
    output: str | None,
) -> None:
    """Measure how similar each pair of TREEBANKS is.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. "-" is standard input. For each pair A, B the
    table shows KLcpos3 in both directions, the Jensen-Shannon divergence of relations, and the distance of dependency
    displacements; 0 means identical.
    """
    from levelhead.api.treebanks import similarity as similarities_of

    treebank_files(treebanks, [output], merge=merge)
    with refused("too-few-treebanks", "similarity requires at least two treebanks"):
        similarities = similarities_of(*treebanks, merge=merge, format=cast("Format", input_format))
    print_warnings(similarities.provenance.warnings)
    print_result(
        similarities.table, similarities.to_dict, output_format, places, output,
        lines=similarities.documents,
    )  # fmt: skip
