"""levelhead trees: draw trees of gold and systems where they differ."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.color import colored_trees, wants_color
from levelhead.cli.shared.engine import split_option
from levelhead.cli.shared.measuring import measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import emit, page_origin, print_json, print_provenance
from levelhead.cli.shared.reading import check_kinds, check_paths, inputs_of, reading_options
from levelhead.cli.shared.values import limited
from levelhead.extras import require

if TYPE_CHECKING:
    from levelhead.cli.shared.measuring import Measuring
    from levelhead.cli.shared.reading import Reading
    from levelhead.comparison.contrasts import Contrasts
    from levelhead.comparison.system_errors import ErrorExamples


@command()
@click.argument("gold", type=options.PATH)
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=options.PATH)
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
@measuring_options("LAS", "WLAS(WDE)")
@split_option
@reading_options
@options.format_option("text", "svg", "tikz", "html", "json", "jsonl")
@options.output_option
def trees(
    gold: str,
    systems: tuple[str, ...],
    show: tuple[str, ...],
    limit: int | None,
    measuring: Measuring,
    split: Any,
    reading: Reading,
    output_format: str,
    output: str | None,
) -> int:
    """Draw the trees of GOLD and SYSTEM where they differ (sentences of up to 200 words).

    With one system, show the sentences with an error: --show GOLD:SYSTEM. With several, show the sentences in which
    each system gains or loses most compared with the first.
    """
    from levelhead.api.breakdowns import trees as drawn

    if output_format == "html":
        require("jinja2", "pages")
    check_paths([*inputs_of([gold, *systems]), *measuring.files()], [output])
    if bool(show) != (len(systems) == 1):
        raise click.UsageError("give one system and --show GOLD:SYSTEM, or several systems without --show")
    check_kinds(gold, systems)
    measuring.check_single()
    result = drawn(gold, systems, show=show, limit=limit, split=split, **measuring.arguments(), **reading.arguments())
    print_provenance(result.provenance)
    _print(result, output_format, output)
    return DONE


def _print(result: ErrorExamples | Contrasts, output_format: str, output: str | None) -> None:
    if output_format.startswith("json"):
        print_json(result.to_dict(), output, lines=output_format == "jsonl")
    elif output_format == "text":
        shown = output in {None, "-"} and wants_color(sys.stdout)
        emit(colored_trees(f"{result}\n") if shown else f"{result}\n", output)
    else:
        emit(_drawn(result, output_format), output)


def _drawn(result: ErrorExamples | Contrasts, output_format: str) -> str:
    from levelhead.report.compared_trees import groups_of, trees_page, trees_svg, trees_tikz
    from levelhead.tables.documents import signature_line

    groups, signature = groups_of(result), result.provenance.signature
    if output_format == "html":
        from levelhead.report.page import render

        return render(trees_page(groups, signature)._replace(origin=page_origin())).decode()
    return (trees_svg if output_format == "svg" else trees_tikz)(groups, signature_line(signature))
