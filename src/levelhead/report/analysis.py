"""Breakdowns, confusion, kinds of errors and cascading errors as tables and JSON documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from levelhead.analysis import Breakdown, Cascading, Confusion, Example
from levelhead.analysis.buckets import find
from levelhead.analysis.confusion import MOST_RELATIONS, OTHER
from levelhead.report.documents import header
from levelhead.report.scores import signature_line
from levelhead.report.table import Cell, Column, Table
from levelhead.scoring.matches import Matches
from levelhead.scoring.score import Score

Signature = Mapping[str, str]
"""Everything that decides the numbers, by name."""

UNSIGNED: Signature = MappingProxyType({})

_NUMBERS = ("Gold", "System", "Correct")
_RATIOS = ("Precision", "Recall", "F1")


def breakdown_table(treebanks: Mapping[str, Sequence[Breakdown]], signature: Signature = UNSIGNED) -> Table:
    """Return one row for each treebank and bucket: counts, precision, recall, F1.

    Args:
        treebanks: the breakdowns of each treebank, all of the same measure by the same properties.
        signature: everything that decides the numbers.
    """
    first = next(iter(treebanks.values()))
    several = len({breakdown.by for breakdown in first}) > 1
    columns = [Column("Treebank", "text")] if len(treebanks) > 1 else []
    columns += [Column("by", "text")] if several else []
    width = max(len(breakdown.by) for breakdown in first)
    if several:
        columns += [Column("", "text", key="Value" if i == 1 else f"Value {i}") for i in range(1, width + 1)]
    else:
        columns += [Column(name, "text") for name in first[0].by]
    columns += [*(Column(name, "number") for name in _NUMBERS), *(Column(name) for name in _RATIOS)]
    rows: list[tuple[Cell, ...]] = []
    rules = set()
    for treebank, breakdowns in treebanks.items():
        for breakdown in breakdowns:
            rules.add(len(rows))
            for values, score in breakdown.rows:
                start = ([treebank] if len(treebanks) > 1 else []) + ([",".join(breakdown.by)] if several else [])
                padded = (*values, *("",) * (width - len(values)))
                rows.append((*start, *padded, *_cells(score)))
    notes = (*_notes(first), *_signed(signature))
    return Table(tuple(columns), tuple(rows), notes, frozenset(rules - {0}))


def _signed(signature: Signature) -> tuple[str, ...]:
    return (signature_line(signature),) if signature else ()


def _notes(breakdowns: Sequence[Breakdown]) -> tuple[str, ...]:
    """Say of each property whose value a system word has."""
    measure = str(breakdowns[0].measure)
    properties: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for breakdown in breakdowns for name in breakdown.by):
        properties.setdefault(find(name).whose, []).append(name)
    if len(properties) == 1:
        return (f"{measure}, {next(iter(properties))}",)
    return (measure, *(f"{', '.join(names)}: {whose}" for whose, names in properties.items()))


def _cells(score: Score) -> tuple[Cell, ...]:
    return score.gold, score.system, score.correct, score.precision, score.recall, score.f1


def breakdown_document(treebanks: Mapping[str, Sequence[Breakdown]], signature: Signature = UNSIGNED) -> dict[str, Any]:
    """Return the same for JSON: ratios as percentages."""

    def row(breakdown: Breakdown, values: tuple[str, ...], score: Score) -> dict[str, Any]:
        names = ("gold", "system", "correct", "precision", "recall", "f1")
        cells = dict(zip(names, _cells(score), strict=True))
        ratios = {name: None if cells[name] is None else 100 * float(str(cells[name])) for name in names[3:]}
        return {**dict(zip(breakdown.by, values, strict=True)), **cells, **ratios}

    documents = {
        treebank: [
            {"by": list(one.by), "measure": str(one.measure), "rows": [row(one, *each) for each in one.rows]}
            for one in breakdowns
        ]
        for treebank, breakdowns in treebanks.items()
    }
    return {**header("breakdown", signature), "treebanks": documents}


def confusion_table(treebanks: Mapping[str, Confusion], signature: Signature = UNSIGNED) -> Table:
    """Return one row for each pair of relations that meet, errors first, the most frequent first.

    Args:
        treebanks: the confusion of each treebank.
        signature: everything that decides the numbers.
    """
    columns = (
        *([Column("Treebank", "text")] if len(treebanks) > 1 else []),
        *(Column(name, "text") for name in ("Gold", "System")),
        *(Column(name, "number") for name in ("Words", "Head right")),
        Column("of gold"),
    )
    rows: list[tuple[Cell, ...]] = []
    for treebank, confusion in treebanks.items():
        start = (treebank,) if len(treebanks) > 1 else ()
        rows += [(*start, *row) for row in _confused(confusion)]
    notes = ["errors only; of gold: the share of the gold relation's aligned words"]
    if any(OTHER in confusion.names for confusion in treebanks.values()):
        notes.append(f"{OTHER}: all but the {MOST_RELATIONS} most frequent relations; errors among them are not shown")
    return Table(tuple(columns), tuple(rows), (*notes, *_signed(signature)))


def _confused(confusion: Confusion) -> list[tuple[Cell, ...]]:
    wrong = confusion.counts.copy()
    np.fill_diagonal(wrong, 0)
    cells = np.argwhere(wrong).tolist()
    cells.sort(key=lambda cell: -int(wrong[cell[0], cell[1]]))
    totals = confusion.counts.sum(axis=1)
    names = confusion.names
    rows: list[tuple[Cell, ...]] = [
        (names[g], names[s], int(wrong[g, s]), int(confusion.right_heads[g, s]), float(wrong[g, s] / totals[g]))
        for g, s in cells
    ]
    rows += [(names[g], "not aligned", int(n), None, None) for g, n in enumerate(confusion.unaligned_gold) if n]
    return rows + [("not aligned", names[s], int(n), None, None) for s, n in enumerate(confusion.unaligned_system) if n]


def confusion_document(treebanks: Mapping[str, Confusion], signature: Signature = UNSIGNED) -> dict[str, Any]:
    """Return the whole matrices for JSON."""
    documents = {
        name: {
            "relations": list(one.names),
            "counts": one.counts.tolist(),
            "right_heads": one.right_heads.tolist(),
            "unaligned_gold": one.unaligned_gold.tolist(),
            "unaligned_system": one.unaligned_system.tolist(),
        }
        for name, one in treebanks.items()
    }
    return {**header("confusion", signature), "treebanks": documents}


def errors_table(treebanks: Mapping[str, Mapping[str, int]], signature: Signature = UNSIGNED) -> Table:
    """Return one row for each treebank and kind of error: aligned words, and their share.

    Args:
        treebanks: the kinds of errors of each treebank.
        signature: everything that decides the numbers.
    """
    columns = [Column("Treebank", "text")] if len(treebanks) > 1 else []
    columns += [Column("Error", "text"), Column("Words", "number"), Column("Share")]
    rows: list[tuple[Cell, ...]] = []
    for treebank, errors in treebanks.items():
        total = sum(errors.values())
        start = (treebank,) if len(treebanks) > 1 else ()
        rows += [(*start, kind, n, n / total if total else None) for kind, n in errors.items()]
    return Table(tuple(columns), tuple(rows), _signed(signature))


def errors_document(treebanks: Mapping[str, Mapping[str, int]], signature: Signature = UNSIGNED) -> dict[str, Any]:
    """Return the same for JSON."""
    return {
        **header("errors", signature),
        "treebanks": {name: dict(one) for name, one in treebanks.items()},
    }


def cascading_table(treebanks: Mapping[str, Sequence[Cascading]], signature: Signature = UNSIGNED) -> Table:
    """Return one row for each treebank, class, and way of counting: wrong arcs, and how many hang from right ones.

    Args:
        treebanks: the cascading errors of each treebank.
        signature: everything that decides the numbers.
    """
    columns = [Column("Treebank", "text")] if len(treebanks) > 1 else []
    columns += [Column("Class", "text"), Column("Arcs", "text"), Column("Wrong", "number")]
    columns += [Column("Parent right", "number"), Column("Share")]
    rows: list[tuple[Cell, ...]] = []
    for treebank, classes in treebanks.items():
        start = (treebank,) if len(treebanks) > 1 else ()
        rows += [(*start, *_cascading(one)) for one in classes if one.wrong]
    note = "class by the gold relation; the lower the share, the more wrong arcs hang from wrong ones"
    return Table(tuple(columns), tuple(rows), (note, *_signed(signature)))


def _cascading(one: Cascading) -> tuple[Cell, ...]:
    return one.name, "labelled" if one.labelled else "unlabelled", one.wrong, one.parent_right, one.ratio


def cascading_document(treebanks: Mapping[str, Sequence[Cascading]], signature: Signature = UNSIGNED) -> dict[str, Any]:
    """Return the same for JSON."""
    documents = {
        name: [{**one._asdict(), "ratio": one.ratio} for one in classes] for name, classes in treebanks.items()
    }
    return {**header("cascading", signature), "treebanks": documents}


def examples_document(
    matches: Matches, cells: Mapping[str, Sequence[Example]], signature: Signature = UNSIGNED
) -> dict[str, Any]:
    """Return for JSON the sentences behind cells of the confusion.

    Args:
        matches: the aligned words.
        cells: the examples of each cell.
        signature: everything that decides the numbers.
    """

    def example(one: Example) -> dict[str, Any]:
        gold, system = matches.gold[one.gold_sentence], matches.system[one.system_sentence]
        return {
            "sent_id": gold.id,
            "sentence": one.gold_sentence + 1,
            "word": one.gold_word + 1,
            "form": gold.forms[one.gold_word],
            "text": gold.text,
            "gold": {"heads": gold.heads, "relations": gold.relations, "forms": gold.forms},
            "system": {"heads": system.heads, "relations": system.relations, "forms": system.forms},
        }

    found = {cell: [example(one) for one in examples] for cell, examples in cells.items()}
    return {**header("examples", signature), "cells": found}
