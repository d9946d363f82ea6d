"""The tables and figures of Kohita et al. with our numbers next to theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from levelhead.report.charts.page_charts import panels
from levelhead.report.charts.study_charts import Named, cloud
from levelhead.report.charts.svg import Drawing
from levelhead.report.table import Column, Kind, Table
from levelhead.studies.kohita.measures import (
    MEASURES,
    RELATIONS,
    Row,
    Rows,
    change,
    gain,
    own_gain,
)
from levelhead.studies.statistics import Cell, mean
from levelhead.studies.study import StudySection


def conversion(described: Rows, numbers: Mapping[str, Any]) -> StudySection:
    """Return what conversion changes in each treebank.

    Args:
        described: what `describe` returns, by treebank.
        numbers: the printed numbers.
    """
    columns = (Column("treebank", "text"), Column("words", "number"), Column("converted"), Column("not restored (%)",
               "number"), Column("non-projective sentences"), Column("after"), Column("more", "difference"),
               Column("more non-projective arcs", "difference"))  # fmt: skip
    cells: list[tuple[Any, ...]] = []
    for code, row in described.items():
        before, after = (row[f"nonprojective {when}"] / row["sentences"] for when in ("before", "after"))
        cells.append((code, row["words"], row["converted"], 100 * row["failed"], before, after, after - before,
                      row["arcs after"] - row["arcs before"]))  # fmt: skip
    theirs = numbers["conversion"]
    averages = tuple(mean(column) for column in list(zip(*(row[1:] for row in cells)))[1:])
    ours = ("average", None, *averages)
    last = ("printed average", None, theirs["converted tokens"] / 100, theirs["failed, mean"], None, None, None,
            theirs["non-projective, increase"] / 100)  # fmt: skip
    text = (
        (
            "The paper gives averages only. Its increase is one of non-projective arcs in the training sets (page 2);"
            " the share of sentences with such an arc is next to it, since the paper may print its increase."
        ),
    )
    rows = (*cells, ours, last)
    return StudySection("Section 3.1: what conversion changes", text, Table(columns, rows, (), frozenset({len(cells)})))


def entropy(described: Rows, numbers: Mapping[str, Any], measured: Mapping[str, Rows]) -> StudySection:
    """Return the entropies of treebanks and the gains of parsers.

    Args:
        described: what `describe` returns, by treebank.
        numbers: the printed numbers.
        measured: what `measure` returns, by parser and treebank.
    """
    columns = (Column("treebank", "text"), *(Column(name, "number") for name in
               ("entropy (bits)", "after", "change", "LAS gain, MST (printed)", "LAS gain, RBG (printed)",
                *(f"LAS gain, {parser}" for parser in measured))))  # fmt: skip
    cells = tuple(
        (code, row["before"], row["after"], change(row), gain(numbers, code, "MST"), gain(numbers, code, "RBG"),
         *(own_gain(rows.get(code), "LAS") for rows in measured.values()))
        for code, row in described.items()
    )  # fmt: skip
    text = ("Head-word vocabulary entropy over tuples that occur at least five times; gains in points.",)
    return StudySection(
        "Figure 3: entropy and gain", text, Table(columns, cells), _figure_3(described, numbers, measured)
    )


def _figure_3(described: Rows, numbers: Mapping[str, Any], measured: Mapping[str, Rows]) -> Drawing | None:
    """Our change of entropy, and gains: those printed, and those of our parsers."""
    gains = {f"{parser} (printed)": {c: gain(numbers, c, parser) for c in described} for parser in ("MST", "RBG")}
    gains |= {parser: {c: own_gain(rows.get(c), "LAS") for c in described} for parser, rows in measured.items()}
    points = [
        Named(code, less, gain, series)
        for series, row in gains.items()
        for code, gain in row.items()
        if gain is not None and (less := change(described[code])) is not None
    ]
    return cloud("Entropy and gain", points, "change of entropy (bits)", "LAS gain (points)") if points else None


def entropy_by_relation(described: Rows, numbers: Mapping[str, Any], measured: Mapping[str, Rows]) -> StudySection:
    """Return the upper panel of Figure 3: entropies of relations and gains in F1.

    Args:
        described: what `describe` returns, by treebank.
        numbers: the printed numbers.
        measured: what `measure` returns, by parser and treebank.
    """
    columns = (
        Column("relation", "text"),
        *(
            Column(name, "number")
            for name in (
                "change of entropy (bits)",
                "F1 gain, RBG (printed)",
                *(f"F1 gain, {parser}" for parser in measured),
            )
        ),
    )
    cells = tuple(
        (name, mean(row["relations"].get(name) for row in described.values()),
         numbers["table_3"][name]["CONV"] - numbers["table_3"][name]["UD"],
         *(mean(own_gain(row, name) for row in rows.values()) for rows in measured.values()))
        for name in RELATIONS
    )  # fmt: skip
    points = [
        Named(f"{name} {code}", less, gain, parser)
        for parser, rows in measured.items()
        for code, row in rows.items()
        for name, less in described[code]["relations"].items()
        if name in RELATIONS and (gain := own_gain(row, name)) is not None
    ]
    figure = cloud("Entropy and gain by relation", points, "change of entropy (bits)", "F1 gain (points)")
    text = (
        (
            "Changes of entropy are means over treebanks, gains means over the treebanks with outputs; the figure has a"
            " point for each relation and treebank with outputs. The paper draws such points and prints only the mean"
            " gains (Table 3)."
        ),
    )
    return StudySection(
        "Figure 3: entropy and gain by relation", text, Table(columns, cells), figure if points else None
    )


def score_tables(measured: Mapping[str, Rows], numbers: Mapping[str, Any]) -> list[StudySection]:
    """Return Table 2 for each measure and the scores in function-head trees.

    Args:
        measured: what `measure` returns, by parser and treebank.
        numbers: the printed numbers.
    """
    if not measured:
        return [StudySection("Table 2: scores", ("No outputs of parsers trained on both kinds of trees were given.",))]
    sections = [_table_2(name, measured, numbers) for name in MEASURES]
    return [*sections, *(in_function_heads(parser, rows) for parser, rows in measured.items())]


def _table_2(name: str, measured: Mapping[str, Rows], numbers: Mapping[str, Any]) -> StudySection:
    """One measure: what is printed of both parsers, and ours, on content-head trees and by way of function heads."""
    theirs = [parser for parser in ("MST", "RBG") if f"{name} {parser} UD" in numbers["average"]["row"]]
    columns = [Column("treebank", "text")]
    for parser in (*theirs, *measured):
        printed_mark = " (printed)" if parser in theirs else ""
        columns += [Column(f"{parser} {kind}{printed_mark}") for kind in ("UD", "CONV")]
        columns.append(Column(f"gain{printed_mark}", "difference"))
    codes = [code for code in numbers["table_2"] if any(code in rows for rows in measured.values())]
    cells = [
        (code,
         *(cell for parser in theirs for cell in _printed_pair(numbers["table_2"][code], f"{name} {parser}")),
         *(cell for rows in measured.values() for cell in own_pair(rows.get(code), name)))
        for code in codes
    ]  # fmt: skip
    average = ("average of these", *(mean(column) for column in list(zip(*cells))[1:])) if cells else ("average",)
    known = [cell for parser in theirs for cell in _printed_pair(numbers["average"]["row"], f"{name} {parser}")]
    whole = ("average of all 19", *known, *[None] * (3 * len(measured)))
    rows = tuple((*row, *[None] * (len(columns) - len(row))) for row in (*cells, average, whole))
    return StudySection(f"Table 2: {name}", (), Table(tuple(columns), rows, rules_before=frozenset({len(cells)})))


def _printed_pair(row: Mapping[str, float], name: str) -> tuple[Cell, Cell, Cell]:
    one, other = row[f"{name} UD"] / 100, row[f"{name} CONV"] / 100
    return one, other, other - one


def own_pair(row: Row | None, name: str) -> tuple[Cell, Cell, Cell]:
    """Return a score of the parser trained on content heads, of that trained on function heads, and the gain.

    Args:
        row: what `measure` returns of the treebank, if anything.
        name: the measure or relation.
    """
    if row is None:
        return None, None, None
    one, other = row["scores"]["UD"][name], row["scores"]["CONV"][name]
    return one, other, None if one is None or other is None else other - one


def in_function_heads(parser: str, rows: Rows) -> StudySection:
    """Return the scores of both outputs of a parser against function-head trees.

    Args:
        parser: its name.
        rows: what `measure` returns of it, by treebank.
    """
    names = [(name, kind) for name in ("UAS", "LAS") for kind in ("UD", "CONV")]
    columns = (Column("treebank", "text"), *(Column(f"{name} {kind}") for name, kind in names))
    cells = tuple((code, *(row["function heads"][kind][name] for name, kind in names)) for code, row in rows.items())
    text = ("Both outputs against gold as function-head trees: before CONV is converted back, after UD is converted.",)
    return StudySection(f"In function-head space: {parser}", text, Table(columns, cells))


def scores_by_relation(measured: Mapping[str, Rows], numbers: Mapping[str, Any]) -> StudySection:
    """Return Table 3, printed and ours.

    Args:
        measured: what `measure` returns, by parser and treebank.
        numbers: the printed numbers.
    """
    columns = [Column("relation", "text"), Column("UD (printed)"), Column("CONV (printed)"),
               Column("gain (printed)", "difference")]  # fmt: skip
    for parser in measured:
        columns += [Column(f"{parser} UD"), Column(f"{parser} CONV"), Column(f"{parser} gain", "difference")]
    cells = []
    for name in RELATIONS:
        theirs = numbers["table_3"][name]
        row: list[Cell | str] = [name, theirs["UD"] / 100, theirs["CONV"] / 100, (theirs["CONV"] - theirs["UD"]) / 100]
        for rows in measured.values():
            one, other = (mean(found["scores"][kind][name] for found in rows.values()) for kind in ("UD", "CONV"))
            row += [one, other, None if one is None or other is None else other - one]
        cells.append(tuple(row))
    return StudySection("Table 3: F1 by relation", (), Table(tuple(columns), tuple(cells)))


def figure_2(measured: Mapping[str, Rows]) -> list[StudySection]:
    """Return what backward conversion does to functional arcs, for each parser.

    Args:
        measured: what `measure` returns, by parser and treebank.
    """
    kinds: tuple[tuple[str, Kind], ...] = (
        ("functional", "number"), ("right before", "ratio"), ("right after", "ratio"), ("spoilt", "ratio"),
        ("mended", "ratio"),
    )  # fmt: skip
    sections = []
    for parser, rows in measured.items():
        cells = tuple(
            (code, row["spoilt"]["functional"],
             *(row["spoilt"][name] / max(1, row["spoilt"]["functional"]) for name, _ in kinds[1:]))
            for code, row in rows.items()
        )  # fmt: skip
        columns = (Column("treebank", "text"), *(Column(name, kind) for name, kind in kinds))
        text = (("Functional arcs of the output: right before it is converted back, right after, right then wrong"
                " (spoilt), wrong then right (mended), as shares."),)  # fmt: skip
        sections.append(
            StudySection(
                f"Figure 2: functional arcs that conversion spoils ({parser})",
                text,
                Table(columns, cells),
                _spoilt_figure(rows),
            )
        )
    return sections


def _spoilt_figure(rows: Rows) -> Drawing:
    """Shares of functional arcs, in percent."""
    shares = {
        name: [100 * row["spoilt"][name] / max(1, row["spoilt"]["functional"]) for row in rows.values()]
        for name in ("right before", "spoilt", "mended")
    }
    return panels("Functional arcs that conversion spoils", list(rows), shares)
