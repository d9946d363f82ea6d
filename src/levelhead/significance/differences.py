"""Comparison with a baseline: intervals, tests of difference and equivalence, and wins over treebanks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError
from levelhead.significance.corrections import holm, sign_test, signed_rank_test
from levelhead.significance.estimates import Estimate, Interval, enough_runs, run_errors
from levelhead.significance.jackknife import (
    Stratum,
    SystemCounts,
    disagreement_of,
    leave_out,
    leave_out_of,
    spread_of,
)
from levelhead.significance.resampling import InferenceSettings, Rows, Sums, seeded, swapped_changes

ALPHA = 0.05
"""The level of each of the two one-sided tests."""


class Equivalence(NamedTuple):
    """The result of an equivalence test.

    Args:
        shown: "yes" (the difference is smaller than the margin), "no" (it is larger), or "not shown" (undecided).
        p: the p-value of the two one-sided tests.
    """

    shown: Literal["yes", "no", "not shown"]
    p: float


def equivalence(difference: Estimate, margin: float) -> Equivalence | None:
    """Return the result of two one-sided tests of a difference against a margin (Schuirmann 1987).

    "yes" if the 90% interval is inside (-margin, margin), "no" if it is outside.

    Args:
        difference: the difference.
        margin: the largest irrelevant difference, in the unit of the difference.

    Returns:
        None if there are too few units.
    """
    p = difference.p_within(margin)
    return None if p is None else Equivalence("yes" if p < ALPHA else "no" if p > 1 - ALPHA else "not shown", p)


def margin_of(margin: float, *, perplexity: bool) -> float:
    """Return a margin in the unit of differences: a share of 1, or the logarithm of a ratio of perplexities."""
    return math.log(margin) if perplexity else margin / 100


def check_margin(margin: float | None, n_systems: int, n_measures: int, n_perplexities: int) -> None:
    """Refuse a margin that cannot be tested.

    Args:
        margin: as in `margin_of`, or None.
        n_systems: the number of systems.
        n_measures: the number of measures.
        n_perplexities: the number of measures that are perplexities.

    Raises:
        InputError: the margin is not positive, is above 100 points, is a ratio of at most 1, or there is only one
            system.
    """
    if margin is None:
        return
    if n_systems < 2:
        raise _refusal("requires at least two systems")
    if not math.isfinite(margin) or margin <= 0:
        raise _refusal(f"must be a number above 0, not {margin:g}")
    if 0 < n_perplexities < n_measures:
        raise _refusal("is in points for scores, and a ratio for perplexities: compare them separately")
    if not n_perplexities and margin > 100:
        raise _refusal(f"is in points and must be at most 100, not {margin:g}")
    if n_perplexities and margin <= 1:
        raise _refusal(f"is a ratio of perplexities and must be above 1, not {margin:g}: 1.05 allows 5%")


def _refusal(reason: str) -> InputError:
    return InputError(Fault("invalid-margin", f"the margin {reason}"))


EQUAL = 1e-12
"""Smaller differences are ties, since sums in another order differ by rounding errors."""

Average = Literal["macro", "micro"]


class ComparedScore(NamedTuple):
    """One system, one measure, one treebank or average.

    Args:
        treebank: the name of the treebank or of the average, "macro-average" or "micro-average".
        measure: the measure.
        system: the system.
        value: its value (the mean of its runs); None if there is nothing to count.
        interval: the confidence interval of the value; None with fewer than 10 units, like all fields computed from
            standard errors.
        spread: the standard deviation over runs; None for a single run.
        difference: the value minus the baseline's; None for the baseline.
        difference_interval: the confidence interval of the difference.
        p: the p-value of the hypothesis of no difference.
        p_holm: the p-value corrected for the number of systems (Holm).
        detectable: the smallest true difference that a test at 5% detects with a probability of 80%; None with too few
            units or runs.
        test: the test of p: "randomization" if both have one run, otherwise "runs".
        average: the kind of average over treebanks; None for a treebank.
        runs: the numbers of runs of the system and the baseline.
        equivalent: whether the difference is within the margin: "yes", "no" (it is larger) or "not shown"; None without
            a margin.
        p_equivalent: the p-value of the two one-sided tests of equivalence.
        n_units: the number of units (sentences or documents) with counts.
        ratio_interval: the confidence interval of the ratio to the baseline's perplexity; None for other measures, or
            without a margin.
    """

    treebank: str
    measure: str
    system: str
    value: float | None
    interval: Interval | None
    spread: float | None = None
    difference: float | None = None
    difference_interval: Interval | None = None
    p: float | None = None
    p_holm: float | None = None
    detectable: float | None = None
    test: Literal["randomization", "runs"] | None = None
    average: Average | None = None
    runs: tuple[int, int] = (1, 1)
    equivalent: Literal["yes", "no", "not shown"] | None = None
    p_equivalent: float | None = None
    n_units: int = 0
    ratio_interval: Interval | None = None

    @property
    def enough_runs(self) -> bool:
        """Whether there are enough runs for a significant difference, see `enough_runs`."""
        return enough_runs(*self.runs)


class _Sample(NamedTuple):
    """All runs and measures on a test set or average.

    Args:
        name: the name of the test set or average.
        systems: the system of each run.
        values: shape (runs, measures).
        strata: the effect of each unit on the values.
        permuted: the differences of each system's first run to the baseline's first after swaps, shape (permutations,
            systems, measures).
        average: the kind of average.
    """

    name: str
    systems: tuple[str, ...]
    values: Sums
    strata: Sequence[Stratum]
    permuted: Sums
    average: Average | None = None


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
    results = []
    for sample in _samples(treebanks, settings):
        for m in range(len(first.measures)):
            rows = [_result(sample, first, s, m, settings) for s in range(len(dict.fromkeys(sample.systems)))]
            adjusted = holm([row.p for row in rows])
            results += [row._replace(p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    return results


def _samples(treebanks: Mapping[str, SystemCounts], settings: InferenceSettings) -> Iterator[_Sample]:
    """Each treebank, then the averages; permutations are summed to save memory."""
    macro: list[Sums] = []
    micro: list[Sums] = []
    strata: list[Stratum] = []
    tables = list(treebanks.values())
    for name, table in treebanks.items():
        sums = _swapped(table, settings)
        values = [table.values(part) for part in sums]
        yield _Sample(name, table.systems, values[0], [leave_out(table)], values[2] - values[1])
        if len(tables) > 1:
            macro = _added(macro, values)
            micro = _added(micro, sums)
            strata.append(leave_out(table, 1 / len(tables)))
    if len(tables) > 1:
        means = [part / len(tables) for part in macro]
        pooled = [tables[0].values(part) for part in micro]
        systems = tables[0].systems
        yield _Sample("macro-average", systems, means[0], strata, means[2] - means[1], "macro")
        yield _Sample("micro-average", systems, pooled[0], leave_out_of(tables), pooled[2] - pooled[1], "micro")


def _added(sums: Sequence[Sums], more: Sequence[Sums]) -> list[Sums]:
    return [one + other for one, other in zip(sums, more, strict=True)] if sums else list(more)


def _swapped(table: SystemCounts, settings: InferenceSettings) -> list[Sums]:
    """Numerators and denominators: observed, then those of the baseline and the systems after swapping units.

    Shapes (runs, measures, 2), then (permutations, systems, measures, 2) twice: of the first run of each system,
    swapped with the baseline's first.
    """
    total = table.parts.sum(axis=0)
    firsts = [table.systems.index(system) for system in dict.fromkeys(table.systems)]

    def change(rows: slice | Rows) -> Sums:
        found = table.parts[rows][:, firsts[1:]] - table.parts[rows, :1]
        return found.reshape(len(found), (len(firsts) - 1) * total[0].size)

    moved = swapped_changes(change, len(table.parts), settings.resamples, seeded(settings, table.gold))
    nothing = np.zeros((settings.resamples, 1, *total.shape[1:]))  # the baseline swapped with itself
    moved = np.concatenate([nothing, moved.reshape(settings.resamples, len(firsts) - 1, *total.shape[1:])], axis=1)
    return [total, total[:1] + moved, total[firsts] - moved]


def _result(sample: _Sample, table: SystemCounts, s: int, m: int, settings: InferenceSettings) -> ComparedScore:
    systems = list(dict.fromkeys(sample.systems))
    runs = [_runs_of(sample, name) for name in (systems[s], systems[0])]
    values = [sample.values[own, m] for own in runs]
    score = _estimate(sample, runs[:1], m)
    interval = score.log_interval if m in table.perplexities else score.score_interval
    result = ComparedScore(
        treebank=sample.name,
        measure=table.measures[m],
        system=systems[s],
        value=None if np.isnan(score.value) else score.value,
        interval=interval(settings.level),
        spread=float(values[0].std(ddof=1)) if len(values[0]) > 1 else None,
        average=sample.average,
        runs=(len(values[0]), len(values[1])),
        n_units=score.n_units,
    )
    if s == 0 or any(np.isnan(own).any() for own in values):
        return result
    return _compared(result, _estimate(sample, runs, m), sample, s, m, settings)


def _compared(
    result: ComparedScore, difference: Estimate, sample: _Sample, s: int, m: int, settings: InferenceSettings
) -> ComparedScore:
    single = result.runs == (1, 1)
    p = difference.p()
    if p is not None and single:
        p = max(p, float(permutation_p(sample.permuted[:, s, m], difference.value)))
    return result._replace(
        difference=difference.value,
        difference_interval=_bounded(difference.interval(settings.level), bounded=bool(sample.strata[0].is_ratio[m])),
        p=p,
        detectable=difference.detectable() if result.enough_runs else None,
        test=None if p is None else "randomization" if single else "runs",
        n_units=difference.n_units,
        **_equivalence(result, difference, sample, s, m, settings),
    )


def _bounded(interval: Interval | None, *, bounded: bool) -> Interval | None:
    """The interval of a difference between two scores, limited to the range from -1 to 1."""
    return (max(-1.0, interval[0]), min(1.0, interval[1])) if interval is not None and bounded else interval


def _equivalence(
    result: ComparedScore, difference: Estimate, sample: _Sample, s: int, m: int, settings: InferenceSettings
) -> dict[str, Any]:
    """Whether the difference is within the margin, or None; perplexities are compared by logarithms."""
    if settings.margin is None:
        return {}
    perplexity = not sample.strata[0].is_ratio[m]
    ratio = None
    if perplexity:
        systems = list(dict.fromkeys(sample.systems))
        runs = [_runs_of(sample, name) for name in (systems[s], systems[0])]
        strata = [stratum._replace(moves=stratum.moves / sample.values) for stratum in sample.strata]  # delta method
        difference = _estimate(sample._replace(values=np.log(sample.values), strata=strata), runs, m)
        between = difference.interval(settings.level)
        ratio = None if between is None else (math.exp(between[0]), math.exp(between[1]))
    found = equivalence(difference, margin_of(settings.margin, perplexity=perplexity))
    if found is None:
        return {"equivalent": "not shown"}
    shown = found.shown if result.enough_runs else "not shown"
    return {"equivalent": shown, "p_equivalent": found.p, "ratio_interval": ratio}


def _runs_of(sample: _Sample, system: str) -> list[int]:
    return [number for number, name in enumerate(sample.systems) if name == system]


def _estimate(sample: _Sample, runs: Sequence[Sequence[int]], m: int) -> Estimate:
    """The mean of a system's runs, or its difference from the mean of the baseline's runs, with errors."""
    contrast = np.zeros(len(sample.systems))
    for sign, own in zip((1, -1), runs, strict=False):
        contrast[list(own)] += sign / len(own)
    spread = spread_of(sample.strata, contrast, m)
    variance = spread.variance + (spread.observation if len(runs) > 1 else 0.0)
    # the variance of runs includes this part
    variance -= math.fsum(disagreement_of(sample.strata, own, m) for own in runs)
    values = [sample.values[list(own), m] for own in runs]
    value = math.fsum(sign * own.mean() for sign, own in zip((1, -1), values, strict=False))
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


class Wins(NamedTuple):
    """The wins of a system against the baseline.

    Args:
        measure: the measure.
        system: the system.
        won: treebanks on which it is significantly better: p below the level, corrected for the number of treebanks.
        tied: treebanks without a significant difference.
        lost: treebanks on which it is significantly worse.
        better: treebanks on which its value is better, significantly or not.
        worse: treebanks on which its value is worse.
        sign_p: the p-value of the sign test over votes; None if all votes are ties.
        wilcoxon_p: the p-value of Wilcoxon's signed-rank test over votes; None if not requested.
        votes: the number of votes in these two tests.
        better_on_at_least: the minimum number of treebanks on which it is better, at the level of the intervals.
        worse_on_at_least: the minimum number of treebanks on which it is worse.
    """

    measure: str
    system: str
    won: int
    tied: int
    lost: int
    better: int
    worse: int
    sign_p: float | None
    wilcoxon_p: float | None = None
    votes: int = 0
    better_on_at_least: int = 0
    worse_on_at_least: int = 0


def count_wins(
    results: Sequence[ComparedScore], voters: Mapping[str, str], level: float, *, sign: int, wilcoxon: bool
) -> Wins:
    """Return the number of treebanks on which a system is better than the baseline, with tests over treebanks.

    Args:
        results: the results of a system for a measure, one per treebank with a difference; at least one.
        voters: the voter of each treebank in tests over treebanks: itself, its language or its family.
        level: the p-value below which a difference is significant.
        sign: 1 if higher values are better, -1 if lower values are.
        wilcoxon: whether to compute Wilcoxon's test as well.
    """
    changes = {result.treebank: sign * (result.difference or 0.0) for result in results}
    corrected = holm([result.p for result in results])
    real = [result.enough_runs and p is not None and p < level for result, p in zip(results, corrected, strict=True)]
    won = sum(yes and change > 0 for yes, change in zip(real, changes.values(), strict=True))
    lost = sum(yes and change < 0 for yes, change in zip(real, changes.values(), strict=True))
    votes = mean_votes(changes, voters)
    return Wins(
        measure=results[0].measure,
        system=results[0].system,
        won=won,
        tied=len(results) - won - lost,
        lost=lost,
        better=sum(change > 0 for change in changes.values()),
        worse=sum(change < 0 for change in changes.values()),
        sign_p=sign_test(votes),
        wilcoxon_p=signed_rank_test(votes) if wilcoxon else None,
        votes=len(votes),
        better_on_at_least=_better_on_at_least(results, sign, level),
        worse_on_at_least=_better_on_at_least(results, -sign, level),
    )


def mean_votes(differences: Mapping[str, float], voters: Mapping[str, str]) -> list[float]:
    """Return the vote of each voter: the mean of the differences on its treebanks.

    Args:
        differences: the difference on each treebank.
        voters: the voter of each treebank.
    """
    own: dict[str, list[float]] = {}
    for treebank, difference in differences.items():
        own.setdefault(voters[treebank], []).append(difference)
    return [math.fsum(some) / len(some) for some in own.values()]


def better_on_at_least(one_sided: Sequence[float], level: float) -> int:
    """Return the largest k for which "better on at least k treebanks" is shown (Dror et al. 2017, k by Bonferroni).

    "Better on at least k of n" has the p-value (n - k + 1) times the k-th smallest p-value, the partial conjunction
    by Bonferroni (Benjamini and Heller 2008), which is valid for any dependence between treebanks. The largest k for
    which this p-value and those of all smaller k are below the level is the number of treebanks that Holm's method
    finds.

    Args:
        one_sided: the p-value of each treebank, of the hypothesis that the system is not better.
        level: the probability of claiming too many treebanks.
    """
    return sum(p is not None and p < level for p in holm(one_sided))


def _better_on_at_least(results: Sequence[ComparedScore], sign: int, level: float) -> int:
    tested = [result for result in results if result.p is not None and result.enough_runs]
    halves = [((result.p or 0.0) / 2, sign * (result.difference or 0.0)) for result in tested]
    return better_on_at_least([half if change > 0 else 1 - half for half, change in halves], level)
