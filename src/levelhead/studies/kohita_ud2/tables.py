"""The tables of the study on UD v2, without printed numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from levelhead.report.charts.study_charts import Named, cloud
from levelhead.report.table import Column, Table
from levelhead.studies.columns import number_columns
from levelhead.studies.kohita.measures import MEASURES, UD2_RELATIONS, Rows, change, own_gain
from levelhead.studies.kohita.tables import own_pair
from levelhead.studies.statistics import Cell, mean
from levelhead.studies.study import StudySection


def entropy(described: Rows, measured: Mapping[str, Rows]) -> StudySection:
    """Return the size and the entropies of each treebank, and the gains of parsers."""
    names = ("sentences", "words", "entropy (bits)", "after", "change", *(f"LAS gain, {parser}" for parser in measured))
    columns = (Column("treebank", "text"), *number_columns(*names))
    cells = tuple(
        (code, row["sentences"], row["words"], row["before"], row["after"], change(row),
         *(own_gain(rows.get(code), "LAS") for rows in measured.values()))
        for code, row in described.items()
    )  # fmt: skip
    points = [
        Named(code, less, gain, parser)
        for parser, rows in measured.items()
        for code, row in rows.items()
        if (gain := own_gain(row, "LAS")) is not None and (less := change(described[code])) is not None
    ]
    text = ("Head-word vocabulary entropy of tuples that occur at least five times; gains in points.",)
    figure = cloud("Entropy and gain", points, "change of entropy (bits)", "LAS gain (points)") if points else None
    return StudySection("Entropy and gain", text, Table(columns, cells), figure)


def scores(measured: Mapping[str, Rows]) -> list[StudySection]:
    """Return a table for each measure."""
    if not measured:
        return [StudySection("Scores", ("No outputs of parsers trained on both kinds of trees were given.",))]
    codes = list(dict.fromkeys(code for rows in measured.values() for code in rows))
    return [_pairs(name, codes, measured) for name in MEASURES]


def _pairs(name: str, codes: Iterable[str], measured: Mapping[str, Rows]) -> StudySection:
    """The scores by one measure, and averages over the treebanks for which a parser has outputs."""
    rows: list[tuple[Cell | str, ...]] = [
        (code, *(cell for own in measured.values() for cell in own_pair(own.get(code), name))) for code in codes
    ]
    average = ("average", *(mean(column) for column in list(zip(*rows))[1:]))
    return StudySection(name, (), Table(_columns("treebank", measured), (*rows, average), (), frozenset({len(rows)})))


def _columns(first: str, measured: Iterable[str]) -> tuple[Column, ...]:
    columns = [Column(first, "text")]
    for parser in measured:
        columns += [Column(f"{parser} UD"), Column(f"{parser} CONV"), Column(f"{parser} gain", "difference")]
    return tuple(columns)


def scores_by_relation(measured: Mapping[str, Rows]) -> StudySection:
    """Return the F1 of relations, as means over treebanks."""
    cells = []
    for name in UD2_RELATIONS:
        row: list[Cell | str] = [name]
        for rows in measured.values():
            pairs = [own_pair(own, name) for own in rows.values()]
            row += [mean(column) for column in zip(*[pair for pair in pairs if None not in pair])] or [None] * 3
        cells.append(tuple(row))
    text = ("Means over the treebanks that have the relation.",)
    return StudySection("F1 by relation", text, Table(_columns("relation", measured), tuple(cells)))
