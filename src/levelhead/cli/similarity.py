"""levelhead similarity: similarity of treebanks."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_result, print_warnings
from levelhead.cli.shared.reading import treebank_files
from levelhead.typology import collection
from levelhead.typology import profile_tables as report

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
    files = treebank_files(treebanks, [output], merge=merge)
    if len(files) < 2:
        raise click.UsageError("similarity requires at least two treebanks")
    similarities = collection.similarities(files, format=cast("Format", input_format))
    print_warnings(similarities.provenance.warnings)
    print_result(
        similarities.table, similarities.to_dict, output_format, places, output,
        lines=lambda: report.row_documents(similarities.to_dict()),
    )  # fmt: skip
