"""Charts of measurements: two columns, many columns, coefficients, and cumulative variances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from levelhead.correlation import Correlation, CumulativeVariance, Measurements
from levelhead.correlation.coefficients import Method
from levelhead.report.charts.page_charts import heat, panels
from levelhead.report.charts.study_charts import Named, cloud, curves
from levelhead.report.charts.svg import Drawing


def scatter_chart(table: Measurements, x: str, y: str, *, family: str | None = None) -> Drawing:
    """Return a scatter plot of two columns; each treebank is labeled, and left out without both values.

    Args:
        table: the values.
        x: the column on the horizontal axis.
        y: the column on the vertical axis.
        family: a column of text that colors the points.

    Raises:
        InputError: the column is unknown.
    """
    across, up = table.number(x).tolist(), table.number(y).tolist()
    families = table.text(family) if family else ("",) * len(across)
    points = map(Named, table.treebanks, across, up, families)
    known = [point for point in points if not np.isnan((point.x, point.y)).any()]
    return cloud(f"{y} by {x}", known, x, y)


def bar_chart(table: Measurements, columns: Sequence[str]) -> Drawing:
    """Return bars of several columns for each treebank, in ascending order of the first column.

    Args:
        table: the values.
        columns: the columns.

    Raises:
        InputError: the column is unknown.
    """
    order = np.argsort(table.number(columns[0]), kind="stable").tolist()
    values = {name: [_value_or_none(table.number(name)[row]) for row in order] for name in columns}
    return panels(f"Treebanks by {columns[0]}", [table.treebanks[row] for row in order], values, places=2)


def matrix_chart(correlation: Correlation, method: Method) -> Drawing:
    """Return a matrix of coefficients: blue from 0 to 1, red from 0 to -1.

    Args:
        correlation: the correlations.
        method: which coefficients.
    """
    names = correlation.columns
    found = {(pair.x, pair.y): pair.coefficients[method].value for pair in correlation.pairs}
    shades = [[found.get((row, column), found.get((column, row))) for column in names] for row in names]
    rows = [
        (name, ["" if value is None else f"{value:.2f}" for value in values]) for name, values in zip(names, shades)
    ]
    return heat(method.capitalize(), "", names, rows, shades)


def variance_chart(variances: Mapping[str, CumulativeVariance]) -> Drawing:
    """Return the variance of the best two, three, ... scores of each measure (Callin, figure 5).

    Args:
        variances: by measure, as `levelhead.correlation.cumulative_variance` makes them.
    """
    lines = {name: list(enumerate(one.variances.tolist(), 2)) for name, one in variances.items()}
    return curves("Cumulative variance", lines, "treebanks, best first", "variance of scores")


def _value_or_none(number: float) -> float | None:
    return None if np.isnan(number) else float(number)
