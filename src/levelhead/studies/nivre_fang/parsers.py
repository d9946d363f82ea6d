"""Do the findings depend on the parser? The numbers behind the claims for each of our parsers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.report.table import Column, Table
from levelhead.studies.columns import number_columns
from levelhead.studies.nivre_fang.measures import Rows, points, printed_row
from levelhead.studies.statistics import Cell, mean, spearman
from levelhead.studies.study import StudySection

_SHOWN = ("LAS", "without FUN", "CLAS - LAS")
_AVERAGED = ("LAS", "CLAS", "CORE", "NONCORE", "FUN", "without FUN", "without det", "without case", "CLAS - LAS")
_RANKED = ("without FUN", "CLAS - LAS")


def by_treebank(measured: Mapping[str, Rows], numbers: Mapping[str, Any]) -> StudySection:
    """Return LAS and both drops for each parser and treebank, next to the printed numbers."""
    codes = list(dict.fromkeys(code for rows in measured.values() for code in rows))
    columns = [Column("treebank", "text")]
    for name in _SHOWN:
        columns += [Column(f"{name} {whose}", "ratio" if name == "LAS" else "difference") for whose in
                    ("printed", *measured)]  # fmt: skip
    cells = tuple(
        (code, *(cell for name in _SHOWN for cell in (printed_row(numbers, code, name),
                 *(rows[code][name] if code in rows else None for rows in measured.values()))))
        for code in codes
    )  # fmt: skip
    return StudySection("Other parsers: LAS and the drops", (), Table(tuple(columns), cells))


def summary(measured: Mapping[str, Rows], numbers: Mapping[str, Any]) -> StudySection:
    """Return averages over treebanks for each parser, and the rank correlations of its drops with the printed ones."""
    codes = list(dict.fromkeys(code for rows in measured.values() for code in rows))
    columns = (Column("number", "text"), *number_columns("printed", *measured))
    cells: list[tuple[str | Cell, ...]] = [
        (f"average of {name}", points(mean(printed_row(numbers, code, name) for code in codes)),
         *(points(mean(row[name] for row in rows.values())) for rows in measured.values()))
        for name in _AVERAGED
    ]  # fmt: skip
    cells += [
        (f"Spearman with the printed {name}", None,
         *(spearman((row[name], printed_row(numbers, code, name)) for code, row in rows.items())[0]
           for rows in measured.values()))
        for name in _RANKED
    ]  # fmt: skip
    text = (
        "In percent and points, over the treebanks for which the parser has outputs. The verdicts are based on these.",
    )
    return StudySection("Other parsers: averages and ranks", text, Table(columns, tuple(cells)))
