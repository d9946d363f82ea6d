"""A comparison as a summary in Markdown, for example for the summary page of a GitHub job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from levelhead.comparison.contrasts import WorseSentence
from levelhead.comparison.regression import verdict_text
from levelhead.comparison.systems import Comparison
from levelhead.tables.table import Cell, Column, Table
from levelhead.tables.writers import markdown_text, to_markdown

_MOST = 10
_LONGEST = 300  # characters of a sentence


def summary(comparison: Comparison, measure: str, sentences: Mapping[str, Sequence[WorseSentence]]) -> str:
    """Return a summary of a comparison in Markdown: verdicts, scores, differences, and sentences with large losses."""
    lines = ["## Scores and differences", ""]
    lines += [f"- {markdown_text(verdict_text(gate, comparison))}" for gate in comparison.gates]
    lines += [f"  - {markdown_text(str(fault))}" for faults in comparison.invalid.values() for fault in faults[:_MOST]]
    lines += ["", to_markdown(replace(comparison, gates=()).table())]
    every = sorted(
        (sentence for some in sentences.values() for sentence in some),
        key=lambda sentence: sentence.right - sentence.baseline,
    )
    lines += [f"## Sentences with the largest losses ({markdown_text(measure)})", ""]
    columns = (
        *(Column(name, "text") for name in ("Treebank", "System", "sent_id")),
        *(Column(name, "number") for name in ("Sentence", "Baseline correct", "System correct", "Words")),
        Column("Text", "text"),
    )
    lines.append(to_markdown(Table(columns, tuple(map(_row, every[:_MOST])))) if every else "None.\n")
    return "\n".join(lines)


def _row(sentence: WorseSentence) -> tuple[Cell, ...]:
    text = sentence.text if len(sentence.text) <= _LONGEST else sentence.text[:_LONGEST] + " ..."
    return (
        sentence.treebank,
        sentence.system,
        sentence.sent_id,
        sentence.sentence,
        sentence.baseline,
        sentence.right,
        sentence.words,
        text,
    )
