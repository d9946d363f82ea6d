"""The tables of Nivre and Fang, with the printed numbers next to ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from levelhead.campaign.languages import family_of
from levelhead.report.charts.page_charts import panels
from levelhead.report.table import Column, Table
from levelhead.studies.nivre_fang.measures import CLASSES, RELATIONS, WITHOUT, Rows, points, printed_row
from levelhead.studies.statistics import mean, pearson, spearman
from levelhead.studies.study import StudySection


def figure_1(examples: Rows) -> StudySection:
    """Return the scores of the two sentences of the figure."""
    columns = (Column("language", "text"), Column("LAS"), Column("CLAS"))
    cells = tuple((code, row["LAS"], row["CLAS"]) for code, row in examples.items())
    text = (
        "The two sentences of the figure, with the same mistake: the locative is attached to the object (page 87).",
    )
    return StudySection("Figure 1: one mistake in English and in Finnish", text, Table(columns, cells))


def _printed_and_ours(rows: Rows, numbers: Mapping[str, Any], names: Sequence[str], average: str) -> Table:
    """A table of printed columns next to ours, with averages in the last two rows."""
    kinds = {name: "difference" if "without" in name or " - " in name else "ratio" for name in names}
    columns = [Column("treebank", "text")]
    for name in names:
        columns += [Column(f"{name} printed", kinds[name]), Column(name, kinds[name])]  # type: ignore[arg-type]
    cells = [
        (code, *(cell for name in names for cell in (printed_row(numbers, code, name), row[name])))
        for code, row in rows.items()
    ]
    averages = [
        (mean(printed_row(numbers, code, name) for code in rows), mean(row[name] for row in rows.values()))
        for name in names
    ]
    same = ("average of the above", *(cell for pair in averages for cell in pair))
    whole = (
        "average of all 42, printed",
        *(cell for name in names for cell in (numbers[average]["row"][name] / 100, None)),
    )
    return Table(tuple(columns), (*cells, same, whole), rules_before=frozenset({len(cells)}))


def table_2(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    """Return LAS and the LAS of each class, printed and ours."""
    return StudySection(
        "Table 2: LAS, and LAS of each class", (), _printed_and_ours(rows, numbers, ("LAS", *CLASSES), "average_2")
    )


def differences(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    """Return the changes of LAS without a class, printed and ours."""
    names = [f"without {name}" for name in WITHOUT]
    order = sorted(rows, key=lambda code: rows[code]["without FUN"] or 0.0)
    drawn = {
        "printed": [points(printed_row(numbers, code, "without FUN")) for code in order],
        "ours": [points(rows[code]["without FUN"]) for code in order],
    }
    figure = panels("LAS without FUN, minus LAS, in points", order, drawn, signed=True) if order else None
    text = ("The figure shows the differences without FUN, largest drop first.",)
    table = _printed_and_ours(rows, numbers, names, "average_2")
    return StudySection("Table 2: LAS without a class, minus LAS", text, table, figure)


def relations(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    """Return CLAS and the changes of LAS without a relation, printed and ours."""
    names = ["CLAS", "CLAS - LAS", *(f"without {name}" for name in RELATIONS)]
    return StudySection(
        "Table 3: CLAS, and LAS without a relation", (), _printed_and_ours(rows, numbers, names, "average_3")
    )


def agreement(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    """Return the rank correlations of our columns with the printed columns."""
    names = ("LAS", *CLASSES, *(f"without {name}" for name in (*WITHOUT, *RELATIONS)), "CLAS", "CLAS - LAS")
    cells = []
    for name in names:
        pairs = [(row[name], printed_row(numbers, code, name)) for code, row in rows.items()]
        rank, p, n = spearman(pairs)
        cells.append((name, n, rank, p, pearson(pairs)[0]))
    columns = (Column("column", "text"), Column("treebanks", "number"), Column("Spearman", "number"),
               Column("p", "probability"), Column("Pearson", "number"))  # fmt: skip
    text = (
        "The correlation of our column with the printed column over treebanks. p is for Spearman's correlation: from"
        " all permutations for up to 9 treebanks, and by Student's t for more."
    )
    return StudySection("Rank correlation with the printed columns", (text,), Table(columns, tuple(cells)))


def families(rows: Rows, numbers: Mapping[str, Any]) -> StudySection:
    """Return CLAS minus LAS in each language family."""
    names = sorted({family_of(code) for code in rows})
    cells = []
    for name in names:
        members = [code for code in rows if family_of(code) == name]
        published = mean(printed_row(numbers, code, "CLAS - LAS") for code in members)
        cells.append((name, len(members), published, mean(rows[code]["CLAS - LAS"] for code in members)))
    columns = (Column("family or branch", "text"), Column("treebanks", "number"),
               Column("CLAS - LAS printed", "difference"), Column("CLAS - LAS", "difference"))  # fmt: skip
    return StudySection("By language family", (), Table(columns, tuple(cells)))
