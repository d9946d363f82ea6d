"""Suspects as tables, text and JSON documents."""

from __future__ import annotations

from typing import Any

from levelhead.analysis.variation import Variation
from levelhead.comparison.suspects import Suspect, Suspects
from levelhead.errors import printable
from levelhead.report.documents import header, sources
from levelhead.report.scores import signature_line
from levelhead.report.table import Cell, Column, Plain, Table

_COLUMNS = (
    Column("Line", "number", tidy_only=True), Column("Sentence", "text"), Column("Word", "number"),
    Column("Form", "text"), Column("Kind", "text"), Column("Annotation", "text"), Column("Probably", "text"),
    Column("Score", "number"), Column("Systems", "text"), Column("Elsewhere", "text"),
)  # fmt: skip


def suspects_table(found: Suspects) -> Table:
    """Return one row for each suspect.

    Args:
        found: the suspects.
    """
    systems = ", ".join(found.systems) or "none"
    notes = (
        f"Systems: how many have the other annotation, and how many this one ({systems})",
        "Elsewhere: how often the same words in the same context have the other annotation, and this one (where first)",
        signature_line(found.provenance.signature),
    )
    return Table(_COLUMNS, tuple(_row(found, one) for one in found.suspects), notes)


def _row(found: Suspects, one: Suspect) -> tuple[Cell, ...]:
    form, ours, other = (printable(text) for text in (found.treebank.forms[one.word], one.gold, one.other))
    place = _line(found, one), _name(found, one.word), _number(found, one)
    return (*place, form, one.kind, ours, other, Plain(one.score), _votes(found, one), _elsewhere(found, one))


def _line(found: Suspects, one: Suspect) -> int | None:
    """The line of a word in the file, if the treebank was read from one."""
    lines, sentence = found.treebank.source.lines, found.sentence_of(one)
    return int(lines[sentence]) if len(lines) else None


def _name(found: Suspects, word: int) -> str:
    sentence = int(found.treebank.sentence_of_word[word])
    return printable(found.treebank[sentence].id or str(sentence + 1))


def _number(found: Suspects, one: Suspect) -> int:
    return one.word - int(found.treebank.sentence_starts[found.sentence_of(one)]) + 1


def _votes(found: Suspects, one: Suspect) -> str:
    return f"{one.n_for} : {one.n_gold}" if found.systems and one.n_for else ""


def _elsewhere(found: Suspects, one: Suspect) -> str:
    if one.variation is None:
        return ""
    return f"{one.variation.n_other} : {one.variation.n_own} ({_name(found, one.variation.place)})"


def _elsewhere_document(found: Suspects, variation: Variation) -> dict[str, Any]:
    sentence = int(found.treebank.sentence_of_word[variation.place])
    word = variation.place - int(found.treebank.sentence_starts[sentence]) + 1
    place = {"sentence": sentence + 1, "sent_id": found.treebank[sentence].id, "word": word}
    return {"other": variation.n_other, "same": variation.n_own, **place}


def suspects_document(found: Suspects) -> dict[str, Any]:
    """Return the same for JSON.

    Args:
        found: the suspects.
    """
    return {
        **header("suspects", found.provenance.signature),
        "systems": list(found.systems),
        "suspects": [
            {
                "sentence": found.sentence_of(one) + 1,
                "sent_id": found.treebank[found.sentence_of(one)].id,
                "line": _line(found, one),
                "word": _number(found, one),
                "form": found.treebank.forms[one.word],
                "problem": one.kind,
                "annotation": one.gold,
                "probably": one.other,
                "score": one.score,
                "systems_against": one.n_for,
                "systems_in_favor": one.n_gold,
                "elsewhere": None if one.variation is None else _elsewhere_document(found, one.variation),
            }
            for one in found.suspects
        ],
        **sources(found.provenance),
    }
