"""Comparison with a baseline: intervals, tests of difference and equivalence, and wins over treebanks."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError
from levelhead.immutable import immutable
from levelhead.scoring.score import Valued
from levelhead.significance.corrections import corrected, level_of_each
from levelhead.significance.estimates import Estimate, InferenceSettings, Interval, enough_runs, rescaled
from levelhead.significance.jackknife import SystemCounts
from levelhead.significance.scopes import Average, Influenced, InfluencedResult, Scope, count_units, influenced_by
from levelhead.significance.units import ParallelUnits, Units
from levelhead.tables.data import NOT_A_COLUMN, Field, documented, fields_of
from levelhead.tables.table import Cell, Column, percentage, stars


def check_margin(margin: float | None, n_systems: int, n_measures: int, n_perplexities: int) -> None:
    """Refuse a margin that cannot be tested: it is in points, or a ratio of perplexities above 1."""
    if margin is None:
        return
    reasons = {
        "requires at least two systems": n_systems < 2,
        f"must be a number above 0, not {margin:g}": not math.isfinite(margin) or margin <= 0,
        "is in points for scores, and a ratio for perplexities: compare them separately": (
            0 < n_perplexities < n_measures
        ),
        f"is in points and must be at most 100, not {margin:g}": not n_perplexities and margin > 100,
        f"is a ratio of perplexities and must be above 1, not {margin:g}: 1.05 allows 5%": (
            n_perplexities > 0 and margin <= 1
        ),
    }
    for reason, applies in reasons.items():
        if applies:
            raise InputError(Fault("invalid-margin", f"the margin {reason}"))


@immutable
class _Pair:
    """A system and the baseline, with one measure in one scope, from which statistics are computed."""

    scope: Scope
    systems: tuple[str, ...]
    s: int  # the number of the system; the baseline's is 0
    m: int  # the number of the measure
    table: SystemCounts  # with the names of measures
    settings: InferenceSettings
    score: Estimate  # the system's value
    difference: Estimate | None  # from the baseline; None for the baseline itself, and if a value is missing

    @cached_property
    def runs(self) -> list[list[int]]:
        """Two lists of the indices of runs, first the runs of the system, then the runs of the baseline."""
        return [_runs_of(self.table, self.systems[number]) for number in (self.s, 0)]

    @property
    def perplexity(self) -> bool:
        """Whether the measure is a perplexity, not a ratio of counts."""
        return self.m in self.table.perplexities

    @property
    def scale(self) -> int:
        """The factor that turns values into printed numbers (100, for percentages; 1 for perplexities)."""
        return 1 if self.perplexity else 100

    @property
    def enough_runs(self) -> bool:
        """Whether there are enough runs for a significant difference."""
        return enough_runs(*map(len, self.runs))

    @property
    def value(self) -> float | None:
        value = self.score.value
        return None if np.isnan(value) else value if self.perplexity else percentage(value)

    @property
    def spread(self) -> float | None:
        values = self.scope.values[self.runs[0], self.m]
        return self.scale * float(values.std(ddof=1)) if len(values) > 1 else None

    @property
    def detectable(self) -> float | None:
        """The smallest difference that is detected with a power of 80%."""
        smallest = self.difference.detectable() if self.difference and self.enough_runs else None
        return None if smallest is None else self.scale * smallest

    @property
    def n_tests(self) -> int:
        """The number of tests for which p-values are corrected, one per system except the baseline."""
        return len(self.systems) - 1

    @property
    def interval(self) -> Interval | None:
        """The confidence interval of the system's value."""
        kind = Estimate.log_interval if self.perplexity else Estimate.score_interval
        return rescaled(kind(self.score, self.settings.level), self.scale)

    @property
    def difference_interval(self) -> Interval | None:
        """The confidence interval of the difference, simultaneous for all systems; at most from -100 to 100 points."""
        if self.difference is None:
            return None
        kind = Estimate.interval if self.perplexity else Estimate.difference_interval
        return rescaled(kind(self.difference, level_of_each(self.settings.level, self.n_tests)), self.scale)

    @property
    def influence(self) -> tuple[Influenced, ...]:
        """Each result recomputed without the sampling unit that causes more than a third of its variance, if any."""
        level, perplexity = self.settings.level, self.perplexity
        of_value = influenced_by(self.score, "value", level, perplexity=perplexity)
        if self.difference is None:
            return of_value
        of_each = level_of_each(level, self.n_tests)
        return (*of_value, *influenced_by(self.difference, "difference", of_each, perplexity=perplexity))

    @cached_property
    def equivalence(self) -> tuple[str | None, float | None, Interval | None]:
        """Whether the interval is inside the margin (TOST, Schuirmann 1987), the p-value, and the ratio's interval."""
        margin, difference = self.settings.margin, self.difference
        if margin is None or difference is None:
            return None, None, None
        limit = margin / 100
        if self.perplexity:
            (difference,) = self.scope.estimates([self.runs], self.m, logarithms=True)
            limit = math.log(margin)
        interval, p = difference.interval(level_of_each(self.settings.level, self.n_tests)), difference.p_within(limit)
        if interval is None or p is None:
            return "not shown", None, None
        low, high = interval
        ratio = (math.exp(low), math.exp(high)) if self.perplexity else None
        inside, outside = -limit < low and high < limit, high < -limit or low > limit
        shown = "yes" if inside else "no" if outside else "not shown"
        return shown if self.enough_runs else "not shown", corrected(min(1.0, 2 * p), self.n_tests), ratio


