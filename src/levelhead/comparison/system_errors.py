"""The errors of one system on one or several treebanks: confusions, types of errors, counts by sentence, examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from levelhead.analysis import Cascading, Confusion, cascading_errors, count_confusions, error_types
from levelhead.analysis.confusion import MOST_RELATIONS, OTHER, Example, cells_named, examples_of
from levelhead.campaign.outputs import read_outputs
from levelhead.campaign.plan import Plan
from levelhead.comparison.evaluations import single_run
from levelhead.comparison.tree_text import draw_examples
from levelhead.errors import Fault, InputError, quoted
from levelhead.evaluation.by_sentence import SentenceCounts, count_sentences_of
from levelhead.evaluation.provenance import Provenance, joint_provenance, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure_notes import notes_on, notes_on_schemes, universal_relations_of
from levelhead.tables.documents import Signature, header, signature_line, signed
from levelhead.tables.table import Cell, Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import summary_of
from levelhead.treebank.relations import Scheme

__all__ = ["CascadingErrors", "Confusions", "CountsBySentence", "ErrorExamples", "ErrorTypes", "PerTreebank"]

_Found = TypeVar("_Found")

UsedScheme = tuple[Scheme, str]
"""A scheme of classes in addition to those of measures, and what uses it."""

DRAWN = 5
"""The default number of sentences that are drawn; tables and JSON then have all."""


@immutable
class PerTreebank(Tabular, Generic[_Found]):
    """Results for the output of one system on each treebank.

    Args:
        treebanks: the results, by the code of the treebank.
        provenance: the provenance of the numbers.
    """

    treebanks: Mapping[str, _Found]
    provenance: Provenance

    @property
    def _signature(self) -> Signature:
        return self.provenance.signature

    def _table(
        self, columns: Iterable[Column], rows: Callable[[_Found], Iterable[tuple[Cell, ...]]], *notes: str
    ) -> Table:
        """Return the rows of all treebanks, which start with the treebank if there are several."""
        several = len(self.treebanks) > 1
        start = [Column("Treebank", "text")] if several else []
        cells = [
            (*((name,) if several else ()), *row) for name, result in self.treebanks.items() for row in rows(result)
        ]
        return Table((*start, *columns), tuple(cells), (*notes, *signed(self._signature)))

    def _rows_document(self, kind: str, document: Callable[[_Found], Any]) -> dict[str, Any]:
        treebanks = {name: document(result) for name, result in self.treebanks.items()}
        return {**header(kind, self._signature), "treebanks": treebanks}


class Confusions(PerTreebank[Confusion]):
    """Confusions of relations on each treebank."""

    def table(self) -> Table:
        """Return one row per pair of confused relations, the most frequent first, then relations of unaligned words."""
        columns = (
            *(Column(name, "text") for name in ("Gold", "System")),
            *(Column(name, "number") for name in ("Words", "Head correct")),
            Column("of gold"),
        )
        notes = ["errors only; of gold: share of the aligned words with this gold relation"]
        if any(OTHER in confusion.names for confusion in self.treebanks.values()):
            rest = f"all but the {MOST_RELATIONS} most frequent relations"
            notes.append(f"{OTHER}: {rest}; errors among them are not shown")
        return self._table(columns, _confused, *notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the complete matrices for JSON."""
        matrices = ("counts", "right_heads", "unaligned_gold", "unaligned_system")
        return self._rows_document(
            "confusion",
            lambda confusion: {
                "relations": list(confusion.names),
                **{name: getattr(confusion, name).tolist() for name in matrices},
            },
        )


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


