"""levelhead correlate: tables by treebank, joined, and how their columns are related."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from levelhead.cli import idle
from levelhead.cli.shared import options
from levelhead.cli.shared.result_paths import CHART
from levelhead.errors import Fault, InputError

if TYPE_CHECKING:
    from levelhead.correlation import Correlation, CumulativeVariance, Measurements
    from levelhead.correlation.coefficients import Method
    from levelhead.correlation.measurements import Missing
    from levelhead.report.table import Table

_OF_CORRELATION = frozenset({"given", "family", "missing", "methods", "matrix", "resamples", "level", "seed"})
"""Options that cumulative variance does not take."""


@click.command()
@click.argument("tables", nargs=-1, required=True, metavar="[NAME=]TABLE...")
@click.option("-c", "--column", "columns", multiple=True, help="A column to correlate; can be repeated. Default: all.")
@click.option(
    "--diff", "differences", nargs=2, multiple=True, metavar="A B", help="Add the column diff(A,B): A minus B."
)
@click.option("--given", multiple=True, metavar="COLUMN", help="Hold a column fixed: partial correlation.")
@click.option(
    "--family", metavar="COLUMN",
    help="The column with language families: leave each out, and permute within them.",
)  # fmt: skip
@click.option("--key", metavar="COLUMN", help="The column that names the treebank. Default: the first.")
@click.option(
    "--missing", type=click.Choice(["drop", "pairwise", "error"]), default="drop", show_default=True,
    help="Treebanks without a value: leave them out, leave them out pair by pair, or refuse them.",
)  # fmt: skip
@click.option("--method", "methods", type=click.Choice(["pearson", "spearman"]), multiple=True, help="Default: both.")
@click.option("--matrix", is_flag=True, help="Print the coefficients of one --method as a matrix.")
@click.option("--cumulative-variance", is_flag=True, help="Print the variance of the best 2, 3, ... treebanks instead.")
@click.option("--figure", type=CHART, metavar="FILE", help="Also draw, as .svg, .png, .pdf or .html.")
@click.option(
    "--draw", type=click.Choice(["scatter", "matrix", "bars", "variance"]),
    help="What to draw. Default: scatter of two columns, matrix of more, variance with --cumulative-variance.",
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
    """Correlate the columns of TABLEs, which are TSV, CSV or JSON with a treebank in each row, joined by treebank.

    NAME=TABLE puts NAME and a dot before the names of its columns.
    """
    from levelhead.correlation import correlate as correlate_columns

    _check(tables, figure, draw, output)
    if cumulative_variance:
        _check_variance()
    used = {*columns, *(one for pair in differences for one in pair), *given, *([family] if family else [])}
    table, chosen = _read(tables, columns, differences, used if columns else set(), key, missing)
    if cumulative_variance:
        variances = _variances(table, chosen or tuple(table.numbers))
        _print_variances(variances, table, output_format, places, output)
        _draw(figure, draw or "variance", table, tuple(variances), family, None)
        return
    result = correlate_columns(
        table, chosen or None, given=given, family=family, missing=cast("Missing", missing),
        methods=cast("tuple[Method, ...]", tuple(dict.fromkeys(methods)) or ("pearson", "spearman")),
        resamples=resamples, level=level, seed=seed,
    )  # fmt: skip
    _print(result, output_format, places, output, matrix=matrix)
    shown = "scatter" if len(result.columns) == 2 else "matrix"
    _draw(figure, draw or shown, table, result.columns, family, result)


def _check(tables: tuple[str, ...], figure: str | None, draw: str | None, output: str | None) -> None:
    from levelhead.correlation.reading import named

    if draw is not None and figure is None:
        raise click.UsageError("--draw says what --figure draws: give a --figure")
    if figure is not None:
        from levelhead.report.page.files import checked_suffix

        checked_suffix(figure)
    options.check_paths([named(table)[0] for table in tables], [output, figure])


def _check_variance() -> None:
    """Refuse options that would change nothing."""
    for name, option in idle.given().items():
        if name in _OF_CORRELATION:
            raise click.UsageError(f"--cumulative-variance does not go with {option}")


def _read(
    tables: tuple[str, ...],
    columns: tuple[str, ...],
    differences: tuple[tuple[str, str], ...],
    used: set[str],
    key: str | None,
    missing: str,
) -> tuple[Measurements, tuple[str, ...]]:
    """The table with the differences asked for, and the columns chosen: none if all."""
    from levelhead.correlation import read_tables

    table = read_tables(tables, key=key, missing=cast("Missing", missing), columns=used)
    before = len(table.numbers)
    for one, other in differences:
        table = table.with_difference(one, other)
    added = tuple(table.numbers)[before:]
    return table, (*columns, *(name for name in added if name not in columns)) if columns else ()


def _variances(table: Measurements, columns: tuple[str, ...]) -> dict[str, CumulativeVariance]:
    from levelhead.correlation import cumulative_variance
    from levelhead.correlation.measurements import check_sizes

    if not columns:
        raise InputError(Fault("invalid-table", "no column holds numbers"))
    check_sizes(table, columns)
    return {name: cumulative_variance(table.treebanks, table.number(name)) for name in columns}


def _print_variances(
    variances: dict[str, CumulativeVariance],
    table: Measurements,
    output_format: str,
    places: int | None,
    output: str | None,
) -> None:
    from levelhead.report import correlation as report

    digits = _places(output_format, 6) if places is None else places
    options.print_result(
        lambda: report.variance_table(variances, table), lambda: report.variance_document(variances, table),
        output_format, digits, output,
    )  # fmt: skip


def _print(result: Correlation, output_format: str, places: int | None, output: str | None, *, matrix: bool) -> None:
    from levelhead.report import correlation as report

    def table() -> Table:
        if not matrix:
            return report.pairs_table(result)
        if len(result.pairs[0].coefficients) > 1:
            raise click.UsageError("--matrix prints one method: add --method pearson or --method spearman")
        (method,) = result.pairs[0].coefficients
        return report.matrix_table(result, method)

    digits = _places(output_format, 3) if places is None else places
    options.print_result(table, lambda: report.correlation_document(result), output_format, digits, output)


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
    from levelhead.report.page import correlation as charts
    from levelhead.report.page import write_drawing

    if kind == "scatter":
        drawing = charts.scatter_chart(table, columns[0], columns[1], family=family)
    elif kind == "variance":
        drawing = charts.variance_chart(_variances(table, columns))
    elif kind == "bars":
        drawing = charts.bar_chart(table, columns)
    elif result is None:
        raise click.UsageError("--draw matrix cannot be combined with --cumulative-variance")
    else:
        drawing = charts.matrix_chart(result, next(iter(result.pairs[0].coefficients)))
    write_drawing(drawing, figure)
