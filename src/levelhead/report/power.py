"""Detectable differences as tables, drawings and JSON documents."""

from __future__ import annotations

from collections.abc import Sequence

from levelhead.comparison.power import Detectable, Power, rows_to_show
from levelhead.report.charts.study_charts import curves
from levelhead.significance.units import COMMENT
from levelhead.tables.svg import Drawing


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
