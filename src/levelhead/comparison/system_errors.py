"""The errors of systems on one or several treebanks: confusions, repairs, types of errors, and cascading errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from levelhead.analysis.breakdown import check_breakable
from levelhead.analysis.confusion import (
    MOST_RELATIONS,
    OTHER,
    Cascading,
    ConfusedWords,
    Confusion,
    cascading_errors,
    error_types,
)
from levelhead.analysis.repairs import Repair, TreebankRepairs, average_repairs, costliest_error, repairs
from levelhead.campaign.outputs import Output, read_outputs
from levelhead.campaign.plan import Plan, missing_outputs
from levelhead.comparison.evaluations import single_run
from levelhead.errors import Fault, InputError, listed, number_of
from levelhead.evaluation.provenance import (
    SYSTEM,
    Sources,
    annotation_of,
    comparison_provenance,
    joint_provenance,
    notes_on,
    notes_on_schemes,
    pair_provenance,
)
from levelhead.evaluation.score_data import PartialCoverage
from levelhead.evaluation.score_tables import coverage_notes
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.progress import tracked
from levelhead.scoring import Matches
from levelhead.significance.estimates import InferenceSettings, signature_of_tests
from levelhead.significance.jackknife import BucketEstimate, IntervalSettings
from levelhead.significance.units import (
    ENOUGH_UNITS,
    FEWEST_UNITS,
    UNITS,
    Units,
    parallel_groups,
    unit_line,
    unit_notes,
    unit_rows,
    units_of,
)
from levelhead.tables.data import (
    MEASURE_COLUMN,
    SYSTEM_COLUMN,
    TREEBANK_COLUMN,
    DataColumn,
    Layout,
    Value,
    columns_of,
    share,
)
from levelhead.tables.table import Cell, Column, Detail, Table, interval_head, starts_of
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance, summary_of
from levelhead.treebank.relations import Scheme

Found = TypeVar("Found")

UsedScheme = tuple[Scheme, str]  # a class scheme in addition to those of measures, and what uses it

Coverages = Mapping[str, Mapping[str, PartialCoverage]]  # by treebank and system
BASELINE_COLUMN = DataColumn("baseline", "text", "The first system, with which the others are compared")
COVERAGE_LAYOUT: Layout = (TREEBANK_COLUMN, SYSTEM_COLUMN, PartialCoverage)


@immutable
class PerTreebank(Tabular, Generic[Found]):
    """Results for the output of one system on each treebank."""

    treebanks: Mapping[str, Found]  # the results, by the code of the treebank
    provenance: Provenance  # the provenance of the numbers
    # for partial scores, the share of gold that each system covers, by treebank and system
    coverage: Coverages = field(default_factory=dict)

    def _table(
        self, columns: Iterable[Column], rows: Callable[[Found], Iterable[tuple[Cell, ...]]], *notes: str
    ) -> Table:
        """Return the rows of all treebanks; with several, each row starts with the treebank."""
        several = len(self.treebanks) > 1
        cells = [(*(name,) * several, *row) for name, result in self.treebanks.items() for row in rows(result)]
        heads = (*[Column("Treebank", "text")] * several, *columns)
        return Table(heads, tuple(cells), (*notes, *notes_on_coverage(self.coverage))).signed(self.provenance)


class Confusions(PerTreebank[Confusion]):
    """Confusions of relations on each treebank."""

    KIND: ClassVar[str] = "confusion"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "confusions": (TREEBANK_COLUMN, ConfusedWords), "coverage": COVERAGE_LAYOUT,
    }  # fmt: skip

    @property
    def verdict(self) -> str:
        """A sentence that names the most frequent confusion, summed over all treebanks."""
        of_gold, confused = Counter[str](), Counter[tuple[str, str]]()
        for _, cell in self._confusions_rows():
            if cell.gold_relation is not None and cell.system_relation is not None:
                of_gold[cell.gold_relation] += cell.words
                if cell.gold_relation != cell.system_relation:
                    confused[cell.gold_relation, cell.system_relation] += cell.words
        if not confused:
            return "No aligned word has a wrong relation."
        (((gold, system), n),) = confused.most_common(1)
        share = f"{n / of_gold[gold]:.1%} of all {gold}"
        return f"The most frequent error: gold {gold} is {system} in the output, in {number_of(n, 'word')} ({share})."

    def _confusions_rows(self) -> Iterator[tuple[str, ConfusedWords]]:
        return ((code, cell) for code, confusion in self.treebanks.items() for cell in confusion.cells())

    def table(self) -> Table:
        """Return a table of pairs of confused relations, the most frequent first; unaligned words come last."""
        columns = (
            *(Column("Gold", "text"), Column("System", "text"), Column("Words", "number")),
            *(Column("Head correct", "number"), Column("of gold", "percent")),
        )
        rest = f"{OTHER}: all but the {MOST_RELATIONS} most frequent relations; errors among them are not shown"
        notes = [rest] if any(OTHER in confusion.names for confusion in self.treebanks.values()) else []
        first = Detail("only errors are shown; of gold: share of the aligned words with this gold relation")

        def rows(confusion: Confusion) -> Iterator[tuple[Cell, ...]]:
            for gold, system, *numbers in confusion.cells():
                if gold != system:
                    yield gold or "not aligned", system or "not aligned", *numbers

        return self._table(columns, rows, first, *notes)


def notes_on_coverage(coverage: Coverages) -> list[str]:
    pairs = [pair for some in coverage.values() for pair in some.items()]
    several = len({system for system, _ in pairs}) > 1
    return coverage_notes((system if several else "", own) for system, own in pairs)


def for_each_treebank(
    plan: Plan, setup: Setup, function: Callable[[Sequence[Output]], Found], scheme: UsedScheme | None = None
) -> tuple[dict[str, Found], dict[str, Sources], Coverages]:
    """Return the result of a function for the outputs on each treebank, by its code, the files and the coverage."""
    results, sources, coverage = {}, {}, {}
    faults = missing_outputs(plan)
    with tracked(plan.test_sets, "scoring") as test_sets:
        for test_set in test_sets:
            try:
                outputs = read_outputs(test_set, plan.systems, setup)
            except InputError as error:
                faults += error.faults
            if not faults:
                code = test_set.code
                results[code], sources[code] = function(outputs), _sources(outputs, setup, scheme)
                if setup.partial:
                    coverage[code] = {output.name: output.coverage for output in outputs if output.coverage}
    if faults:
        raise InputError(*dict.fromkeys(faults))
    return results, sources, coverage


def _sources(outputs: Sequence[Output], setup: Setup, scheme: UsedScheme | None) -> Sources:
    treebank, notes = outputs[0].matches.gold, dict[str, None]()
    gold, schemes = annotation_of(treebank, setup.defined), [(scheme[0], (scheme[1],))] if scheme else []
    for output in outputs:
        name = output.name if len(outputs) > 1 else SYSTEM
        system = annotation_of(output.matches.system, setup.defined, partial=setup.partial)
        of_measures = notes_on(gold, system, setup.defined, setup.rules, setup.registry.schemes, name)
        notes |= dict.fromkeys((*of_measures, *notes_on_schemes(gold.relations, system.relations, schemes, name)))
    return Sources(summary_of(treebank), {output.name: output.summary for output in outputs}, tuple(notes))


def for_each_output(
    plan: Plan, setup: Setup, function: Callable[[Matches], Found]
) -> tuple[dict[str, Found], Provenance, Coverages]:
    """Return the result of a function for one system's output on each treebank, the provenance and the coverage."""
    results, sources, coverage = for_each_treebank(
        single_run(plan), setup, lambda outputs: function(outputs[0].matches)
    )
    return results, _provenance(sources, setup), coverage


