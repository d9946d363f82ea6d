"""levelhead train: train a parser on a treebank."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths
from levelhead.cli.shared.option_types import PATH, RESULT
from levelhead.cli.shared.printing import print_warnings

if TYPE_CHECKING:
    from levelhead.parsing import Report
    from levelhead.progress import Advance


@command()
@click.argument("parser")
@click.argument("treebank", metavar="TRAIN", type=PATH)
@click.argument("model", type=RESULT)
@click.option("--dev", type=PATH, help="Treebank for early stopping: keep the pass with the best LAS")
@click.option(
    "--with-dev",
    is_flag=True,
    help="After early stopping, train again on both treebanks for as many passes (requires --dev)",
)
@options.jar_option
@options.training_options
def train(parser: str, treebank: str, model: str, dev: str | None, with_dev: bool, **given: Any) -> None:
    """Train PARSER on the treebank TRAIN, and write it to the file MODEL.

    PARSER is a transition system (arc-eager, arc-standard, swap-eager, swap-lazy), a graph-based parser (graph,
    graph-first-order), both together (ensemble, the most accurate), a baseline (baseline-left, baseline-right,
    baseline-random, baseline-random-projective), or an external program: udpipe, malt (with --jar), command (with
    --train-cmd). Options of other parsers have no effect. Parsers learn HEAD and DEPREL, but not DEPS: `levelhead
    parse` writes `_` there. The same seed gives the same file, except for external programs. Warnings report training
    words without UPOS, since parsers learn mostly from tags, and sentences that are too long to learn from.
    """
    if with_dev and dev is None:
        raise click.UsageError("--with-dev requires --dev")
    arguments = options.parser_arguments(parser, given)
    check_paths(filter(None, [treebank, dev, given["jar"]]), [model])
    from levelhead.api.parsers import train as trained
    from levelhead.parsing import training_warnings, write_model
    from levelhead.treebank import read

    trees = read(treebank)
    held_out = read(dev) if dev is not None else None
    for learned, part in ((True, trees), (with_dev, held_out)):
        if part is not None:
            print_warnings((*part.warnings, *(training_warnings(part, parser) if learned else ())))
    arguments |= options.arguments_for(trained, given)
    with progress_of_passes() as tell:
        write_model(trained(trees, dev=held_out, with_dev=with_dev, progress=tell, **arguments), model)


@contextmanager
def progress_of_passes() -> Iterator[Callable[[Report], None] | None]:
    """Show a bar with the time left, and above it a line for each pass, if standard error is a terminal.

    The bar starts after the first pass, since the time left is estimated from pass to pass.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from levelhead.progress import progress_bar

    with ExitStack() as stack:
        bars: list[Advance] = []
        shown = 0

        def tell(report: Report) -> None:
            nonlocal shown
            if not bars:
                bars.append(stack.enter_context(progress_bar("training", report.passes, report.passes)))
            passes, shown = report.done - shown, report.done  # early stopping leaves passes out
            bars[0](passes, passes)
            say(f"pass {report.done} of {report.passes}{_scores(report)}")

        yield tell


def _scores(report: Report) -> str:
    """The scores on the development treebank, if there is one."""
    if report.uas is None or report.las is None:
        return ""
    return f": UAS {100 * report.uas:.2f}, LAS {100 * report.las:.2f}"
