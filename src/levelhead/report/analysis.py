"""Breakdowns, confusion, kinds of errors and cascading errors as tables and JSON documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from levelhead.analysis import Average, Breakdown, Cascading, Confusion, Example, averages
from levelhead.analysis.confusion import MOST_RELATIONS, OTHER
from levelhead.analysis.word_properties import property_named
from levelhead.report.documents import header, points
from levelhead.report.scores import signature_line
from levelhead.report.table import Cell, Column, Table
from levelhead.scoring.matches import Matches
from levelhead.scoring.score import Score

Signature = Mapping[str, str]
"""Everything that decides the numbers, by name."""

UNSIGNED: Signature = MappingProxyType({})

_NUMBERS = ("Gold", "System", "Correct")
_RATIOS = ("Precision", "Recall", "F1")


class _Layout(NamedTuple):
    """Which columns a table of breakdowns has."""

    treebanks: bool
    bys: Sequence[tuple[str, ...]]
    without: bool

    @property
    def width(self) -> int:
        """The largest number of properties that are combined."""
        return max(map(len, self.bys))

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns before the numbers: treebank, properties and their values."""
        named = [Column("Treebank", "text")] if self.treebanks else []
        if len(self.bys) > 1:
            keys = ("Value" if i == 1 else f"Value {i}" for i in range(1, self.width + 1))
            named += [Column("by", "text"), *(Column("", "text", key=key) for key in keys)]
        else:
            named += [Column(name, "text") for name in self.bys[0]]
        numbers = [*(Column(name, "number") for name in _NUMBERS), *(Column(name) for name in _RATIOS)]
        return (
            *named,
            *numbers,
            *([Column("Without"), Column("Diff.", "difference", key="Difference")] if self.without else []),
        )

    def row(self, treebank: str, by: Sequence[str], values: Sequence[str], numbers: Sequence[Cell]) -> tuple[Cell, ...]:
        """Return a row of the table."""
        named = ((treebank,) if self.treebanks else ()) + ((",".join(by),) if len(self.bys) > 1 else ())
        length = len(_NUMBERS) + len(_RATIOS) + (2 if self.without else 0)
        return (*named, *values, *("",) * (self.width - len(values)), *numbers, *(None,) * (length - len(numbers)))


def breakdown_table(treebanks: Mapping[str, Sequence[Breakdown]], signature: Signature = UNSIGNED) -> Table:
    """Return one row for each treebank and bucket: counts, precision, recall, F1; below them means over treebanks.

    Args:
        treebanks: the breakdowns of each treebank, all of the same measure by the same properties.
        signature: everything that decides the numbers.
    """
    first = next(iter(treebanks.values()))
    bys = tuple(dict.fromkeys(one.by for one in first))
    layout = _Layout(len(treebanks) > 1, bys, any(one.whole for one in first))
    parts = [
        [layout.row(name, one.by, values, _numbers(one, values, score)) for values, score in one.rows]
        for name, some in treebanks.items()
        for one in some
    ]
    starts = {sum(map(len, parts[:i])) for i in range(1, len(parts))}
    summary = [
        layout.row(
            f"Average of {one.n_treebanks}", by, one.values, [None, None, None, *map(_number, one.means.values())]
        )
        for by, some in _averages(treebanks)
        for one in some
    ]
    notes = (*_notes(first), *_signed(signature))
    return Table(layout.columns, tuple(row for part in parts for row in part), notes, frozenset(starts), tuple(summary))


def _numbers(breakdown: Breakdown, values: tuple[str, ...], score: Score) -> tuple[Cell, ...]:
    if not breakdown.whole:
        return _cells(score)
    return (*_cells(score), breakdown.without[values].value, _number(breakdown.difference(values)))


def _number(value: Fraction | None) -> Cell:
    return None if value is None else float(value)