def _provenance(sources: Mapping[str, Sources], setup: Setup, scheme: UsedScheme | None = None) -> Provenance:
    parts = setup.signature_of_measures() | ({"scheme": scheme[0].name} if scheme else {})
    pairs = {}
    for code, source in sources.items():
        (system,) = source.systems.values()
        pairs[code] = pair_provenance(source.gold, system, setup, source.notes, parts)
    return joint_provenance(pairs)


@immutable
class WithIntervals(PerTreebank[Found]):
    """Results with confidence intervals."""

    units: Mapping[str, Units] = field(default_factory=dict)  # the units of each treebank
    measure: str = ""

    def _units_rows(self) -> list[tuple[Any, ...]]:
        return unit_rows(self.units)


ESTIMATE_COLUMNS = tuple(column._replace(optional=True) for column in columns_of(BucketEstimate))


def _of_points(prefix: str, lowest: float) -> Layout:
    interval = (
        column._replace(name=f"{prefix}_{column.name}", unit="points", limits=(lowest, 100))
        for column in ESTIMATE_COLUMNS[:2]
    )
    return *interval, *ESTIMATE_COLUMNS[2:]


DIFFERENCE_COLUMNS, GAIN_COLUMNS = _of_points("difference", -100), _of_points("gain", 0)


