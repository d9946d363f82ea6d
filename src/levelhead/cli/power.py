"""levelhead power: the smallest difference that a test set can detect."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import click

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.engine import EngineOptions, as_runs_option, engine_options
from levelhead.cli.shared.measuring import Measuring, measuring_options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import Printing, print_provenance, printing_options
from levelhead.cli.shared.reading import Reading, check_kinds, check_paths, inputs_of, reading_options, refused
from levelhead.cli.shared.result_paths import CHART
from levelhead.cli.shared.values import FiniteRange, limited


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
@click.argument("files", nargs=-1, type=options.PATH, metavar="[GOLD SYSTEM SYSTEM]")
@measuring_options("UAS, LAS and CLAS", "WLAS(WDE)")
@click.option(
    "--units", "sizes", metavar="N,...", callback=_numbers,
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
@as_runs_option
@engine_options
@reading_options
@printing_options
def power(
    files: tuple[str, ...],
    sizes: tuple[int, ...],
    runs: tuple[int, ...],
    run_sd: float | None,
    alpha: float,
    power: float,
    resample_by: str,
    each: bool,
    figure: str | None,
    measuring: Measuring,
    as_runs: bool,
    engine: EngineOptions,
    reading: Reading,
    printing: Printing,
) -> int:
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
        from levelhead.report.page.figures import checked_suffix

        checked_suffix(figure)
    check_paths([*inputs_of(files), *measuring.files()], [printing.output, figure, engine.store])
    checked_test(alpha, power)  # one message about both options
    pair: dict[str, Any] = {"gold": files[0], "systems": files[1:]} if files else {}
    if files:
        check_kinds(files[0], files[1:])
    in_points = refused("invalid-argument", "--run-sd is in points: leave out perplexities")
    with in_points if run_sd is not None else nullcontext():
        result = detectable(
            **pair, units=sizes, runs=runs, run_sd=run_sd, alpha=alpha, power=power, resample_by=resample_by,
            as_runs=as_runs, **measuring.arguments(), **reading.arguments(), **engine.arguments(inputs_of(files[1:])),
        )  # fmt: skip
    print_provenance(replace(result.provenance, notes=()))
    printing.print(lambda: result.table(each=each), result.to_dict)
    if figure is not None:
        from levelhead.report.charts.result_charts import power_chart
        from levelhead.report.page.figures import write_drawing

        write_drawing(power_chart(result, each=each), figure)
    return DONE
