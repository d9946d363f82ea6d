"""levelhead compare: several systems against the first."""

from __future__ import annotations

from typing import Any

import click

from levelhead.cli import options
from levelhead.cli.program import DONE


@click.command()
@click.argument("gold", type=click.Path())
@click.argument("systems", nargs=-1, required=True, type=click.Path())
@options.measure_option
@options.rules_option
@options.scheme_option
@options.definitions_option
@options.punct_option
@click.option("--resamples", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True,
              help="Samples of the bootstrap, and permutations.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of all draws.")
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
              help="Of the intervals.")  # fmt: skip
@click.option("--each", is_flag=True, help="With folders: also every treebank, not only the averages.")
@click.option("--power", is_flag=True, help="Print the smallest difference that would be found in 80% of cases.")
@options.input_format_option
@options.gold_format_option
@options.format_option()
@options.places_option
@options.output_option
def compare(
    gold: str, systems: tuple[str, ...], measures: tuple[str, ...], punct: str, definitions: tuple[str, ...],
    scheme: str | None, resamples: int, seed: int, level: float, each: bool, power: bool, output_format: str,
    places: int | None, output: str | None, input_format: Any, gold_format: Any, rules: str,
) -> int:  # fmt: skip
    """Compare SYSTEMS with the first of them: which differences are real?

    GOLD and SYSTEMS are files, or folders of files of the same names. A SYSTEM that is a folder of folders has several
    runs (SYSTEM/seed1/...), whose mean and spread are given. Scores and differences have intervals by the paired
    bootstrap over sentences, p is of the paired randomisation test, corrected over systems by Holm's method.
    """
    from levelhead.comparison import compare as compare_outputs
    from levelhead.comparison import find_outputs
    from levelhead.report.comparison import comparison_document, comparison_table
    from levelhead.significance import Settings

    registry = options.registry_of(definitions, scheme)
    asked = options.without_punctuation(measures or ("UAS", "LAS", "CLAS"), punct, registry)
    comparison = compare_outputs(
        find_outputs(gold, systems),
        measures=asked,
        rules=rules,
        format=input_format,
        gold_format=gold_format,
        registry=registry,
        settings=Settings(resamples, seed, level),
    )
    if output_format in {"json", "jsonl"}:
        options.print_json(comparison_document(comparison), output, lines=output_format == "jsonl")
    else:
        table = comparison_table(comparison, each=each, power=power)
        options.print_table(table, output_format, places, output)
    return DONE
