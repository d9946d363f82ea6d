"""levelhead derive: transitions, or words in the order in which they are attached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from levelhead.cli.program import DONE, say
from levelhead.cli.shared import options
from levelhead.treebank import read

if TYPE_CHECKING:
    from levelhead.derivation import Derivations

SYSTEMS = ("arc-eager", "arc-standard", "swap-eager", "swap-lazy")


@click.command()
@click.argument("treebank", type=click.Path())
@click.option(
    "--system", type=click.Choice(SYSTEMS), default="swap-lazy", show_default=True, help="The transition system."
)
@click.option("--transitions", is_flag=True, help="Print transitions; the default.")
@click.option("--order", is_flag=True, help="Print the words as they are attached.")
@click.option("--labelled", is_flag=True, help="Print relations with the transitions that add arcs.")
@click.option("--lift", is_flag=True, help="Lift non-projective arcs where the system derives projective trees only.")
@options.input_format_option
@options.format_option("text", "json", "jsonl")
@options.output_option
def derive(
    treebank: str,
    system: str,
    transitions: bool,
    order: bool,
    labelled: bool,
    lift: bool,
    input_format: str,
    output_format: str,
    output: str | None,
) -> int:
    """Derive every tree of TREEBANK by a transition system's static oracle, a line for each sentence.

    "-" is standard input. With --order, the lines are what language models are estimated from: spaces inside words
    are underscores.
    """
    options.check_paths([treebank], [output])
    if order and transitions:
        raise click.UsageError("give one of --transitions and --order")
    if labelled and order:
        raise click.UsageError("--labelled goes with --transitions")
    from levelhead.derivation import SYSTEMS as BY_NAME
    from levelhead.derivation import derive as derive_treebank

    trees = read(treebank, format=input_format)  # type: ignore[arg-type]
    options.print_warnings(trees.warnings)
    derivations = derive_treebank(trees, BY_NAME[system], lift=lift)
    if derivations.n_lifted:
        say(f"{derivations.n_lifted} arcs lifted")
    _print(derivations, output_format, output, order=order, labelled=labelled)
    return DONE


def _print(derivations: Derivations, output_format: str, output: str | None, *, order: bool, labelled: bool) -> None:
    from levelhead.report import derivation as report

    if output_format == "json":
        options.print_json(report.derivations_document(derivations, labelled=labelled), output)
    elif output_format == "jsonl":
        options.print_json(report.derivation_documents(derivations, labelled=labelled), output, lines=True)
    elif order:
        options.emit(report.order_lines(derivations), output)
    else:
        options.emit(report.transition_lines(derivations, labelled=labelled), output)
