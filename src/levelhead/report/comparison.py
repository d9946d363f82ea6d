"""Comparisons as tables and JSON documents."""

from __future__ import annotations

from typing import Any

from levelhead.comparison import AVERAGES, Comparison, Wins
from levelhead.report.scores import SCHEMA, signature_line
from levelhead.report.table import Cell, Column, Table
from levelhead.significance import Result

_LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def comparison_table(comparison: Comparison, *, each: bool = False, power: bool = False) -> Table:
    """Return one row for each measure and system: score, difference, their intervals, p, a mark where it is real.

    Args:
        comparison: the comparison.
        each: also the rows of each treebank, where there are several.
        power: also the smallest difference that would be found with a probability of 80%.
    """
    several = len({result.treebank for result in comparison.results}) > 1
    shown = [one for one in comparison.results if each or not several or one.treebank in AVERAGES]
    columns = [Column("Treebank", "text")] if several else []
    columns += [Column("Measure", "text"), Column("System", "text"), Column("Score"), Column("95% from"), Column("to")]
    spread = any(one.spread is not None for one in shown)
    columns += [Column("SD")] if spread else []
    columns += [Column("Diff", "difference"), Column("95% from", "difference"), Column("to", "difference")]
    columns += [Column("p", "probability"), Column("p (Holm)", "probability"), Column("", "text")]
    columns += [Column("Detectable")] if power else []
    rows: list[tuple[Cell, ...]] = []
    rules, last = set(), None
    for one in shown:
        if (one.treebank, one.measure) != last:
            rules.add(len(rows))
            last = (one.treebank, one.measure)
        start = (one.treebank,) if several else ()
        rows.append((*start, *_cells(one, spread=spread), *((one.detectable,) if power else ())))
    notes = [f"differences to {comparison.systems[0]}; * p < .05, ** p < .01, *** p < .001 (Holm over systems)"]
    notes += [_won(one, comparison.systems[0]) for one in comparison.wins]
    notes.append(signature_line(comparison.signature))
    return Table(tuple(columns), tuple(rows), tuple(notes), frozenset(rules - {0}))


def _cells(one: Result, *, spread: bool) -> list[Cell]:
    def pair(interval: tuple[float, float] | None) -> tuple[Cell, Cell]:
        return (None, None) if interval is None else interval

    blank: tuple[Cell, ...] = ("",) * 5
    change = (one.difference, *pair(one.difference_interval), one.p, one.p_holm)
    return [
        one.measure,
        one.system,
        one.value,
        *pair(one.interval),
        *((one.spread,) if spread else ()),
        *(blank if one.p is None else change),
        mark(one.p_holm),
    ]


def mark(p: float | None) -> str:
    """Return asterisks for a p-value.

    Args:
        p: the p-value, or None.
    """
    return "" if p is None else next((stars for level, stars in _LEVELS if p < level), "")


def _won(one: Wins, baseline: str) -> str:
    sign = "" if one.sign_p is None else f"; sign test over treebanks p = {one.sign_p:.4f}"
    return (
        f"{one.measure}: {one.system} beats {baseline} on {one.better} treebanks ({one.won} of them for sure), loses"
        f" on {one.worse} ({one.lost}){sign}"
    )


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return the same for JSON: ratios as percentages, differences in points, at full precision."""
    return {
        "schema": SCHEMA,
        "kind": "comparison",
        "signature": dict(comparison.signature),
        "baseline": comparison.systems[0],
        "results": [_document(one) for one in comparison.results],
        "files": {name: dict(files) for name, files in comparison.files.items()},
        "wins": [one._asdict() for one in comparison.wins],
    }


def _document(one: Result) -> dict[str, Any]:
    document = one._asdict()
    for name in ("value", "spread", "difference", "detectable"):
        document[name] = _points(document[name])
    for name in ("interval", "difference_interval"):
        document[name] = None if document[name] is None else [_points(end) for end in document[name]]
    return document


def _points(value: float | None) -> float | None:
    return None if value is None else 100 * value
