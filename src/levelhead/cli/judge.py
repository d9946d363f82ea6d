"""levelhead judge: agreement of measures with human judgments."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_paths, named_files
from levelhead.cli.shared.option_types import PATH, Choice
from levelhead.cli.shared.printing import Printing, print_notes, printing_options


@command()
@click.argument("gold", type=PATH)
@click.argument("first", type=PATH)
@click.argument("second", type=PATH)
@click.option(
    "--judgements", "-j", type=PATH, required=True, metavar="FILE",
    help="File with one line per gold sentence: one or more votes for the better system",
)  # fmt: skip
@click.option(
    "--words", nargs=2, metavar="FIRST SECOND",
    help="Names of the two systems in votes  [default: detected: blue red, 1 2, first second or a b]",
)  # fmt: skip
@options.measure_option("LAS, UAS and CLAS")
@options.rules_option
@options.scheme_option
@options.definitions_option
@click.option(
    "--ties", type=Choice(["callin", "half", "skip"]), default="callin", show_default=True,
    help="How to count sentences with equal scores: for SECOND (callin), half for each system, or not at all",
)  # fmt: skip
@click.option(
    "--subtypes-apart", is_flag=True,
    help="Leave relations with subtypes out of all classes, as Callin does for content relations",
)  # fmt: skip
@options.resamples_option
@options.interval_options
@options.seed_option
@options.input_format_option
@printing_options()
def judge(printing: Printing, **given: Any) -> None:
    """Measure how often measures agree with human judgments.

    For each sentence of GOLD, people chose the better of two analyses, FIRST and SECOND.
    """
    from levelhead.api.correlation import judge as judged

    files = [given[name] for name in ("gold", "first", "second", "judgements")]
    check_paths([*files, *named_files(given)], [printing.output])
    result = judged(**options.arguments_for(judged, given))
    print_notes(result.provenance.notes)
    places = 3 if printing.places is None else printing.places
    printing.print(lambda: result.table(places=places), result.to_dict, places=3)
