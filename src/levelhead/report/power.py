"""Detectable differences as tables, drawings and JSON documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from levelhead.comparison.power import Detectable, Power
from levelhead.report.charts.study_charts import curves
from levelhead.report.charts.svg import Drawing
from levelhead.report.documents import header, points, sources
from levelhead.report.scores import signature_line, units_document
from levelhead.report.table import Cell, Column, Table, interval_cell, value_cell
from levelhead.significance import unit_line
from levelhead.significance.units import COMMENT


def power_table(power: Power, *, each: bool = False) -> Table:
    """Return one row per measure, number of units and number of runs."""
    rows = _rows_to_show(power, each=each)
    several = len({row.treebank for row in power.rows}) > 1
    typical = any(row.low is not None for row in rows)
    columns = [Column("Treebank", "text")] if several else []
    columns += [Column("Measure", "text"), Column("Unit", "text"), Column("Units", "number")]
    columns += [Column("Runs", "number"), Column("Detectable")]
    columns += [Column("Quartiles", ends=("low", "high"))] if typical else []
    cells = tuple(_cells(row, power, several=several, typical=typical) for row in rows)
    starts = [(row.treebank, row.measure, row.unit) for row in rows]
    n_rows = sum(not row.average for row in rows) if each else len(rows)
    rules = frozenset(i for i in range(1, n_rows) if starts[i] != starts[i - 1])
    test = power.test
    note = (
        f"Detectable: difference in points that a two-sided test at level {test.alpha:g} detects with {test.power:.0%}"
        " power"
    )
    by_unit = [unit_line(power.units, "variances")] if power.units else []
    notes = (note, *by_unit, *power.provenance.notes, signature_line(power.provenance.signature))
    return Table(tuple(columns), cells[:n_rows], notes, rules, cells[n_rows:])


def _rows_to_show(power: Power, *, each: bool) -> list[Detectable]:
    averages = [row for row in power.rows if row.average]
    own = [row for row in power.rows if not row.average]
    return [*own, *averages] if each or not averages else averages


def _cells(row: Detectable, power: Power, *, several: bool, typical: bool) -> tuple[Cell, ...]:
    plain = row.measure in power.perplexities
    quartiles = None if row.low is None or row.high is None else (row.low, row.high)
    return (
        *((row.treebank,) if several else ()),
        *(row.measure, row.unit, row.n_units, row.n_runs, value_cell(row.difference, perplexity=plain)),
        *((interval_cell(quartiles, perplexity=plain),) if typical else ()),
    )


def power_chart(power: Power, *, each: bool = False) -> Drawing:
    """Return a chart of detectable differences by the number of units, with a line per measure and number of runs."""
    shown = [row for row in _rows_to_show(power, each=each) if row.difference is not None]
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


def power_document(power: Power) -> dict[str, Any]:
    """Return all differences for JSON: in points, at full precision."""
    return {
        **header("power", power.provenance.signature),
        **power.test._asdict(),
        "results": [_document(row, plain=row.measure in power.perplexities) for row in power.rows],
        "units": units_document(power.units),
        **sources(power.provenance),
    }


def _document(row: Detectable, *, plain: bool) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in ("difference", "low", "high")}
    return row._asdict() | (values if plain else {name: points(value) for name, value in values.items()})
