"""levelhead judge: which measure agrees with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from levelhead.cli import idle
from levelhead.cli.shared import options

if TYPE_CHECKING:
    from levelhead.correlation.agreement import Ties
    from levelhead.treebank.reader import Format


@click.command()
@click.argument("gold", type=click.Path())
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@click.option(
    "--judgements", "-j", type=click.Path(), required=True, metavar="FILE",
    help="A line for each gold sentence: which system is better, one vote or several.",
)  # fmt: skip
@click.option(
    "--words", nargs=2, metavar="FIRST SECOND",
    help="How votes are written. Default: blue red, 1 2, first second or a b, whichever the file has.",
)  # fmt: skip
@options.measure_option("LAS, UAS and CLAS")
@options.rules_option
@options.scheme_option
@options.definitions_option
@click.option(
    "--ties", type=click.Choice(["callin", "half", "skip"]), default="callin", show_default=True,
    help="Sentences to which a measure gives equal scores: for SECOND (callin), half for each, or left out.",
)  # fmt: skip
@click.option(
    "--subtypes-apart",
    is_flag=True,
    help="Take a relation with a subtype for one of its own, in no class, as Callin does for content relations.",
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
    ties: str,
    subtypes_apart: bool,
    resamples: int,
    resample_by: str,
    level: float,
    seed: int,
    input_format: str,
    output_format: str,
    places: int | None,
    output: str | None,
) -> None:
    """Say how well measures agree with people, who chose the better of two analyses of each sentence of GOLD."""
    from levelhead.correlation.judgement import judge as judge_systems
    from levelhead.correlation.judgement import read_choices
    from levelhead.report.judgement import judgement_document, judgement_table

    options.check_paths([gold, first, second, judgements, *definitions, *options.files_of_measures(measures)], [output])
    registry = options.registry_of(definitions, scheme)
    idle.refuse_for_measures(measures, lambda: registry)
    result = judge_systems(
        gold, first, second, read_choices(judgements, words), measures=measures or ("LAS", "UAS", "CLAS"),
        rules=rules, format=cast("Format", input_format), ties=cast("Ties", ties),
        subtypes_apart=subtypes_apart, registry=registry,
        resamples=resamples, resample_by=resample_by, level=level, seed=seed,
    )  # fmt: skip
    options.print_notes(result.provenance.notes)
    digits = places if places is not None else None if output_format == "tsv" else 3
    options.print_result(
        lambda: judgement_table(result, 3 if digits is None else digits), lambda: judgement_document(result),
        output_format, digits, output,
    )  # fmt: skip
