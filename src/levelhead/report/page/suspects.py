"""The page of words whose annotation is probably wrong."""

from __future__ import annotations

from levelhead.comparison.suspects import Suspect, Suspects
from levelhead.report.page.blocks import Block, Page, Section
from levelhead.report.page.examples import Shown, sentence
from levelhead.report.suspects import suspects_table

_MOST_SENTENCES = 200


def suspects_page(found: Suspects) -> Page:
    """Return the page of suspects, with the annotation above and the systems below.

    Args:
        found: the suspects.
    """
    table = suspects_table(found)
    numbers = Block("suspects", "", table.notes[0], table=table._replace(notes=()))
    sections = [Section("suspects", "Suspects", "The most suspicious words first.", [numbers])]
    if found.outputs:
        shown = [Shown(name, matches) for name, matches in zip(found.systems, found.outputs, strict=True)]
        blocks = [
            Block(f"suspect-{number}", _title(found, one), sentences=[sentence(shown, found.sentence_of(one))])
            for number, one in enumerate(found.suspects[:_MOST_SENTENCES], 1)
        ]
        sections.append(Section("sentences", "Sentences", "The annotation above, what systems say below.", blocks))
    facts = [
        ("suspects", f"{len(found.suspects):,}"),
        ("sentences", f"{len(found.treebank):,}"),
        ("words", f"{found.treebank.n_words:,}"),
    ]
    lead = "Words whose annotation is probably wrong: a person decides."
    return Page("Suspects", lead, facts, {}, [one for one in sections if one.blocks], (), found.provenance.signature)


def _title(found: Suspects, one: Suspect) -> str:
    return f"{found.treebank.forms[one.word]}: {one.gold}, probably {one.other}"
