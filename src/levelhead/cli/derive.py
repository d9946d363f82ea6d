"""levelhead derive: transitions, or words in the order in which they are attached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE, say
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import emit, print_json, print_table, print_warnings
from levelhead.cli.shared.reading import check_paths
from levelhead.cli.shared.values import Choice

if TYPE_CHECKING:
    from levelhead.derivation import Derivations

SYSTEMS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")


@command()
@click.argument("treebank", type=options.PATH)
@click.option(
    "--system",
    type=Choice(SYSTEMS, "transition system"),
    default="swap-lazy",
    show_default=True,
    help="Transition system",
)
@click.option(
    "--transitions/--order", "transitions", default=True,
    help="Print transitions, or the words in the order in which they are attached  [default: transitions]",
)  # fmt: skip
@click.option("--labeled", is_flag=True, help="Print the relation with each transition that adds an arc")
@click.option("--lift", is_flag=True, help="Lift non-projective arcs if the transition system needs projective trees")
@options.input_format_option
@options.format_option()
@options.output_option
def derive(
    treebank: str,
    system: str,
    transitions: bool,
    labeled: bool,
    lift: bool,
    input_format: Any,
    output_format: str,
    output: str | None,
) -> int:
    """Print how a transition system's static oracle builds each tree of TREEBANK, one line per sentence.

    "-" is standard input. The lines of --order can be used to train language models: spaces in words become
    underscores.
    """
    check_paths([treebank], [output])
    from levelhead.api.conversion import derive as derived

    derivations = derived(treebank, system, lift=lift, format=input_format)
    print_warnings(derivations.treebank.warnings)
    if derivations.n_lifted:
        say(f"{derivations.n_lifted} arcs lifted")
    _print(derivations, output_format, output, transitions=transitions, labeled=labeled)
    return DONE


def _print(
    derivations: Derivations, output_format: str, output: str | None, *, transitions: bool, labeled: bool
) -> None:
    if output_format == "json":
        print_json(derivations.to_dict(labeled=labeled), output)
    elif output_format == "jsonl":
        print_json(derivations.to_dict(labeled=labeled)["sentences"], output, lines=True)
    elif output_format != "text":
        print_table(derivations.table(labeled=labeled), output_format, None, output)
    else:
        rows = derivations.transition_names(labeled=labeled) if transitions else derivations.words_as_attached()
        emit("".join(f"{' '.join(row)}\n" for row in rows), output)
