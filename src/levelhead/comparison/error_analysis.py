"""The errors of one system: what repairing each kind would gain, types of errors, and cascading errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from levelhead.analysis import Cascading, cascading_errors, error_types
from levelhead.analysis.breakdown import check_breakable
from levelhead.analysis.repairs import Repair, TreebankRepairs, average_repairs, costliest_error, repairs
from levelhead.campaign.plan import Plan
from levelhead.comparison.system_errors import (
    COVERAGE_LAYOUT,
    GAIN_COLUMNS,
    WithIntervals,
    estimate_cells,
    estimate_columns,
    estimate_notes,
    estimate_values,
    notes_on_coverage,
    with_intervals,
)
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring import Matches
from levelhead.significance import InferenceSettings
from levelhead.significance.jackknife import IntervalSettings
from levelhead.significance.units import UnitRow
from levelhead.tables.data import MEASURE_COLUMN, TREEBANK_COLUMN, DataColumn, Layout, Percent, share
from levelhead.tables.table import Cell, Column, Detail, Table, starts_of

Shown = Literal["repairs", "types", "cascading"]
"""The tables for readers."""


class OutputErrors(NamedTuple):
    """The errors of an output."""

    repairs: Sequence[Repair]  # the gain of repairing each kind of error, the largest first
    types: Mapping[str, int]  # the number of aligned words with each type of error
    cascading: Sequence[Cascading]  # the wrong arcs of each class, labeled and unlabeled


class ErrorType(NamedTuple):
    """The aligned words with one type of error.

    Args:
        error: the type of error, or "right".
        words: the number of words.
        share: their share of the aligned words.
    """

    error: str
    words: int
    share: Percent | None


def _with_shares(errors: Mapping[str, int]) -> list[ErrorType]:
    total = sum(errors.values())
    return [ErrorType(error, n, share(n, total)) for error, n in errors.items()]


@immutable
class ErrorAnalysis(WithIntervals[OutputErrors]):
    """The errors of one system on each treebank.

    Args:
        averages: the mean gains of repairs over treebanks; empty for a single treebank.
    """

    KIND: ClassVar[str] = "analyze"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "repairs": (TREEBANK_COLUMN, MEASURE_COLUMN, Repair, *GAIN_COLUMNS),
        "averages": (MEASURE_COLUMN, Repair, *GAIN_COLUMNS),
        "types": (TREEBANK_COLUMN, ErrorType),
        "cascading": (
            TREEBANK_COLUMN, DataColumn("class", "text", "The class of relations, by the gold relation"), Cascading,
        ),
        "coverage": COVERAGE_LAYOUT,
        "units": (UnitRow,),
    }  # fmt: skip

    averages: Sequence[Repair] = ()

    @property
    def verdict(self) -> str:
        """The error whose repair gains most."""
        several = len(self.treebanks) > 1
        repairs = self.averages if several else next(iter(self.treebanks.values())).repairs
        return costliest_error(repairs, self.measure, several=several)

    def _repairs_rows(self) -> Iterator[tuple[Any, ...]]:
        for code, errors in self.treebanks.items():
            for repair in errors.repairs:
                yield code, self.measure, repair, *estimate_values(repair.estimate)

    def _averages_rows(self) -> Iterator[tuple[Any, ...]]:
        return ((self.measure, repair, *estimate_values(repair.estimate)) for repair in self.averages)

    def _types_rows(self) -> Iterator[tuple[str, ErrorType]]:
        return ((code, row) for code, errors in self.treebanks.items() for row in _with_shares(errors.types))

    def _cascading_rows(self) -> Iterator[tuple[str, str, Cascading]]:
        return ((code, row.name, row) for code, errors in self.treebanks.items() for row in errors.cascading)

    def table(self, show: Shown = "repairs") -> Table:
        """Return a table for readers.

        Args:
            show: the gain of repairing each kind of error ("repairs"), the number of words with each type of error
                ("types"), or the wrong arcs with a correct parent ("cascading").
        """
        return {"repairs": self._repairs, "types": self._types, "cascading": self._cascading}[show]()

    def _repairs(self) -> Table:
        several = len(self.treebanks) > 1
        parts = [(name, repair) for name, errors in self.treebanks.items() for repair in errors.repairs]
        parts += ((f"Average of {len(self.treebanks)}", average) for average in self.averages)
        every = [repair for _, repair in parts]
        columns, cells = repair_rows(every, self.provenance.signature["level"])
        rows = tuple((*[name] * several, *row) for (name, _), row in zip(parts, cells, strict=True))
        n = len(rows) - len(self.averages)
        starts = starts_of(name for name, _ in parts[:n])
        gained = f"points of {self.measure} gained if these words were correct and nothing else changed"
        notes = (
            Detail(f"Gain: {gained}; largest first"),
            *(
                [Detail("Causes: words whose gold head is attached correctly; other errors can follow from its error")]
                if any(repair.causes is not None for repair in every)
                else []
            ),
            Detail("Share: percentage of all words with an error"),
            *estimate_notes([repair.estimate for repair in every], self.units),
            *notes_on_coverage(self.coverage),
        )
        heads = (*[Column("Treebank", "text")] * several, *columns)
        return Table(heads, rows[:n], notes, starts, rows[n:]).signed(self.provenance)

    def _types(self) -> Table:
        columns = Column("Error", "text"), Column("Words", "number"), Column("Share", "percent")
        return self._table(columns, lambda errors: _with_shares(errors.types))

    def _cascading(self) -> Table:
        columns = (
            *(Column("Class", "text"), Column("Arcs", "text"), Column("Wrong", "number")),
            *(Column("Parent correct", "number"), Column("Share", "percent")),
        )
        return self._table(
            columns,
            lambda errors: [
                (of.name, "labeled" if of.labeled else "unlabeled", of.wrong, of.parent_correct, of.share)
                for of in errors.cascading
                if of.wrong
            ],
            "class by the gold relation; a low share means that wrong arcs depend on other wrong arcs",
        )


def repair_rows(repairs: Sequence[Repair], level: str) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]]]:
    """Return the columns of a table of repairs, and its rows; without causes if the measure does not compare heads."""
    certain = estimate_columns(level, [repair.estimate for repair in repairs], "points")
    causes = [Column("Causes", "number")] * any(repair.causes is not None for repair in repairs)
    start = Column("Wrong", "text"), Column("Gold -> system", "text"), Column("Words", "number", rank=1)
    rows: list[tuple[Cell, ...]] = []
    for repair in repairs:
        numbers = *[repair.causes] * len(causes), repair.share, repair.gain
        between = estimate_cells(repair.estimate)[: len(certain)]
        rows.append((repair.error, repair.detail, repair.words, *numbers, *between))
    return (*start, *causes, Column("Share", "percent", rank=2), Column("Gain", "points"), *certain), rows


def analyze_outputs(plan: Plan, setup: Setup, tests: InferenceSettings) -> ErrorAnalysis:
    """Return the errors of the outputs of a system."""
    (measure,) = setup.measures
    check_breakable(measure, setup.registry)
    schemes = setup.registry.schemes
    scheme = schemes.by_name[schemes.default]

    def analyzed(matches: Matches, how: IntervalSettings) -> tuple[TreebankRepairs, OutputErrors]:
        found = repairs(matches, measure, how, registry=setup.registry)
        return found, OutputErrors(found.kinds, error_types(matches), cascading_errors(matches, scheme))

    each, provenance, coverage, units = with_intervals(plan, setup, analyzed, tests, (scheme, "cascading errors"))
    averages = average_repairs([found for found, _ in each.values()], tests.level) if len(each) > 1 else ()
    errors = {code: found for code, (_, found) in each.items()}
    return ErrorAnalysis(errors, provenance, coverage, units, str(measure), averages)
