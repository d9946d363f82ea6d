"""levelhead languages: which treebank is harder for a system?"""

from __future__ import annotations

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import EngineOptions, as_runs_option, engine_options
from levelhead.cli.shared.measuring import Measuring, measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import Printing, print_provenance, printing_options
from levelhead.cli.shared.reading import Reading, check_paths, inputs_of, plan_of, reading_options


@command()
@click.argument("gold", type=options.PATH)
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=options.PATH)
@measuring_options("LAS and CLAS; with --train also WLAS(WDE)", "WLAS(WDE)")
@options.resample_by_option
@options.level_option
@click.option("--parallel", is_flag=True, help="Pair sentences by sent_id even if the sent_ids are only numbers")
@as_runs_option
@engine_options
@reading_options
@printing_options
def languages(
    gold: str,
    systems: tuple[str, ...],
    measuring: Measuring,
    resample_by: str,
    level: float,
    parallel: bool,
    as_runs: bool,
    engine: EngineOptions,
    reading: Reading,
    printing: Printing,
) -> int:
    """Compare the treebanks of GOLD: which is harder for a system, and what is the role of function words?

    GOLD and SYSTEMS are folders of files with the same names. Every pair of treebanks is compared for each system.
    P-values are corrected for the number of pairs by Holm's method.
    """
    from levelhead.comparison.languages import compare_languages
    from levelhead.significance import InferenceSettings

    files = [*inputs_of([gold, *systems]), *measuring.files()]
    check_paths(files, [printing.output, engine.store])
    names = measuring.names(*reading.or_own("LAS", "CLAS", *(("WLAS(WDE)",) if measuring.train else ())))
    setup = reading.setup(names, measuring.registry, measuring.weights(names))
    plan = plan_of(gold, systems, engine.split, as_runs=as_runs)
    if len(plan.test_sets) < 2:
        raise click.UsageError("GOLD must be a folder of at least two treebanks")
    settings = InferenceSettings(level=level, resample_by=resample_by)
    with engine.running(plan) as how:
        comparison = compare_languages(plan, setup, settings=settings, parallel=parallel, **how)
    print_provenance(comparison.provenance)
    printing.print(comparison.table, comparison.to_dict)
    return DONE
