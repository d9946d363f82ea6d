"""Comparison with a baseline: intervals, tests of difference and equivalence, and wins over treebanks."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, cast

import numpy as np

from levelhead.errors import Fault, InputError
from levelhead.immutable import immutable
from levelhead.significance.corrections import holm
from levelhead.significance.estimates import Estimate, Interval, enough_runs, equivalence, run_errors
from levelhead.significance.jackknife import (
    Stratum,
    SystemCounts,
    disagreement_of,
    leave_out,
    leave_out_of,
    spread_of,
)
from levelhead.significance.resampling import InferenceSettings, Rows, Sums, seeded, swapped_changes
from levelhead.tables.fields import Field, documented, fields_of
from levelhead.tables.table import Cell, Column, interval_cell, stars, value_cell


def check_margin(margin: float | None, n_systems: int, n_measures: int, n_perplexities: int) -> None:
    """Refuse a margin that cannot be tested.

    Args:
        margin: in points, or a ratio of perplexities; or None.
        n_systems: the number of systems.
        n_measures: the number of measures.
        n_perplexities: the number of measures that are perplexities.

    Raises:
        InputError: the margin is not positive, is above 100 points, is a ratio of at most 1, or there is only one
            system.
    """
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


EQUAL = 1e-12
"""Smaller differences are ties, since sums in another order differ by rounding errors."""

Average = Literal["macro", "micro"]


class _Sample(NamedTuple):
    """All runs and measures on a test set or average."""

    name: str
    systems: tuple[str, ...]  # of each run
    values: Sums  # shape (runs, measures)
    strata: Sequence[Stratum]  # the effect of each unit on the values
    permuted: Sums  # differences of first runs to the baseline's after swaps, shape (permutations, systems, measures)
    average: Average | None = None


@immutable
class _Pair:
    """A system and the baseline, with one measure on a test set or average, from which statistics are computed."""

    sample: _Sample
    table: SystemCounts
    s: int  # the number of the system; the baseline's is 0
    m: int  # the number of the measure
    settings: InferenceSettings
    family: Sequence["_Pair"]  # the pairs of all systems, between which p-values are corrected

    @cached_property
    def systems(self) -> list[str]:
        """The systems."""
        return list(dict.fromkeys(self.sample.systems))

    @cached_property
    def runs(self) -> list[list[int]]:
        """The runs of the system and of the baseline, by number."""
        names = (self.systems[self.s], self.systems[0])
        return [[number for number, name in enumerate(self.sample.systems) if name == system] for system in names]

    @property
    def perplexity(self) -> bool:
        """Whether the measure is a perplexity, not a ratio of counts."""
        return self.m in self.table.perplexities

    @property
    def single(self) -> bool:
        """Whether both have a single run."""
        return max(map(len, self.runs)) == 1

    @property
    def enough_runs(self) -> bool:
        """Whether there are enough runs for a significant difference."""
        return enough_runs(*map(len, self.runs))

    @cached_property
    def values(self) -> list[Sums]:
        """The values of the runs of both."""
        return [self.sample.values[runs, self.m] for runs in self.runs]

    @cached_property
    def score(self) -> Estimate:
        """The system's value."""
        return _estimate(self.sample, self.runs[:1], self.m)

    @property
    def interval(self) -> Interval | None:
        """The interval of the system's value."""
        return (self.score.log_interval if self.perplexity else self.score.score_interval)(self.settings.level)

    @cached_property
    def difference(self) -> Estimate | None:
        """The difference between them; None for the baseline itself, and if a value is missing."""
        missing = self.s == 0 or any(np.isnan(values).any() for values in self.values)
        return None if missing else _estimate(self.sample, self.runs, self.m)

    @property
    def difference_interval(self) -> Interval | None:
        """The interval of the difference; between scores it is limited to the range from -1 to 1."""
        kind = Estimate.interval if self.perplexity else Estimate.difference_interval
        return self.difference and kind(self.difference, self.settings.level)

    @cached_property
    def p(self) -> float | None:
        """The p-value of the difference, of two outputs the larger of two."""
        p = self.difference and self.difference.p()
        if self.difference is None or p is None or not self.single:
            return p
        return max(p, float(permutation_p(self.sample.permuted[:, self.s, self.m], self.difference.value)))

    @cached_property
    def equivalence(self) -> tuple[str | None, float | None, Interval | None]:
        """Whether the difference is within the margin, the p-value, and the interval of a ratio of perplexities."""
        margin, difference, ratio = self.settings.margin, self.difference, None
        if margin is None or difference is None:
            return None, None, None
        limit = margin / 100
        if self.perplexity:  # compared by logarithms, with errors by the delta method
            strata = [stratum._replace(moves=stratum.moves / self.sample.values) for stratum in self.sample.strata]
            logarithms = self.sample._replace(values=np.log(self.sample.values), strata=strata)
            difference = _estimate(logarithms, self.runs, self.m)
            limit = math.log(margin)
            between = difference.interval(self.settings.level)
            ratio = between and (math.exp(between[0]), math.exp(between[1]))
        result = equivalence(difference, limit)
        if result is None:
            return "not shown", None, None
        return result.shown if self.enough_runs else "not shown", result.p, ratio


