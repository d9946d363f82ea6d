"""levelhead trees: draw trees of gold and systems where they differ."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.color import colored_trees, wants_color
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_kinds, check_outputs_of_systems
from levelhead.cli.shared.option_types import limited
from levelhead.cli.shared.printing import Printing, emit, page_origin, print_json, print_provenance, printing_options
from levelhead.extras import require

if TYPE_CHECKING:
    from levelhead.comparison.contrasts import Contrasts
    from levelhead.comparison.system_errors import ErrorExamples


@command()
@options.gold_argument
@options.systems_argument
@click.option(
    "--show", multiple=True, metavar="GOLD:SYSTEM",
    help="For one system, show the sentences in which the first relation is confused with the second, such as"
    " nsubj:obj; can be repeated",
)  # fmt: skip
@click.option(
    "--limit", type=limited("limit"), metavar="N",
    help="Show at most N words for each --show, or N gains and N losses for each system and treebank  [default: 5;"
    " all in JSON]",
)  # fmt: skip
@options.measuring_options("LAS", "WLAS(WDE)")
@options.split_option
@options.reading_options
@printing_options("text", "svg", "tikz", "html", "json", "jsonl", places=False)
def trees(show: tuple[str, ...], printing: Printing, **given: Any) -> None:
    """Draw the trees of GOLD and SYSTEM where they differ (sentences of up to 200 words).

    With one system, show the sentences with an error: --show GOLD:SYSTEM. With several, show the sentences in which
    each system gains or loses most compared with the first.
    """
    from levelhead.api.breakdowns import trees as drawn

    gold, systems, output_format = given["gold"], given["systems"], printing.output_format
    if output_format == "html":
        require("jinja2", "pages")
    check_outputs_of_systems(gold, systems, given, [printing.output])
    if bool(show) != (len(systems) == 1):
        raise click.UsageError("give one system and --show GOLD:SYSTEM, or several systems without --show")
    check_kinds(gold, systems)
    options.check_single_measure(given["measures"])
    result = drawn(show=show, **options.arguments_for(drawn, given))
    print_provenance(result.provenance)
    if output_format.startswith("json"):
        print_json(result.to_dict(), printing.output, lines=output_format == "jsonl")
    elif output_format == "text":
        in_color = printing.output in {None, "-"} and wants_color(sys.stdout)
        emit(colored_trees(f"{result}\n") if in_color else f"{result}\n", printing.output)
    else:
        emit(_drawn(result, output_format), printing.output)


def _drawn(result: ErrorExamples | Contrasts, output_format: str) -> str:
    from levelhead.report.compared_trees import groups_of, trees_page, trees_svg, trees_tikz
    from levelhead.tables.documents import signature_line

    groups, signature = groups_of(result), result.provenance.signature
    if output_format == "html":
        from levelhead.report.page import render

        return render(trees_page(groups, signature)._replace(origin=page_origin())).decode()
    return (trees_svg if output_format == "svg" else trees_tikz)(groups, signature_line(signature))