MARK = "?"
UNCERTAIN = f"{MARK}: uncertain: fewer than {ENOUGH_UNITS} documents or sentences, or very uneven ones"


def estimate_columns(
    level: str | float, estimates: Iterable[BucketEstimate], kind: Literal["percent", "points"] = "percent"
) -> tuple[Column, ...]:
    """Return the columns of `estimate_cells`; none if no row has an interval."""
    if all(estimate.interval is None for estimate in estimates):
        return ()
    return Column(interval_head(level), kind), Column("", "text")


def estimate_notes(estimates: Sequence[BucketEstimate], units: Mapping[str, Units]) -> list[str]:
    """Return notes on the intervals of rows: on what they are based, and whether some are uncertain."""
    if estimates and all(estimate.interval is None for estimate in estimates):
        return [f"no intervals, since each row is based on fewer than {FEWEST_UNITS} documents or sentences"]
    uncertain = [UNCERTAIN] if any(estimate.uncertain for estimate in estimates) else []
    return [*uncertain, *([unit_line(units, "confidence intervals")] if units else [])]


def estimate_cells(estimate: BucketEstimate | None) -> tuple[Cell, Cell]:
    """Return the interval, and a mark if it is uncertain."""
    if estimate is None:
        return None, ""
    return estimate.interval, MARK if estimate.uncertain else ""


def estimate_values(estimate: BucketEstimate | None) -> tuple[Value, ...]:
    """Return the values of `ESTIMATE_COLUMNS`, or of those of differences or gains."""
    if estimate is None:
        return (None,) * len(ESTIMATE_COLUMNS)
    return *(estimate.interval or (None, None)), estimate.n_units, estimate.uncertain


def with_intervals(
    plan: Plan,
    setup: Setup,
    function: Callable[[Sequence[Output], IntervalSettings], Found],
    tests: InferenceSettings,
    scheme: UsedScheme | None = None,
    compared: Mapping[str, str] | None = None,
) -> tuple[dict[str, Found], Provenance, Coverages, dict[str, Units]]:
    """Return what a function finds on each treebank, with units; `compared`: the signature of several systems."""
    every: list[Units] = []

    def with_units(outputs: Sequence[Output]) -> Found:
        every.append(units_of(outputs[0].matches.gold, tests.resample_by))
        return function(outputs, IntervalSettings(every[-1], tests.level))

    results, sources, coverage = for_each_treebank(plan, setup, with_units, scheme)
    units = dict(zip(results, every, strict=True))
    own, notes = signature_of_tests(tests, units), [*unit_notes(units, "intervals")]
    contents = {code: str(source.gold.id) for code, source in sources.items()}
    declared = {test_set.code: test_set.parallel for test_set in plan.test_sets}
    if groups := parallel_groups(units, contents, declared):
        notes.append(f"intervals of averages treat parallel test sets as independent: {listed([*groups])}")
    if len(plan.systems) > 1:
        parts = {**(compared or {}), **({"scheme": scheme[0].name} if scheme else {}), **own}
        return results, comparison_provenance(sources, setup, parts, notes), coverage, units
    provenance = _provenance(sources, setup, scheme).with_parts(**own)
    return results, replace(provenance, notes=(*provenance.notes, *notes)), coverage, units


