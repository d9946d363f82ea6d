"""levelhead train: a parser from a treebank."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from levelhead.cli import options
from levelhead.cli.program import DONE, say

if TYPE_CHECKING:
    from levelhead.parsing import Report
    from levelhead.parsing.training import Relations


@click.command()
@click.argument("parser")
@click.argument("treebank", metavar="TRAIN", type=click.Path())
@click.argument("model", type=click.Path())
@click.option("--dev", type=click.Path(), help="Keep the pass that is best on this treebank, and stop early.")
@click.option(
    "--beam", type=click.IntRange(1, 1024), help="How many hypotheses transition systems keep; 1 is greedy. Default: 4."
)
@click.option(
    "--relations", type=click.Choice(["universal", "full"]), default="universal", show_default=True,
    help="Learn relations without or with their subtypes.",
)  # fmt: skip
@options.seed_option
def train(
    parser: str, treebank: str, model: str, dev: str | None, beam: int | None, relations: Relations, seed: int
) -> int:
    """Train PARSER on the treebank TRAIN, and write it to the file MODEL.

    PARSER is a transition system (arc-eager, arc-standard, swap-eager, swap-lazy) or graph-based: graph, or
    graph-first-order. The same seed gives the same file. Progress goes to standard error.
    """
    options.check_paths([treebank, *([dev] if dev is not None else [])], [model])
    from levelhead.parsing import train as train_parser
    from levelhead.parsing import write_model
    from levelhead.parsing.training import DEFAULT_BEAM, check_parser
    from levelhead.treebank import read

    check_parser(parser)
    trees = read(treebank)
    held_out = read(dev) if dev is not None else None
    options.print_warnings(trees.warnings)
    trained = train_parser(
        trees, parser, dev=held_out, beam=DEFAULT_BEAM if beam is None else beam, seed=seed,
        relations=relations, progress=_progress if sys.stderr is not None and sys.stderr.isatty() else None,
    )  # fmt: skip
    write_model(trained, model)
    return DONE


def _progress(report: Report) -> None:
    scores = f": UAS {100 * report.uas:.2f}, LAS {100 * report.las:.2f}" if report.uas and report.las else ""
    say(f"pass {report.done} of {report.passes}{scores}")
