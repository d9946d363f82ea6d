"""What pages are made of: values, drawn and written elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from levelhead.report.charts.marks import mark
from levelhead.report.charts.row_charts import RowChart
from levelhead.report.charts.svg import Drawing
from levelhead.report.table import Cell, Column, Table

if TYPE_CHECKING:
    from levelhead.evaluation.provenance import Provenance

_MOST_WIDE = 14  # columns of a matrix

Choice = Mapping[str, str]
"""The choices under which a block is shown, by the name of the choice: `{"measure": "LAS"}`."""


class Strip(NamedTuple):
    """A small picture of a value and its interval in a row of a table.

    Args:
        value: where the dot is, from 0 to 1.
        low: where the interval begins, None if there is none.
        high: where it ends.
    """

    value: float
    low: float | None = None
    high: float | None = None


class Heat(NamedTuple):
    """A matrix of values shown by color.

    Args:
        corner: what the rows are.
        columns: the names of its columns.
        rows: the name of each row, and its values; None where there is none.
        headings: headings above rows, by the index of the row: rows of one kind are together.
        marks: why a cell is not to be taken as a value, by row and column.
        column: how values are printed.
        lower: whether lower values are better.
        mark_best: whether the best value of each row is marked.
        links: the addresses that cells open, by row and column.
        aliases: other names of a row, by its index, which find it, too.
        kinds: what the rows and the columns are for the filter of the page: "set", "system", or "".
    """

    corner: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float | None]]]
    headings: Mapping[int, str]
    marks: Mapping[tuple[int, int], str]
    column: Column
    lower: bool = False
    mark_best: bool = False
    links: Mapping[tuple[int, int], str] = MappingProxyType({})
    aliases: Mapping[int, str] = MappingProxyType({})
    kinds: tuple[str, str] = ("", "")

    @property
    def dense(self) -> bool:
        """Whether there are so many columns that they must be narrow."""
        return len(self.columns) > _MOST_WIDE

    def table(self) -> Table:
        """Return the values as a table."""
        columns = (Column(self.corner, "text"), *(self.column._replace(name=name) for name in self.columns))
        rows: list[tuple[Cell, ...]] = [(name, *values) for name, values in self.rows]
        return Table(columns, tuple(rows))

    def shades(self) -> list[list[float | None]]:
        """Return how strong each color is, from 0 to 1: from the worst to the best value that is not marked."""
        worst, best = self.ends()
        span = best - worst or 1.0
        return [
            [None if v is None or (i, j) in self.marks else (v - worst) / span for j, v in enumerate(values)]
            for i, (_, values) in enumerate(self.rows)
        ]

    def ends(self) -> tuple[float, float]:
        """Return the worst and the best value that is not marked."""
        known = [value for i in range(len(self.rows)) for value in self._known(i).values()]
        ends = min(known, default=0.0), max(known, default=1.0)
        return (ends[1], ends[0]) if self.lower else ends

    def best(self) -> frozenset[tuple[int, int]]:
        """Return the cells with the best value of their row, where rows have more than one value and it is marked."""
        found: set[tuple[int, int]] = set()
        for i in range(len(self.rows)) if self.mark_best else ():
            known = self._known(i)
            if len(known) > 1:
                first = min(known.values()) if self.lower else max(known.values())
                found |= {(i, j) for j, value in known.items() if value == first}
        return frozenset(found)

    def _known(self, i: int) -> dict[int, float]:
        """The values of a row that are not marked, by column."""
        _, values = self.rows[i]
        return {j: v for j, v in enumerate(values) if v is not None and (i, j) not in self.marks}


class Confused(NamedTuple):
    """A matrix of relations whose cells open sentences.

    Args:
        names: the relations.
        counts: words by gold relation (rows) and system relation (columns).
        wrong: how many of them are wrong: on the diagonal those with a wrong head, elsewhere all.
        store: the treebank whose words the cells open, as its number among those of the page, from 1.
    """

    names: Sequence[str]
    counts: Sequence[Sequence[int]]
    wrong: Sequence[Sequence[int]]
    store: str = ""

    def shades(self) -> list[list[float]]:
        """Return how dark each cell is, from 0 to 1, by its share of the errors of the gold relation."""
        found = []
        for i, row in enumerate(self.counts):
            wrong = max((n for j, n in enumerate(row) if j != i), default=0) or 1
            found.append([0.0 if i == j else (n / wrong) ** 0.5 * min(1.0, 0.35 + n / 20) for j, n in enumerate(row)])
        return found

    def table(self) -> Table:
        """Return the counts as a table."""
        columns = (Column("gold", "text"), *(Column(name, "number") for name in self.names))
        return Table(columns, tuple((name, *row) for name, row in zip(self.names, self.counts, strict=True)))


class LegendEntry(NamedTuple):
    """What a mark means.

    Args:
        name: what it means.
        series: the number of the mark, see `levelhead.report.charts.marks`.
        n: how many things have it.
    """

    name: str
    series: int
    n: int

    @property
    def drawn(self) -> str:
        """The mark as SVG."""
        return (
            f'<svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">{mark(7, 7, self.series, 4.6)}</svg>'
        )


class Block(NamedTuple):
    """A part of a section, and what shows it; what is None is not there.

    Args:
        name: the name of its files, of lower-case letters, digits and hyphens.
        title: the heading.
        caption: the caption.
        when: under which choices it is shown.
        drawing: a chart.
        table: a table, which can be sorted.
        strips: a picture for each row of the table, next to its first ratio.
        heat: a matrix.
        confused: a matrix that opens sentences.
        sentences: sentences to be drawn.
        faults: what went wrong: what, and the reasons.
        chart: a chart of rows.
        explained: terms that are explained below it.
        folded: whether the table is hidden until a reader opens it, as those of charts are.
        filed: whether the table is only for files: the chart has its numbers.
        strip_ends: the values at both ends of the pictures.
        extra: the names of columns of the table that are shown on request.
        rows_are: what the rows of the table are for the filter of the page: "system", or "".
        legend: what marks mean.
    """

    name: str
    title: str = ""
    caption: str = ""
    when: Choice = MappingProxyType({})
    drawing: Drawing | None = None
    table: Table | None = None
    strips: Sequence[Strip | None] = ()
    heat: Heat | None = None
    confused: Confused | None = None
    sentences: Sequence[Mapping[str, Any]] = ()
    faults: Sequence[tuple[str, Sequence[str]]] = ()
    chart: RowChart | None = None
    explained: Sequence[str] = ()
    folded: bool = False
    filed: bool = False
    strip_ends: tuple[str, str] = ("", "")
    extra: frozenset[str] = frozenset()
    rows_are: str = ""
    legend: Sequence[LegendEntry] = ()

    @property
    def has_contents(self) -> bool:
        """Whether there is anything to see."""
        rows = self.table.rows if self.table is not None else ()
        return bool(rows or self.drawing or self.chart or self.heat or self.confused or self.sentences or self.faults)


class Section(NamedTuple):
    """A section of a page.

    Args:
        name: its anchor.
        title: its heading.
        lead: what one should know before looking.
        blocks: its parts.
        narrow: whether the blocks are side by side if there is room.
    """

    name: str
    title: str
    lead: str
    blocks: Sequence[Block]
    narrow: bool = False


class Page(NamedTuple):
    """A page.

    Args:
        title: its heading.
        lead: the most important thing in a sentence.
        facts: numbers at the top, with what they are.
        choices: what can be chosen, by name: group, measure, treebank.
        sections: its sections.
        notes: the notes at the end.
        signature: what decides the numbers.
        kind: the page's own script and style in `assets`, if it has any.
        data: what its script needs besides the sentences of blocks.
        terms: what terms mean, wherever they are the label of a row or a heading.
        find: what the filter of the page finds, "" if it has none.
        up: the name and address of the page above, if there is one; then `render_links` adds links to other pages.
    """

    title: str
    lead: str
    facts: Sequence[tuple[str, str]]
    choices: Mapping[str, Sequence[str]]
    sections: Sequence[Section]
    notes: Sequence[str]
    signature: Mapping[str, str]
    kind: str = ""
    data: Mapping[str, Any] = MappingProxyType({})
    terms: Mapping[str, str] = MappingProxyType({})
    find: str = ""
    up: tuple[str, str] | None = None

    def shown_first(self, block: Block) -> bool:
        """Return whether a block is shown before the reader chooses anything."""
        return all(self.choices[name][0] == value for name, value in block.when.items())


def plain_page(
    title: str, lead: str, facts: Sequence[tuple[str, str]], sections: Sequence[Section], provenance: Provenance
) -> Page:
    """Return a page without choices; sections without contents are left out.

    Args:
        title: its heading.
        lead: the most important thing in a sentence.
        facts: numbers at the top, with what they are.
        sections: its sections.
        provenance: where the numbers come from.
    """
    shown = [section for section in sections if any(block.has_contents for block in section.blocks)]
    return Page(title, lead, facts, {}, shown, provenance.notes, provenance.signature)


class Links(NamedTuple):
    """What a page of one output leads to in a report of many.

    Args:
        system: the system of the page.
        code: its test set.
        systems: the name and address of each system with a page on this test set, this one without an address.
        before: the name and address of the system's page on the test set before; None if there is none.
        after: on the next test set.
    """

    system: str
    code: str
    systems: Sequence[tuple[str, str]]
    before: tuple[str, str] | None
    after: tuple[str, str] | None