def _averages(treebanks: Mapping[str, Sequence[Breakdown]]) -> list[tuple[tuple[str, ...], list[Average]]]:
    """The means of each breakdown over treebanks; nothing for a single treebank."""
    if len(treebanks) < 2:
        return []
    return [(some[0].by, averages(some)) for some in zip(*treebanks.values(), strict=True)]


def _signed(signature: Signature) -> tuple[str, ...]:
    return (signature_line(signature),) if signature else ()


def _notes(breakdowns: Sequence[Breakdown]) -> tuple[str, ...]:
    """Return a note per property on the value that system words have."""
    measure = str(breakdowns[0].measure)
    properties: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for breakdown in breakdowns for name in breakdown.by):
        properties.setdefault(property_named(name).whose, []).append(name)
    found: tuple[str, ...] = (f"{measure}, {next(iter(properties))}",)
    if len(properties) > 1:
        found = (measure, *(f"{', '.join(names)}: {whose}" for whose, names in properties.items()))
    if any(one.whole for one in breakdowns):
        left_out = f"Without: {measure} of all other words; Diff.: minus {measure} of all words"
        found = (*found, left_out)
    return found


def _cells(score: Score) -> tuple[Cell, ...]:
    return score.gold, score.system, score.correct, score.precision, score.recall, score.f1


def breakdown_document(treebanks: Mapping[str, Sequence[Breakdown]], signature: Signature = UNSIGNED) -> dict[str, Any]:
    """Return the same for JSON: ratios as percentages.

    Args:
        treebanks: the breakdowns of each treebank.
        signature: everything that decides the numbers.
    """
    documents = {name: [_breakdown(one) for one in some] for name, some in treebanks.items()}
    means = [{"by": list(by), "rows": [_average(by, one) for one in some]} for by, some in _averages(treebanks)]
    return {**header("breakdown", signature), "treebanks": documents, **({"averages": means} if means else {})}


def _breakdown(one: Breakdown) -> dict[str, Any]:
    whole = {"whole": points(one.whole.value)} if one.whole else {}
    rows = [_document_row(one, *each) for each in one.rows]
    return {"by": list(one.by), "measure": str(one.measure), **whole, "rows": rows}


def _document_row(breakdown: Breakdown, values: tuple[str, ...], score: Score) -> dict[str, Any]:
    counts = {"gold": score.gold, "system": score.system, "correct": score.correct}
    ratios = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    percentages = {name: None if ratio is None else 100 * ratio for name, ratio in ratios.items()}
    left_out = {}
    if breakdown.whole:
        without, difference = breakdown.without[values].value, breakdown.difference(values)
        left_out = {"without": points(without), "difference": points(difference)}
    return {**dict(zip(breakdown.by, values, strict=True)), **counts, **percentages, **left_out}


def _average(by: tuple[str, ...], one: Average) -> dict[str, Any]:
    means = {name: points(value) for name, value in one.means.items()}
    return {**dict(zip(by, one.values, strict=True)), "treebanks": one.n_treebanks, **means}


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
    notes = ["errors only; of gold: share of the aligned words with the gold relation"]
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
    note = "class by the gold relation; a low share means that wrong arcs depend on other wrong arcs"
    return Table(tuple(columns), tuple(rows), (note, *_signed(signature)))


def _cascading(one: Cascading) -> tuple[Cell, ...]:
    return one.name, "labeled" if one.labeled else "unlabeled", one.wrong, one.parent_right, one.ratio


def cascading_document(treebanks: Mapping[str, Sequence[Cascading]], signature: Signature = UNSIGNED) -> dict[str, Any]:
    """Return the same for JSON."""
    documents = {
        name: [
            {
                "name": one.name,
                "labelled": one.labeled,
                "wrong": one.wrong,
                "parent_right": one.parent_right,
                "ratio": one.ratio,
            }
            for one in classes
        ]
        for name, classes in treebanks.items()
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
        """Return one word with both trees."""
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
