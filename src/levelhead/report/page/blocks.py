"""The parts of pages as plain values; `files` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from levelhead.measures.registry import Registry, parse_measure
from levelhead.report.charts.page_charts import RowChart
from levelhead.tables.svg import Drawing
from levelhead.tables.table import Column, Table
from levelhead.treebank import Treebank
from levelhead.treebank.layouts.gold import name_of
from levelhead.treebank.relations import Scheme


class Strip(NamedTuple):
    """A small picture of a value and its interval in a row of a table; positions are from 0 to 1."""

    value: float
    low: float | None = None
    high: float | None = None


class HeatMap(NamedTuple):
    """A matrix of values with colors."""

    corner: str  # the head of the first column
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float | None]]]
    headings: Mapping[int, str]  # of groups of rows, by the index of the first row
    marks: Mapping[tuple[int, int], str]  # why a cell has no valid value, by row and column
    column: Column  # how values are printed
    lower: bool = False  # whether lower values are better
    mark_best: bool = False  # whether the best value of each row is marked
    links: Mapping[tuple[int, int], str] = MappingProxyType({})  # of cells, by row and column
    aliases: Mapping[int, str] = MappingProxyType({})  # additional search terms of rows
    kinds: tuple[str, str] = ("", "")  # of rows and columns, for the filter of the page: "set", "system" or ""
    limit: float | None = None  # of colors, from -limit to limit; None if they go from the worst to the best value

    def table(self) -> Table:
        columns = (Column(self.corner, "text"), *(self.column._replace(name=name) for name in self.columns))
        return Table(columns, tuple((name, *values) for name, values in self.rows))

    def shades(self) -> list[list[float | None]]:
        """Return the strength of each color, from 0 for the worst to 1 for the best value that is not marked."""
        worst, best = self.ends()
        span = best - worst or 1.0
        return [
            [
                None if v is None or (i, j) in self.marks else min(1.0, max(0.0, (v - worst) / span))
                for j, v in enumerate(values)
            ]
            for i, (_, values) in enumerate(self.rows)
        ]

    def ends(self) -> tuple[float, float]:
        """Return the value with the lightest color and the value with the darkest color."""
        if self.limit is not None:
            return -self.limit, self.limit
        valid = [value for row in self._valid() for value in row.values()]
        ends = min(valid, default=0.0), max(valid, default=1.0)
        return (ends[1], ends[0]) if self.lower else ends

    def best(self) -> frozenset[tuple[int, int]]:
        """Return the cells with the best value of each row that has several values; none if `mark_best` is False."""
        rows = {i: row for i, row in enumerate(self._valid()) if self.mark_best and len(row) > 1}
        bests = {i: (min if self.lower else max)(row.values()) for i, row in rows.items()}
        return frozenset((i, j) for i, row in rows.items() for j, value in row.items() if value == bests[i])

    def _valid(self) -> list[dict[int, float]]:
        """The values of each row that are not marked, by column."""
        return [
            {j: v for j, v in enumerate(values) if v is not None and (i, j) not in self.marks}
            for i, (_, values) in enumerate(self.rows)
        ]


class ConfusionMatrix(NamedTuple):
    """A confusion matrix of gold relations (rows) and system relations whose cells open the sentences of a store."""

    names: Sequence[str]
    counts: Sequence[Sequence[int]]
    wrong: Sequence[Sequence[int]]
    store: str = ""

    def table(self) -> Table:
        columns = (Column("gold", "text"), *(Column(name, "number") for name in self.names))
        return Table(columns, tuple((name, *row) for name, row in zip(self.names, self.counts, strict=True)))

    def shades(self) -> list[list[float]]:
        """Return the strength of each color, from 0 to 1, by the cell's share of the errors of the gold relation."""
        most = [max((n for j, n in enumerate(row) if j != i), default=0) or 1 for i, row in enumerate(self.counts)]
        return [
            [0.0 if i == j else (n / most[i]) ** 0.5 * min(1.0, 0.35 + n / 20) for j, n in enumerate(row)]
            for i, row in enumerate(self.counts)
        ]


class Block(NamedTuple):
    """A part of a section; it has a chart, a table, a matrix, sentences or errors."""

    name: str  # the name of its files, with lower-case letters, digits and hyphens
    title: str = ""  # the heading
    caption: str = ""
    when: Mapping[str, str] = MappingProxyType({})  # the choices under which it is shown
    drawing: Drawing | None = None  # a chart
    table: Table | None = None  # a table, which can be sorted
    strips: Sequence[Strip | None] = ()  # a picture for each row of the table, next to its first percentage
    heat: HeatMap | None = None  # a matrix
    confused: ConfusionMatrix | None = None  # a confusion matrix that opens sentences
    sentences: Sequence[Mapping[str, Any]] = ()  # sentences to draw
    faults: Sequence[tuple[str, Sequence[str]]] = ()  # names of outputs with errors, and the errors
    chart: RowChart | None = None  # a chart of rows
    explained: Sequence[str] = ()  # the terms that are defined below it
    folded: bool = False  # whether the table is hidden until a reader opens it, as the tables of charts are
    filed: bool = False  # whether the table is only written to files, since the chart shows its numbers
    strip_ends: tuple[str, str] = ("", "")  # the values at both ends of the pictures
    extra: frozenset[str] = frozenset()  # the names of table columns that are shown on request
    rows_are: str = ""  # the type of the table's rows for the filter of the page: "system", or ""
    legend: Sequence[tuple[str, int, int]] = ()  # what a mark means, its number, and the number of items with it

    @property
    def has_contents(self) -> bool:
        """Whether there is anything to see."""
        rows = self.table.rows if self.table is not None else ()
        return bool(rows or self.drawing or self.chart or self.heat or self.confused or self.sentences or self.faults)


