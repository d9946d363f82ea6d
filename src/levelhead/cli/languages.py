"""levelhead languages: which treebank is harder for a system?"""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_kinds, check_outputs_of_systems, inputs_of, refused
from levelhead.cli.shared.printing import Printing, print_provenance, printing_options


@command()
@options.gold_argument
@options.systems_argument
@options.measuring_options("LAS and CLAS; with --train also WLAS(WDE)", "WLAS(WDE)")
@options.interval_options
@click.option("--parallel", is_flag=True, help="Pair sentences by sent_id even if the sent_ids are only numbers")
@options.as_runs_option
@options.engine_options
@options.reading_options
@printing_options()
def languages(printing: Printing, **given: Any) -> None:
    """Compare the treebanks of GOLD: which is harder for a system, and what is the role of function words?

    GOLD and SYSTEMS are folders of files with the same names. Every pair of treebanks is compared for each system.
    P-values are corrected for the number of pairs by Holm's method.
    """
    from levelhead.api.comparing import languages as compared

    gold, systems = given["gold"], given["systems"]
    check_outputs_of_systems(gold, systems, given, [printing.output, given["store"]])
    check_kinds(gold, systems)
    with refused("too-few-treebanks", "GOLD must be a folder of at least two treebanks"):
        result = compared(**options.arguments_for(compared, given, inputs_of(systems)))
    print_provenance(result.provenance)
    printing.print(result.table, result.to_dict)
