"""levelhead derive: transitions, or words in the order in which they are attached."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.program import say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths
from levelhead.cli.shared.option_types import PATH, Choice
from levelhead.cli.shared.printing import Printing, emit, print_warnings, printing_options

SYSTEMS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")


@command()
@click.argument("treebank", type=PATH)
@click.option(
    "--system", type=Choice(SYSTEMS, "transition system"), default="swap-lazy", show_default=True,
    help="Transition system",
)  # fmt: skip
@click.option(
    "--transitions/--order", "transitions", default=True,
    help="Print transitions, or the words in the order in which they are attached  [default: transitions]",
)  # fmt: skip
@click.option("--labeled", is_flag=True, help="Print the relation with each transition that adds an arc")
@click.option("--lift", is_flag=True, help="Lift non-projective arcs if the transition system needs projective trees")
@options.input_format_option
@printing_options(places=False)
def derive(treebank: str, transitions: bool, labeled: bool, printing: Printing, **given: Any) -> None:
    """Print how a transition system's static oracle builds each tree of TREEBANK, one line per sentence.

    "-" is standard input. The lines of --order can be used to train language models: spaces in words become
    underscores.
    """
    check_paths([treebank], [printing.output])
    from levelhead.api.conversion import derive as derived

    derivations = derived(treebank, **options.arguments_for(derived, given))
    print_warnings(derivations.treebank.warnings)
    if derivations.n_lifted:
        say(f"{derivations.n_lifted} arcs lifted")
    if printing.output_format == "text":
        rows = derivations.transition_names(labeled=labeled) if transitions else derivations.words_as_attached()
        emit("".join(f"{' '.join(row)}\n" for row in rows), printing.output)
    else:
        printing.print(
            lambda: derivations.table(labeled=labeled),
            lambda: derivations.to_dict(labeled=labeled),
            lines=lambda: derivations.to_dict(labeled=labeled)["sentences"],
        )
