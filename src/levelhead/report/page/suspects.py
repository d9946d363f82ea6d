"""The page of words whose annotation is probably wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from levelhead.comparison.suspects import Suspect, Suspects
from levelhead.errors import number_of
from levelhead.report.page.blocks import Block, Page, Section, plain_page
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
            Block(
                f"suspect-{number}",
                _title(found, suspect),
                _places(found, suspect),
                sentences=_sentences(found, suspect, shown),
            )
            for number, suspect in enumerate(found.suspects[:_MOST_SENTENCES], 1)
        ]
        sections.append(Section("sentences", "Sentences", "The annotation above, the systems' trees below.", blocks))
    facts = [
        ("suspects", f"{len(found.suspects):,}"),
        ("sentences", f"{len(found.treebank):,}"),
        ("words", f"{found.treebank.n_words:,}"),
    ]
    lead = "Words whose annotation is probably wrong. Check each of them before you change it."
    return plain_page("Suspects", lead, facts, sections, found.provenance)


def _sentences(found: Suspects, suspect: Suspect, shown: Sequence[Shown]) -> list[dict[str, Any]]:
    """The sentence of a suspect, and a sentence in which the same words have the other annotation."""
    places = [suspect.word] if suspect.variation is None else [suspect.word, suspect.variation.place]
    drawn: dict[int, dict[str, Any]] = {}
    for word in places:
        index = int(found.treebank.sentence_of_word[word])
        marked = word - int(found.treebank.sentence_starts[index])
        drawn.setdefault(index, sentence(shown, index, ("annotation", "system"), marked))
    return list(drawn.values())


def _places(found: Suspects, suspect: Suspect) -> str:
    """How often the same words have the other annotation, and a sentence with it."""
    if suspect.variation is None:
        return ""
    index = int(found.treebank.sentence_of_word[suspect.variation.place])
    name = found.treebank[index].id or f"sentence {index + 1}"
    times = number_of(suspect.variation.n_other, "time")
    counts = f"{times} with the other annotation (for example in {name}), {suspect.variation.n_own} with this one"
    return f"The same words in the same context: {counts}."


def _title(found: Suspects, suspect: Suspect) -> str:
    return f"{found.treebank.forms[suspect.word]}: {suspect.gold}, probably {suspect.other}"
