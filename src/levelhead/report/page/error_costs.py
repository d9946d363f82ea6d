"""What errors cost: the points that a system would gain without each type of error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from levelhead.analysis.repairs import NOT_ALIGNED, AverageRepair, Repair, TreebankRepairs, average_repairs
from levelhead.comparison.breakdowns import MARK, UNCERTAIN, estimate_cells, estimate_columns
from levelhead.report.charts.page_charts import interval_ends
from levelhead.report.charts.row_charts import ChartRow, OpenedWords, RowChart
from levelhead.report.page.blocks import Block
from levelhead.report.page.joined_errors import STORE, Key
from levelhead.report.page.terms import in_words
from levelhead.report.page.treebank_errors import TreebankErrors
from levelhead.significance.estimates import Interval
from levelhead.significance.jackknife import BucketEstimate
from levelhead.tables.table import Column, Table, formatted, interval_cell

ALL = "all treebanks"
"""The option of a page that shows all treebanks together."""

_MOST_ROWS = 20
_DIFFERENCE = Column("", "difference")


def costs_of(part: TreebankErrors, store: str) -> Block:
    """Return the cost of each type of error on one treebank, the costliest first; rows open their sentences."""
    shown = part.repairs.kinds[:_MOST_ROWS]
    if not shown:
        return Block("costs", caption="No errors.")
    rows = [_cost_row(repair, store, part.numbers) for repair in shown]
    chart = _costs_chart(part.measure, rows)
    caption = _caption(part.repairs.kinds)
    return Block("costs", "", caption, chart=chart, table=_costs_table(shown), filed=True)


def costs_of_all(treebanks: Sequence[TreebankRepairs], measure: str, numbers: Mapping[Key, int]) -> Block:
    """Return the mean cost of each type of error over treebanks."""
    repairs = average_repairs(treebanks, 0.95)
    shown = repairs[:_MOST_ROWS]
    chart = _costs_chart(measure, [_cost_row(repair, STORE, numbers) for repair in shown])
    caption = _caption(repairs, "Points are means over treebanks; errors are counted on all of them.")
    return Block("costs", "", caption, {"treebank": ALL}, chart=chart, table=_costs_table(shown), filed=True)


def error_in_words(repair: Repair | AverageRepair) -> str:
    """Return a type of error in words, with the names of gold's and the system's relation."""
    if repair.error == NOT_ALIGNED:
        return "words that the system segments differently"
    label = " mistaken for ".join(map(in_words, repair.detail.split(" -> ")))
    wrong = _other_columns(repair)
    return f"{label} with a wrong {wrong}" if wrong else label


def _label(repair: Repair | AverageRepair) -> str:
    """A type of error as the label of a row, such as `obl → nmod, wrong head`."""
    if repair.error == NOT_ALIGNED:
        return repair.error
    label, wrong = repair.detail.replace("->", "\N{RIGHTWARDS ARROW}"), _other_columns(repair)
    return f"{label}, wrong {wrong}" if wrong else label


def _other_columns(repair: Repair | AverageRepair) -> str:
    """The wrong columns that the detail of an error does not show."""
    shown = {"relation", "UPOS"} if "->" in repair.detail else set()
    return " and ".join(column for column in repair.error.split(", ") if column not in shown)


def _cost_row(repair: Repair | AverageRepair, store: str, numbers: Mapping[Any, int]) -> ChartRow:
    points, uncertain = 100 * repair.gain, repair.estimate.uncertain
    cells = (f"{points:.2f}", between(repair.estimate), f"{repair.words:,}", f"{100 * repair.share:.1f}%")
    label = f"{_label(repair)} {MARK}" if uncertain else _label(repair)
    ends = interval_ends(informative(repair.estimate.interval))
    opens = OpenedWords(store, "repair", numbers[repair.error, repair.detail], error_in_words(repair))
    return ChartRow(label, points, *ends, cells=cells, color="s1", opens=opens, uncertain=uncertain)


def _costs_chart(measure: str, rows: Sequence[ChartRow]) -> RowChart:
    columns = ("Points", "95% CI", "Errors", "Share")
    return RowChart(f"What errors cost: points of {measure}", "Error", "Points", columns, rows)


def _costs_table(repairs: Sequence[Repair] | Sequence[AverageRepair]) -> Table:
    columns = (
        *(Column("Wrong", "text"), Column("Gold -> system", "text", key="Detail"), Column("Words", "number")),
        *(Column("Share"), Column("Gain", "difference")),
        *estimate_columns("0.95", (repair.estimate for repair in repairs), difference=True),
    )
    rows = [
        (repair.error, repair.detail, repair.words, repair.share, repair.gain, *estimate_cells(repair.estimate))
        for repair in repairs
    ]
    return Table(columns, tuple(rows))


def _caption(repairs: Sequence[Repair] | Sequence[AverageRepair], note: str = "") -> str:
    """Sentences on the errors without a row, on the numbers, and on uncertain ones."""
    shown, rest = repairs[:_MOST_ROWS], repairs[_MOST_ROWS:]
    words, share = sum(repair.words for repair in rest), 100 * math.fsum(repair.share for repair in rest)
    others = f"{len(rest):,} other types of errors: {words:,} words, {share:.1f}% of all errors." if rest else ""
    uncertain = f"{UNCERTAIN}." if any(repair.estimate.uncertain for repair in shown) else ""
    return " ".join(filter(None, (others, note, uncertain)))


def informative(interval: Interval | None) -> Interval | None:
    """Return an interval; None if it is as wide as the range of scores, and so says nothing."""
    return interval if interval is not None and interval[1] - interval[0] < 1 else None


def between(estimate: BucketEstimate, column: Column = _DIFFERENCE) -> str:
    """Return a confidence interval as text for a page; empty if there is none."""
    cell = interval_cell(informative(estimate.interval), perplexity=False)
    text = "" if cell is None else formatted(cell, column)
    return text.replace("-", "\N{MINUS SIGN}") if column.kind == "difference" else text.replace("-", "\N{EN DASH}")
