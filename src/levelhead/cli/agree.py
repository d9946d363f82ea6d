"""levelhead agree: two annotations of the same text as equals."""

from __future__ import annotations

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.grouped import grouped
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import Printing, print_provenance, printing_options
from levelhead.cli.shared.reading import Reading
from levelhead.cli.shared.values import Choice

_first_format = click.option(
    "--gold-format", type=Choice(["conllu", "conllx"], "format"),
    help="Format of FIRST, if it differs. If only FIRST is CoNLL-U, its multiword tokens are split",
)  # fmt: skip


@command()
@click.argument("first", type=options.PATH)
@click.argument("second", type=options.PATH)
@grouped("reading", Reading, (options.rules_option, options.input_format_option, _first_format))
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
