"""levelhead suspects: find words whose annotation is probably wrong."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths, holds_test_sets, refuse_compressed
from levelhead.cli.shared.option_types import PATH, RESULT, limited
from levelhead.cli.shared.printing import PageRequest, Printing, page_options, print_provenance, printing_options


@command()
@click.argument("gold", type=PATH)
@click.argument("systems", metavar="[SYSTEM]...", nargs=-1, type=PATH)
@click.option(
    "--limit", type=limited("limit"), default=50, show_default=True, metavar="N",
    help="Show N words, the worst first",
)  # fmt: skip
@click.option(
    "--folds", type=limited("folds"), default=10, show_default=True,
    help="Number of folds for cross-validation, without SYSTEM",
)  # fmt: skip
@options.seed_option
@options.rules_option
@options.worker_options()
@options.store_option("parsed folds")
@click.option(
    "--sentences-to", "conllu", type=RESULT, metavar="CONLLU", help="Also write the sentences of the suspects"
)
@page_options()
@printing_options()
def suspects(printing: Printing, page: PageRequest, conllu: str | None, **given: Any) -> None:
    """Find words of GOLD whose annotation is probably wrong.

    A word is suspect if systems agree on a different analysis, or if the same words in the same context are annotated
    differently elsewhere. Give the outputs of SYSTEMs for the same text, preferably three or more; without them,
    parsers are trained on GOLD by cross-validation. Scores only rank the suspects: check them by hand.
    """
    from levelhead.api.treebanks import suspects as find

    files = [given["gold"], *given["systems"]]
    refuse_compressed("the sentences are", conllu)
    check_paths(files, [printing.output, conllu, *page.outputs(), given["store"]])
    if any(map(holds_test_sets, files)):
        raise click.UsageError("suspects takes files, not folders")
    result = find(**options.arguments_for(find, given), jobs=given["workers"].for_training(given["gold"]))
    print_provenance(result.provenance)
    printing.print(result.table, result.to_dict)
    if conllu is not None:
        from levelhead.treebank import write

        write(result.to_treebank(), conllu)
    page.write(result)
