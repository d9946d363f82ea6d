"""The page of several annotations of one text: how much annotators agree, and where they disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from levelhead.comparison.agreement import Agreement, Disagreement
from levelhead.report.agreement import agreement_table, patterns_table
from levelhead.report.charts.page_charts import IntervalRow, spreads
from levelhead.report.page.blocks import Block, Page, Section, plain_page
from levelhead.report.page.examples import Shown, sentence
from levelhead.report.table import Column, Table
from levelhead.scoring.matches import match
from levelhead.scoring.rules import Rules

_MOST_SENTENCES = 40
_MOST_PATTERNS = 200


def agreement_page(found: Agreement, rules: Rules) -> Page:
    """Return the page of annotations of one text.

    Args:
        found: the agreement.
        rules: how words are aligned.
    """
    first, *_ = found.annotators
    sections = [
        Section("labels", "Agreement beyond chance", _LABELS, list(_labels(found))),
        Section("measures", "F1", "For each pair of annotators; the same in both directions.", [_measures(found)]),
        Section("patterns", "Disagreements", "The most frequent patterns first.", [_patterns(found)]),
        Section("sentences", "Sentences", _SENTENCES.format(first), list(_sentences(found, rules))),
    ]
    facts = [
        ("annotators", str(len(found.annotators))),
        ("sentences", f"{len(found.treebanks[first]):,}"),
        ("sentences with differences", f"{len(found.differing):,}"),
    ]
    return plain_page("Agreement", _lead(found), facts, sections, found.provenance)


_LABELS = "Krippendorff's alpha with confidence intervals: 1 is perfect agreement, 0 is chance level."
_SENTENCES = "An example of each pattern: the tree of {} above, those of the other annotators below."


def _lead(found: Agreement) -> str:
    heads, relations = found["heads"], found["relations"]
    return (
        f"Two annotators agree on the heads of {100 * heads.observed:.1f}% of words, and on the relations of"
        f" {100 * relations.observed:.1f}%."
    )


def _labels(found: Agreement) -> Iterator[Block]:
    rows = [
        IntervalRow(label.name, label.krippendorff.value, *(label.krippendorff.interval or ()))
        for label in found.labels
        if label.krippendorff.value is not None
    ]
    if rows:
        yield Block("alpha", drawing=spreads("Krippendorff's alpha", rows, "alpha"))
    table = agreement_table(found)
    yield Block("labels", "Numbers", table.notes[0], table=table._replace(notes=()))


def _measures(found: Agreement) -> Block:
    columns = (Column("Measure", "text"), *(Column(f"{one} and {other}") for one, other in found.pairs))
    rows = tuple((name, *(evaluation[name].value for evaluation in found.pairs.values())) for name in found.f1)
    return Block("f1", table=Table(columns, rows))


def _patterns(found: Agreement) -> Block:
    table = patterns_table(found, _MOST_PATTERNS)
    return Block("patterns", "", table.notes[0], table=table._replace(notes=()))


def _sentences(found: Agreement, rules: Rules) -> Iterator[Block]:
    (_, gold), *others = found.treebanks.items()
    shown = [Shown(name, match(gold, treebank, rules)) for name, treebank in others]
    drawn: dict[int, Disagreement] = {}
    for disagreement in found.disagreements:
        if len(drawn) < _MOST_SENTENCES:
            drawn.setdefault(disagreement.sentence, disagreement)
    for number, (index, disagreement) in enumerate(drawn.items(), 1):
        yield Block(f"pattern-{number}", _title(disagreement), sentences=[sentence(shown, index, ("first", "other"))])


def _title(disagreement: Disagreement) -> str:
    labels: Sequence[str] = (disagreement.first, disagreement.second)
    return f"{disagreement.name}: {' or '.join(labels)} ({disagreement.form}; {disagreement.n_words} words)"
