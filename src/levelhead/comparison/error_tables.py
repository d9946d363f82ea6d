"""Confusions, types of errors and cascading errors as tables and JSON documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from levelhead.analysis import Cascading, Confusion, Example
from levelhead.analysis.confusion import MOST_RELATIONS, OTHER
from levelhead.evaluation.by_sentence import SentenceCounts
from levelhead.scoring.matches import Matches
from levelhead.tables.documents import UNSIGNED, Signature, header, signed
from levelhead.tables.table import Cell, Column, Table


def confusion_table(treebanks: Mapping[str, Confusion], signature: Signature = UNSIGNED) -> Table:
    """Return one row per pair of confused relations, the most frequent first, then relations of unaligned words."""
    columns = (
        *([Column("Treebank", "text")] if len(treebanks) > 1 else []),
        *(Column(name, "text") for name in ("Gold", "System")),
        *(Column(name, "number") for name in ("Words", "Head correct")),
        Column("of gold"),
    )
    rows: list[tuple[Cell, ...]] = []
    for treebank, confusion in treebanks.items():
        start = (treebank,) if len(treebanks) > 1 else ()
        rows += [(*start, *row) for row in _confused(confusion)]
    notes = ["errors only; of gold: share of the aligned words with this gold relation"]
    if any(OTHER in confusion.names for confusion in treebanks.values()):
        notes.append(f"{OTHER}: all but the {MOST_RELATIONS} most frequent relations; errors among them are not shown")
    return Table(tuple(columns), tuple(rows), (*notes, *signed(signature)))


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
    """Return the complete matrices for JSON."""
    documents = {
        name: {
            "relations": list(treebank.names),
            "counts": treebank.counts.tolist(),
            "right_heads": treebank.right_heads.tolist(),
            "unaligned_gold": treebank.unaligned_gold.tolist(),
            "unaligned_system": treebank.unaligned_system.tolist(),
        }
        for name, treebank in treebanks.items()
    }
    return {**header("confusion", signature), "treebanks": documents}


def errors_table(treebanks: Mapping[str, Mapping[str, int]], signature: Signature = UNSIGNED) -> Table:
    """Return one row per treebank and type of error: aligned words, and their share."""
    columns = [Column("Treebank", "text")] if len(treebanks) > 1 else []
    columns += [Column("Error", "text"), Column("Words", "number"), Column("Share")]
    rows: list[tuple[Cell, ...]] = []
    for treebank, errors in treebanks.items():
        total = sum(errors.values())
        start = (treebank,) if len(treebanks) > 1 else ()
        rows += [(*start, kind, n, n / total if total else None) for kind, n in errors.items()]
    return Table(tuple(columns), tuple(rows), signed(signature))


def errors_document(treebanks: Mapping[str, Mapping[str, int]], signature: Signature = UNSIGNED) -> dict[str, Any]:
    """Return types of errors for JSON."""
    return {
        **header("errors", signature),
        "treebanks": {name: dict(treebank) for name, treebank in treebanks.items()},
    }


def cascading_table(treebanks: Mapping[str, Sequence[Cascading]], signature: Signature = UNSIGNED) -> Table:
    """Return one row per treebank and class, labeled and unlabeled: wrong arcs, and how many have a correct parent."""
    columns = [Column("Treebank", "text")] if len(treebanks) > 1 else []
    columns += [Column("Class", "text"), Column("Arcs", "text"), Column("Wrong", "number")]
    columns += [Column("Parent correct", "number"), Column("Share")]
    rows: list[tuple[Cell, ...]] = []
    for treebank, classes in treebanks.items():
        start = (treebank,) if len(treebanks) > 1 else ()
        rows += [(*start, *_cascading(errors)) for errors in classes if errors.wrong]
    note = "class by the gold relation; a low share means that wrong arcs depend on other wrong arcs"
    return Table(tuple(columns), tuple(rows), (note, *signed(signature)))


def _cascading(errors: Cascading) -> tuple[Cell, ...]:
    return errors.name, "labeled" if errors.labeled else "unlabeled", errors.wrong, errors.parent_right, errors.ratio


def cascading_document(treebanks: Mapping[str, Sequence[Cascading]], signature: Signature = UNSIGNED) -> dict[str, Any]:
    """Return cascading errors for JSON."""
    documents = {
        name: [
            {
                "name": errors.name,
                "labelled": errors.labeled,
                "wrong": errors.wrong,
                "parent_right": errors.parent_right,
                "ratio": errors.ratio,
            }
            for errors in classes
        ]
        for name, classes in treebanks.items()
    }
    return {**header("cascading", signature), "treebanks": documents}


def examples_document(
    matches: Matches, cells: Mapping[str, Sequence[Example]], signature: Signature = UNSIGNED
) -> dict[str, Any]:
    """Return example sentences of confusions for JSON."""
    documents = {cell: [_example(matches, example) for example in examples] for cell, examples in cells.items()}
    return {**header("examples", signature), "cells": documents}


def _example(matches: Matches, example: Example) -> dict[str, Any]:
    """A word with its gold tree and the system's."""
    gold, system = matches.gold[example.gold_sentence], matches.system[example.system_sentence]
    return {
        "sent_id": gold.id,
        "sentence": example.gold_sentence + 1,
        "word": example.gold_word + 1,
        "form": gold.forms[example.gold_word],
        "text": gold.text,
        "gold": {"heads": gold.heads, "relations": gold.relations, "forms": gold.forms},
        "system": {"heads": system.heads, "relations": system.relations, "forms": system.forms},
    }


def sentences_table(treebanks: Mapping[str, SentenceCounts], notes: tuple[str, ...] = ()) -> Table:
    """Return one row per gold sentence: treebank, number, sent_id, words, and the counts of every measure."""
    listed = {name: counts.columns() for name, counts in treebanks.items()}
    names = next(iter(listed.values()))
    columns = tuple(
        Column(name.replace(".", " "), "text" if name == "sent_id" else "number", key=name) for name in names
    )
    rows = [(name, *cells) for name, table in listed.items() for cells in zip(*table.values(), strict=True)]
    return Table((Column("treebank", "text"), *columns), tuple(rows), notes)
