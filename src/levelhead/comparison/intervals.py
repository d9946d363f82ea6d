"""Results with confidence intervals: how they are computed, listed and shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from levelhead.campaign.plan import Plan
from levelhead.comparison.system_errors import Coverages, Found, PerTreebank, UsedScheme, for_each_output
from levelhead.errors import listed
from levelhead.evaluation.provenance import Provenance
from levelhead.evaluation.setup import Setup
from levelhead.immutable import immutable
from levelhead.scoring import Matches
from levelhead.significance import (
    ENOUGH_UNITS,
    FEWEST_UNITS,
    InferenceSettings,
    Units,
    unit_line,
    unit_notes,
    units_of,
)
from levelhead.significance.jackknife import BucketEstimate, IntervalSettings
from levelhead.significance.parallel import parallel_groups
from levelhead.significance.units import UnitRow, unit_rows, units_signature
from levelhead.tables.data import Layout, Value, columns_of
from levelhead.tables.table import Cell, Column, IntervalCell, interval_head

__all__ = ["WithIntervals"]


@immutable
class WithIntervals(PerTreebank[Found]):
    """Results with confidence intervals."""

    units: Mapping[str, Units] = field(default_factory=dict)  # the units of each treebank
    measure: str = ""

    def _units_rows(self) -> list[UnitRow]:
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
    return estimate.interval and IntervalCell(*estimate.interval), MARK if estimate.uncertain else ""


def estimate_values(estimate: BucketEstimate | None) -> tuple[Value, ...]:
    """Return the values of `ESTIMATE_COLUMNS`, or of those of differences or gains."""
    if estimate is None:
        return (None,) * len(ESTIMATE_COLUMNS)
    return *(estimate.interval or (None, None)), estimate.n_units, estimate.uncertain


def with_intervals(
    plan: Plan,
    setup: Setup,
    function: Callable[[Matches, IntervalSettings], Found],
    tests: InferenceSettings,
    scheme: UsedScheme | None = None,
) -> tuple[dict[str, Found], Provenance, Coverages, dict[str, Units]]:
    """Return the result of a function for each output, the provenance, the coverage, and the units of each treebank."""
    every: list[Units] = []

    def with_units(matches: Matches) -> Found:
        every.append(units_of(matches.gold, tests.resample_by))
        return function(matches, IntervalSettings(every[-1], tests.level))

    results, provenance, coverage = for_each_output(plan, setup, with_units, scheme)
    units = dict(zip(results, every, strict=True))
    provenance = provenance.with_parts(level=f"{tests.level:g}", **{"resample-by": units_signature(units)})
    contents = {code: str(files["gold"]) for code, files in provenance.files.items()}
    declared = {test_set.code: test_set.parallel for test_set in plan.test_sets}
    notes = [*provenance.notes, *unit_notes(units, "intervals")]
    if groups := parallel_groups(units, contents, declared):
        notes.append(f"intervals of averages treat parallel test sets as independent: {listed([*groups])}")
    return results, replace(provenance, notes=tuple(notes)), coverage, units
