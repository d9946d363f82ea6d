"""The errors of one system on one or several treebanks: confusions, types of errors, examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from typing import Any, Generic, TypeVar

import numpy as np

from levelhead.analysis import Cascading, Confusion
from levelhead.analysis.confusion import MOST_RELATIONS, OTHER, Example, cells_named, examples_of
from levelhead.campaign.outputs import read_outputs
from levelhead.campaign.plan import Plan
from levelhead.comparison.evaluations import single_run
from levelhead.comparison.tree_text import draw_examples
from levelhead.errors import Fault, InputError, quoted
from levelhead.evaluation.coverage import PartialCoverage
from levelhead.evaluation.provenance import Provenance, joint_provenance, notes_on_output, pair_provenance
from levelhead.evaluation.score_tables import coverage_document, coverage_notes
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure_notes import annotation_of, notes_on_schemes
from levelhead.tables.documents import header, signature_line, signed
from levelhead.tables.table import Cell, Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import summary_of
from levelhead.treebank.relations import Scheme

__all__ = ["CascadingErrors", "Confusions", "ErrorExamples", "ErrorTypes", "PerTreebank"]

Found = TypeVar("Found")

UsedScheme = tuple[Scheme, str]  # a scheme of classes in addition to those of measures, and what uses it

DRAWN = 5  # the default number of sentences that are drawn; tables and JSON then have all


@immutable
class PerTreebank(Tabular, Generic[Found]):
    """Results for the output of one system on each treebank.

    Args:
        treebanks: the results, by the code of the treebank.
        provenance: the provenance of the numbers.
        coverage: for partial scores, the share of gold that the output covers, by treebank.
    """

    treebanks: Mapping[str, Found]
    provenance: Provenance
    coverage: Mapping[str, PartialCoverage] = field(default_factory=dict)

    @property
    def _coverage_notes(self) -> list[str]:
        return coverage_notes(("", coverage) for coverage in self.coverage.values())

    def _table(
        self, columns: Iterable[Column], rows: Callable[[Found], Iterable[tuple[Cell, ...]]], *notes: str
    ) -> Table:
        """Return the rows of all treebanks, which start with the treebank if there are several."""
        several = len(self.treebanks) > 1
        cells = [(*(name,) * several, *row) for name, result in self.treebanks.items() for row in rows(result)]
        notes = (*notes, *self._coverage_notes, *signed(self.provenance.signature))
        return Table((*[Column("Treebank", "text")] * several, *columns), tuple(cells), notes)

    def _rows_document(self, kind: str, document: Callable[[Found], Any]) -> dict[str, Any]:
        return {
            **header(kind, self.provenance.signature),
            "treebanks": {name: document(result) for name, result in self.treebanks.items()},
            **coverage_document(self.coverage),
        }


class Confusions(PerTreebank[Confusion]):
    """Confusions of relations on each treebank."""

    def table(self) -> Table:
        """Return one row per pair of confused relations, the most frequent first, then relations of unaligned words."""
        columns = (
            *(Column("Gold", "text"), Column("System", "text")),
            *(Column("Words", "number"), Column("Head correct", "number"), Column("of gold")),
        )
        rest = f"{OTHER}: all but the {MOST_RELATIONS} most frequent relations; errors among them are not shown"
        notes = [rest] if any(OTHER in confusion.names for confusion in self.treebanks.values()) else []
        first = "errors only; of gold: share of the aligned words with this gold relation"
        return self._table(columns, _confused, first, *notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the complete matrices for JSON."""
        return self._rows_document(
            "confusion",
            lambda confusion: {
                "relations": list(confusion.names),
                "counts": confusion.counts.tolist(),
                "right_heads": confusion.right_heads.tolist(),
                "unaligned_gold": confusion.unaligned_gold.tolist(),
                "unaligned_system": confusion.unaligned_system.tolist(),
            },
        )


def _confused(confusion: Confusion) -> list[tuple[Cell, ...]]:
    names = confusion.names
    wrong = confusion.counts - np.diag(confusion.counts.diagonal())
    totals = confusion.counts.sum(axis=1)
    rows: list[tuple[Cell, ...]] = [
        (names[g], names[s], int(wrong[g, s]), int(confusion.right_heads[g, s]), float(wrong[g, s] / totals[g]))
        for g, s in sorted(np.argwhere(wrong).tolist(), key=lambda cell: -int(wrong[tuple(cell)]))
    ]
    rows += [(names[g], "not aligned", int(n), None, None) for g, n in enumerate(confusion.unaligned_gold) if n]
    return rows + [("not aligned", names[s], int(n), None, None) for s, n in enumerate(confusion.unaligned_system) if n]


