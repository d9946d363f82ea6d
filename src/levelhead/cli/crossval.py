"""levelhead crossval: parse a treebank by cross-validation."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths, refuse_compressed
from levelhead.cli.shared.option_types import PATH, limited
from levelhead.cli.shared.printing import emit, print_warnings


@command()
@click.argument("parser")
@click.argument("treebank", type=PATH)
@click.option("--folds", type=limited("folds"), default=10, show_default=True, help="Number of folds")
@options.training_options
@options.parsing_options
@options.worker_options()
@options.store_option("parsed folds", " (not for the parser command)")
@options.output_option
def crossval(parser: str, treebank: str, output: str | None, **given: Any) -> None:
    """Parse all of TREEBANK, each fold with a PARSER trained on the other folds (cross-validation, jackknifing).

    The folds are blocks of consecutive sentences. The output is TREEBANK with predicted trees, in the same order, so
    that it can be scored against TREEBANK; DEPS becomes `_`. PARSER is as in `levelhead train`; options of other
    parsers have no effect.
    """
    arguments = options.parser_arguments(parser, given)
    refuse_compressed("the output is", output)
    check_paths(filter(None, [treebank, given["jar"]]), [output, given["store"]])
    if parser == "command" and given["store"] is not None:
        raise click.UsageError(
            "--store cannot be used with command: levelhead cannot detect whether its program has changed"
        )
    from levelhead.api.parsers import crossval as cross_validated
    from levelhead.treebank import to_conllu

    arguments |= options.arguments_for(cross_validated, given)
    parsed = cross_validated(treebank, jobs=given["workers"].for_training(treebank), **arguments)
    print_warnings(parsed.warnings)
    emit(to_conllu(parsed).decode(), output)
