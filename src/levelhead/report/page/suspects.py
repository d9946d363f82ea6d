"""The page of words whose annotation is probably wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from levelhead.comparison.suspects import Suspect, Suspects
from levelhead.errors import number_of
from levelhead.report.page.blocks import Block, Page, Section, plain_page, treebank_name
from levelhead.report.page.examples import OutputTrees, sentence

_MOST_SENTENCES = 200


def suspects_page(suspects: Suspects) -> Page:
    """Return the page of suspects, with the annotation above and the systems below."""
    table = suspects.table()
    numbers = Block("suspects", "", table.notes[0], table=table._replace(notes=()))
    sections = [Section("suspects", "Suspects", "The most suspicious words first.", [numbers])]
    if suspects.outputs:
        shown = [OutputTrees(name, matches) for name, matches in zip(suspects.systems, suspects.outputs, strict=True)]
        blocks = [
            Block(
                f"suspect-{number}",
                _title(suspects, suspect),
                _places(suspects, suspect),
                sentences=_sentences(suspects, suspect, shown),
            )
            for number, suspect in enumerate(suspects.suspects[:_MOST_SENTENCES], 1)
        ]
        sections.append(Section("sentences", "Sentences", "The annotation above, the systems' trees below.", blocks))
    facts = [
        ("suspects", f"{len(suspects.suspects):,}"),
        ("sentences", f"{len(suspects.treebank):,}"),
        ("words", f"{suspects.treebank.n_words:,}"),
    ]
    lead = "Words whose annotation is probably wrong. Check each of them before you change it."
    return plain_page(f"Suspects in {treebank_name(suspects.treebank)}", lead, facts, sections, suspects.provenance)


def _sentences(suspects: Suspects, suspect: Suspect, shown: Sequence[OutputTrees]) -> list[dict[str, Any]]:
    """The sentence of a suspect, and a sentence in which the same words have the other annotation."""
    places = [suspect.word] if suspect.variation is None else [suspect.word, suspect.variation.place]
    drawn: dict[int, dict[str, Any]] = {}
    for word in places:
        index = int(suspects.treebank.sentence_of_word[word])
        marked = word - int(suspects.treebank.sentence_starts[index])
        drawn.setdefault(index, sentence(shown, index, ("annotation", "system"), marked))
    return list(drawn.values())


def _places(suspects: Suspects, suspect: Suspect) -> str:
    """How often the same words have the other annotation, and a sentence with it."""
    if suspect.variation is None:
        return ""
    index = int(suspects.treebank.sentence_of_word[suspect.variation.place])
    name = suspects.treebank[index].id or f"sentence {index + 1}"
    times = number_of(suspect.variation.n_other, "time")
    counts = f"{times} with the other annotation (for example in {name}), {suspect.variation.n_own} with this one"
    return f"The same words in the same context: {counts}."


def _title(suspects: Suspects, suspect: Suspect) -> str:
    return f"{suspects.treebank.forms[suspect.word]}: {suspect.gold}, probably {suspect.other}"
