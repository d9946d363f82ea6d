"""levelhead confusion: which relations are confused."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_kinds, check_outputs_of_systems
from levelhead.cli.shared.option_types import PATH
from levelhead.cli.shared.printing import Printing, print_provenance, printing_options


@command()
@options.gold_argument
@click.argument("system", type=PATH)
@options.split_option
@options.reading_options
@printing_options()
def confusion(printing: Printing, **given: Any) -> None:
    """Show which gold relations SYSTEM confuses with which, most frequent errors first.

    GOLD and SYSTEM are files or folders, as in levelhead score. To draw the sentences, use levelhead trees --show.
    """
    from levelhead.api.breakdowns import confusion as confused

    gold, system = given["gold"], given["system"]
    check_outputs_of_systems(gold, [system], given, [printing.output])
    check_kinds(gold, [system])
    confusions = confused(**options.arguments_for(confused, given))
    print_provenance(confusions.provenance)
    printing.print(confusions.table, confusions.to_dict)
