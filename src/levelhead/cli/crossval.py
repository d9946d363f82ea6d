"""levelhead crossval: a treebank parsed by models that have not seen what they parse."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli import options
from levelhead.cli.parser_options import recipe_of, repair_option, running_options, training_options
from levelhead.cli.program import DONE
from levelhead.jobs import Store, Tls, Workers, cluster, n_cores, processes


@click.command()
@click.argument("parser")
@click.argument("treebank", type=click.Path())
@click.option("--folds", type=click.IntRange(2, 1000), default=10, show_default=True, help="How many parts.")
@training_options
@running_options
@repair_option
@click.option("-j", "--jobs", type=click.IntRange(1, 1024), help="Processes.  [default: one a core]")
@click.option("--store", type=click.Path(), help="Keep parsed folds in this file; run again, it continues.")
@click.option("--cluster", "address", metavar="ADDRESS", help="Run on dask: local, tcp://host:port or tls://host:port.")
@click.option("--tls", type=click.Path(), nargs=3, metavar="CA CERT KEY", help="Certificates (PEM) for the cluster.")
@options.output_option
def crossval(
    parser: str,
    treebank: str,
    folds: int,
    repair: bool,
    jobs: int | None,
    store: str | None,
    address: str | None,
    tls: tuple[str, str, str] | None,
    output: str | None,
    **chosen: Any,
) -> int:
    """Parse all of TREEBANK, each part by a PARSER trained on the others (cross-validation, jackknifing).

    The parts are blocks of consecutive sentences. The output is TREEBANK with other trees, in its order, so that it can
    be scored against it.
    """
    options.check_paths([treebank], [output, store])
    recipe = recipe_of(parser, chosen)
    from levelhead.parsing import cross_validate
    from levelhead.treebank import read, to_conllu

    workers = _workers(jobs, address, tls)
    settings: dict[str, Any] = {"folds": folds, "repair": repair, "workers": workers}
    trees = read(treebank)
    options.print_warnings(trees.warnings)
    if store is None:
        parsed = cross_validate(trees, recipe, **settings)
    else:
        with Store(store) as kept:
            parsed = cross_validate(trees, recipe, store=kept, **settings)
    options.emit(to_conllu(parsed).decode(), output)
    return DONE


def _workers(jobs: int | None, address: str | None, tls: tuple[str, str, str] | None) -> Workers:
    if address is not None:
        return cluster(address, jobs or n_cores(), tls=Tls(*tls) if tls is not None else None)
    if tls is not None:
        raise click.UsageError("--tls is for --cluster")
    return processes(jobs or n_cores())
