"""levelhead explain: why official scorers disagree on two files."""

from __future__ import annotations

import click

from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths
from levelhead.cli.shared.option_types import PATH
from levelhead.cli.shared.printing import Printing, printing_options


@command()
@click.argument("gold", type=PATH)
@click.argument("system", type=PATH)
@printing_options()
def explain(gold: str, system: str, printing: Printing) -> None:
    """Show which differences between the rules ud, udtools, conll18 and conll17 change the scores of SYSTEM.

    GOLD and SYSTEM are files; "-" is standard input.
    """
    from levelhead.api.scoring import explain as explained

    check_paths([gold, system], [printing.output])
    explanation = explained(gold, system)
    printing.print(explanation.table, explanation.to_dict)
