"""levelhead crossval: parse a treebank by cross-validation."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import WorkerOptions, worker_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.parser import repair_option, running_options, training_arguments, training_options
from levelhead.cli.shared.printing import emit, print_warnings
from levelhead.cli.shared.reading import check_paths
from levelhead.cli.shared.result_paths import STORE, refuse_compressed
from levelhead.cli.shared.values import limited


@command()
@click.argument("parser")
@click.argument("treebank", type=options.PATH)
@click.option("--folds", type=limited("folds"), default=10, show_default=True, help="Number of folds")
@training_options
@running_options
@repair_option
@worker_options()
@click.option(
    "--store",
    type=STORE,
    help="Keep parsed folds in this file, and resume from it in the next run (not for the parser command)",
)
@options.output_option
def crossval(
    parser: str,
    treebank: str,
    folds: int,
    repair: bool,
    workers: WorkerOptions,
    store: str | None,
    output: str | None,
    **chosen: Any,
) -> int:
    """Parse all of TREEBANK, each fold with a PARSER trained on the other folds (cross-validation, jackknifing).

    The folds are blocks of consecutive sentences. The output is TREEBANK with predicted trees, in the same order, so
    that it can be scored against TREEBANK; DEPS becomes `_`. PARSER is as in `levelhead train`; options of other
    parsers have no effect.
    """
    arguments = training_arguments(parser, chosen)
    refuse_compressed("the output is", output)
    check_paths(filter(None, [treebank, chosen["jar"]]), [output, store])
    if parser == "command" and store is not None:
        raise click.UsageError(
            "--store cannot be used with command: levelhead cannot detect whether its program has changed"
        )
    from levelhead.api.parsers import crossval as cross_validated
    from levelhead.treebank import to_conllu

    jobs = workers.for_training(treebank)
    parsed = cross_validated(treebank, folds=folds, repair=repair, jobs=jobs, store=store, **arguments)
    print_warnings(parsed.warnings)
    emit(to_conllu(parsed).decode(), output)
    return DONE