@immutable
class Statistic(Field):
    """A statistic of a comparison: adding an entry to `ComparedScore` is all it takes."""

    value: Callable[[_Pair], Any] = field(kw_only=True)
    column: Column | None = None  # in tables, for an interval without the level; if None, only JSON has it
    of_difference: bool = False  # whether the rows of the baseline leave it empty
    # whether the table of some scores has the column, by these scores and the signature of the comparison
    shown: Callable[[Sequence[Any], Mapping[str, str]], bool] = lambda *_: True

    def cell(self, value: Any, *, of_baseline: bool, perplexity: bool) -> Cell:
        """Return a value as a cell of the column."""
        column = self.column or Column("")
        if (self.of_difference and of_baseline) or (value is None and column.kind == "text"):
            return ""
        if not self.scaled:
            return cast("Cell", value)
        return interval_cell(value, perplexity=perplexity) if column.ends else value_cell(value, perplexity=perplexity)


def _with_margin(_: object, signature: Mapping[str, str]) -> bool:
    return "margin" in signature


DIFFERENCE = Column("Diff.", "difference", key="Diff")
HOLM = Column("p", "probability", key="p (Holm)")
STARS = Column("", "text", key="Stars")


@documented
class ComparedScore(NamedTuple):
    """One system, one measure, one treebank or average.

    What is computed from standard errors is None with fewer than 10 units.
    """

    treebank: Annotated[
        str,
        Statistic(
            "Treebank, or the name of the average",
            value=lambda pair: pair.sample.name,
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
            "Value; the mean over runs",
            value=lambda pair: None if np.isnan(pair.score.value) else pair.score.value,
            column=Column("Score"),
            scaled=True,
        ),
    ]
    interval: Annotated[
        Interval | None,
        Statistic(
            "Confidence interval of the value",
            value=lambda pair: pair.interval,
            column=Column("CI", ends=("low", "high")),
            scaled=True,
        ),
    ]
    spread: Annotated[
        float | None,
        Statistic(
            "Standard deviation between runs; null with one run",
            (0,),
            value=lambda pair: float(pair.values[0].std(ddof=1)) if len(pair.values[0]) > 1 else None,
            column=Column("SD"),
            shown=lambda results, _: any(result.spread is not None for result in results),
            scaled=True,
        ),
    ] = None
    difference: Annotated[
        float | None,
        Statistic(
            "System minus baseline",
            value=lambda pair: pair.difference and pair.difference.value,
            column=DIFFERENCE,
            of_difference=True,
            scaled=True,
        ),
    ] = None
    difference_interval: Annotated[
        Interval | None,
        Statistic(
            "Confidence interval of the difference",
            value=lambda pair: pair.difference_interval,
            column=Column("CI", "difference", ends=("diff_low", "diff_high")),
            of_difference=True,
            scaled=True,
        ),
    ] = None
    p: Annotated[
        float | None,
        Statistic(
            "P-value of the difference",
            (0, 1),
            value=lambda pair: pair.p,
            column=Column("p", "probability", tidy_only=True),
            of_difference=True,
        ),
    ] = None
    p_holm: Annotated[
        float | None,
        Statistic(
            "P-value corrected for several systems (Holm)",
            (0, 1),
            value=lambda pair: holm([other.p for other in pair.family])[pair.s],
            column=HOLM,
            of_difference=True,
        ),
    ] = None
    detectable: Annotated[
        float | None,
        Statistic(
            "Smallest difference that is detected with a power of 80%",
            (0,),
            value=lambda pair: pair.difference and pair.difference.detectable() if pair.enough_runs else None,
            scaled=True,
        ),
    ] = None
    test: Annotated[
        Literal["randomization", "runs"] | None,
        Statistic(
            "Test that was used",
            value=lambda pair: None if pair.p is None else "randomization" if pair.single else "runs",
            column=Column("Test", "text", tidy_only=True),
            shown=lambda results, _: any(result.test == "runs" for result in results),
        ),
    ] = None
    average: Annotated[
        Average | None,
        Statistic(
            "Kind of average; null for a treebank",
            value=lambda pair: pair.sample.average,
            column=Column("Avg.", "text", key="Average"),
        ),
    ] = None
    runs: Annotated[
        tuple[int, int],
        Statistic("Runs of the system and of the baseline", value=lambda pair: tuple(map(len, pair.runs))),
    ] = (1, 1)
    equivalent: Annotated[
        Literal["yes", "no", "not shown"] | None,
        Statistic(
            "With --margin: are the systems equivalent?",
            value=lambda pair: pair.equivalence[0],
            column=Column("Equiv.", "text", key="Equivalent"),
            shown=_with_margin,
        ),
    ] = None
    p_equivalent: Annotated[
        float | None,
        Statistic(
            "P-value of equivalence (TOST)",
            (0, 1),
            value=lambda pair: pair.equivalence[1],
            column=Column("p (TOST)", "probability", tidy_only=True),
            of_difference=True,
            shown=_with_margin,
        ),
    ] = None
    n_units: Annotated[
        int, Statistic("Number of units", value=lambda pair: (pair.difference or pair.score).n_units)
    ] = 0
    ratio_interval: Annotated[
        Interval | None,
        Statistic(
            "For perplexities with --margin: confidence interval of the ratio",
            value=lambda pair: pair.equivalence[2],
        ),
    ] = None

    @property
    def enough_runs(self) -> bool:
        """Whether there are enough runs for a significant difference, see `enough_runs`."""
        return enough_runs(*self.runs)

    @property
    def stars(self) -> str:
        """The asterisks of the corrected p-value; none with too few runs."""
        return stars(self.p_holm) if self.enough_runs else ""


