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
    """Return one row per suspect.

    Args:
        found: the suspects.
    """
    systems = ", ".join(found.systems) or "none"
    notes = (
        f"Systems: number with the other annotation : number with this one (of {systems})",
        "Elsewhere: same words in same context with the other annotation : with this one (first example)",
        signature_line(found.provenance.signature),
    )
    return Table(_COLUMNS, tuple(_row(found, suspect) for suspect in found.suspects), notes)


def _row(found: Suspects, suspect: Suspect) -> tuple[Cell, ...]:
    form, ours, other = (printable(text) for text in (found.treebank.forms[suspect.word], suspect.gold, suspect.other))
    place = _line(found, suspect), _name(found, suspect.word), _number(found, suspect)
    return (
        *place,
        form,
        suspect.kind,
        ours,
        other,
        Plain(suspect.score),
        _votes(found, suspect),
        _elsewhere(found, suspect),
    )


def _line(found: Suspects, suspect: Suspect) -> int | None:
    """The line of a word in the file; None if the treebank was not read from a file."""
    lines, sentence = found.treebank.source.lines, found.sentence_of(suspect)
    return int(lines[sentence]) if len(lines) else None


def _name(found: Suspects, word: int) -> str:
    sentence = int(found.treebank.sentence_of_word[word])
    return printable(found.treebank[sentence].id or str(sentence + 1))


def _number(found: Suspects, suspect: Suspect) -> int:
    return suspect.word - int(found.treebank.sentence_starts[found.sentence_of(suspect)]) + 1


def _votes(found: Suspects, suspect: Suspect) -> str:
    return f"{suspect.n_for} : {suspect.n_gold}" if found.systems and suspect.n_for else ""


def _elsewhere(found: Suspects, suspect: Suspect) -> str:
    if suspect.variation is None:
        return ""
    return f"{suspect.variation.n_other} : {suspect.variation.n_own} ({_name(found, suspect.variation.place)})"


def _elsewhere_document(found: Suspects, variation: Variation) -> dict[str, Any]:
    sentence = int(found.treebank.sentence_of_word[variation.place])
    word = variation.place - int(found.treebank.sentence_starts[sentence]) + 1
    place = {"sentence": sentence + 1, "sent_id": found.treebank[sentence].id, "word": word}
    return {"other": variation.n_other, "same": variation.n_own, **place}


def suspects_document(found: Suspects) -> dict[str, Any]:
    """Return suspects for JSON.

    Args:
        found: the suspects.
    """
    return {
        **header("suspects", found.provenance.signature),
        "systems": list(found.systems),
        "suspects": [
            {
                "sentence": found.sentence_of(suspect) + 1,
                "sent_id": found.treebank[found.sentence_of(suspect)].id,
                "line": _line(found, suspect),
                "word": _number(found, suspect),
                "form": found.treebank.forms[suspect.word],
                "problem": suspect.kind,
                "annotation": suspect.gold,
                "probably": suspect.other,
                "score": suspect.score,
                "systems_against": suspect.n_for,
                "systems_in_favor": suspect.n_gold,
                "elsewhere": None if suspect.variation is None else _elsewhere_document(found, suspect.variation),
            }
            for suspect in found.suspects
        ],
        **sources(found.provenance),
    }
