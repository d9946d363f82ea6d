"""levelhead power: the smallest difference that a test set can detect."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command
from levelhead.cli.shared.inputs import check_kinds, check_paths, inputs_of, named_files, refused
from levelhead.cli.shared.option_types import CHART, PATH, FiniteRange, limited
from levelhead.cli.shared.printing import Printing, print_provenance, printing_options


def _numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    """Read numbers between commas."""
    if text is None:
        return ()
    try:
        numbers = tuple(sorted({int(number) for number in text.split(",")}))
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is not a list of whole numbers such as 100,500") from error
    return tuple(limited(parameter.opts[0].strip("-")).convert(number, parameter, context) for number in numbers)


@command()
@click.argument("files", nargs=-1, type=PATH, metavar="[GOLD SYSTEM SYSTEM]")
@options.measuring_options("UAS, LAS and CLAS", "WLAS(WDE)")
@click.option(
    "--units", metavar="N,...", callback=_numbers,
    help="Numbers of units: sentences or documents  [default: 6 sizes, and that of the test set]",
)  # fmt: skip
@click.option(
    "--runs", metavar="K,...", callback=_numbers,
    help="Numbers of training runs per system  [default: 1; 1,3,5,10 if their spread is known]",
)  # fmt: skip
@click.option(
    "--run-sd", type=FiniteRange(0), metavar="POINTS",
    help="Standard deviation between runs  [default: estimated from folders of runs]",
)  # fmt: skip
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level of the two-sided test")
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="Probability with which the difference is detected"
)
@options.resample_by_option
@click.option("--each", is_flag=True, help="For folders, print each treebank, not only the macro-average")
@click.option(
    "--figure", type=CHART, metavar="FILE", help="Also draw the table to this file: .svg, .png, .pdf or .html"
)
@options.as_runs_option
@options.engine_options
@options.reading_options
@printing_options()
def power(files: tuple[str, ...], each: bool, figure: str | None, printing: Printing, **given: Any) -> None:
    """Show the smallest difference between two systems that a test set can detect.

    GOLD and SYSTEMS are files or folders, as for `compare`; for several training runs, SYSTEM is a folder of
    folders named run or seed with a number. The table shows the smallest difference that can be detected with n
    sentences or documents and k runs of each system, estimated from the outputs. Without files, it shows typical values
    for the outputs of CoNLL 2018.
    """
    from levelhead.api.comparing import power as detectable
    from levelhead.significance.power import checked_test

    if len(files) not in {0, 3}:
        raise click.UsageError("give GOLD and two SYSTEMS, or no files for typical test sets")
    if figure is not None:
        from levelhead.report.page.files import checked_suffix

        checked_suffix(figure)
    check_paths([*inputs_of(files), *named_files(given)], [printing.output, figure, given["store"]])
    checked_test(given["alpha"], given["power"])  # one message about both options
    if files:
        check_kinds(files[0], files[1:])
        given |= {"gold": files[0], "systems": files[1:]}
    in_points = refused("invalid-argument", "--run-sd is in points: leave out perplexities")
    with in_points if given["run_sd"] is not None else nullcontext():
        result = detectable(**options.arguments_for(detectable, given, inputs_of(files[1:])))
    print_provenance(replace(result.provenance, notes=()))
    printing.print(lambda: result.table(each=each), result.to_dict)
    if figure is not None:
        from levelhead.report.charts.result_charts import power_chart
        from levelhead.report.page.files import write_drawing

        write_drawing(power_chart(result, each=each), figure)