STATISTICS: Mapping[str, Statistic] = fields_of(ComparedScore)
"""The statistics of a comparison by name, in the order of JSON and of tables."""


def differences(treebanks: Mapping[str, SystemCounts], settings: InferenceSettings) -> list[ComparedScore]:
    """Return the comparison of systems with the first, on every treebank and on averages over treebanks.

    Standard errors come from leaving out one unit at a time (`spread_of`), and intervals from Student's t
    (`Estimate`). The p-value for two outputs is the larger of two p-values. Paired randomization swaps the outputs of a
    unit at random, and is exact if the outputs of the two systems are exchangeable. Student's t is also valid if units
    differ but their mean does not. So p < .05 never comes with a 95% interval that contains 0. Runs cannot be paired
    for swapping: several runs are a sample of all possible runs, and the error of their mean is added, see
    `run_errors`.

    The macro-average is the mean of the treebanks' ratios, the micro-average the ratio of their summed counts.

    Args:
        treebanks: the counts of each treebank by unit, for the same runs and measures.
        settings: the settings of tests.
    """
    first = next(iter(treebanks.values()))
    n_systems, formulas = len(dict.fromkeys(first.systems)), [entry.value for entry in STATISTICS.values()]
    results = []
    for sample in _samples(treebanks, settings):
        for m in range(len(first.measures)):
            family: list[_Pair] = []
            family += [_Pair(sample, first, s, m, settings, family) for s in range(n_systems)]
            results += [ComparedScore(*(formula(pair) for formula in formulas)) for pair in family]
    return results