def check_several(plan: Plan) -> None:
    """Refuse a single system, and systems with several runs."""
    runs = any(system.run for system in plan.systems)
    if runs or len(plan.systems) < 2:
        single = "only single outputs can be compared here: name one run of each system"
        raise InputError(
            Fault("no-pairs", single if runs else "give at least two systems, or one system and what to show")
        )


Shown = Literal["repairs", "types", "cascading"]
"""The tables for readers."""


class OutputErrors(NamedTuple):
    """The errors of an output."""

    repairs: Sequence[Repair]  # the gain of repairing each kind of error, the largest first
    types: Mapping[str, int]  # the number of aligned words with each type of error
    cascading: Sequence[Cascading]  # the wrong arcs of each class, labeled and unlabeled


_ERROR_TYPE: Layout = (
    DataColumn("error", "text", 'The type of error, or "right"'),
    DataColumn("words", "integer", "The number of words", limits=(0,)),
    DataColumn("share", "number", "`words` / all aligned words", "percent", optional=True, limits=(0, 100)),
)


def _with_shares(errors: Mapping[str, int]) -> list[tuple[str, int, float | None]]:
    total = sum(errors.values())
    return [(error, n, share(n, total)) for error, n in errors.items()]


@immutable
class ErrorAnalysis(WithIntervals[OutputErrors]):
    """The errors of one system on each treebank.

    Args:
        averages: the score gained by repairing each kind of error, averaged over treebanks; empty if there is only one
            treebank.
    """

    KIND: ClassVar[str] = "analyze"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {
        "repairs": (TREEBANK_COLUMN, MEASURE_COLUMN, Repair, *GAIN_COLUMNS),
        "averages": (MEASURE_COLUMN, Repair, *GAIN_COLUMNS),
        "types": (TREEBANK_COLUMN, *_ERROR_TYPE),
        "cascading": (
            TREEBANK_COLUMN, DataColumn("class", "text", "The class of relations, by the gold relation"), Cascading,
        ),
        "coverage": COVERAGE_LAYOUT,
        "units": UNITS,
    }  # fmt: skip

    averages: Sequence[Repair] = ()

    @property
    def verdict(self) -> str:
        """A sentence that names the kind of error whose repair would raise the score most."""
        several = len(self.treebanks) > 1
        repairs = self.averages if several else next(iter(self.treebanks.values())).repairs
        return costliest_error(repairs, self.measure, several=several)

    def _repairs_rows(self) -> Iterator[tuple[Any, ...]]:
        for code, errors in self.treebanks.items():
            for repair in errors.repairs:
                yield code, self.measure, repair, *estimate_values(repair.estimate)

    def _averages_rows(self) -> Iterator[tuple[Any, ...]]:
        return ((self.measure, repair, *estimate_values(repair.estimate)) for repair in self.averages)

    def _types_rows(self) -> Iterator[tuple[Any, ...]]:
        return ((code, *row) for code, errors in self.treebanks.items() for row in _with_shares(errors.types))

    def _cascading_rows(self) -> Iterator[tuple[str, str, Cascading]]:
        return ((code, row.name, row) for code, errors in self.treebanks.items() for row in errors.cascading)

    def table(self, show: Shown = "repairs") -> Table:
        """Return the table chosen with `show`.

        Args:
            show: "repairs", the score gained by repairing each kind of error; "types", the number of words with each
                type of error; or "cascading", the number of wrong arcs, and how many of them have a head that is itself
                attached correctly.
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
    (measure,) = setup.measures
    check_breakable(measure, setup.registry)
    schemes = setup.registry.schemes
    scheme = schemes.by_name[schemes.default]

    def analyzed(outputs: Sequence[Output], how: IntervalSettings) -> tuple[TreebankRepairs, OutputErrors]:
        matches = outputs[0].matches
        found = repairs(matches, measure, how, registry=setup.registry)
        return found, OutputErrors(found.kinds, error_types(matches), cascading_errors(matches, scheme))

    using = scheme, "cascading errors"
    each, provenance, coverage, units = with_intervals(single_run(plan), setup, analyzed, tests, using)
    averages = average_repairs([found for found, _ in each.values()], tests.level) if len(each) > 1 else ()
    errors = {code: found for code, (_, found) in each.items()}
    return ErrorAnalysis(errors, provenance, coverage, units, str(measure), averages)
