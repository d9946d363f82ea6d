"""levelhead judge: agreement of measures with human judgments."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.measuring import files_of_measures, registry_of
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_notes, print_result
from levelhead.cli.shared.reading import check_paths
from levelhead.cli.shared.values import Choice


@command()
@click.argument("gold", type=options.PATH)
@click.argument("first", type=options.PATH)
@click.argument("second", type=options.PATH)
@click.option(
    "--judgements", "-j", type=options.PATH, required=True, metavar="FILE",
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
    "--subtypes-apart",
    is_flag=True,
    help="Leave relations with subtypes out of all classes, as Callin does for content relations",
)
@options.resamples_option
@options.resample_by_option
@options.level_option
@options.seed_option
@options.input_format_option
@options.format_option()
@options.places_option
@options.output_option
def judge(
    gold: str,
    first: str,
    second: str,
    judgements: str,
    words: tuple[str, str] | None,
    measures: tuple[str, ...],
    rules: str,
    scheme: str | None,
    definitions: tuple[str, ...],
    ties: Any,
    subtypes_apart: bool,
    resamples: int,
    resample_by: str,
    level: float,
    seed: int,
    input_format: Any,
    output_format: str,
    places: int | None,
    output: str | None,
) -> None:
    """Measure how often measures agree with human judgments.

    For each sentence of GOLD, people chose the better of two analyses, FIRST and SECOND.
    """
    from levelhead.api.tables import judge as judged

    check_paths([gold, first, second, judgements, *definitions, *files_of_measures(measures)], [output])
    chosen = {"measures": measures} if measures else {}
    result = judged(
        gold, first, second, judgements, words=words, **chosen, rules=rules, format=input_format, ties=ties,
        subtypes_apart=subtypes_apart, registry=registry_of(definitions, scheme),
        resamples=resamples, resample_by=resample_by, level=level, seed=seed,
    )  # fmt: skip
    print_notes(result.provenance.notes)
    digits = places if places is not None else None if output_format == "tsv" else 3
    print_result(
        lambda: result.table(places=3 if digits is None else digits), result.to_dict, output_format, digits, output,
    )  # fmt: skip
