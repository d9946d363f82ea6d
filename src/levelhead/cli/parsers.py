"""Parsers: levelhead train, parse and crossval."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import refuse_if, say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.printing import emit, print_warnings
from levelhead.progress import Advance, progress_bar

if TYPE_CHECKING:
    from levelhead.parsing import Report


@command()
@click.argument("parser")
@click.argument("treebank", metavar="TRAIN", type=options.PATH)
@click.argument("model", type=options.RESULT)
@setting("--dev", type=options.PATH)
@setting("--with-dev", is_flag=True)
@options.jar_option
@options.training_options
def train(parser: str, treebank: str, model: str, dev: str | None, with_dev: bool, **given: Any) -> None:
    """Train PARSER on the treebank TRAIN, and write it to the file MODEL.

    PARSER is a transition system (arc-eager, arc-standard, swap-eager, swap-lazy), a graph-based parser (graph,
    graph-first-order), a combination (ensemble, the most accurate), a baseline (baseline-left, baseline-right,
    baseline-random, baseline-random-projective), or an external program: udpipe, malt (with --jar), command (with
    --train-cmd). Options for other parsers are ignored. The same seed gives the same file, except for external
    programs.
    """
    refuse_if(with_dev and dev is None, "--with-dev requires --dev")
    given |= options.parser_arguments(parser, given)
    from levelhead.parsing import training_warnings, write_model
    from levelhead.treebank import read

    trees = read(treebank)
    held_out = read(dev) if dev is not None else None
    for learned, part in ((True, trees), (with_dev, held_out)):
        if part is not None:
            print_warnings((*part.warnings, *(training_warnings(part, parser) if learned else ())))
    with progress_of_passes() as tell:
        given |= {"dev": held_out, "with_dev": with_dev, "progress": tell}
        write_model(options.call(given, trees), model)


@contextmanager
def progress_of_passes() -> Iterator[Callable[[Report], None] | None]:
    """Show a bar with the time left, and above it a line for each pass, if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        advance: Advance | None = None
        shown = 0

        def tell(report: Report) -> None:
            nonlocal advance, shown
            advance = advance or stack.enter_context(progress_bar("training", report.passes, report.passes))
            passes, shown = report.done - shown, report.done  # early stopping leaves passes out
            advance(passes, passes)
            scores = ""
            if report.uas is not None and report.las is not None:  # there is a development treebank
                scores = f": UAS {100 * report.uas:.2f}, LAS {100 * report.las:.2f}"
            say(f"pass {report.done} of {report.passes}{scores}")

        yield tell


@command()
@click.argument("model", type=options.PATH)
@click.argument("words", metavar="INPUT", type=options.PATH)
@options.parsing_options
@options.treebank_output_option
def parse(model: str, words: str, jar: str | None, parse_cmd: str | None, repair: bool, output: str | None) -> None:
    """Parse INPUT with a model that `levelhead train` wrote.

    INPUT is CoNLL-U, compressed or not; "-" is standard input. Its heads and relations are ignored and may be missing.
    The output is INPUT with predicted HEAD and DEPREL. DEPS becomes `_`, since enhanced graphs are not parsed; empty
    nodes are unchanged. For external parsers, give --jar or --parse-cmd again. Warnings report words without UPOS
    (for models trained on tags) and sentences that are too long for the usual search: above 500 words, graph-based
    parsers and ensembles split sentences; above 5,000 (fewer with a beam wider than 40), other parsers use no beam.
    """
    from levelhead.api.parsers import parse as parsed_by
    from levelhead.parsing import ExternalSettings, read_model, read_words
    from levelhead.treebank import to_conllu

    parser = read_model(model)
    unparsed = read_words(words)
    parsed = parsed_by(parser, unparsed, external=ExternalSettings(jar=jar, parse_command=parse_cmd), repair=repair)
    print_warnings(parsed.warnings[len(unparsed.warnings) :])
    emit(to_conllu(parsed).decode(), output)


@command()
@click.argument("parser")
@click.argument("treebank", type=options.PATH)
@setting("--folds", type=options.WHOLE["folds"])
@options.training_options
@options.parsing_options
@options.worker_options
@options.store_option
@options.treebank_output_option
def crossval(parser: str, treebank: str, output: str | None, **given: Any) -> None:
    """Parse all of TREEBANK, each fold with a PARSER trained on the other folds (cross-validation, jackknifing).

    The output is TREEBANK with predicted trees, in the same order, so that it can be scored against TREEBANK; DEPS
    becomes `_`. PARSER is as in `levelhead train`; options for other parsers are ignored.
    """
    given |= options.parser_arguments(parser, given)
    if parser == "command" and given["store"] is not None:
        raise click.UsageError(
            "--store cannot be used with command: levelhead cannot detect whether its program has changed"
        )
    from levelhead.treebank import to_conllu

    given["jobs"] = options.workers_for_training(given, treebank)
    parsed = options.call(given, treebank)
    print_warnings(parsed.warnings)
    emit(to_conllu(parsed).decode(), output)
