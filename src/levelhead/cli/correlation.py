"""Correlations: levelhead correlate and judge."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.command import command, setting
from levelhead.cli.shared.inputs import check_files
from levelhead.cli.shared.printing import show

if TYPE_CHECKING:
    from levelhead.correlation.measurements import Measurements


@command()
@click.argument("tables", nargs=-1, required=True, metavar="[NAME=]TABLE...")
@setting("-c", "--column", "columns", multiple=True)
@setting("--diff", "differences", nargs=2, multiple=True, metavar="A B")
@setting("--given", multiple=True, metavar="COLUMN")
@setting("--family", metavar="COLUMN")
@setting("--key", metavar="COLUMN")
@setting("--missing", type=options.Choice(["drop", "pairwise", "error"]))
@setting("--method", "methods", type=options.Choice(["pearson", "spearman"]), multiple=True)
@setting("--votes", type=options.Choice(["language", "treebank"]))
@setting("--permutations", type=options.WHOLE["draws"])
@click.option("--matrix", is_flag=True, help="Print the coefficients of one --method as a matrix")
@click.option(
    "--cumulative-variance", is_flag=True,
    help="Instead of correlations, print the variance of each column's highest values (the top 2, 3, ...)",
)  # fmt: skip
@options.figure_option
@click.option(
    "--draw", type=options.Choice(["scatter", "matrix", "coefficients", "bars", "variance"], "chart"),
    help="Chart for --figure  [default: scatter for two columns, matrix for more, coefficients for one --column,"
    " variance for --cumulative-variance]",
)  # fmt: skip
@options.limit_option
@options.level_option
@options.seed_option
@options.result_options
def correlate(tables: tuple[str, ...], columns: tuple[str, ...], figure: str | None, **given: Any) -> None:
    """Correlate the columns of TABLEs, joined by treebank.

    A TABLE is TSV, CSV or JSON with a row per treebank, or per treebank and measure. NAME=TABLE puts NAME and a dot
    before its column names.
    """
    from levelhead.api.correlation import measurements
    from levelhead.correlation.coefficients import cumulative_variances
    from levelhead.correlation.tables import named

    if given["matrix"] and given["output_format"] in {"tsv", "json", "jsonl"}:
        raise click.UsageError(f"--matrix has no effect with --format {given['output_format']}")
    check_files(named(table)[0] for table in tables)
    needed = [*columns, *given["given"], *filter(None, [given["family"]])] if columns else []
    table = measurements(*tables, **options.arguments_for(measurements, given | {"columns": needed}))
    columns = tuple(table.columns_named(columns))
    result = None
    kind = given["draw"]
    if given["cumulative_variance"]:
        added = [f"diff({first},{second})" for first, second in given["differences"]]
        variances = cumulative_variances(table, table.columns_named([*columns, *added]) if columns else ())
        names, kind = tuple(variances.variances), kind or "variance"
        show(given, variances)
    else:
        result = options.call(given | {"columns": columns}, table)
        if given["matrix"] and len(result.methods) > 1:
            raise click.UsageError("--matrix requires a single method: add --method pearson or --method spearman")
        show(given, result, partial(result.matrix_table, result.methods[0]) if given["matrix"] else result.table)
        names = result.columns
        kind = kind or ("scatter" if len(names) == 2 else "matrix" if len(columns) != 1 else "coefficients")
    if figure is not None:
        _draw(figure, kind, table, names, given, result)


def _draw(
    figure: str, kind: str, table: Measurements, columns: tuple[str, ...], given: Mapping[str, Any], result: Any
) -> None:
    from levelhead.correlation.coefficients import counted_once, cumulative_variances
    from levelhead.report.charts import result_charts as charts
    from levelhead.report.page.files import write_drawing

    if kind == "scatter":
        family = given["family"]
        counted = table if result is None else counted_once(table, columns[:2], given["votes"], family)
        drawing = charts.scatter_chart(counted, columns[0], columns[1], family=family, result=result)
    elif kind == "variance":
        drawing = charts.variance_chart(cumulative_variances(table, columns).variances)
    elif kind == "bars":
        drawing = charts.bar_chart(table, columns)
    elif result is None:
        raise click.UsageError(f"--draw {kind} cannot be combined with --cumulative-variance")
    else:
        chart = charts.coefficient_chart if kind == "coefficients" else charts.matrix_chart
        drawing = chart(result, next(iter(given["methods"]), None))
    write_drawing(drawing, figure)


@command()
@click.argument("gold", type=options.PATH)
@click.argument("first", type=options.PATH)
@click.argument("second", type=options.PATH)
@setting(
    "--judgments", type=options.PATH, required=True, metavar="FILE",
    help="File with one line for each gold sentence: the votes for FIRST or SECOND",
)  # fmt: skip
@setting("--words", nargs=2, metavar="FIRST SECOND")
@options.measure_option
@options.rules_option
@options.scheme_option
@options.definitions_option
@setting("--ties", type=options.Choice(["callin", "half", "skip"]))
@setting("--subtypes-apart", is_flag=True)
@options.interval_options
@options.input_format_option
@options.result_options
def judge(**given: Any) -> None:
    """Show how often each measure agrees with human judgments.

    For each sentence of GOLD, people chose the better of two analyses, FIRST and SECOND.
    """
    result = options.call(given)
    show(given, result, places=result.PLACES if given["places"] is None else given["places"])
