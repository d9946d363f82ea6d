"""Errors of systems and tables of words: levelhead breakdown, confusion, analyze, trees, words and sentences."""

from __future__ import annotations

import sys
from typing import Any

import click

from levelhead.cli.program import refuse_if, say
from levelhead.cli.shared import options, printing
from levelhead.cli.shared.color import colored_trees, wants_color
from levelhead.cli.shared.command import command, joined, setting
from levelhead.errors import Fault, InputError, unknown
from levelhead.extras import require

_reading_and_printing = joined(
    options.split_option, options.reading_options, options.partial_option, options.result_options
)


@command()
@options.gold_and_systems
@click.option(
    "--by", multiple=True, metavar="PROPERTY[,PROPERTY]",
    help="Property of words, or several joined by commas: `class`, `relation` (without subtype), `deprel` (with"
    " subtype), `head-relation`, `upos`, `lemma`, `feature:NAME`, `direction`, `length`, `depth`, `projective`,"
    " `sentence-length`, `document`, `comment:NAME`; with --train, also `frequency`, `vocabulary`,"
    " `seen-sentence`, `seen-tree`, `seen-heads`. With one SYSTEM, can be repeated"
    "  [default: print the costliest errors, as `analyze` does]",
)  # fmt: skip
@options.limit_option
@options.measuring_options
@options.interval_options
@_reading_and_printing
def breakdown(by: tuple[str, ...], **given: Any) -> None:
    """Break scores down by properties of words: where is SYSTEM good, and where does it make errors?

    With several systems, show where each is better or worse than the first. GOLD and SYSTEM are files or folders, as in
    levelhead score. With --by class or relation, the table also shows the score of all other words. Scores have
    confidence intervals.
    """
    refuse_if(len(given["systems"]) > 1 and len(by) != 1, "with several systems, give a single --by")
    printing.show(given, options.call(given | {"by": by}))


@command()
@options.gold_and_system
@click.option(
    "--show", type=options.Choice(("repairs", "types", "cascading"), "table"), default="repairs", show_default=True,
    help="Table to print: points that each kind of error costs (`repairs`), types of errors (`types`), or errors that"
    " follow from other errors (`cascading`). With TSV and JSON Lines, use --table instead",
)  # fmt: skip
@options.limit_option
@options.measuring_options
@options.interval_options
@_reading_and_printing
def analyze(**given: Any) -> None:
    """Analyze the errors of SYSTEM: how many points they cost, their types, and which follow from other errors.

    GOLD and SYSTEM are files or folders, as in levelhead score.
    """
    printing.show(given, options.call(given), show=given["show"])


@command()
@options.gold_and_system
@options.limit_option
@_reading_and_printing
def confusion(**given: Any) -> None:
    """Show which gold relations SYSTEM confuses with which others, most frequent errors first.

    GOLD and SYSTEM are files or folders, as in levelhead score. To draw the errors, use levelhead trees --show.
    """
    printing.show(given, options.call(given))


@command()
@options.gold_and_systems
@setting("--show", multiple=True, metavar="GOLD:SYSTEM")
@options.limit_option
@options.measuring_options
@options.split_option
@options.reading_options
@options.partial_option
@options.notes_options
@options.printing_options("text", "svg", "tikz", "html", "json", "jsonl", "tsv", places=False)
def trees(**given: Any) -> None:
    """Draw the trees of GOLD and SYSTEM where they differ (sentences of up to 200 words).

    With one SYSTEM, show the sentences with the errors of --show. With several, show the sentences in which each gains
    or loses most compared with the first.
    """
    output_format = given["output_format"]
    if output_format == "html":
        require("jinja2", "pages")
    if bool(given["show"]) != (len(given["systems"]) == 1):
        message = "for one system, give --show GOLD:SYSTEM, such as --show nsubj:obj; for several systems, leave it out"
        raise click.UsageError(message)
    result = options.call(given)
    printing.print_provenance(given, result.provenance)
    if output_format in {"json", "jsonl", "tsv"}:
        printing.print_result(given, result)
        return
    limit = printing.limit_of(given)
    text = result.text(limit, printing.screen_for(given))
    if output_format != "text":
        from levelhead.report.page.examples import groups_of, trees_page, trees_svg, trees_tikz
        from levelhead.tables.documents import signature_line

        for note in result.table().notes:
            say(note)
        groups, signature = groups_of(result, limit), result.provenance.signature
        if output_format == "html":
            from levelhead.report.page import render

            text = render(trees_page(groups, signature)._replace(origin=printing.page_origin())).decode()
        else:
            text = (trees_svg if output_format == "svg" else trees_tikz)(groups, signature_line(signature))
    elif given["output"] in {None, "-"} and wants_color(sys.stdout):
        text = colored_trees(text)
    printing.emit(text, given["output"])


_FORMATS = ("tsv", "jsonl", "json")


@command()
@options.gold_and_systems
@options.scored_reading_options
@options.partial_option
@options.definitions_option
@click.option(
    "--scheme", metavar="SCHEME", help="Scheme that defines the column `class`  [default: nivre-fang]",
)  # fmt: skip
@options.split_option
@click.option(
    "-j", "--jobs", type=options.WHOLE["jobs"], default=1, show_default=True,
    help="Number of processes; with more than one, all rows are kept in memory",
)  # fmt: skip
@options.cluster_options
@options.printing_options(*_FORMATS, places=False)
def words(**given: Any) -> None:
    """Print each word's gold annotation, its prediction by each SYSTEM, and which columns are correct.

    Each gold word has a row for each SYSTEM; unaligned system words have rows of their own. GOLD and SYSTEM are files
    or folders, as in levelhead score. TSV and JSON Lines are written while files are read, so files can be larger than
    memory.
    """
    if given["output_format"] == "json":
        printing.show(given, options.call(given, files=()))
        return
    if given["table_name"] not in {None, "words"}:
        raise InputError(Fault("unknown-table", unknown("table", given["table_name"], ["words"])))
    with printing.data_writer(given) as write:
        result = options.call(given | {"each": write}, files=())
    printing.print_provenance(given, result.provenance)


@command()
@options.gold_and_systems
@options.measuring_options
@options.scored_reading_options
@options.partial_option
@options.split_option
@options.worker_options
@options.printing_options(*_FORMATS)
def sentences(**given: Any) -> None:
    """Print a table with a row for each gold sentence and SYSTEM, with the counts of each measure.

    GOLD and SYSTEM are files or folders, as in levelhead score.
    """
    printing.show(given, options.call(given, files=[given["gold"], *given["systems"]]))
