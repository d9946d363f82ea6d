"""levelhead train: a parser from a treebank."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli import options
from levelhead.cli.parser_options import recipe_of, training_options
from levelhead.cli.program import DONE, say

if TYPE_CHECKING:
    from levelhead.parsing import Report


@click.command()
@click.argument("parser")
@click.argument("treebank", metavar="TRAIN", type=click.Path())
@click.argument("model", type=click.Path())
@click.option("--dev", type=click.Path(), help="Keep the pass that is best on this treebank, and stop early.")
@click.option("--jar", type=click.Path(), help="malt: the file of MaltParser.")
@training_options
def train(parser: str, treebank: str, model: str, dev: str | None, **chosen: Any) -> int:
    """Train PARSER on the treebank TRAIN, and write it to the file MODEL.

    PARSER is a transition system (arc-eager, arc-standard, swap-eager, swap-lazy), graph-based (graph,
    graph-first-order), or a program of others: udpipe, malt (with --jar), command (with --train-cmd). The same seed
    gives the same file, but for programs of others. Progress goes to standard error.
    """
    options.check_paths([treebank, *([dev] if dev is not None else [])], [model])
    recipe = recipe_of(parser, chosen)
    from levelhead.parsing import OUTSIDE_PARSERS, train_any, write_model
    from levelhead.treebank import read

    if dev is not None and parser in OUTSIDE_PARSERS:
        raise click.UsageError("--dev is for our own parsers")
    trees = read(treebank)
    held_out = read(dev) if dev is not None else None
    options.print_warnings(trees.warnings)
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    write_model(train_any(trees, recipe, dev=held_out, progress=_progress if on_terminal else None), model)
    return DONE


def _progress(report: Report) -> None:
    scores = f": UAS {100 * report.uas:.2f}, LAS {100 * report.las:.2f}" if report.uas and report.las else ""
    say(f"pass {report.done} of {report.passes}{scores}")