class Section(NamedTuple):
    """A part of a page: its anchor, its heading, how to read it, and its blocks, side by side if they are narrow."""

    name: str
    title: str
    lead: str
    blocks: Sequence[Block]
    narrow: bool = False


class Origin(NamedTuple):
    """How a page was made: the command or Python call, and the files that it reads, each with its role."""

    call: str = ""
    files: Sequence[tuple[str, str]] = ()


class Page(NamedTuple):
    """A page."""

    title: str  # its heading
    lead: str  # the main result in a sentence
    facts: Sequence[tuple[str, str]]  # the numbers at the top, each with its name
    choices: Mapping[str, Sequence[str]]  # the options of each choice: group, measure, treebank
    sections: Sequence[Section]
    notes: Sequence[str]  # the notes at the end
    signature: Mapping[str, str]  # the settings and inputs that determine the numbers
    kind: str = ""  # the kind of page; `assets` may have a script and a style with this name
    data: Mapping[str, Any] = MappingProxyType({})  # the data of its scripts, in addition to the sentences of blocks
    terms: Mapping[str, str] = MappingProxyType({})  # the definitions of terms that are labels of rows or headings
    find: str = ""  # the placeholder of the filter; "" for a page without a filter
    # the name and address of the index page, if there is one; `with_links` then adds links to other pages
    up: tuple[str, str] | None = None
    origin: Origin = Origin()  # how it was made

    def shown_first(self, block: Block) -> bool:
        """Return whether a block is shown when the page opens."""
        return all(self.choices[name][0] == value for name, value in block.when.items())


def as_sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."


def treebank_name(treebank: Treebank) -> str:
    path = Path(treebank.source.path or "a treebank")
    return name_of(path) or path.name


COMPONENTS: Mapping[str, str] = {
    "Precision": "The percentage of system words that are correct.",
    "Recall": "The percentage of gold words that are correct.",
    "F1 Score": "The harmonic mean of precision and recall; the score that is usually reported.",
    "AligndAcc": "The percentage of aligned words that are correct. Words that are segmented differently are ignored.",
    "Confidence interval": "In 95% of samples of this size, the interval contains the true value. It is computed by"
    " leaving out each document or sentence in turn (jackknife).",
}

KINDS_OF_ERRORS: Mapping[str, str] = {
    "wrong label": "The head is correct, but the relation is wrong.",
    "wrong head inside the phrase": "The system's head depends on the gold head, directly or indirectly: the word"
    " stays in its phrase, but is attached to the wrong word.",
    "wrong head outside the phrase": "The system's head does not depend on the gold head: the word is attached"
    " outside its phrase.",
    "wrongly the root": "The system makes the word the root, although it has a head in gold.",
    "root not found": "The word is the root in gold, but the system gives it a head.",
    "head not aligned": "The system's head is not aligned with a gold word.",
    "no head": "HEAD is missing or cannot be read.",
}


# the universal relations of UD v2
RELATIONS: Mapping[str, str] = dict(entry.split("=") for entry in (
    "acl=clausal modifier of a noun;advcl=adverbial clause;advmod=adverbial modifier;amod=adjectival modifier;"
    "appos=apposition;aux=auxiliary;case=case marker;cc=coordinating conjunction;ccomp=clausal complement;"
    "clf=classifier;compound=compound;conj=conjunct;cop=copula;csubj=clausal subject;"
    "dep=unspecified dependency;det=determiner;discourse=discourse element;dislocated=dislocated element;"
    "expl=expletive;fixed=fixed expression;flat=flat expression;goeswith=part of a split word;"
    "iobj=indirect object;list=list item;mark=marker of a clause;nmod=nominal modifier;nsubj=nominal subject;"
    "nummod=numeric modifier;obj=object;obl=oblique nominal;orphan=dependent of an elided head;"
    "parataxis=parataxis;punct=punctuation;reparandum=overridden disfluency;root=root;vocative=vocative;"
    "xcomp=open clausal complement"
).split(";"))  # fmt: skip

TAGS: Mapping[str, str] = dict(entry.split("=") for entry in (
    "ADJ=adjective;ADP=adposition;ADV=adverb;AUX=auxiliary;CCONJ=coordinating conjunction;DET=determiner;"
    "INTJ=interjection;NOUN=noun;NUM=numeral;PART=particle;PRON=pronoun;PROPN=proper noun;PUNCT=punctuation;"
    "SCONJ=subordinating conjunction;SYM=symbol;VERB=verb;X=other"
).split(";"))  # fmt: skip


def measure_terms(names: Iterable[str], registry: Registry) -> dict[str, str]:
    defined = ((name, registry.measures[parse_measure(name, registry).name]) for name in names)
    return {name: f"{measure.meaning} Correct / counted words: {measure.formula}." for name, measure in defined}


def class_terms(scheme: Scheme) -> dict[str, str]:
    listed = {
        name: f"The relations {' '.join(sorted(some))} ({scheme.source})." for name, some in scheme.classes.items()
    }
    return listed if scheme.otherwise in listed else {**listed, scheme.otherwise: "All other relations."}


def open_ended(value: str) -> str:
    """Return an open range in words: "15 or more" instead of "15-"; other values unchanged."""
    return f"{value[:-1]} or more" if value[:-1].isdigit() and value.endswith("-") else value


def in_words(label: str) -> str:
    """Return a relation or part of speech with its name, if known: `obl (oblique nominal)`."""
    known = TAGS.get(label) or RELATIONS.get(label.partition(":")[0])
    return label if known is None or known == label else f"{label} ({known})"
