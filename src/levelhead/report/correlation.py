"""Correlations and cumulative variances as tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.correlation import Coefficient, Correlation, CumulativeVariance, Measurements, Pair
from levelhead.correlation.coefficients import Method
from levelhead.correlation.correlate import FamilyCheck
from levelhead.report.documents import header
from levelhead.report.scores import signature_line
from levelhead.report.table import Cell, Column, Table

_NUMBERS = ("n", "r", "low", "high", "p", "Holm")
_OF_FAMILIES = ("lowest", "highest", "within", "p within")
_PROBABILITIES = ("p", "Holm", "p within")
_BLANK = ""


def pairs_table(correlation: Correlation) -> Table:
    """Return one row per pair of columns and method."""
    with_families = any(
        coefficient.families for pair in correlation.pairs for coefficient in pair.coefficients.values()
    )
    names = (*_NUMBERS, *(_OF_FAMILIES if with_families else ()))
    columns = (*(Column(name, "text") for name in ("x", "y", "method")), *map(_column, names))
    rows = tuple(
        (pair.x, pair.y, method, pair.n, *_cells(coefficient, with_families=with_families))
        for method in correlation.pairs[0].coefficients
        for pair in correlation.pairs
        for coefficient in (pair.coefficients[method],)
    )
    extremes = [_extremes(pair, method) for pair in correlation.pairs for method in pair.coefficients]
    return Table(columns, rows, (*filter(None, extremes), *_notes(correlation)), _starts(correlation))


def _column(name: str) -> Column:
    return Column(name, "probability" if name in _PROBABILITIES else "number", digits=3)


def _starts(correlation: Correlation) -> frozenset[int]:
    n_pairs = len(correlation.pairs)
    return frozenset(n_pairs * i for i in range(1, len(correlation.pairs[0].coefficients)))


def _cells(coefficient: Coefficient, *, with_families: bool) -> tuple[Cell, ...]:
    cells: tuple[Cell, ...] = (coefficient.value, coefficient.low, coefficient.high, coefficient.p, coefficient.p_holm)
    if not with_families:
        return cells
    check = coefficient.families or FamilyCheck({}, None, None)
    lowest, highest = check.extreme(highest=False), check.extreme(highest=True)
    return (*cells, lowest[1] if lowest else None, highest[1] if highest else None, check.within, check.p)


def _extremes(pair: Pair, method: Method) -> str:
    check = pair.coefficients[method].families
    if check is None:
        return ""
    lowest, highest = check.extreme(highest=False), check.extreme(highest=True)
    if lowest is None or highest is None:
        return f"{pair.x}, {pair.y} ({method}): undefined if any family is left out"
    return f"{pair.x}, {pair.y} ({method}): lowest without {lowest[0]}, highest without {highest[0]}"


def _notes(correlation: Correlation) -> tuple[str, ...]:
    given = (f"controlling for: {', '.join(correlation.given)}",) if correlation.given else ()
    signed = signature_line(correlation.provenance.signature)
    return (*given, *correlation.provenance.notes, f"{len(correlation.treebanks)} treebanks", signed)


def matrix_table(correlation: Correlation, method: Method) -> Table:
    """Return the upper triangle of the correlation matrix, in the layout of Callin's table 3."""
    names = correlation.columns
    value = {(pair.x, pair.y): pair.coefficients[method].value for pair in correlation.pairs}
    firsts = {pair.x for pair in correlation.pairs}
    rows = tuple(
        (row, *(value[row, column] if i < j else _BLANK for j, column in enumerate(names) if j))
        for i, row in enumerate(names) if row in firsts
    )  # fmt: skip
    columns = (Column(method.capitalize(), "text"), *(Column(name, "number") for name in names[1:]))
    return Table(columns, rows, _notes(correlation))


def correlation_document(correlation: Correlation) -> dict[str, Any]:
    """Return correlations for JSON."""
    return {
        **header("correlation", correlation.provenance.signature),
        "columns": list(correlation.columns),
        "given": list(correlation.given),
        "treebanks": list(correlation.treebanks),
        "notes": list(correlation.provenance.notes),
        "pairs": [
            {"x": pair.x, "y": pair.y, "n": pair.n}
            | {method: _coefficient(coefficient) for method, coefficient in pair.coefficients.items()}
            for pair in correlation.pairs
        ],
    }


def _coefficient(coefficient: Coefficient) -> dict[str, Any]:
    document = coefficient._asdict()
    families = document.pop("families")
    return document | (
        {} if families is None else {"families": {**families._asdict(), "without": {**families.without}}}
    )


def variance_table(variances: Mapping[str, CumulativeVariance], table: Measurements) -> Table:
    """Return the variance of the best k scores, one row per k, one column per measure."""
    columns = (Column("Treebanks", "number"), *(Column(name, "number") for name in variances))
    longest = max(len(variance.variances) for variance in variances.values())
    rows = tuple(
        (
            k + 2,
            *(
                float(variance.variances[k]) if k < len(variance.variances) else _BLANK
                for variance in variances.values()
            ),
        )
        for k in range(longest)
    )
    orders = tuple(f"{name}: {' '.join(variance.treebanks)}" for name, variance in variances.items())
    return Table(columns, rows, (*orders, *table.notes, signature_line(table.signature())))


def variance_document(variances: Mapping[str, CumulativeVariance], table: Measurements) -> dict[str, Any]:
    """Return cumulative variances for JSON."""
    return {
        **header("cumulative-variance"),
        "signature": table.signature(),
        "notes": list(table.notes),
        "measures": {
            name: {"treebanks": list(variance.treebanks), "variances": variance.variances.tolist()}
            for name, variance in variances.items()
        },
    }


def measurements_table(measurements: Measurements) -> Table:
    """Return one row per treebank: texts, then numbers."""
    texts = (Column(name, "text") for name in ("treebank", *measurements.texts))
    numbers = (Column(name, "number") for name in measurements.numbers)
    values = (*measurements.texts.values(), *(map(_value, column.tolist()) for column in measurements.numbers.values()))
    notes = (*measurements.notes, signature_line(measurements.provenance.signature))
    return Table((*texts, *numbers), tuple(zip(measurements.treebanks, *values, strict=True)), notes)


def _value(number: float) -> float | None:
    return None if number != number else number  # noqa: PLR0124 -- not a number


def measurements_document(measurements: Measurements) -> dict[str, Any]:
    """Return measurements for JSON."""
    table = measurements_table(measurements)
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    return {**header("measurements", measurements.provenance.signature), "treebanks": rows}