def _runs_of(table: SystemCounts, system: str) -> list[int]:
    return [number for number, name in enumerate(table.systems) if name == system]


@immutable
class Statistic(Field):
    """A statistic of a comparison: adding an entry to `ComparedScore` is all it takes."""

    value: Callable[[_Pair], Any] | None = None  # by default, the attribute of the same name
    column: Column | None = None  # in tables for readers, with {} for the level in its heading; None without one
    of_difference: bool = False  # whether the rows of the baseline leave it empty
    # whether the table of some scores has the column, by these scores and the signature of the comparison
    shown: Callable[[Sequence[Any], Mapping[str, str]], bool] = lambda *_: True

    def cell(self, value: Any, *, of_baseline: bool) -> Cell:
        """Return a value as a cell of the column."""
        if (self.of_difference and of_baseline) or (value is None and self.column and self.column.kind == "text"):
            return ""
        return value  # type: ignore[no-any-return]


DIFFERENCE = Column("Diff.", "points")
P = Column("p", "probability")
STARS = Column("", "text")


class _Statistics(NamedTuple):
    treebank: Annotated[
        str,
        Statistic(
            "Name of the treebank or average",
            value=lambda pair: pair.scope.name,
            column=Column("Treebank", "text"),
        ),
    ]
    measure: Annotated[
        str, Statistic("Measure", value=lambda pair: pair.table.measures[pair.m], column=Column("Measure", "text"))
    ]
    system: Annotated[
        str, Statistic("System", value=lambda pair: pair.systems[pair.s], column=Column("System", "text"))
    ]
    value: Annotated[
        float | None,
        Statistic(
            "Value in percent, or the perplexity; the mean over runs",
            (0,),
            column=Column("Score", "percent"),
        ),
    ]
    interval: Annotated[
        Interval | None,
        Statistic(
            "Confidence interval of the value alone",
            column=Column("{} CI", "percent", rank=3),
        ),
    ]
    spread: Annotated[
        float | None,
        Statistic(
            "Standard deviation between runs; null with one run",
            (0,),
            column=Column("SD", "percent", rank=2),
            shown=lambda results, _: any(result.spread is not None for result in results),
        ),
    ] = None
    baseline: Annotated[
        str | None,
        Statistic(
            "First system, with which it is compared; null for the first system itself",
            value=lambda pair: pair.systems[0] if pair.s else None,
        ),
    ] = None
    difference: Annotated[
        float | None,
        Statistic(
            "System minus baseline",
            value=lambda pair: pair.difference and pair.scale * pair.difference.value,
            column=DIFFERENCE,
            of_difference=True,
        ),
    ] = None
    difference_interval: Annotated[
        Interval | None,
        Statistic(
            "Confidence interval of the difference; simultaneous for all systems",
            column=Column("{} CI", "points", rank=1),
            of_difference=True,
        ),
    ] = None
    p: Annotated[
        float | None,
        Statistic(
            "P-value of the difference, corrected for the number of systems (Sidak)",
            (0, 1),
            value=lambda pair: corrected(pair.difference and pair.difference.p(), pair.n_tests),
            column=P,
            of_difference=True,
        ),
    ] = None
    detectable: Annotated[
        float | None,
        Statistic("Smallest difference that is detected with a power of 80%", (0,)),
    ] = None
    average: Annotated[
        Average | None,
        Statistic(
            "Kind of average; null for a treebank",
            value=lambda pair: pair.scope.average,
            column=Column("Avg.", "text"),
        ),
    ] = None
    n_runs: Annotated[int, Statistic("Number of runs of the system", (1,), value=lambda pair: len(pair.runs[0]))] = 1
    n_baseline_runs: Annotated[
        int, Statistic("Number of runs of the baseline", (1,), value=lambda pair: len(pair.runs[1]))
    ] = 1
    equivalent: Annotated[
        Literal["yes", "no", "not shown"] | None,
        Statistic(
            "Whether the systems are equivalent within the margin",
            value=lambda pair: pair.equivalence[0],
            column=Column("Equiv.", "text"),
            shown=lambda _, signature: "margin" in signature,
        ),
    ] = None
    p_equivalent: Annotated[
        float | None,
        Statistic(
            "P-value of equivalence (doubled TOST), below .05 if and only if the 95% interval is inside the margin",
            (0, 1),
            value=lambda pair: pair.equivalence[1],
        ),
    ] = None
    ratio_interval: Annotated[
        Interval | None,
        Statistic(
            "Confidence interval of the ratio of perplexities (with a margin)",
            value=lambda pair: pair.equivalence[2],
        ),
    ] = None
    n_units: Annotated[
        int, Statistic("Number of sampling units", value=lambda pair: (pair.difference or pair.score).n_units)
    ] = 0
    influence: Annotated[
        tuple[Influenced, ...],
        Statistic(
            "Value or difference recomputed without a sampling unit that causes more than a third of the variance",
        ),
        NOT_A_COLUMN,
    ] = ()


