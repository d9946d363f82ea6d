"""levelhead explain: why official scorers disagree on two files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import printing_options
from levelhead.cli.shared.reading import check_paths

if TYPE_CHECKING:
    from levelhead.cli.shared.printing import Printing


@command()
@click.argument("gold", type=options.PATH)
@click.argument("system", type=options.PATH)
@printing_options
def explain(gold: str, system: str, printing: Printing) -> int:
    """Show which differences between the rules ud, udtools, conll18 and conll17 change the scores of SYSTEM.

    GOLD and SYSTEM are files; "-" is standard input.
    """
    from levelhead.api.scoring import explain as explained

    check_paths([gold, system], [printing.output])
    explanation = explained(gold, system)
    printing.print(explanation.table, explanation.to_dict)
    return DONE