class ErrorTypes(PerTreebank[Mapping[str, int]]):
    """The types of errors: the number of words with each type, on each treebank."""

    def table(self) -> Table:
        """Return one row per treebank and type of error: aligned words, and their share."""
        columns = (Column("Error", "text"), Column("Words", "number"), Column("Share"))

        def rows(errors: Mapping[str, int]) -> list[tuple[Cell, ...]]:
            total = sum(errors.values())
            return [(kind, n, n / total if total else None) for kind, n in errors.items()]

        return self._table(columns, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return self._rows_document("errors", dict)


class CascadingErrors(PerTreebank[Sequence[Cascading]]):
    """Cascading errors: the number of wrong arcs whose head is attached correctly, by class, on each treebank."""

    def table(self) -> Table:
        """Return one row per treebank and class, labeled and unlabeled: wrong arcs, and those with a correct parent."""
        columns = (
            *(Column(name, "text") for name in ("Class", "Arcs")),
            *(Column("Wrong", "number"), Column("Parent correct", "number"), Column("Share")),
        )

        def rows(classes: Sequence[Cascading]) -> list[tuple[Cell, ...]]:
            return [
                (of.name, "labeled" if of.labeled else "unlabeled", of.wrong, of.parent_right, of.ratio)
                for of in classes
                if of.wrong
            ]

        note = "class by the gold relation; a low share means that wrong arcs depend on other wrong arcs"
        return self._table(columns, rows, note)

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


class CountsBySentence(PerTreebank[SentenceCounts]):
    """The counts of every measure in every sentence of each treebank."""

    def table(self) -> Table:
        """Return one row per gold sentence: treebank, number, sent_id, words, and the counts of every measure."""
        listed = {name: counts.columns() for name, counts in self.treebanks.items()}
        columns = tuple(
            Column(name.replace(".", " "), "text" if name == "sent_id" else "number", key=name)
            for name in next(iter(listed.values()))
        )
        rows = [(name, *cells) for name, table in listed.items() for cells in zip(*table.values(), strict=True)]
        return Table((Column("treebank", "text"), *columns), tuple(rows), (signature_line(self._signature),))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return self._rows_document("sentences", SentenceCounts.columns)


def confuse_outputs(plan: Plan, setup: Setup) -> Confusions:
    """Return the confusions of relations."""
    return Confusions(*for_each_output(plan, setup.with_measures(()), count_confusions))


def error_types_of_outputs(plan: Plan, setup: Setup) -> ErrorTypes:
    """Return the number of words with each type of error."""
    return ErrorTypes(*for_each_output(plan, setup.with_measures(()), error_types))


def cascading_errors_of_outputs(plan: Plan, setup: Setup, scheme: Scheme) -> CascadingErrors:
    """Return the number of wrong arcs whose head is attached correctly."""
    used = (scheme, "--by cascading")
    return CascadingErrors(
        *for_each_output(plan, setup.with_measures(()), lambda matches: cascading_errors(matches, scheme), used)
    )


def count_sentences_of_outputs(plan: Plan, setup: Setup) -> CountsBySentence:
    """Return the counts of every measure in every sentence."""
    with read_outputs(single_run(plan), setup, trees=False) as outputs:
        found = {code: count_sentences_of(output.matches, setup) for code, (output,) in outputs}
    return CountsBySentence(found, joint_provenance({code: counts.provenance for code, counts in found.items()}))


def for_each_output(
    plan: Plan, setup: Setup, function: Callable[[Matches], _Found], scheme: UsedScheme | None = None
) -> tuple[dict[str, _Found], Provenance]:
    """Return the result of a function for the output on each treebank, by its code, and the provenance."""
    results, provenances = {}, {}
    with read_outputs(single_run(plan), setup) as outputs:
        for code, (output,) in outputs:
            results[code] = function(output.matches)
            provenances[code] = _provenance(output.matches, setup, scheme)
    return results, joint_provenance(provenances)


def _provenance(matches: Matches, setup: Setup, scheme: UsedScheme | None) -> Provenance:
    gold, system = matches.gold, matches.system
    notes = notes_on(gold, system, setup.defined, setup.rules, setup.registry.schemes)
    parts = setup.signature_of_measures()
    if scheme:
        notes += notes_on_schemes(
            universal_relations_of(gold), universal_relations_of(system), [(scheme[0], (scheme[1],))]
        )
        parts |= {"scheme": scheme[0].name}
    return pair_provenance(summary_of(gold), summary_of(system), setup, notes, parts)


@immutable
class ErrorExamples(Tabular):
    """Words with the wrong relation, with their sentences.

    Args:
        system: the name of the system.
        matches: the aligned words.
        cells: all words with each error, such as `nsubj:obj` (gold relation, system relation).
        limit: the maximum number of words per error to show; if None, 5 are drawn, and tables and JSON have all.
        provenance: their provenance.
    """

    system: str
    matches: Matches
    cells: Mapping[str, Sequence[Example]]
    limit: int | None
    provenance: Provenance

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
        return Table(columns, tuple(rows), (signature_line(self.provenance.signature),))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        documents = {error: [self._document(example) for example in some] for error, some in self.listed.items()}
        return {**header("examples", self.provenance.signature), "cells": documents}

    def _document(self, example: Example) -> dict[str, Any]:
        """A word with its gold tree and the system's."""
        sides = {"gold": self.matches.gold[example.gold_sentence]}
        sides["system"] = self.matches.system[example.system_sentence]
        gold = sides["gold"]
        return {
            "sent_id": gold.id,
            "sentence": example.gold_sentence + 1,
            "word": example.gold_word + 1,
            "form": gold.forms[example.gold_word],
            "text": gold.text,
            **{
                name: {"heads": side.heads, "relations": side.relations, "forms": side.forms}
                for name, side in sides.items()
            },
        }

    def __str__(self) -> str:
        signature = signature_line(self.provenance.signature)
        return f"{draw_examples(self.matches, self.cells, self.limit or DRAWN)}{signature}"


def find_examples(plan: Plan, errors: Sequence[str], setup: Setup, limit: int | None = None) -> ErrorExamples:
    """Return words whose relation a system confuses with another."""
    if len(plan.test_sets) != 1:
        raise InputError(Fault("no-pairs", "examples of errors require a single pair of files, not folders"))
    read, provenance = for_each_output(plan, setup.with_measures(()), lambda matches: matches)
    (matches,) = read.values()
    cells = {error: tuple(examples_of(matches, *_relations(matches, error))) for error in errors}
    return ErrorExamples(plan.systems[0].label, matches, cells, limit, provenance)


def _relations(matches: Matches, error: str) -> tuple[str, str]:
    meant = cells_named(matches, error)
    if len(meant) > 1:
        readings = " or ".join(f"{gold} confused with {system}" for gold, system in meant)
        raise InputError(Fault("invalid-argument", f"{quoted(error)} is ambiguous: {readings}"))
    return meant[0]
