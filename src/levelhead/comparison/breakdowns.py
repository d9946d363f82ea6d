"""Scores of one system by properties of words, and what repairing its errors would gain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from levelhead.analysis import Average, Breakdown, averages, break_down, leave_out
from levelhead.analysis.breakdown import check_breakable
from levelhead.analysis.repairs import Repair, average_repairs, repairs
from levelhead.analysis.word_properties import PropertySettings, RequestedNames, property_named
from levelhead.campaign.plan import Plan
from levelhead.comparison.system_errors import Found, PerTreebank, UsedScheme, for_each_output
from levelhead.errors import listed
from levelhead.evaluation.coverage import PartialCoverage
from levelhead.evaluation.provenance import Provenance
from levelhead.evaluation.score_tables import coverage_document, units_document
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring import Matches, Score
from levelhead.scoring.measure import COMPONENTS
from levelhead.significance import ENOUGH_UNITS, FEWEST_UNITS, InferenceSettings, Units, unit_line, unit_notes, units_of
from levelhead.significance.jackknife import BucketEstimate, IntervalSettings
from levelhead.significance.parallel import parallel_groups
from levelhead.significance.units import units_signature
from levelhead.tables.documents import header, points, signed
from levelhead.tables.table import Cell, Column, Table, interval_cell, interval_head, value_cell

__all__ = ["Breakdowns", "Repairs", "WithIntervals"]


@immutable
class WithIntervals(PerTreebank[Found]):
    """Results with confidence intervals.

    Args:
        units: the units of each treebank.
        measure: the measure.
    """

    units: Mapping[str, Units] = field(default_factory=dict)
    measure: str = ""


class Breakdowns(WithIntervals[Sequence[Breakdown]]):
    """Scores by properties of words: one breakdown for each property, on each treebank."""

    def table(self) -> Table:
        """Return one row per treebank and bucket: counts, precision, recall, F1; below them, means over treebanks."""
        first = next(iter(self.treebanks.values()))
        estimates = [e for some in self.treebanks.values() for breakdown in some for e in breakdown.estimates.values()]
        bys = tuple(dict.fromkeys(breakdown.by for breakdown in first))
        named = [Column("Treebank", "text")] if len(self.treebanks) > 1 else []
        if len(bys) == 1:
            named += (Column(name, "text") for name in bys[0])
        else:
            keys = ("Value" if i == 1 else f"Value {i}" for i in range(1, max(map(len, bys)) + 1))
            named += [Column("by", "text"), *(Column("", "text", key=key) for key in keys)]
        certain = estimate_columns(self.provenance.signature.get("level", "0.95"), estimates) if estimates else ()
        without = any(breakdown.whole for breakdown in first)
        narrow = without and any(not column.tidy_only for column in certain)  # to fit into 100 columns
        columns = (
            *(*named, Column("Gold", "number"), Column("System", "number")),
            *(Column("Correct", "number", tidy_only=narrow), Column("Precision"), Column("Recall"), Column("F1")),
            *certain,
            *([Column("Without"), Column("Diff.", "difference", key="Difference")] if without else []),
        )

        def row(treebank: str, by: Sequence[str], values: Sequence[str], *numbers: Cell) -> tuple[Cell, ...]:
            start = *(treebank,) * (len(self.treebanks) > 1), *(",".join(by),) * (len(bys) > 1), *values
            cells = *start, *("",) * (len(named) - len(start)), *numbers
            return *cells, *(None,) * (len(columns) - len(cells))

        parts = [
            [row(name, breakdown.by, values, *_numbers(breakdown, values, score)) for values, score in breakdown.rows]
            for name, some in self.treebanks.items()
            for breakdown in some
        ]
        summary = []
        for by, average in ((by, average) for by, some in self._averages() for average in some):
            means = [value_cell(mean, perplexity=False) for mean in average.means.values()]
            between = () if average.estimate is None else estimate_cells(average.estimate)
            start = f"Average of {average.n_treebanks}", by, average.values
            summary.append(row(*start, None, None, None, *means[:3], *between, *means[3:]))
        notes = (
            *_notes(first),
            *estimate_notes(estimates),
            *([unit_line(self.units, "confidence intervals")] if self.units else []),
            *self._coverage_notes,
            *signed(self.provenance.signature),
        )
        return _table_of_parts(columns, parts, notes, summary)

    def _averages(self) -> list[tuple[tuple[str, ...], list[Average]]]:
        """The means of each breakdown over treebanks; nothing for a single treebank."""
        level = float(self.provenance.signature.get("level", 0.95))
        columns = zip(*self.treebanks.values(), strict=True) if len(self.treebanks) > 1 else ()
        return [(some[0].by, averages(some, level)) for some in columns]

    def to_dict(self) -> dict[str, Any]:
        """Return breakdowns for JSON: ratios as percentages."""
        averages = [
            {
                "by": list(by),
                "rows": [
                    {**dict(zip(by, average.values, strict=True)), "treebanks": average.n_treebanks}
                    | {name: points(value) for name, value in average.means.items()}
                    | estimate_document(average.estimate)
                    for average in some
                ],
            }
            for by, some in self._averages()
        ]
        return {
            **header("breakdown", self.provenance.signature),
            "treebanks": {name: [*map(_document, some)] for name, some in self.treebanks.items()},
            **({"averages": averages} if averages else {}),
            "units": units_document(self.units),
            **coverage_document(self.coverage),
        }


def _numbers(breakdown: Breakdown, values: tuple[str, ...], score: Score) -> tuple[Cell, ...]:
    between = estimate_cells(breakdown.estimates[values]) if breakdown.estimates else ()
    difference = value_cell(breakdown.difference(values), perplexity=False)
    left_out = (breakdown.without[values].unscaled, difference) if breakdown.whole else ()
    return (
        score.gold,
        score.system,
        score.correct,
        *(score.ratio(name) for name in COMPONENTS[:3]),
        *between,
        *left_out,
    )


def _table_of_parts(
    columns: Iterable[Column],
    parts: Sequence[Sequence[tuple[Cell, ...]]],
    notes: Iterable[str],
    summary: Iterable[tuple[Cell, ...]],
) -> Table:
    """Return a table with rules between parts."""
    starts = frozenset(sum(map(len, parts[:i])) for i in range(1, len(parts)))
    return Table(tuple(columns), tuple(row for part in parts for row in part), tuple(notes), starts, tuple(summary))


def _notes(breakdowns: Sequence[Breakdown]) -> list[str]:
    """Notes on how each property is assigned to system words, and on the columns of `without`."""
    measure = str(breakdowns[0].measure)
    properties: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for breakdown in breakdowns for name in breakdown.by):
        properties.setdefault(property_named(name).whose, []).append(name)
    notes = [measure, *(f"{', '.join(names)}: {whose}" for whose, names in properties.items())]
    if len(properties) == 1:
        notes = [f"{measure}, {next(iter(properties))}"]
    if any(breakdown.whole for breakdown in breakdowns):
        notes.append(f"Without: {measure} of all other words; Diff.: Without minus {measure} of all words")
    return notes


def _document(breakdown: Breakdown) -> dict[str, Any]:
    rows = []
    for values, score in breakdown.rows:
        ratios = {name: score.ratio(name) for name in COMPONENTS[:3]}
        row = dict[str, Any](zip(breakdown.by, values, strict=True))
        row |= {"gold": score.gold, "system": score.system, "correct": score.correct}
        row |= {name: None if ratio is None else 100 * ratio for name, ratio in ratios.items()}
        row |= estimate_document(breakdown.estimates.get(values))
        if breakdown.whole:
            row["without"] = points(breakdown.without[values].unscaled)
            row["difference"] = points(breakdown.difference(values))
        rows.append(row)
    whole = {"whole": points(breakdown.whole.value)} if breakdown.whole else {}
    return {"by": list(breakdown.by), "measure": str(breakdown.measure), **whole, "rows": rows}


@immutable
class Repairs(WithIntervals[Sequence[Repair]]):
    """The gain of repairing each kind of error, on each treebank.

    Args:
        averages: the mean gains over treebanks; empty for a single treebank.
    """

    averages: Sequence[Repair] = ()

    def table(self) -> Table:
        """Return one row per treebank and type of error: the words, and the points that repairing them would gain."""
        several = len(self.treebanks) > 1
        every = [repair.estimate for some in self.treebanks.values() for repair in some]
        every += [average.estimate for average in self.averages]
        columns = (
            *([Column("Treebank", "text")] if several else []),
            *(Column("Wrong", "text"), Column("Gold -> system", "text", key="Detail"), Column("Words", "number")),
            *(Column("Share"), Column("Value", tidy_only=True), Column("Gain", "difference")),
            *estimate_columns(self.provenance.signature["level"], every, difference=True),
        )
        parts = [
            [(*((name,) if several else ()), *repair[:6], *estimate_cells(repair.estimate)) for repair in some]
            for name, some in self.treebanks.items()
        ]
        gained = f"points of {self.measure} gained if these words were correct and nothing else changed"
        notes = (
            f"Gain: {gained}; largest first",
            "Share: percentage of all words with an error",
            *estimate_notes(every),
            unit_line(self.units, "confidence intervals"),
            *self._coverage_notes,
            *signed(self.provenance.signature),
        )
        summary = [
            (f"Average of {len(self.treebanks)}", *average[:6], *estimate_cells(average.estimate))
            for average in self.averages
        ]
        return _table_of_parts(columns, parts, notes, summary)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return {
            **header("repairs", self.provenance.signature),
            "measure": self.measure,
            "treebanks": {name: [*map(_repair, some)] for name, some in self.treebanks.items()},
            **({"averages": [*map(_repair, self.averages)]} if len(self.treebanks) > 1 else {}),
            "units": units_document(self.units),
            **coverage_document(self.coverage),
        }


def _repair(repair: Repair) -> dict[str, Any]:
    document = {"error": repair.error, "detail": repair.detail, "words": repair.words, "share": points(repair.share)}
    value = {} if repair.value is None else {"value": points(repair.value)}
    return {**document, **value, "gain": points(repair.gain), **estimate_document(repair.estimate)}


MARK = "?"
UNCERTAIN = f"{MARK}: uncertain, based on fewer than {ENOUGH_UNITS} documents or sentences, or on very uneven ones"


def estimate_columns(
    level: str, estimates: Iterable[BucketEstimate], *, difference: bool = False
) -> tuple[Column, Column]:
    """Return the columns of `estimate_cells`; only TSV has them if no row has an interval."""
    tidy_only = all(estimate.interval is None for estimate in estimates)
    head = interval_head(level)
    interval = Column(head, ends=("low", "high"), tidy_only=tidy_only)
    if difference:
        interval = interval._replace(kind="difference", ends=("diff_low", "diff_high"))
    return interval, Column("", "text", key="Uncertain", tidy_only=tidy_only)


def estimate_notes(estimates: Sequence[BucketEstimate]) -> list[str]:
    """Return a note if some rows are uncertain."""
    if estimates and all(estimate.interval is None for estimate in estimates):
        return [f"no intervals, since each row is based on fewer than {FEWEST_UNITS} documents or sentences"]
    return [UNCERTAIN] if any(estimate.uncertain for estimate in estimates) else []


def estimate_cells(estimate: BucketEstimate | None) -> tuple[Cell, Cell]:
    """Return the interval, and a mark if it is uncertain."""
    if estimate is None:
        return None, ""
    return interval_cell(estimate.interval, perplexity=False), MARK if estimate.uncertain else ""


def estimate_document(estimate: BucketEstimate | None) -> dict[str, Any]:
    """Return an estimate for JSON, in points; an empty document for None."""
    if estimate is None:
        return {}
    interval = estimate.interval and [*map(points, estimate.interval)]
    return {"interval": interval, "n_units": estimate.n_units, "uncertain": estimate.uncertain}


def break_down_outputs(
    plan: Plan, setup: Setup, by: Sequence[Sequence[str]], settings: PropertySettings, tests: InferenceSettings
) -> Breakdowns:
    """Break a measure down by properties of words."""
    (measure,) = setup.measures
    check_breakable(measure, setup.registry)
    names = [name for properties in by for name in properties]
    for name in names:
        property_named(name)
    requested = RequestedNames(names)

    def broken_down(matches: Matches, how: IntervalSettings) -> list[Breakdown]:
        requested.see(matches.gold)
        every = (break_down(matches, measure, some, settings, registry=setup.registry, intervals=how) for some in by)
        return [leave_out(breakdown, matches, setup.registry) for breakdown in every]

    scheme = (settings.scheme, "--by class") if "class" in names else None
    result = Breakdowns(*_with_intervals(plan, setup, broken_down, tests, scheme), str(measure))
    requested.check()
    return result


def repairs_of_outputs(plan: Plan, setup: Setup, tests: InferenceSettings) -> Repairs:
    """Return the gain of repairing each kind of error."""
    (measure,) = setup.measures
    check_breakable(measure, setup.registry)
    each, provenance, coverage, units = _with_intervals(
        plan, setup, lambda matches, how: repairs(matches, measure, how, registry=setup.registry), tests
    )
    averages = average_repairs([*each.values()], tests.level) if len(each) > 1 else ()
    kinds = {code: treebank.kinds for code, treebank in each.items()}
    return Repairs(kinds, provenance, coverage, units, str(measure), averages)


def _with_intervals(
    plan: Plan,
    setup: Setup,
    function: Callable[[Matches, IntervalSettings], Found],
    tests: InferenceSettings,
    scheme: UsedScheme | None = None,
) -> tuple[dict[str, Found], Provenance, dict[str, PartialCoverage], dict[str, Units]]:
    """The result of a function for each output, the provenance, the coverage, and the units of each treebank."""
    every: list[Units] = []

    def with_units(matches: Matches) -> Found:
        every.append(units_of(matches.gold, tests.resample_by))
        return function(matches, IntervalSettings(every[-1], tests.level))

    results, provenance, coverage = for_each_output(plan, setup, with_units, scheme)
    units = dict(zip(results, every, strict=True))
    provenance = provenance.with_parts(level=f"{tests.level:g}", **{"resample-by": units_signature(units)})
    contents = {code: files["gold"] for code, files in provenance.files.items()}
    declared = {test_set.code: test_set.parallel for test_set in plan.test_sets}
    notes = [*provenance.notes, *unit_notes(units, "intervals")]
    if groups := parallel_groups(units, contents, declared):
        notes.append(f"intervals of averages treat parallel test sets as independent: {listed([*groups])}")
    return results, replace(provenance, notes=tuple(notes)), coverage, units
