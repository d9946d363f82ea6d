"""Planning of test sets: the smallest difference that n sentences or documents and k training runs can detect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from levelhead._version import VERSION
from levelhead.campaign.plan import Plan
from levelhead.comparison.systems import (
    counts_by_unit,
    measures_part,
    score_outputs,
    sentence_counts,
    sources_of_results,
)
from levelhead.errors import Fault, InputError, number_of, unknown
from levelhead.evaluation.provenance import comparison_provenance
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.significance.estimates import FEWEST_RUNS, enough_runs
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.power import (
    Target,
    Variances,
    detectable_difference,
    difference_variances,
    typical_deviations,
)
from levelhead.significance.units import (
    AUTO,
    DOCUMENT,
    FEWEST_UNITS,
    SENTENCE,
    UNITS,
    Units,
    unit_line,
    unit_notes,
    unit_rows,
    units_signature,
)
from levelhead.tables.data import Layout
from levelhead.tables.table import Cell, Column, Detail, Table, starts_of
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance

SIZES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {SENTENCE: (100, 200, 500, 1000, 2000, 5000), DOCUMENT: (20, 50, 100, 200, 500, 1000)}
)
"""The default numbers of units; those of documents are also used for units by a comment."""

RUNS = (1, 3, 5, 10)  # the default numbers of runs if the deviation between runs is known


class Detectable(NamedTuple):
    """The smallest difference that one test set, or the mean over several, can detect.

    Args:
        treebank: the treebank, or the name of the average; null without files.
        measure: the measure.
        unit: "sentence", "document" or "comment:NAME".
        n_units: the number of units of the test set, or of each test set.
        n_runs: the number of runs of each system.
        detectable: the detectable difference in points (perplexities: in their unit); null if it cannot be estimated.
        lower_quartile: the lower quartile over typical test sets; null with files.
        upper_quartile: the upper quartile; null with files.
        average: whether the difference is for the mean over test sets.
    """

    treebank: str | None
    measure: str
    unit: str
    n_units: int
    n_runs: int
    detectable: float | None
    lower_quartile: float | None = None
    upper_quartile: float | None = None
    average: bool = False


@immutable
class Power(Tabular):
    """The smallest differences that test sets can detect between two systems.

    Args:
        rows: the smallest detectable differences.
        test: the planned test, that is, its significance level and its power.
        provenance: the settings and files behind the numbers.
        perplexities: the measures that are perplexities, not percentages.
        units: the sampling units (sentences or documents) of each test set; empty if no files were read.
    """

    KIND: ClassVar[str] = "power"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"results": (Detectable, Target), "units": UNITS}

    rows: tuple[Detectable, ...]
    test: Target
    provenance: Provenance
    perplexities: tuple[str, ...] = ()
    units: Mapping[str, Units] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """A sentence with the detectable difference in LAS (in the first measure if LAS is missing)."""
        measures = {row.measure: None for row in self.rows}
        measure = "LAS" if "LAS" in measures else next(iter(measures))
        of_measure = [row for row in self.rows if row.measure == measure]
        rows = [row for row in of_measure if row.average] or of_measure
        own = {unit.n_units for unit in self.units.values()}
        similar = [row for row in rows if (row.unit, row.n_runs) == (rows[0].unit, rows[0].n_runs)]
        middle = sum(own) / len(own) if own else similar[len(similar) // 2].n_units
        row = min(similar, key=lambda row: abs(row.n_units - middle))
        if row.detectable is None:
            return f"The detectable difference in {measure} cannot be estimated: see the notes."
        unit = row.unit if row.unit in SIZES else "unit"
        design = number_of(row.n_units, unit) + f" in each of {len(self.units)} test sets" * row.average
        design += f" and {number_of(row.n_runs, 'run')} of each system"
        difference = f"{row.detectable:.2f}" + ("" if measure in self.perplexities else " points")
        return (
            f"With {design}, a difference of {difference} in {measure} is detected with {self.test.power:.0%} power at"
            f" level {self.test.alpha:g}."
        )

    def table(self, *, each: bool = False) -> Table:
        """Return a table of detectable differences by measure, size and number of runs; if `each`, also by treebank."""
        shown = rows_to_show(self, each=each)
        several = len({row.treebank for row in self.rows}) > 1
        typical = any(row.lower_quartile is not None for row in shown)
        columns = (
            *([Column("Treebank", "text")] if several else []),
            *(Column("Measure", "text"), Column("Unit", "text"), Column("Units", "number")),
            *(Column("Runs", "number"), Column("Detectable", "percent")),
            *([Column("Quartiles", "percent")] if typical else []),
        )
        rows: list[tuple[Cell, ...]] = []
        for row in shown:
            low, high = row.lower_quartile, row.upper_quartile
            quartiles = None if low is None or high is None else (low, high)
            rows.append((*row[0 if several else 1 : 6], *([quartiles] if typical else [])))
        n_rows = sum(not row.average for row in shown) if each else len(shown)
        rules = starts_of(row[:3] for row in shown[:n_rows])
        test = f"a two-sided test at level {self.test.alpha:g} detects with {self.test.power:.0%} power"
        notes = (
            Detail(f"Detectable: difference in points that {test}"),
            *([unit_line(self.units, "variances")] if self.units else []),
        )
        return Table(columns, tuple(rows[:n_rows]), notes, rules, tuple(rows[n_rows:])).signed(self.provenance)

    def _results_rows(self) -> list[tuple[Detectable, Target]]:
        return [(row, self.test) for row in self.rows]

    def _units_rows(self) -> list[tuple[Any, ...]]:
        return unit_rows(self.units)


class Design(NamedTuple):
    """The designs for which differences are computed."""

    sizes: tuple[int, ...] = ()  # by default `SIZES` and the size of the test set
    runs: tuple[int, ...] = ()  # by default `RUNS` if the deviation between runs is known, otherwise 1
    run_deviation: float | None = None  # in the unit of the measure (.002 is 0.2 points of LAS); by default estimated
    test: Target = Target()

    def check(self) -> None:
        """Refuse too few units or runs."""
        if min(self.sizes, default=FEWEST_UNITS) < FEWEST_UNITS or min(self.runs, default=1) < 1:
            raise InputError(Fault("invalid-power", f"give at least {FEWEST_UNITS} units and 1 run"))


def power(plan: Plan, setup: Setup, design: Design, *, resample_by: str = AUTO, **how: Any) -> Power:
    """Return the smallest detectable differences between two systems, on each test set and on average."""
    design.check()
    if len({system.name for system in plan.systems}) != 2:
        raise InputError(Fault("no-pairs", "give two systems"))
    results = score_outputs(plan, setup, by_sentence=True, resample_by=resample_by, **how)
    counts = counts_by_unit(sentence_counts(results, plan, setup), results)
    # a test by few documents detects nothing on its own
    units = {code: unit._replace(auto=False) if unit.few else unit for code, unit in results.units.items()}
    rows, notes = detectable_rows(counts, units, design)
    parts = {**measures_part(results), "resample-by": units_signature(units), **_signed(design)}
    notes = (*unit_notes(units, "detectable differences"), *notes, *_on_runs(rows))
    provenance = comparison_provenance(sources_of_results(results), setup, parts, notes)
    return Power(rows, design.test, provenance, setup.perplexities, units)


def detectable_rows(
    counts: Mapping[str, SystemCounts], units: Mapping[str, Units], design: Design
) -> tuple[tuple[Detectable, ...], tuple[str, ...]]:
    """Return the detectable differences between the two systems of some tables, and notes on them."""
    estimated = {code: difference_variances(table, *dict.fromkeys(table.systems)) for code, table in counts.items()}
    kinds = [units[code].kind for code in counts]
    rows: list[Detectable] = []
    notes: list[str] = []
    first = next(iter(counts.values()))
    for m, measure in enumerate(first.measures):
        scale = 1 if m in first.perplexities else 100
        known = []
        for code, variances in estimated.items():
            some = [variance for variance in [variances[m]] if variance is not None]
            n_units = len(counts[code].parts)
            rows += _rows(Detectable(code, measure, units[code].kind, n_units, 1, None), some, design, scale)
            known += some
            if not some and n_units >= FEWEST_UNITS:
                reason = f"the outputs never differ, or fewer than {FEWEST_UNITS} units can be counted"
                notes.append(f"the variance of {measure} on {code} is unknown: {reason}")
        if len(counts) > 1 and len(known) == len(counts) and len(set(kinds)) == 1:
            sizes = {len(table.parts) for table in counts.values()}
            n_units = sizes.pop() if len(sizes) == 1 else 0
            start = Detectable("macro-average", measure, kinds[0], n_units, 1, None, average=True)
            rows += _rows(start, known, design, scale)
        elif len(counts) > 1:
            notes.append(
                f"no macro-average of {measure}: test sets have different units, or the variance of one is unknown"
            )
    return tuple(rows), tuple(notes)


def _rows(start: Detectable, variances: Sequence[Variances], design: Design, scale: int = 100) -> Iterator[Detectable]:
    if design.run_deviation is not None:  # of both systems
        variances = [variance._replace(runs=2 * design.run_deviation**2) for variance in variances]
    known = all(variance.runs is not None for variance in variances)
    if not known and max(design.runs, default=1) > 1:
        message = "for several runs, the standard deviation between runs is required: give --run-sd, or folders of runs"
        raise InputError(Fault("invalid-power", message))
    given = {start.n_units} if start.n_units >= FEWEST_UNITS else set()
    sizes = design.sizes or sorted({*SIZES.get(start.unit, SIZES[DOCUMENT]), *given})
    for n_units, n_runs in product(sizes, design.runs or (RUNS if known and variances else (1,))):
        difference = detectable_difference(variances, n_units, n_runs, design.test) if variances else None
        detectable = None if difference is None else scale * difference
        yield start._replace(n_units=n_units, n_runs=n_runs, detectable=detectable)


def _on_runs(rows: Sequence[Detectable]) -> Iterator[str]:
    if any(row.n_runs == 1 for row in rows):
        yield "with 1 run, the result does not apply to other runs of the systems"
    if any(not enough_runs(row.n_runs, row.n_runs) for row in rows):
        yield f"with 2 runs, compare marks no difference as significant: plan {FEWEST_RUNS} or more"


def _signed(design: Design) -> dict[str, str]:
    deviation = {} if design.run_deviation is None else {"run-sd": f"{100 * design.run_deviation:g}"}
    return {"alpha": f"{design.test.alpha:g}", "power": f"{design.test.power:g}", **deviation}


def typical_power(measures: Sequence[str], design: Design) -> Power:
    """Return the differences that typical test sets can detect, from deviations measured on CoNLL 2018."""
    design.check()
    table = typical_deviations()
    known = dict.fromkeys(deviation.measure for deviation in table)
    for measure in measures:
        if measure not in known:
            hint = f"{unknown('measure', measure, known)}; for other measures, give a gold file and two outputs"
            raise InputError(Fault("invalid-power", f"without files: {hint}"))
    rows: list[Detectable] = []
    for typical in (deviation for measure in measures for deviation in table if deviation.measure == measure):
        start = Detectable(None, typical.measure, typical.unit, 0, 1, None)
        quartiles = (
            _rows(start, [Variances(deviation**2, evenness=typical.evenness)], design)
            for deviation in (typical.median, typical.low, typical.high)
        )
        rows += (
            middle._replace(lower_quartile=low.detectable, upper_quartile=high.detectable)
            for middle, low, high in zip(*quartiles, strict=True)
        )
    signature = {"variances": "conll18", **_signed(design), "version": VERSION}
    about = "quartiles over the test sets of CoNLL 2018; for each test set, the median over pairs of parsers"
    notes = (Detail(f"{about}; for similar parsers, smaller differences can be detected"), *_on_runs(rows))
    return Power(tuple(rows), design.test, Provenance(signature, {}, (), notes))


def rows_to_show(power: Power, *, each: bool) -> list[Detectable]:
    """Return the averages, or every row if asked for or if there are no averages."""
    rows = sorted(power.rows, key=lambda row: row.average)  # averages last
    return [row for row in rows if each or row.average or not rows[-1].average]
