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
    Column("Line", "position", tidy_only=True), Column("Sentence", "text"), Column("Word", "position"),
    Column("Form", "text"), Column("Kind", "text"), Column("Annotation", "text"), Column("Probably", "text"),
    Column("Score", "number"), Column("Systems", "text"), Column("Elsewhere", "text"),
)  # fmt: skip


def suspects_table(suspects: Suspects) -> Table:
    """Return one row per suspect."""
    systems = ", ".join(suspects.systems) or "none"
    notes = (
        f"Systems: number with the other annotation : number with this one (of {systems})",
        "Elsewhere: same words in same context with the other annotation : with this one (first example)",
        signature_line(suspects.provenance.signature),
    )
    return Table(_COLUMNS, tuple(_row(suspects, suspect) for suspect in suspects.suspects), notes)


def _row(suspects: Suspects, suspect: Suspect) -> tuple[Cell, ...]:
    return (
        _line(suspects, suspect),
        _name(suspects, suspect.word),
        _number(suspects, suspect),
        printable(suspects.treebank.forms[suspect.word]),
        suspect.kind,
        printable(suspect.gold),
        printable(suspect.other),
        Plain(suspect.score),
        _votes(suspects, suspect),
        _elsewhere(suspects, suspect),
    )


def _line(suspects: Suspects, suspect: Suspect) -> int | None:
    """The line of a word in the file; None if the treebank was not read from a file."""
    lines, sentence = suspects.treebank.source.lines, suspects.sentence_of(suspect)
    return int(lines[sentence]) if len(lines) else None


def _name(suspects: Suspects, word: int) -> str:
    sentence = int(suspects.treebank.sentence_of_word[word])
    return printable(suspects.treebank[sentence].id or str(sentence + 1))


def _number(suspects: Suspects, suspect: Suspect) -> int:
    return suspect.word - int(suspects.treebank.sentence_starts[suspects.sentence_of(suspect)]) + 1


def _votes(suspects: Suspects, suspect: Suspect) -> str:
    return f"{suspect.n_for} : {suspect.n_gold}" if suspects.systems and suspect.n_for else ""


def _elsewhere(suspects: Suspects, suspect: Suspect) -> str:
    if suspect.variation is None:
        return ""
    return f"{suspect.variation.n_other} : {suspect.variation.n_own} ({_name(suspects, suspect.variation.place)})"


def _elsewhere_document(suspects: Suspects, variation: Variation) -> dict[str, Any]:
    sentence = int(suspects.treebank.sentence_of_word[variation.place])
    word = variation.place - int(suspects.treebank.sentence_starts[sentence]) + 1
    place = {"sentence": sentence + 1, "sent_id": suspects.treebank[sentence].id, "word": word}
    return {"other": variation.n_other, "same": variation.n_own, **place}


def suspects_document(suspects: Suspects) -> dict[str, Any]:
    """Return suspects for JSON."""
    return {
        **header("suspects", suspects.provenance.signature),
        "systems": list(suspects.systems),
        "suspects": [
            {
                "sentence": suspects.sentence_of(suspect) + 1,
                "sent_id": suspects.treebank[suspects.sentence_of(suspect)].id,
                "line": _line(suspects, suspect),
                "word": _number(suspects, suspect),
                "form": suspects.treebank.forms[suspect.word],
                "problem": suspect.kind,
                "annotation": suspect.gold,
                "probably": suspect.other,
                "score": suspect.score,
                "systems_against": suspect.n_for,
                "systems_in_favor": suspect.n_gold,
                "elsewhere": None if suspect.variation is None else _elsewhere_document(suspects, suspect.variation),
            }
            for suspect in suspects.suspects
        ],
        **sources(suspects.provenance),
    }
