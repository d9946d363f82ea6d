"""levelhead similarity: similarity of treebanks."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import refused, treebank_files
from levelhead.cli.shared.option_types import PATH
from levelhead.cli.shared.printing import Printing, print_warnings, printing_options


@command()
@click.argument("treebanks", nargs=-1, required=True, type=PATH)
@options.merge_option
@options.input_format_option
@printing_options()
def similarity(treebanks: tuple[str, ...], printing: Printing, **given: Any) -> None:
    """Measure how similar each pair of TREEBANKS is.

    TREEBANKS are CoNLL-U files, compressed or not, or folders of them. "-" is standard input. For each pair A, B the
    table shows KLcpos3 in both directions, the Jensen-Shannon divergence of relations, and the distance of dependency
    displacements; 0 means identical.
    """
    from levelhead.api.treebanks import similarity as similarities_of

    treebank_files(treebanks, [printing.output], merge=given["merge"])
    with refused("too-few-treebanks", "similarity requires at least two treebanks"):
        similarities = similarities_of(*treebanks, **given)
    print_warnings(similarities.provenance.warnings)
    printing.print(similarities.table, similarities.to_dict, lines=similarities.documents)
