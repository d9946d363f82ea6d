"""Correlations: levelhead correlate and judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.program import say
from levelhead.cli.shared import options
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import check_paths, named_files
from levelhead.cli.shared.option_types import CHART, PATH, Choice
from levelhead.cli.shared.printing import Printing, printing_options
from levelhead.errors import Fault, InputError

if TYPE_CHECKING:
    from levelhead.correlation import Correlation, CumulativeVariance, Measurements


@command()
@click.argument("tables", nargs=-1, required=True, metavar="[NAME=]TABLE...")
@setting("-c", "--column", "columns", multiple=True)
@setting("--diff", "differences", nargs=2, multiple=True, metavar="A B")
@setting("--given", multiple=True, metavar="COLUMN")
@setting("--family", metavar="COLUMN")
@setting("--key", metavar="COLUMN")
@setting("--missing", type=Choice(["drop", "pairwise", "error"]))
@setting("--method", "methods", type=Choice(["pearson", "spearman"]), multiple=True)
@click.option("--matrix", is_flag=True, help="Print the coefficients of a single --method as a matrix")
@click.option(
    "--cumulative-variance", is_flag=True,
    help="Print the variance of the best 2, 3, ... treebanks instead of correlations",
)  # fmt: skip
@click.option("--figure", type=CHART, metavar="FILE", help="Also draw a chart: .svg, .png, .pdf or .html")
@click.option(
    "--draw", type=Choice(["scatter", "matrix", "coefficients", "bars", "variance"], "chart"),
    help="Chart for --figure  [default: scatter for two columns, matrix for more, coefficients for a single --column,"
    " variance for --cumulative-variance]",
)  # fmt: skip
@options.resamples_option
@options.level_option
@options.seed_option
@printing_options()
def correlate(
    tables: tuple[str, ...],
    columns: tuple[str, ...],
    matrix: bool,
    cumulative_variance: bool,
    figure: str | None,
    draw: str | None,
    printing: Printing,
    **chosen: Any,
) -> None:
    """Correlate the columns of TABLEs, joined by treebank.

    A TABLE is TSV, CSV or JSON with a row per treebank. NAME=TABLE puts NAME and a dot before its column names.
    """
    from levelhead.api.correlation import measurements
    from levelhead.correlation.measurements import named

    if figure is not None:
        from levelhead.report.page.files import checked_suffix

        checked_suffix(figure)
    check_paths([named(table)[0] for table in tables], [printing.output, figure])
    family = chosen["family"]
    needed = [*columns, *chosen["given"], *([family] if family else [])] if columns else []
    table = measurements(*tables, **options.arguments_for(measurements, chosen | {"columns": needed}))
    if cumulative_variance:
        from levelhead.correlation.coefficients import variance_document, variance_table

        added = [f"diff({first},{second})" for first, second in chosen["differences"]]
        names = tuple(dict.fromkeys([*columns, *added])) if columns else tuple(table.numbers)
        variances = _variances(table, names)
        printing.print(lambda: variance_table(variances, table), lambda: variance_document(variances, table), places=6)
        _draw(figure, draw or "variance", table, names, family, None)
        return
    result = options.call(chosen | {"columns": columns}, table)
    method, *others = result.pairs[0].coefficients
    if matrix and others and not printing.output_format.startswith("json"):
        raise click.UsageError("--matrix requires a single method: add --method pearson or --method spearman")
    printing.print(lambda: result.matrix_table(method) if matrix else result.table(), result.to_dict, places=3)
    shown = "scatter" if len(result.columns) == 2 else "matrix" if len(columns) != 1 else "coefficients"
    _draw(figure, draw or shown, table, result.columns, family, result)


def _variances(table: Measurements, columns: tuple[str, ...]) -> dict[str, CumulativeVariance]:
    from levelhead.correlation import cumulative_variance
    from levelhead.correlation.measurements import check_sizes

    if not columns:
        raise InputError(Fault("invalid-table", "no column has numbers"))
    check_sizes(table, columns)
    return {name: cumulative_variance(table.treebanks, table.number(name)) for name in columns}


def _draw(
    figure: str | None,
    kind: str,
    table: Measurements,
    columns: tuple[str, ...],
    family: str | None,
    result: Correlation | None,
) -> None:
    if figure is None:
        return
    from levelhead.report.charts import result_charts as charts
    from levelhead.report.page.files import write_drawing

    if kind == "scatter":
        drawing = charts.scatter_chart(table, columns[0], columns[1], family=family, result=result)
    elif kind == "variance":
        drawing = charts.variance_chart(_variances(table, columns))
    elif kind == "bars":
        drawing = charts.bar_chart(table, columns)
    elif result is None:
        raise click.UsageError(f"--draw {kind} cannot be combined with --cumulative-variance")
    else:
        chart = charts.coefficient_chart if kind == "coefficients" else charts.matrix_chart
        drawing = chart(result, next(iter(result.pairs[0].coefficients)))
    write_drawing(drawing, figure)


@command()
@click.argument("gold", type=PATH)
@click.argument("first", type=PATH)
@click.argument("second", type=PATH)
@setting("--judgements", "-j", type=PATH, required=True, metavar="FILE")
@setting("--words", nargs=2, metavar="FIRST SECOND")
@options.measure_option
@options.rules_option
@options.scheme_option
@options.definitions_option
@setting("--ties", type=Choice(["callin", "half", "skip"]))
@setting("--subtypes-apart", is_flag=True)
@options.resamples_option
@options.interval_options
@options.seed_option
@options.input_format_option
@printing_options()
def judge(printing: Printing, **given: Any) -> None:
    """Measure how often measures agree with human judgments.

    For each sentence of GOLD, people chose the better of two analyses, FIRST and SECOND.
    """
    files = [given[name] for name in ("gold", "first", "second", "judgements")]
    check_paths([*files, *named_files(given)], [printing.output])
    result = options.call(given)
    for note in result.provenance.notes:
        say(f"note: {note}")
    places = 3 if printing.places is None else printing.places
    printing.print(lambda: result.table(places=places), result.to_dict, places=3)
