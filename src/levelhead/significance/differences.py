"""Comparison with a baseline: intervals, tests of difference and equivalence, and wins over treebanks."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    values: Sums  # shape (runs, measures)
    strata: Sequence[Stratum]  # the effect of each unit on the values
    permuted: Sums  # differences of first runs to the baseline's after swaps, shape (permutations, systems, measures)
    average: Average | None = None


@immutable
class Statistic(Field):
    """A statistic of a comparison, with its column in tables, for an interval without the level."""

    column: Column | None = None  # None if only JSON has it
    # whether the table of some scores has the column, by these scores and the signature of the comparison
    shown: Callable[[Sequence[Any], Mapping[str, str]], bool] = lambda *_: True

    def cell(self, value: Any, *, of_baseline: bool, plain: bool) -> Cell:
        """Return a value as a cell of the column; what is computed from a difference is empty for the baseline."""
        column = self.column or Column("")
        if (of_baseline and column.kind in {"difference", "probability"}) or (value is None and column.kind == "text"):
            return ""
        if not self.scaled:
            return cast("Cell", value)
        return interval_cell(value, perplexity=plain) if column.ends else value_cell(value, perplexity=plain)


_Number = float | None
_Ends = Interval | None
_Share = (0, 1)
DIFFERENCE = Column("Diff.", "difference", key="Diff")
HOLM = Column("p", "probability", key="p (Holm)")
STARS = Column("", "text", key="Stars")
_CHANGE = Column("CI", "difference", ends=("diff_low", "diff_high"))


@documented
class ComparedScore(NamedTuple):
    """One system, one measure, one treebank or average.

    What is computed from standard errors is None with fewer than 10 units.
    """

    treebank: Annotated[str, Statistic("Treebank, or the name of the average", column=Column("Treebank", "text"))]
    measure: Annotated[str, Statistic("Measure", column=Column("Measure", "text"))]
    system: Annotated[str, Statistic("System", column=Column("System", "text"))]
    value: Annotated[_Number, Statistic("Value; the mean over runs", column=Column("Score"), scaled=True)]
    interval: Annotated[
        _Ends, Statistic("Confidence interval of the value", column=Column("CI", ends=("low", "high")), scaled=True)
    ]
    spread: Annotated[
        _Number,
        Statistic(
            "Standard deviation between runs; null with one run",
            (0,),
            column=Column("SD"),
            shown=lambda results, _: any(result.spread is not None for result in results),
            scaled=True,
        ),
    ] = None
    difference: Annotated[_Number, Statistic("System minus baseline", column=DIFFERENCE, scaled=True)] = None
    difference_interval: Annotated[
        _Ends, Statistic("Confidence interval of the difference", column=_CHANGE, scaled=True)
    ] = None
    p: Annotated[
        _Number, Statistic("P-value of the difference", _Share, column=Column("p", "probability", tidy_only=True))
    ] = None
    p_holm: Annotated[_Number, Statistic("P-value corrected for several systems (Holm)", _Share, column=HOLM)] = None
    detectable: Annotated[
        _Number, Statistic("Smallest difference that is detected with a power of 80%", (0,), scaled=True)
    ] = None
    test: Annotated[
        Literal["randomization", "runs"] | None,
        Statistic(
            "Test that was used",
            column=Column("Test", "text", tidy_only=True),
            shown=lambda results, _: any(result.test == "runs" for result in results),
        ),
    ] = None
    average: Annotated[
        Average | None, Statistic("Kind of average; null for a treebank", column=Column("Avg.", "text", key="Average"))
    ] = None
    runs: Annotated[tuple[int, int], Statistic("Runs of the system and of the baseline")] = (1, 1)
    equivalent: Annotated[
        Literal["yes", "no", "not shown"] | None,
        Statistic(
            "With --margin: are the systems equivalent?",
            column=Column("Equiv.", "text", key="Equivalent"),
            shown=lambda _, signature: "margin" in signature,
        ),
    ] = None
    p_equivalent: Annotated[
        _Number,
        Statistic(
            "P-value of equivalence (TOST)",
            _Share,
            column=Column("p (TOST)", "probability", tidy_only=True),
            shown=lambda _, signature: "margin" in signature,
        ),
    ] = None
    n_units: Annotated[int, Statistic("Number of units")] = 0
    ratio_interval: Annotated[_Ends, Statistic("For perplexities with --margin: confidence interval of the ratio")] = (
        None
    )

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
    systems = list(dict.fromkeys(first.systems))
    results = []
    for sample in _samples(treebanks, settings):
        for m in range(len(first.measures)):
            scores = [_compared(sample, first, (s, system), m, settings) for s, system in enumerate(systems)]
            results += [score._replace(p_holm=p) for score, p in zip(scores, holm([score.p for score in scores]))]
    return results


def _compared(
    sample: _Sample, table: SystemCounts, numbered: tuple[int, str], m: int, settings: InferenceSettings
) -> ComparedScore:
    """Return a system, with its number, compared with the baseline, except for `p_holm`; the baseline has number 0."""
    (s, system), level, perplexity = numbered, settings.level, m in table.perplexities
    runs = [[run for run, name in enumerate(table.systems) if name == of] for of in (system, table.systems[0])]
    values = [sample.values[numbers, m] for numbers in runs]
    score = _estimate(sample, runs[:1], m)
    compared = ComparedScore(
        sample.name,
        table.measures[m],
        system,
        None if np.isnan(score.value) else score.value,
        (score.log_interval if perplexity else score.score_interval)(level),
        float(values[0].std(ddof=1)) if len(runs[0]) > 1 else None,
        average=sample.average,
        runs=(len(runs[0]), len(runs[1])),
        n_units=score.n_units,
    )
    if s == 0 or any(np.isnan(of_system).any() for of_system in values):
        return compared
    difference, single = _estimate(sample, runs, m), max(compared.runs) == 1
    p = difference.p()
    if p is not None and single:  # the larger of two p-values
        p = max(p, float(permutation_p(sample.permuted[:, s, m], difference.value)))
    compared = compared._replace(
        difference=difference.value,
        difference_interval=(difference.interval if perplexity else difference.difference_interval)(level),
        p=p,
        detectable=difference.detectable() if compared.enough_runs else None,
        test=None if p is None else "randomization" if single else "runs",
        n_units=difference.n_units,
    )
    if settings.margin is None:
        return compared
    limit, ratio = settings.margin / 100, None
    if perplexity:  # compared by logarithms, with errors by the delta method
        strata = [stratum._replace(moves=stratum.moves / sample.values) for stratum in sample.strata]
        logarithms = sample._replace(values=np.log(sample.values), strata=strata)
        difference, limit = _estimate(logarithms, runs, m), math.log(settings.margin)
        between = difference.interval(level)
        ratio = between and (math.exp(between[0]), math.exp(between[1]))
    if (result := equivalence(difference, limit)) is None:
        return compared._replace(equivalent="not shown")
    shown = result.shown if compared.enough_runs else "not shown"
    return compared._replace(equivalent=shown, p_equivalent=result.p, ratio_interval=ratio)


def _samples(treebanks: Mapping[str, SystemCounts], settings: InferenceSettings) -> Iterator[_Sample]:
    """Each treebank, then the averages; permutations are summed to save memory."""
    tables = list(treebanks.values())
    macro = micro = [np.zeros(1)] * 3
    strata: list[Stratum] = []
    for name, table in treebanks.items():
        sums = _swapped(table, settings)
        values = [table.values(part) for part in sums]
        yield _Sample(name, values[0], [leave_out(table)], values[2] - values[1])
        if len(tables) > 1:
            macro = [total + part for total, part in zip(macro, values, strict=True)]
            micro = [total + part for total, part in zip(micro, sums, strict=True)]
            strata.append(leave_out(table, 1 / len(tables)))
    if len(tables) > 1:
        means, pooled = [part / len(tables) for part in macro], [tables[0].values(part) for part in micro]
        yield _Sample("macro-average", means[0], strata, means[2] - means[1], "macro")
        yield _Sample("micro-average", pooled[0], leave_out_of(tables), pooled[2] - pooled[1], "micro")


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
