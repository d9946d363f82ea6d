"""The page of several annotations of one text: how much annotators agree, and where they disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from levelhead.comparison.agreement import Agreement, Disagreement
from levelhead.errors import number_of
from levelhead.report.charts.page_charts import IntervalRow, spreads
from levelhead.report.page.blocks import Block, Page, Section, names_or_number, plain_page
from levelhead.report.page.examples import OutputTrees, sentence
from levelhead.scoring.matches import match
from levelhead.scoring.rules import Rules
from levelhead.tables.table import Column, Table

_MOST_SENTENCES = 40
_MOST_PATTERNS = 200


def agreement_page(agreement: Agreement, rules: Rules) -> Page:
    """Return the page of annotations of one text."""
    first, *_ = agreement.annotators
    sections = [
        Section("labels", "Agreement beyond chance", _LABELS, list(_labels(agreement))),
        Section("measures", "F1", "For each pair of annotators; the same in both directions.", [_measures(agreement)]),
        Section("patterns", "Disagreements", "The most frequent patterns first.", [_patterns(agreement)]),
        Section("sentences", "Sentences", _SENTENCES.format(first), list(_sentences(agreement, rules))),
    ]
    facts = [
        ("annotators", str(len(agreement.annotators))),
        ("sentences", f"{len(agreement.treebanks[first]):,}"),
        ("sentences with differences", f"{len(agreement.differing):,}"),
    ]
    title = f"Agreement of {names_or_number(agreement.annotators, 'annotator')}"
    return plain_page(title, _lead(agreement), facts, sections, agreement.provenance)


_LABELS = "Krippendorff's alpha with confidence intervals: 1 is perfect agreement, 0 is chance level."
_SENTENCES = "An example of each pattern: the tree of {} above, those of the other annotators below."


def _lead(agreement: Agreement) -> str:
    heads, relations = agreement["heads"], agreement["relations"]
    return (
        f"Two annotators agree on the heads of {100 * heads.observed:.1f}% of words, and on the relations of"
        f" {100 * relations.observed:.1f}%."
    )


def _labels(agreement: Agreement) -> Iterator[Block]:
    rows = [
        IntervalRow(label.name, label.krippendorff.value, *(label.krippendorff.interval or ()))
        for label in agreement.labels
        if label.krippendorff.value is not None
    ]
    if rows:
        yield Block("alpha", drawing=spreads("Krippendorff's alpha", rows, "alpha"))
    table = agreement.table()
    yield Block("labels", "Numbers", table.notes[0], table=table._replace(notes=()))


def _measures(agreement: Agreement) -> Block:
    columns = (Column("Measure", "text"), *(Column(f"{one} and {other}") for one, other in agreement.pairs))
    rows = tuple((name, *(evaluation[name].value for evaluation in agreement.pairs.values())) for name in agreement.f1)
    return Block("f1", table=Table(columns, rows))


def _patterns(agreement: Agreement) -> Block:
    table = agreement.table(by="pattern", most=_MOST_PATTERNS)
    return Block("patterns", "", table.notes[0], table=table._replace(notes=()))


def _sentences(agreement: Agreement, rules: Rules) -> Iterator[Block]:
    (_, gold), *others = agreement.treebanks.items()
    shown = [OutputTrees(name, match(gold, treebank, rules)) for name, treebank in others]
    drawn: dict[int, Disagreement] = {}
    for disagreement in agreement.disagreements:
        if len(drawn) < _MOST_SENTENCES:
            drawn.setdefault(disagreement.sentence, disagreement)
    for number, (index, disagreement) in enumerate(drawn.items(), 1):
        yield Block(f"pattern-{number}", _title(disagreement), sentences=[sentence(shown, index, ("first", "other"))])


def _title(disagreement: Disagreement) -> str:
    labels: Sequence[str] = (disagreement.first, disagreement.second)
    return (
        f"{disagreement.name}: {' or '.join(labels)} ({disagreement.form}; {number_of(disagreement.n_words, 'word')})"
    )