class ErrorTypes(PerTreebank[Mapping[str, int]]):
    """The types of errors: the number of words with each type, on each treebank."""

    def table(self) -> Table:
        """Return one row per treebank and type of error: aligned words, and their share."""

        def rows(errors: Mapping[str, int]) -> list[tuple[Cell, ...]]:
            total = sum(errors.values())
            return [(kind, n, n / total if total else None) for kind, n in errors.items()]

        return self._table((Column("Error", "text"), Column("Words", "number"), Column("Share")), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return self._rows_document("errors", dict)


class CascadingErrors(PerTreebank[Sequence[Cascading]]):
    """Cascading errors: the number of wrong arcs whose head is attached correctly, by class, on each treebank."""

    def table(self) -> Table:
        """Return one row per treebank and class, labeled and unlabeled: wrong arcs, and those with a correct parent."""
        columns = (
            *(Column("Class", "text"), Column("Arcs", "text"), Column("Wrong", "number")),
            *(Column("Parent correct", "number"), Column("Share")),
        )
        return self._table(
            columns,
            lambda classes: [
                (of.name, "labeled" if of.labeled else "unlabeled", of.wrong, of.parent_right, of.ratio)
                for of in classes
                if of.wrong
            ],
            "class by the gold relation; a low share means that wrong arcs depend on other wrong arcs",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return self._rows_document(
            "cascading",
            lambda classes: [
                {"name": of.name, "labelled": of.labeled, "wrong": of.wrong}
                | {"parent_right": of.parent_right, "ratio": of.ratio}
                for of in classes
            ],
        )


def for_each_output(
    plan: Plan, setup: Setup, function: Callable[[Matches], Found], scheme: UsedScheme | None = None
) -> tuple[dict[str, Found], Provenance, dict[str, PartialCoverage]]:
    """Return the result of a function for the output on each treebank, by its code, the provenance and the coverage."""
    results, provenances, coverage = {}, {}, {}
    parts = setup.signature_of_measures() | ({"scheme": scheme[0].name} if scheme else {})
    with closing(read_outputs(single_run(plan), setup)) as outputs:
        for code, (output,) in outputs:
            results[code] = function(output.matches)
            if output.coverage is not None:
                coverage[code] = output.coverage
            gold, notes = output.matches.gold, notes_on_output(output.matches, setup)
            if scheme:
                sides = annotation_of(gold, ()), annotation_of(output.matches.system, (), partial=setup.partial)
                notes += notes_on_schemes(sides[0].relations, sides[1].relations, [(scheme[0], (scheme[1],))])
            provenances[code] = pair_provenance(summary_of(gold), output.summary, setup, notes, parts)
    return results, joint_provenance(provenances), coverage


@immutable
class ErrorExamples(Tabular):
    """Words with the wrong relation, with their sentences.

    Args:
        system: the name of the system.
        matches: the aligned words.
        cells: all words with each error, such as `nsubj:obj` (gold relation, system relation).
        limit: the maximum number of words per error to show; if None, 5 are drawn, and tables and JSON have all.
        provenance: their provenance.
        coverage: for partial scores, the share of gold that the output covers, by treebank.
    """

    system: str
    matches: Matches
    cells: Mapping[str, Sequence[Example]]
    limit: int | None
    provenance: Provenance
    coverage: Mapping[str, PartialCoverage] = field(default_factory=dict)

    @property
    def _notes(self) -> tuple[str, ...]:
        covered = coverage_notes(("", coverage) for coverage in self.coverage.values())
        return (*covered, signature_line(self.provenance.signature))

    @property
    def listed(self) -> Mapping[str, Sequence[Example]]:
        """The words of each error in tables and JSON."""
        return {error: words[: self.limit] for error, words in self.cells.items()}

    @property
    def drawn(self) -> Mapping[str, Sequence[Example]]:
        """The words of each error that are drawn."""
        return {error: words[: self.limit or DRAWN] for error, words in self.cells.items()}

    def table(self) -> Table:
        """Return one row per example."""
        columns = (
            *(Column("Error", "text"), Column("Sentence", "position"), Column("sent_id", "text")),
            *(Column("Word", "position"), Column("Form", "text")),
        )
        rows = (
            (error, example.gold_sentence + 1, sentence.id, example.gold_word + 1, sentence.forms[example.gold_word])
            for error, some in self.listed.items()
            for example in some
            for sentence in [self.matches.gold[example.gold_sentence]]
        )
        return Table(columns, tuple(rows), self._notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        cells: dict[str, list[dict[str, Any]]] = {error: [] for error in self.listed}
        for error, at in ((error, example) for error, examples in self.listed.items() for example in examples):
            gold, system = self.matches.gold[at.gold_sentence], self.matches.system[at.system_sentence]
            trees = {
                name: {"heads": side.heads, "relations": side.relations, "forms": side.forms}
                for name, side in (("gold", gold), ("system", system))
            }
            place = {"sent_id": gold.id, "sentence": at.gold_sentence + 1, "word": at.gold_word + 1}
            cells[error].append({**place, "form": gold.forms[at.gold_word], "text": gold.text, **trees})
        return {**header("examples", self.provenance.signature), "cells": cells, **coverage_document(self.coverage)}

    def __str__(self) -> str:
        trees = draw_examples(self.matches, self.cells, self.limit or DRAWN)
        return trees + "\n".join(self._notes)


def find_examples(plan: Plan, errors: Sequence[str], setup: Setup, limit: int | None = None) -> ErrorExamples:
    """Return words whose relation a system confuses with another."""
    if len(plan.test_sets) != 1:
        raise InputError(Fault("no-pairs", "examples of errors require a single pair of files, not folders"))
    read, provenance, coverage = for_each_output(plan, setup, lambda matches: matches)
    (matches,) = read.values()
    cells = {}
    for error in errors:
        relations, *others = cells_named(matches, error)
        if others:
            readings = " or ".join(f"{gold} confused with {system}" for gold, system in (relations, *others))
            raise InputError(Fault("invalid-argument", f"{quoted(error)} is ambiguous: {readings}"))
        cells[error] = tuple(examples_of(matches, *relations))
    return ErrorExamples(plan.systems[0].label, matches, cells, limit, provenance, coverage)
