"""Tables of classes of relations alone and left out, as Nivre and Fang's Tables 2 and 3."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from levelhead.analysis.restrictions import Exclusions, Values, difference
from levelhead.report.documents import header, points
from levelhead.report.table import Cell, Column, Table
from levelhead.scoring.measure import Measure


def exclusions_table(rows: Mapping[str, Values], asked: Exclusions, notes: tuple[str, ...] = ()) -> Table:
    """Return one row a treebank with the measure, each class alone, and the difference when one is left out.

    Args:
        rows: the values of all measures by treebank.
        asked: which measures the table is of.
        notes: sentences to print below.
    """
    columns = [Column("Treebank", "text"), Column(str(asked.whole))]
    columns += [Column(str(measure.only)) for measure in asked.alone]
    for measure in asked.compared:
        columns += [Column(str(measure)), Column("diff", "difference", key=f"{measure} diff")]
    columns += [Column(f"-{measure.without[0]}", "difference") for measure in asked.without]
    cells = {name: _cells(values, asked) for name, values in rows.items()}
    table = [(name, *map(_number, row)) for name, row in cells.items()]
    summary: tuple[tuple[Cell, ...], ...] = ()
    if len(rows) > 1:
        summary = (
            (f"Average of {len(rows)}", *(_number(_mean(column)) for column in zip(*cells.values(), strict=True))),
        )
        notes = (*_fewer(columns, list(cells.values())), *notes)
    note = "differences: the measure without a class or relation, minus the measure over all words"
    return Table(tuple(columns), tuple(table), (note, *notes), summary=summary)


def _cells(values: Values, asked: Exclusions) -> list[Fraction | None]:
    def changed(measure: Measure) -> Fraction | None:
        return difference(values, measure, asked.whole)

    cells = [values[str(measure)] for measure in (asked.whole, *asked.alone)]
    for measure in asked.compared:
        cells += [values[str(measure)], changed(measure)]
    return cells + [changed(measure) for measure in asked.without]


def _mean(cells: tuple[Fraction | None, ...]) -> Fraction | None:
    """The mean over the treebanks that have a value: a class need not occur in each."""
    known = [cell for cell in cells if cell is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def _fewer(columns: list[Column], rows: list[list[Fraction | None]]) -> tuple[str, ...]:
    """Say which averages are of fewer treebanks, because the others do not have the class."""
    counts = {
        column.unique_name: sum(cell is not None for cell in cells)
        for column, cells in zip(columns[1:], zip(*rows, strict=True))
    }
    fewer = [f"{name} of {n}" for name, n in counts.items() if 0 < n < len(rows)]
    return (f"averages over the treebanks that have the class: {', '.join(fewer)}",) if fewer else ()


def _number(value: Fraction | None) -> Cell:
    return None if value is None else float(value)


def exclusions_document(rows: Mapping[str, Values], asked: Exclusions, signature: Mapping[str, str]) -> dict[str, Any]:
    """Return the same for JSON: percentages and differences in points, at full precision.

    Args:
        rows: the values of all measures by treebank.
        asked: which measures.
        signature: what decides the numbers.
    """
    numbers = {name: _document(values, asked) for name, values in rows.items()}
    treebanks = {name: {kind: _points(part) for kind, part in one.items()} for name, one in numbers.items()}
    document = {**header("exclusions", signature), "treebanks": treebanks}
    if len(rows) > 1:
        document["average"] = {kind: _points(_means([one[kind] for one in numbers.values()])) for kind in _KINDS}
    return document


_KINDS = ("scores", "differences")


def _document(values: Values, asked: Exclusions) -> dict[str, dict[str, Fraction | None]]:
    changed = (*asked.compared, *asked.without)
    scores = {str(one): values[str(one)] for one in asked.measures}
    return {"scores": scores, "differences": {str(one): difference(values, one, asked.whole) for one in changed}}


def _points(values: Mapping[str, Fraction | None]) -> dict[str, float | None]:
    return {name: points(value) for name, value in values.items()}


def _means(every: list[dict[str, Fraction | None]]) -> dict[str, Fraction | None]:
    return {name: _mean(tuple(one[name] for one in every)) for name in every[0]}
