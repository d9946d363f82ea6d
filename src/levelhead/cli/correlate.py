"""levelhead correlate: correlations between columns of tables joined by treebank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_result
from levelhead.cli.shared.reading import check_paths
from levelhead.cli.shared.result_paths import CHART
from levelhead.cli.shared.values import Choice
from levelhead.errors import Fault, InputError

if TYPE_CHECKING:
    from levelhead.correlation import Correlation, CumulativeVariance, Measurements
    from levelhead.tables.table import Table


@command()
@click.argument("tables", nargs=-1, required=True, metavar="[NAME=]TABLE...")
@click.option(
    "-c", "--column", "columns", multiple=True,
    help="Column to correlate; can be repeated; a single column is correlated with all others  [default: all]",
)  # fmt: skip
@click.option(
    "--diff",
    "differences",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Add the column diff(A,B) = A - B; can be repeated",
)
@click.option(
    "--given", multiple=True, metavar="COLUMN", help="Control for this column (partial correlation); can be repeated"
)
@click.option(
    "--family", metavar="COLUMN",
    help="Column with language families: leave out each family, and permute within families",
)  # fmt: skip
@click.option("--key", metavar="COLUMN", help="Column with the names of treebanks  [default: the first]")
@click.option(
    "--missing", type=Choice(["drop", "pairwise", "error"]), default="drop", show_default=True,
    help="How to treat missing values: leave the treebank out, leave it out of the pairs concerned, or stop with an"
    " error",
)  # fmt: skip
@click.option(
    "--method",
    "methods",
    type=Choice(["pearson", "spearman"]),
    multiple=True,
    help="Coefficient; can be repeated  [default: both]",
)
@click.option("--matrix", is_flag=True, help="Print the coefficients of a single --method as a matrix")
@click.option(
    "--cumulative-variance",
    is_flag=True,
    help="Print the variance of the best 2, 3, ... treebanks instead of correlations",
)
@click.option("--figure", type=CHART, metavar="FILE", help="Also draw a chart: .svg, .png, .pdf or .html")
@click.option(
    "--draw", type=Choice(["scatter", "matrix", "coefficients", "bars", "variance"], "chart"),
    help="Chart for --figure  [default: scatter for two columns, matrix for more, coefficients for a single --column,"
    " variance for --cumulative-variance]",
)  # fmt: skip
@options.resamples_option
@options.level_option
@options.seed_option
@options.format_option()
@options.places_option
@options.output_option
def correlate(
    tables: tuple[str, ...],
    columns: tuple[str, ...],
    differences: tuple[tuple[str, str], ...],
    given: tuple[str, ...],
    family: str | None,
    key: str | None,
    missing: str,
    methods: tuple[str, ...],
    matrix: bool,
    cumulative_variance: bool,
    figure: str | None,
    draw: str | None,
    resamples: int,
    level: float,
    seed: int,
    output_format: str,
    places: int | None,
    output: str | None,
) -> None:
    """Correlate the columns of TABLEs, joined by treebank.

    A TABLE is TSV, CSV or JSON with a row per treebank. NAME=TABLE puts NAME and a dot before its column names.
    """
    from levelhead.api.tables import correlate as correlated
    from levelhead.api.tables import measurements

    _check(tables, figure, output)
    reading: dict[str, Any] = {"differences": differences, "key": key, "missing": missing}
    needed = [*columns, *given, *([family] if family else [])] if columns else []
    table = measurements(*tables, columns=needed, **reading)
    if cumulative_variance:
        added = [f"diff({one},{other})" for one, other in differences]
        variances = _variances(table, tuple(dict.fromkeys([*columns, *added])) if columns else tuple(table.numbers))
        _print_variances(variances, table, output_format, places, output)
        _draw(figure, draw or "variance", table, tuple(variances), family, None)
        return
    chosen: dict[str, Any] = {"methods": methods} if methods else {}
    result = correlated(
        table, columns=columns or None, given=given, family=family, resamples=resamples, level=level, seed=seed,
        **reading, **chosen,
    )  # fmt: skip
    _print(result, output_format, places, output, matrix=matrix)
    shown = "scatter" if len(result.columns) == 2 else "matrix" if len(columns) != 1 else "coefficients"
    _draw(figure, draw or shown, table, result.columns, family, result)


def _check(tables: tuple[str, ...], figure: str | None, output: str | None) -> None:
    from levelhead.correlation.table_files import named

    if figure is not None:
        from levelhead.report.page.figures import checked_suffix

        checked_suffix(figure)
    check_paths([named(table)[0] for table in tables], [output, figure])


def _variances(table: Measurements, columns: tuple[str, ...]) -> dict[str, CumulativeVariance]:
    from levelhead.correlation import cumulative_variance
    from levelhead.correlation.measurements import check_sizes

    if not columns:
        raise InputError(Fault("invalid-table", "no column has numbers"))
    check_sizes(table, columns)
    return {name: cumulative_variance(table.treebanks, table.number(name)) for name in columns}


def _print_variances(
    variances: dict[str, CumulativeVariance],
    table: Measurements,
    output_format: str,
    places: int | None,
    output: str | None,
) -> None:
    from levelhead.correlation.coefficients import variance_document, variance_table

    digits = _places(output_format, 6) if places is None else places
    print_result(
        lambda: variance_table(variances, table), lambda: variance_document(variances, table),
        output_format, digits, output,
    )  # fmt: skip


def _print(result: Correlation, output_format: str, places: int | None, output: str | None, *, matrix: bool) -> None:
    from levelhead.correlation.correlate import matrix_table

    def table() -> Table:
        if not matrix:
            return result.table()
        if len(result.pairs[0].coefficients) > 1:
            raise click.UsageError("--matrix requires a single method: add --method pearson or --method spearman")
        (method,) = result.pairs[0].coefficients
        return matrix_table(result, method)

    digits = _places(output_format, 3) if places is None else places
    print_result(table, result.to_dict, output_format, digits, output)


def _places(output_format: str, places: int) -> int | None:
    return None if output_format == "tsv" else places


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
    from levelhead.report.page.figures import write_drawing

    if kind == "scatter":
        drawing = charts.scatter_chart(table, columns[0], columns[1], family=family, result=result)
    elif kind == "variance":
        drawing = charts.variance_chart(_variances(table, columns))
    elif kind == "bars":
        drawing = charts.bar_chart(table, columns)
    elif result is None:
        raise click.UsageError(f"--draw {kind} cannot be combined with --cumulative-variance")
    elif kind == "coefficients":
        drawing = charts.coefficient_chart(result, next(iter(result.pairs[0].coefficients)))
    else:
        drawing = charts.matrix_chart(result, next(iter(result.pairs[0].coefficients)))
    write_drawing(drawing, figure)
