"""The results of each system on each test set."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.plan import TestSet
from levelhead.errors import Fault
from levelhead.evaluation.coverage import PartialCoverage, no_coverage
from levelhead.evaluation.valid_sentences import Coverage
from levelhead.scoring import Score
from levelhead.scoring.measure_notes import named_note
from levelhead.significance.units import Units
from levelhead.treebank.provenance import FileSummary, Provenance, short_hash

_Value = TypeVar("_Value")

State = Literal["valid", "invalid", "missing"]

Values = Mapping[str, Fraction | None]
"""The value of each measure, a ratio; None if undefined."""


class OutputResult(NamedTuple):
    """The result of one system on one test set.

    Args:
        state: whether there is an output, and whether it is valid.
        values: the value of each measure: 0 if the output is missing or invalid; None if gold does not annotate what is
            measured.
        status: the status message of the shared tasks' evaluator.
        reasons: why it scores 0: every fault, or the faults of the first kinds.
        scores: the counts behind the values; can be empty.
        secondary: the scores over the valid sentences of an invalid output, kept separate from other scores.
        coverage: the sentences of the secondary scores.
        sentences: the numerators and denominators of each measure in every gold sentence, int32 if all are whole and
            small, otherwise float64, shape (2, sentences); empty if they were not requested or the output is invalid.
        units: the units of the gold treebank, if the counts of sentences were requested.
        gold_hash: the hash of the gold contents, from which draws are seeded; empty without counts of sentences.
        faults: every fault of an invalid output.
        contents: the sizes of a valid output.
        measures: the parts of signatures that define the measures.
        notes: notes about the numbers, with `scoring.measure_notes.SYSTEM` as the name of the system.
        valid_trees: for partial scores, the counts in which invalid trees count as wrong.
        partial_coverage: for partial scores, the share of gold that the output covers; None for other scores.
        sentences_valid_trees: as `sentences`, with nothing correct in sentences without a valid tree.
    """

    state: State
    values: Values
    status: str
    reasons: tuple[str, ...] = ()
    scores: Mapping[str, Score] = {}
    secondary: Mapping[str, Score] = {}
    coverage: Coverage | None = None
    sentences: Mapping[str, NDArray[np.int32] | NDArray[np.float64]] = {}
    units: Units | None = None
    gold_hash: str = ""
    faults: tuple[Fault, ...] = ()
    contents: FileSummary | None = None
    measures: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    valid_trees: Mapping[str, Score] = {}
    partial_coverage: PartialCoverage | None = None
    sentences_valid_trees: Mapping[str, NDArray[np.int32] | NDArray[np.float64]] = {}


class Results(NamedTuple):
    """The results of a campaign.

    Args:
        test_sets: the test sets, in their order.
        systems: the names of the systems, in their order.
        measures: the names of the measures.
        results: the result of each system (first) on each test set (second), by name and code.
        gold: the size of each gold treebank by code; empty if only scores are known.
        signature: everything that determines the numbers, by name.
        looked: the result of `look` for the outputs on each test set, by code.
        of_gold: the result of `of_gold` for each gold treebank, by code.
    """

    test_sets: tuple[TestSet, ...]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    results: Mapping[tuple[str, str], OutputResult]
    gold: Mapping[str, FileSummary]
    signature: Mapping[str, str]
    looked: Mapping[str, Any] = {}
    of_gold: Mapping[str, Any] = {}

    @property
    def units(self) -> Mapping[str, Units]:
        """The units of each test set by its code, see `significance.units_of`; empty without counts of sentences."""
        by_code = {code: self.results[self.systems[0], code].units for code in self.gold}
        return {code: units for code, units in by_code.items() if units is not None}

    def seed_of(self, code: str) -> str:
        """Return the hash of the gold contents of a test set, from which its draws are seeded.

        Args:
            code: the code of the test set.
        """
        return self.results[self.systems[0], code].gold_hash or self.gold[code].sha256 or ""

    def provenance(self) -> Provenance:
        """Return the provenance of the numbers: the files of all valid outputs, with the warnings and notes on them."""
        files: dict[str, dict[str, str]] = {
            code: {"gold": short_hash(contents.sha256)} for code, contents in self.gold.items()
        }
        warnings = {fault: None for contents in self.gold.values() for fault in contents.warnings}
        notes: dict[str, None] = {}
        for (name, code), result in self.results.items():
            if result.contents is not None:
                files[code][name] = short_hash(result.contents.sha256)
                warnings |= dict.fromkeys(result.contents.warnings)
            notes |= {named_note(note, name): None for note in result.notes}
        return Provenance(self.signature, files, tuple(warnings), tuple(notes))

    def with_valid_trees_only(self) -> Results:
        """Return the results of partial scores in which invalid trees count as wrong."""
        results = {
            key: result._replace(scores=result.valid_trees, sentences=result.sentences_valid_trees)
            for key, result in self.results.items()
        }
        return self._replace(results=results)

    @property
    def partial(self) -> bool:
        """Whether scores are partial."""
        return "partial" in self.signature

    def covered(self, system: str, code: str) -> PartialCoverage | None:
        """Return the share of gold that an output covers; None unless scores are partial.

        Args:
            system: the system.
            code: the code of the test set.
        """
        known = self.results[system, code].partial_coverage
        return known or (no_coverage(self.gold[code]) if self.partial else None)

    def only(self, measures: Iterable[str]) -> Results:
        """Return the results for some measures.

        Args:
            measures: their names.
        """
        requested = set(measures)
        names = tuple(name for name in self.measures if name in requested)
        results = {key: _only(result, names) for key, result in self.results.items()}
        return self._replace(measures=names, results=results)

    def of_systems(self, systems: Collection[str]) -> Results:
        """Return the results of some systems.

        Args:
            systems: their names, as in `systems`.
        """
        names = tuple(name for name in self.systems if name in systems)
        results = {key: result for key, result in self.results.items() if key[0] in names}
        return self._replace(systems=names, results=results)


def _only(result: OutputResult, measures: tuple[str, ...]) -> OutputResult:
    return result._replace(
        values=_of_measures(result.values, measures),
        scores=_of_measures(result.scores, measures),
        secondary=_of_measures(result.secondary, measures),
        sentences=_of_measures(result.sentences, measures),
        valid_trees=_of_measures(result.valid_trees, measures),
        sentences_valid_trees=_of_measures(result.sentences_valid_trees, measures),
    )


def _of_measures(table: Mapping[str, _Value], measures: tuple[str, ...]) -> dict[str, _Value]:
    return {name: table[name] for name in measures if name in table}