def _samples(treebanks: Mapping[str, SystemCounts], settings: InferenceSettings) -> Iterator[_Sample]:
    """Each treebank, then the averages; permutations are summed to save memory."""
    tables = list(treebanks.values())
    macro = micro = [np.zeros(1)] * 3
    strata: list[Stratum] = []
    for name, table in treebanks.items():
        sums = _swapped(table, settings)
        values = [table.values(part) for part in sums]
        yield _Sample(name, table.systems, values[0], [leave_out(table)], values[2] - values[1])
        if len(tables) > 1:
            macro = [total + part for total, part in zip(macro, values, strict=True)]
            micro = [total + part for total, part in zip(micro, sums, strict=True)]
            strata.append(leave_out(table, 1 / len(tables)))
    if len(tables) > 1:
        systems = tables[0].systems
        means = [part / len(tables) for part in macro]
        pooled = [tables[0].values(part) for part in micro]
        yield _Sample("macro-average", systems, means[0], strata, means[2] - means[1], "macro")
        yield _Sample("micro-average", systems, pooled[0], leave_out_of(tables), pooled[2] - pooled[1], "micro")


def _swapped(table: SystemCounts, settings: InferenceSettings) -> list[Sums]:
    """Numerators and denominators: observed, then those of the baseline and the systems after swapping units.

    Shapes (runs, measures, 2), then (permutations, systems, measures, 2) twice: of the first run of each system,
    swapped with the baseline's first.
    """
    total = table.parts.sum(axis=0)
    firsts = [table.systems.index(system) for system in dict.fromkeys(table.systems)]

    def change(rows: slice | Rows) -> Sums:
        changes = table.parts[rows][:, firsts[1:]] - table.parts[rows, :1]
        return changes.reshape(len(changes), (len(firsts) - 1) * total[0].size)

    moved = swapped_changes(change, len(table.parts), settings.resamples, seeded(settings, table.gold))
    nothing = np.zeros((settings.resamples, 1, *total.shape[1:]))  # the baseline swapped with itself
    moved = np.concatenate([nothing, moved.reshape(settings.resamples, len(firsts) - 1, *total.shape[1:])], axis=1)
    return [total, total[:1] + moved, total[firsts] - moved]


def _estimate(sample: _Sample, runs: Sequence[Sequence[int]], m: int) -> Estimate:
    """The mean of a system's runs, or its difference from the mean of the baseline's runs, with errors."""
    spread = spread_of(sample.strata, runs, m)
    variance = spread.variance + (spread.observation if len(runs) > 1 else 0.0)
    # the variance of runs includes this part
    variance -= math.fsum(disagreement_of(sample.strata, numbers, m) for numbers in runs)
    values = [sample.values[list(numbers), m] for numbers in runs]
    value = math.fsum(sign * of_system.mean() for sign, of_system in zip((1, -1), values, strict=False))
    return Estimate(value, max(0.0, variance), spread.freedom, spread.n_units, tuple(run_errors(values)))


def permutation_p(permuted: Sums, observed: Sums | float, equal: float = EQUAL) -> Sums:
    """Return (1 + permutations as extreme) / (1 + permutations), two-sided, never 0 (Davison and Hinkley 1997, 4.11).

    A permutation without a value, since nothing is left to count, is treated as equally extreme.

    Args:
        permuted: the statistic of each permutation, or NaN, shape (permutations, ...).
        observed: the statistic of the data, shape (...).
        equal: the difference below which statistics are ties.
    """
    less = np.count_nonzero(np.abs(permuted) < np.abs(observed) - equal, axis=0)
    return np.asarray((1 + len(permuted) - less) / (1 + len(permuted)))
