"""The sentence table: one row per gold sentence with all counts."""

from __future__ import annotations

from collections.abc import Mapping

from levelhead.evaluation.by_sentence import SentenceCounts
from levelhead.report.table import Column, Table


def sentences_table(treebanks: Mapping[str, SentenceCounts], notes: tuple[str, ...] = ()) -> Table:
    """Return one row per gold sentence: treebank, number, sent_id, words, and the counts of every measure."""
    listed = {name: counts.columns() for name, counts in treebanks.items()}
    names = next(iter(listed.values()))
    columns = tuple(
        Column(name.replace(".", " "), "text" if name == "sent_id" else "number", key=name) for name in names
    )
    rows = [(name, *cells) for name, table in listed.items() for cells in zip(*table.values(), strict=True)]
    return Table((Column("treebank", "text"), *columns), tuple(rows), notes)