@documented
class ComparedScore(Valued, _Statistics):
    """A system's score for a measure, on one treebank or averaged, and the difference from the baseline.

    It can be used as a number, like a `Score`. Scores are in percent, and differences are in percentage points.
    Perplexities and their differences have no unit. Numbers that require standard errors, such as p-values, are None
    if there are fewer than 10 sampling units.
    """

    __slots__ = ()

    @property
    def enough_runs(self) -> bool:
        """Whether differences can be significant: both systems have one run, or both have at least three."""
        return enough_runs(self.n_runs, self.n_baseline_runs)

    @property
    def stars(self) -> str:
        """The asterisks that mark the significance of `p`; empty if `enough_runs` is false."""
        return stars(self.p) if self.enough_runs else ""


STATISTICS: Mapping[str, Statistic] = fields_of(ComparedScore)
"""The statistics of a comparison by name, in the order of columns."""


def differences(
    tables: Mapping[str, SystemCounts],
    settings: InferenceSettings,
    units: Mapping[str, Units] | None = None,
    parallel: ParallelUnits | None = None,
) -> list[ComparedScore]:
    """Return each system's scores and differences from the first system, on every treebank and on average.

    Standard errors come from leaving out one sampling unit at a time (`spreads_of`). Confidence intervals and p-values
    come from Student's t (`Estimate`). Several runs of a system are treated as a sample of all possible runs, so the
    variance of their mean is added to the variance over sampling units (`run_errors`). P-values and the intervals of
    differences are corrected for the number of systems by Sidak's (1967) bound on the largest |t|. Both have the same
    correction, so p is below .05 if and only if the 95% interval does not contain 0. The macro-average is the mean of
    the scores on all treebanks. The micro-average is the score of all treebanks together, computed from the sums of
    their counts.

    Args:
        tables: the counts on each treebank, with the same runs and measures on all treebanks. The counts are given for
            each sentence or, if `units` is None, for each sampling unit.
        settings: the settings of intervals and significance tests.
        units: the sampling units (sentences or documents) of each treebank.
        parallel: the sampling units that parallel treebanks share.
    """
    first = next(iter(tables.values()))
    systems = tuple(dict.fromkeys(first.systems))
    formulas = [entry.value or attrgetter(name) for name, entry in STATISTICS.items()]
    return [
        ComparedScore(*(formula(pair) for formula in formulas))
        for scope in _scopes(tables, units or {}, parallel)
        for m in range(len(first.measures))
        for pair in _pairs(scope, systems, m, first, settings)
    ]


def influenced_results(results: Iterable[ComparedScore]) -> Iterator[InfluencedResult]:
    """Return the results with influential units, those of averages first."""
    for result in sorted(results, key=lambda result: result.average is None):
        scope = f"{'in the' if result.average else 'on'} {result.treebank}"
        for influenced in result.influence:
            of = "difference in " if influenced.statistic == "difference" else ""
            yield scope, f"{of}{result.measure} of {result.system}", influenced


def _scopes(
    tables: Mapping[str, SystemCounts], units: Mapping[str, Units], parallel: ParallelUnits | None
) -> Iterator[Scope]:
    """Each treebank, then the averages."""
    every = {code: count_units(table, units.get(code)) for code, table in tables.items()}
    for code, table in tables.items():
        of_few = code in units and units[code].few
        yield Scope(code, {code: count_units(table, units[code], alone=True) if of_few else every[code]})
    if len(tables) > 1:
        yield Scope("macro-average", every, "macro", parallel)
        yield Scope("micro-average", every, "micro", parallel)


def _pairs(
    scope: Scope, systems: tuple[str, ...], m: int, table: SystemCounts, settings: InferenceSettings
) -> Iterable[_Pair]:
    runs = [_runs_of(table, system) for system in systems]
    scores = scope.estimates([[numbers] for numbers in runs], m)
    differences = scope.estimates([[numbers, runs[0]] for numbers in runs[1:]], m)
    for s, (score, difference) in enumerate(zip(scores, [None, *differences], strict=True)):
        known = None if difference is None or np.isnan(difference.value) else difference
        yield _Pair(scope, systems, s, m, table, settings, score, known)
