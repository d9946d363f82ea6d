"""Charts of results: scatter plots, bars, correlation matrices, coefficients, variances and detectable differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from levelhead.comparison.power import Detectable, Power, rows_to_show
from levelhead.correlation import Correlation, CumulativeVariance, Measurements
from levelhead.correlation.coefficients import Method
from levelhead.report.charts.page_charts import heat, panels
from levelhead.report.charts.point_charts import Named, curves, fitted_cloud
from levelhead.report.charts.row_charts import ChartRow, spreads
from levelhead.significance.units import COMMENT
from levelhead.tables.svg import Drawing
from levelhead.tables.table import p_text
from levelhead.typology.languages import short_names

_LEVEL = 0.05


def scatter_chart(
    table: Measurements, x: str, y: str, *, family: str | None = None, result: Correlation | None = None
) -> Drawing:
    """Return a scatter plot of two columns with the least-squares line; treebanks without both values are left out.

    The name of a treebank is only shown if it overlaps no other name and no point.
    """
    across, up = table.number(x).tolist(), table.number(y).tolist()
    families = table.text(family) if family else ("",) * len(across)
    names = short_names(table.treebanks)
    points = map(Named, [names[name] for name in table.treebanks], across, up, families)
    known = [point for point in points if not np.isnan((point.x, point.y)).any()]
    return fitted_cloud(f"{y} by {x}", known, x, y, () if result is None else _statistics(result, x, y))


_SYMBOLS = {"pearson": "Pearson r", "spearman": "Spearman \N{GREEK SMALL LETTER RHO}"}


def _statistics(result: Correlation, x: str, y: str) -> list[str]:
    """A line for each coefficient with its p-value, and the number of treebanks."""
    pair = result[x, y]
    lines = [
        f"{_SYMBOLS[method]} = {_coefficient(coefficient.value)}, p {p_text(coefficient.p, 3)}"
        for method, coefficient in pair.coefficients.items()
    ]
    return [*lines, f"n = {pair.n}"]


def _coefficient(value: float | None) -> str:
    """A coefficient with two digits; with more if it would be rounded to 1, although the points are not on a line."""
    if value is None:
        return "-"
    places = next(n for n in (2, 3, 4, 5) if n == 5 or abs(value) == 1 or f"{abs(value):.{n}f}" < "1")
    return f"{value:.{places}f}".replace("-", "\N{MINUS SIGN}")


def coefficient_chart(correlation: Correlation, method: Method) -> Drawing:
    """Return the coefficients of pairs with their intervals, the strongest first; * marks p < .05 after correction."""
    coefficients = [(pair, pair.coefficients[method]) for pair in correlation.pairs]
    known = [(pair, coefficient) for pair, coefficient in coefficients if coefficient.value is not None]
    known.sort(key=lambda each: -abs(each[1].value or 0.0))
    rows = [
        ChartRow(f"{pair.x}, {pair.y}{mark}", coefficient.value, coefficient.low, coefficient.high)
        for pair, coefficient in known
        for mark in ["*" if coefficient.p_holm is not None and coefficient.p_holm < _LEVEL else ""]
    ]
    return spreads(f"{method.capitalize()}'s correlations", rows, f"{_SYMBOLS[method]} (* p < {_LEVEL})", zero=True)


def bar_chart(table: Measurements, columns: Sequence[str]) -> Drawing:
    """Return bars of several columns for each treebank, in ascending order of the first column."""
    order = np.argsort(table.number(columns[0]), kind="stable").tolist()
    values = {
        name: [None if np.isnan(value) else float(value) for value in table.number(name)[order]] for name in columns
    }
    return panels(f"Treebanks by {columns[0]}", [table.treebanks[row] for row in order], values, places=2)


def matrix_chart(correlation: Correlation, method: Method) -> Drawing:
    """Return a matrix of coefficients: blue from 0 to 1, red from 0 to -1."""
    names = correlation.columns
    coefficients = {(pair.x, pair.y): pair.coefficients[method].value for pair in correlation.pairs}
    shades = [[coefficients.get((row, column), coefficients.get((column, row))) for column in names] for row in names]
    rows = [
        (name, ["" if value is None else f"{value:.2f}" for value in values]) for name, values in zip(names, shades)
    ]
    return heat(method.capitalize(), "", names, rows, shades)


def variance_chart(variances: Mapping[str, CumulativeVariance]) -> Drawing:
    """Return the variance of the best two, three, ... scores of each measure (Callin, figure 5)."""
    lines = {name: list(enumerate(variance.variances.tolist(), 2)) for name, variance in variances.items()}
    return curves("Cumulative variance", lines, "treebanks, best first", "variance of scores")


def power_chart(power: Power, *, each: bool = False) -> Drawing:
    """Return a chart of detectable differences by the number of units, with a line per measure and number of runs."""
    shown = [row for row in rows_to_show(power, each=each) if row.difference is not None]
    series: dict[str, list[tuple[float, float]]] = {}
    for row in shown:
        plain = row.measure in power.perplexities
        value = row.difference or 0.0
        series.setdefault(_label(row, shown), []).append((row.n_units, value if plain else 100 * value))
    units = dict.fromkeys(_units(row.unit) for row in shown)
    return curves("Detectable difference", series, " or ".join(units), "detectable difference", logarithmic=True)


def _label(row: Detectable, shown: Sequence[Detectable]) -> str:
    """The properties in which a line differs from the others, as its label."""
    parts = (row.treebank, row.measure, _units(row.unit), f"{row.n_runs} runs" if row.n_runs > 1 else "1 run")
    fields = ("treebank", "measure", "unit", "n_runs")
    differ = [part for part, field in zip(parts, fields) if len({getattr(other, field) for other in shown}) > 1]
    return ", ".join(differ) or row.measure


def _units(kind: str) -> str:
    return "units" if kind.startswith(COMMENT) else f"{kind}s"
