"""Recovered answers as a table and as JSON documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from levelhead.recovery import STEPS, TREES, RecoveredAnswer, Recovery
from levelhead.recovery.recovery import trees_of
from levelhead.report.documents import header
from levelhead.report.scores import signature_line
from levelhead.report.table import Cell, Column, Table

_NO_ANSWER = "no answer"
_RARE = {"another text", _NO_ANSWER}
_COLUMNS = (
    Column("Class", "text"),
    Column("Answers", "number"),
    *(Column(tree.capitalize(), "number") for tree in TREES),
    Column("Words", "number"),
    Column("Recovered", "number", tidy_only=True),
    Column("Recovered %"),
    Column("Extra rows", "number", tidy_only=True),
)


def recovery_table(recovery: Recovery) -> Table:
    """Return answers by class and by tree; rare classes are left out if they are empty."""
    every = recovery.answers
    shown = {name: some for name, some in recovery.classes.items() if some or name not in _RARE}
    rows = (_row(name.capitalize(), answers) for name, answers in shown.items())
    n_extra = sum(answer.extra for answer in every)
    notes = (
        f"rows without a gold word: {n_extra:,} (dropped)",
        *([recovery.other_text] if recovery.other_text else []),
        signature_line(recovery.provenance.signature),
    )
    return Table(_COLUMNS, tuple(rows), notes, summary=(_row("All", every),))


def _row(name: str, answers: Sequence[RecoveredAnswer]) -> tuple[Cell, ...]:
    words, recovered = sum(answer.words for answer in answers), sum(answer.recovered for answer in answers)
    n_extra = sum(answer.extra for answer in answers)
    return (
        name,
        len(answers),
        *trees_of(answers).values(),
        words,
        recovered,
        recovered / words if words else None,
        n_extra,
    )


def recovery_document(recovery: Recovery) -> dict[str, Any]:
    """Return numbers of answers by class, by tree and by steps of recovery for JSON."""
    steps = Counter(step for answer in recovery.answers for step in answer.steps)
    return {
        **header("recovery", recovery.provenance.signature),
        **_counts(recovery.answers),
        "classes": {_key(name): _counts(answers) for name, answers in recovery.classes.items()},
        "steps": {_key(step): steps[step] for step in STEPS},
    }


def answer_documents(recovery: Recovery) -> list[dict[str, Any]]:
    """Return a document for each answer, for JSON lines."""
    return [
        {
            **header("recovered-answer"),
            "sentence": answer.sentence,
            "sent_id": answer.sent_id,
            "class": _key(answer.category),
            "tree": _key(answer.tree),
            "steps": list(map(_key, answer.steps)),
            "words": answer.words,
            "words_recovered": answer.recovered,
            "extra_rows": answer.extra,
            "attempts": answer.attempts,
            "forms_matched": answer.matched,
        }
        for answer in recovery.answers
    ]


def _counts(answers: Sequence[RecoveredAnswer]) -> dict[str, Any]:
    return {
        "answers": sum(answer.category != _NO_ANSWER for answer in answers),
        "sentences": len(answers),
        "words": sum(answer.words for answer in answers),
        "words_recovered": sum(answer.recovered for answer in answers),
        "forms_matched": sum(answer.matched for answer in answers),
        "extra_rows": sum(answer.extra for answer in answers),
        "trees": {_key(name): count for name, count in trees_of(answers).items()},
    }


def _key(name: str) -> str:
    return name.replace(" ", "_")
