"""Charts of results for files, and the charts that results show in notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from levelhead.campaign import Ranking
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.comparison.breakdowns import Breakdowns
from levelhead.comparison.power import Power, rows_to_show
from levelhead.comparison.system_errors import Confusions
from levelhead.comparison.systems import Comparison
from levelhead.comparison.trees import Contrasts, ErrorExamples
from levelhead.correlation.coefficients import CumulativeVariance, Method
from levelhead.correlation.correlate import Coefficient, Correlation, Pair
from levelhead.correlation.measurements import Measurements
from levelhead.evaluation.pair import Evaluation
from levelhead.measures.registry import lower_is_better
from levelhead.report.charts.page_charts import ChartRow, heat, panels, plotted_row, spreads
from levelhead.report.charts.point_charts import Named, cloud, curves
from levelhead.report.page.examples import groups_of, trees_html
from levelhead.scoring.score import Score
from levelhead.significance.units import COMMENT
from levelhead.tables.svg import Drawing
from levelhead.tables.table import MOST_ROWS, p_text
from levelhead.typology.languages import short_names

_LEVEL = 0.05


def scatter_chart(
    table: Measurements, x: str, y: str, *, family: str | None = None, result: Correlation | None = None
) -> Drawing:
    """Return a scatter plot of the columns `x` and `y` of `table`, with the least-squares line.

    Treebanks that lack a number in one of these columns are left out. If `family` is the name of a column of text,
    treebanks with different texts in this column have different marks. If `result` is given, its coefficients for `x`
    and `y` are printed.
    """
    across, up = table.number(x).tolist(), table.number(y).tolist()
    families = table.text(family) if family else ("",) * len(across)
    points = map(Named, short_names(table.treebanks).values(), across, up, families)
    known = [point for point in points if not np.isnan((point.x, point.y)).any()]
    statistics: list[str] = []
    if result is not None:
        pair = result[x, y]
        coefficients = pair.coefficients.items()
        shown = (f"{_SYMBOLS[name]} = {_coefficient(each.value)}, p {p_text(each.p)}" for name, each in coefficients)
        statistics = [*shown, f"n = {pair.n}"]
    return cloud(f"{y} by {x}", known, x, y, statistics, fitted=True)


_SYMBOLS = {"pearson": "Pearson r", "spearman": "Spearman \N{GREEK SMALL LETTER RHO}"}


def _coefficient(value: float | None) -> str:
    """A coefficient with two digits; with more if it would be rounded to 1, although the points are not on a line."""
    if value is None:
        return "-"
    places = next(n for n in (2, 3, 4, 5) if n == 5 or abs(value) == 1 or f"{abs(value):.{n}f}" < "1")
    return f"{value:.{places}f}".replace("-", "\N{MINUS SIGN}")


def coefficient_chart(correlation: Correlation, method: Method | None = None) -> Drawing:
    """Return the coefficients of pairs with their intervals, the strongest first; * marks p < .05 after correction."""
    rows = [
        ChartRow(f"{pair.x}, {pair.y}{mark}", coefficient.value, coefficient.low, coefficient.high)
        for pair in correlation.pairs
        for coefficient in [_shown(pair, method)]
        for mark in ["*" if coefficient.p is not None and coefficient.p < _LEVEL else ""]
        if coefficient.value is not None
    ]
    rows.sort(key=lambda row: -abs(row.value or 0.0))
    symbols = " or ".join(_SYMBOLS[name] for name in ((method,) if method else correlation.methods))
    return spreads(_title(correlation, method), rows, f"{symbols} (* p < {_LEVEL})", zero=True)


def _shown(pair: Pair, method: Method | None) -> Coefficient:
    return pair.coefficients[method] if method else next(iter(pair.coefficients.values()))


def _title(correlation: Correlation, method: Method | None) -> str:
    methods = (method,) if method else correlation.methods
    return f"{methods[0].capitalize()}'s correlations" if len(methods) == 1 else "Correlations"


def bar_chart(table: Measurements, columns: Sequence[str]) -> Drawing:
    """Return a bar chart of `columns` of `table`, with treebanks sorted by `columns[0]`."""
    order = np.argsort(table.number(columns[0]), kind="stable").tolist()
    values = {
        name: [None if np.isnan(value) else float(value) for value in table.number(name)[order]] for name in columns
    }
    return panels(f"Treebanks by {columns[0]}", [table.treebanks[row] for row in order], values, places=2)


def matrix_chart(correlation: Correlation, method: Method | None = None) -> Drawing:
    """Return a matrix of coefficients: blue from 0 to 1, red from 0 to -1; with no method, that of each pair."""
    names = correlation.columns
    coefficients = {(pair.x, pair.y): _shown(pair, method).value for pair in correlation.pairs}
    shades = [[coefficients.get((row, column), coefficients.get((column, row))) for column in names] for row in names]
    rows = [
        (name, ["" if value is None else f"{value:.2f}" for value in values]) for name, values in zip(names, shades)
    ]
    return heat(_title(correlation, method), "", names, rows, shades)


def variance_chart(variances: Mapping[str, CumulativeVariance]) -> Drawing:
    """Return the variance of the best two, three, ... scores of each measure (Callin, figure 5)."""
    lines = {name: list(enumerate(variance.variances.tolist(), 2)) for name, variance in variances.items()}
    return curves("Cumulative variance", lines, "treebanks, best first", "variance of scores")


def power_chart(power: Power, *, each: bool = False) -> Drawing:
    """Return a chart of detectable differences by the number of units, with a line per measure and number of runs."""
    shown = [row for row in rows_to_show(power, each=each) if row.detectable is not None]
    differ = [len(set(values)) > 1 for values in zip(*((r.treebank, r.measure, r.unit, r.n_runs) for r in shown))]
    series: dict[str, list[tuple[float, float]]] = {}
    for row in shown:
        # its label has the properties in which lines differ
        parts = (row.treebank or "", row.measure, _units(row.unit), f"{row.n_runs} runs" if row.n_runs > 1 else "1 run")
        label = ", ".join(part for part, varies in zip(parts, differ) if varies) or row.measure
        series.setdefault(label, []).append((row.n_units, row.detectable or 0.0))
    units = dict.fromkeys(_units(row.unit) for row in shown)
    return curves("Detectable difference", series, " or ".join(units), "detectable difference", logarithmic=True)


def _units(kind: str) -> str:
    return "units" if kind.startswith(COMMENT) else f"{kind}s"


def charts_html(result: object) -> str:
    """Return the charts of a result for a notebook, as self-contained images."""
    if isinstance(result, Contrasts | ErrorExamples):
        return trees_html(groups_of(result))
    return "".join(drawing.image() for drawing in _drawings(result))


def _drawings(result: object) -> Iterator[Drawing]:
    match result:
        case RankedSystems():
            yield from _of_ranking(result.rankings[0])
        case Comparison():
            yield from _of_comparison(result)
        case Evaluation():
            names = [name for name in result if not lower_is_better(name)]
            if names and not result.parts:
                yield _bars("Scores", [(name, result[name]) for name in names])
            for measure in ["LAS"] if result.parts and "LAS" in names else names[: len(result.parts) and 1]:
                yield _bars(measure, [(code, evaluation[measure]) for code, evaluation in result.parts.items()])
        case Breakdowns() if not result.gains:
            yield from _of_breakdowns(result)
        case Confusions():
            yield from _of_confusions(result)
        case Correlation():
            several = len(result.pairs[0].coefficients) > 1
            yield from (matrix_chart(result, method) for method in (result.methods if several else (None,)))


def _of_ranking(ranking: Ranking) -> Iterator[Drawing]:
    rows = [
        plotted_row(standing.system, standing.value, standing.interval)
        for standing in ranking.standings[:MOST_ROWS]
        if standing.value is not None
    ]
    if rows:
        yield spreads(f"Macro-averages of {ranking.measure}, {ranking.group.name}", rows, ranking.measure)


def _of_comparison(comparison: Comparison) -> Iterator[Drawing]:
    """The differences from the baseline by one measure, on each treebank."""
    measure = "LAS" if "LAS" in comparison.measures else comparison.measures[0]  # that of the verdict
    results = [
        result
        for result in comparison.results
        if result.measure == measure and result.difference is not None and result.average != "micro"
    ]
    several = len({result.treebank for result in results}) > 1
    labels = [f"{result.treebank} · {result.system}" if several else result.system for result in results[:MOST_ROWS]]
    rows = [plotted_row(label, result.difference, result.difference_interval) for label, result in zip(labels, results)]
    if rows:
        yield spreads(
            f"Differences in {measure} from {comparison.systems[0]}", rows, f"{measure}: difference", zero=True
        )


def _of_breakdowns(result: Breakdowns) -> Iterator[Drawing]:
    for name, breakdowns in result.treebanks.items():
        where = f"{name}: " if len(result.treebanks) > 1 else ""
        for breakdown in breakdowns:
            rows = [(" · ".join(values), score) for values, score in breakdown.rows]
            yield _bars(f"{where}{breakdown.measure} by {' and '.join(breakdown.by)}", rows)


def _bars(title: str, scores: list[tuple[str, Score]]) -> Drawing:
    shown = scores[:MOST_ROWS]
    values = [None if score.exact is None else float(score.exact) for _, score in shown]
    return panels(title, [name for name, _ in shown], {title: values}, places=2)


def _of_confusions(confusions: Confusions) -> Iterator[Drawing]:
    """Gold relations by system relations; more frequent confusions are darker."""
    for name, treebank in confusions.treebanks.items():
        n = min(len(treebank.names), 15)
        counts = treebank.counts[:n, :n]
        most = (counts - np.diag(np.diag(counts))).max(initial=0) or 1
        shades = [[None if i == j else counts[i, j] / most for j in range(n)] for i in range(n)]
        rows = [(treebank.names[i], [f"{counts[i, j]:,}" if counts[i, j] else "" for j in range(n)]) for i in range(n)]
        yield heat(f"{name}: gold relations by system relations", "gold", treebank.names[:n], rows, shades)
