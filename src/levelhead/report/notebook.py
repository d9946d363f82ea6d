"""The charts that results show in notebooks."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.comparison.breakdowns import Breakdowns
from levelhead.comparison.contrasts import Contrasts
from levelhead.comparison.evaluations import Evaluations
from levelhead.comparison.system_errors import Confusions, ErrorExamples
from levelhead.comparison.systems import Comparison
from levelhead.correlation.correlate import Correlation
from levelhead.evaluation.pair import Evaluation
from levelhead.measures.registry import lower_is_better
from levelhead.report.charts.page_charts import heat, panels
from levelhead.report.charts.result_charts import matrix_chart
from levelhead.report.charts.row_charts import plotted_row, spreads
from levelhead.report.compared_trees import groups_of, trees_svg
from levelhead.scoring.score import Score
from levelhead.tables.svg import Drawing, clean

_MOST_ROWS, _MOST_RELATIONS = 40, 15
"""The largest numbers of rows and relations in a chart; the first of the table are shown."""


def charts_html(result: object) -> str:
    """Return the charts of a result for a notebook, as self-contained images."""
    if isinstance(result, Contrasts | ErrorExamples):
        return _image("Trees of gold and of systems", trees_svg(groups_of(result), ""))
    drawings = _CHARTS[type(result)](result) if type(result) in _CHARTS else ()
    return "".join(_image(drawing.title, drawing.file()) for drawing in drawings)


def _image(title: str, svg: str) -> str:
    data = base64.b64encode(svg.encode("utf-8", "backslashreplace")).decode()
    return f'<img alt="{clean(title)}" style="max-width: 100%" src="data:image/svg+xml;base64,{data}">\n'


def _of_ranking(board: RankedSystems) -> Iterator[Drawing]:
    """The averages of the first ranking, with their intervals."""
    first = board.rankings[0]
    unit = 1 if lower_is_better(first.measure) else 100
    rows = [
        plotted_row(standing.system, standing.value, standing.interval, unit)
        for standing in first.standings[:_MOST_ROWS]
        if standing.value is not None
    ]
    if rows:
        yield spreads(f"Macro-averages of {first.measure}, {first.group.name}", rows, first.measure)


def _of_comparison(comparison: Comparison) -> Iterator[Drawing]:
    """The differences from the baseline by the first measure, on each treebank."""
    measure, (baseline, *_) = comparison.measures[0], comparison.systems
    unit = 1 if measure in comparison.perplexities else 100
    results = [
        result
        for result in comparison.results
        if result.measure == measure and result.difference is not None and result.average != "micro"
    ]
    several = len({result.treebank for result in results}) > 1
    rows = []
    for result in results[:_MOST_ROWS]:
        label = f"{result.treebank} · {result.system}" if several else result.system
        rows.append(plotted_row(label, result.difference, result.difference_interval, unit))
    if rows:
        yield spreads(f"Differences in {measure} from {baseline}", rows, f"{measure}: difference", zero=True)


def _of_scores(evaluation: Evaluation) -> Iterator[Drawing]:
    """Precision, recall and F1 of each measure."""
    names = [name for name in evaluation if not lower_is_better(name)]
    if names:
        yield _bars("Scores", [(name, evaluation[name]) for name in names])


def _of_treebanks(evaluations: Evaluations) -> Iterator[Drawing]:
    """The first measure on each treebank."""
    measures = [name for name in next(iter(evaluations.values())) if not lower_is_better(name)]
    measure = "LAS" if "LAS" in measures else measures[0] if measures else None
    if measure is not None:
        yield _bars(measure, [(code, evaluation[measure]) for code, evaluation in evaluations.items()])


def _of_breakdowns(found: Breakdowns) -> Iterator[Drawing]:
    """The score of each bucket."""
    for name, breakdowns in found.treebanks.items():
        for breakdown in breakdowns:
            rows = [(" · ".join(values), score) for values, score in breakdown.rows]
            where = f"{name}: " if len(found.treebanks) > 1 else ""
            yield _bars(f"{where}{breakdown.measure} by {' and '.join(breakdown.by)}", rows)


def _bars(title: str, scores: list[tuple[str, Score]]) -> Drawing:
    shown = scores[:_MOST_ROWS]
    values = [None if score.exact is None else 100 * float(score.exact) for _, score in shown]
    return panels(title, [name for name, _ in shown], {title: values}, places=2)


def _of_confusions(confusions: Confusions) -> Iterator[Drawing]:
    """Gold relations by system relations; more frequent confusions are darker."""
    for name, treebank in confusions.treebanks.items():
        n = min(len(treebank.names), _MOST_RELATIONS)
        counts = treebank.counts[:n, :n]
        wrong = [[0 if i == j else int(counts[i, j]) for j in range(n)] for i in range(n)]
        most = max((count for row in wrong for count in row), default=0) or 1
        shades = [[None if i == j else wrong[i][j] / most for j in range(n)] for i in range(n)]
        rows = [(treebank.names[i], [f"{counts[i, j]:,}" if counts[i, j] else "" for j in range(n)]) for i in range(n)]
        yield heat(f"{name}: gold relations by system relations", "gold", treebank.names[:n], rows, shades)


def _of_correlation(correlation: Correlation) -> Iterator[Drawing]:
    for method in correlation.pairs[0].coefficients if correlation.pairs else ():
        yield matrix_chart(correlation, method)


_CHARTS: Mapping[type, Callable[[Any], Iterator[Drawing]]] = MappingProxyType(
    {
        RankedSystems: _of_ranking,
        Comparison: _of_comparison,
        Evaluation: _of_scores,
        Evaluations: _of_treebanks,
        Breakdowns: _of_breakdowns,
        Confusions: _of_confusions,
        Correlation: _of_correlation,
    }
)
