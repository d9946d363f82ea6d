"""levelhead suspects: find words whose annotation is probably wrong."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import WorkerOptions, worker_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import PageRequest, Printing, page_options, print_provenance, printing_options
from levelhead.cli.shared.reading import check_paths, holds_test_sets
from levelhead.cli.shared.result_paths import RESULT, STORE, refuse_compressed
from levelhead.cli.shared.values import limited


@command()
@click.argument("gold", type=options.PATH)
@click.argument("systems", metavar="[SYSTEM]...", nargs=-1, type=options.PATH)
@click.option(
    "--limit",
    type=limited("limit"),
    default=50,
    show_default=True,
    metavar="N",
    help="Show N words, the worst first",
)
@click.option(
    "--folds",
    type=limited("folds"),
    default=10,
    show_default=True,
    help="Number of folds for cross-validation, without SYSTEM",
)
@options.seed_option
@options.rules_option
@worker_options()
@click.option("--store", type=STORE, help="Keep parsed folds in this file, and resume from it in the next run")
@click.option(
    "--sentences-to", "conllu", type=RESULT, metavar="CONLLU", help="Also write the sentences of the suspects"
)
@page_options()
@printing_options
def suspects(printing: Printing, workers: WorkerOptions, page: PageRequest, **given: Any) -> int:
    """Find words of GOLD whose annotation is probably wrong.

    A word is suspect if systems agree on a different analysis, or if the same words in the same context are annotated
    differently elsewhere. Give the outputs of SYSTEMs for the same text, preferably three or more; without them,
    parsers are trained on GOLD by cross-validation. Scores only rank the suspects: check them by hand.
    """
    from levelhead.api.suspicious import suspects as find

    outputs = [printing.output, given["conllu"], *page.outputs(), given["store"]]
    refuse_compressed("the sentences are", given["conllu"])
    check_paths([given["gold"], *given["systems"]], outputs)
    if any(map(holds_test_sets, (given["gold"], *given["systems"]))):
        raise click.UsageError("suspects takes files, not folders")
    how: dict[str, Any] = {name: given[name] for name in ("folds", "rules", "seed", "store")}
    how["jobs"] = workers.for_training(given["gold"])
    result = find(given["gold"], given["systems"], most=given["limit"], **how)
    print_provenance(result.provenance)
    printing.print(result.table, result.to_dict)
    if given["conllu"] is not None:
        from levelhead.treebank import write

        write(result.to_treebank(), given["conllu"])
    if page.wanted:
        from levelhead.report.page.suspects import suspects_page

        page.write(lambda: suspects_page(result))
    return DONE
