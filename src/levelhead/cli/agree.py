"""levelhead agree: two annotations of the same text as equals."""

from __future__ import annotations

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import Printing, print_provenance, printing_options
from levelhead.cli.shared.reading import Reading, reading_options


@command()
@click.argument("first", type=options.PATH)
@click.argument("second", type=options.PATH)
@reading_options
@printing_options
def agree(first: str, second: str, reading: Reading, printing: Printing) -> int:
    """Measure how far two annotations of the same text agree: symmetric F1, kappa, sentences that differ."""
    from levelhead.comparison.agreement import agreement
    from levelhead.evaluation.pair import load_pair
    from levelhead.scoring.matches import match

    options.check_paths([first, second], [printing.output])
    if any(map(options.holds_test_sets, (first, second))):
        raise click.UsageError("agree takes two files, not folders")
    setup = reading.setup()
    found = agreement(match(*load_pair(first, second, setup), setup.rules))
    print_provenance(found.evaluation.provenance)
    printing.print(found.table, found.to_dict)
    return DONE
