"""Systems against a baseline: intervals by the paired bootstrap, p-values by paired approximate randomisation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.corrections import holm
from levelhead.significance.counted import Counted
from levelhead.significance.equivalence import Equivalence, equivalence, margin_of
from levelhead.significance.resampling import resampled, swapped
from levelhead.significance.runs import draw_run_errors, enough_runs

Sums = NDArray[np.float64]

EQUAL = 1e-12
"""Differences closer than this are ties: sums of integers in another order give the same ratio but for rounding."""

_LEVEL = 1.959963984540054
"""Standard errors within which 95% of a normal distribution lie."""

_POWER = _LEVEL + 0.8416212335729143
"""Standard errors that a difference must have to be found in 80% of cases at the two-sided level of 5%."""


class Settings(NamedTuple):
    """How differences are tested.

    Args:
        resamples: how many resamples of the bootstrap, and how many permutations.
        seed: of all draws.
        level: of the intervals.
        margin: the largest difference that does not matter, in points (0.5 is half a percentage point), or as a ratio
            above 1 for perplexities; None to test no equivalence.
    """

    resamples: int = 10_000
    seed: int = 0
    level: float = 0.95
    margin: float | None = None


def signature_of(settings: Settings) -> dict[str, str]:
    """Return what decides the draws, for signatures.

    Args:
        settings: how differences are tested.
    """
    level = {} if settings.level == STANDARD.level else {"level": f"{settings.level:g}"}
    return {"resamples": str(settings.resamples), "seed": str(settings.seed), **level, "numpy": np.__version__}


STANDARD = Settings()
"""10,000 resamples, intervals of 95%."""


class Result(NamedTuple):
    """One system, one measure, one treebank or average.

    Args:
        treebank: the name of the treebank or of the average, "macro-average" or "micro-average".
        measure: the measure.
        system: the system.
        value: its value (the mean of its runs), None where there is nothing to count.
        interval: of the value, by bootstrap over sentences (and runs).
        spread: the standard deviation over runs; None for one run.
        difference: the value minus the baseline's; None for the baseline.
        difference_interval: of the difference.
        p: of the hypothesis of no difference.
        p_holm: the same, corrected for the number of systems (Holm).
        detectable: the smallest difference that would be found with a probability of 80%.
        test: where p comes from: "randomisation", (1 + as extreme ones) / (1 + permutations); "bootstrap" where one of
            the two has several runs.
        average: which average over treebanks this is; None for a treebank, whatever its name.
        runs: how many runs the system and the baseline have.
        equivalent: whether the difference is within the margin: "yes", "no" (it is larger) or "not shown"; None without
            a margin.
        p_equivalent: the p-value of the two one-sided tests of equivalence.
    """

    treebank: str
    measure: str
    system: str
    value: float | None
    interval: tuple[float, float] | None
    spread: float | None = None
    difference: float | None = None
    difference_interval: tuple[float, float] | None = None
    p: float | None = None
    p_holm: float | None = None
    detectable: float | None = None
    test: Literal["randomisation", "bootstrap"] | None = None
    average: Literal["macro", "micro"] | None = None
    runs: tuple[int, int] = (1, 1)
    equivalent: Literal["yes", "no", "not shown"] | None = None
    p_equivalent: float | None = None

    @property
    def enough_runs(self) -> bool:
        """Whether the difference may be called significant, see `enough_runs`."""
        return enough_runs(*self.runs)


class _Sample(NamedTuple):
    """Values of all systems and measures: observed, over bootstrap samples, and differences over permutations.

    Args:
        observed: shape (runs, measures).
        boot: means of runs, shape (resamples, systems, measures).
        permuted: differences of the first runs to the baseline's first, shape (resamples, systems, measures).
        disagreement: the variance that the bootstrap sees in the mean of runs since sentences are difficult for some
            runs and not for others, shape (systems, measures).
    """

    observed: Sums
    boot: Sums
    permuted: Sums
    disagreement: Sums


def differences(treebanks: Mapping[str, Counted], settings: Settings) -> list[Result]:
    """Compare systems with the first one, on every treebank, and on their averages if there are several.

    Bootstrap and randomization draw sentences within each treebank (stratified), by the seed and its gold contents.
    The macro-average is the mean of the treebanks' ratios, the micro-average the ratio of their summed counts.

    Several runs of a system are a sample of all possible runs: the error of their mean is added to each resampled
    value or difference, see `draw_run_errors`, since a bootstrap of k runs has only (k - 1) / k of their variance. p is
    then the share of resampled differences beyond zero: runs have no partners to be swapped with. Runs also differ
    because they fail in different sentences. The standard error of the mean includes this part, so it is removed from
    the bootstrap over sentences.

    Args:
        treebanks: the counts of each treebank, all of the same runs and measures.
        settings: how to test.
    """
    results: list[Result] = []
    first = next(iter(treebanks.values()))
    macro, micro = _Average(len(treebanks)), _Average(len(treebanks))
    for name, table in treebanks.items():
        sums = _drawn(table, seeded(settings, table.gold), settings)
        own = [table.values(part) for part in sums]
        results += _results(name, table, _sample(own, table.systems), settings)
        macro.add(own)
        micro.add(sums)
    if len(treebanks) > 1:
        means = [part / len(treebanks) for part in macro.sums]
        pooled = [first.values(part) for part in micro.sums]
        macros = _results("macro-average", first, _sample(means, first.systems), settings)
        micros = _results("micro-average", first, _sample(pooled, first.systems), settings)
        results += [one._replace(average="macro") for one in macros]
        results += [one._replace(average="micro") for one in micros]
    return results


def seeded(settings: Settings, key: str) -> np.random.SeedSequence:
    """Return the seed of one treebank's draws: what is drawn elsewhere, and in which order, changes nothing.

    Args:
        settings: the seed of all draws.
        key: the SHA-256 of the gold contents, or a name for what else is drawn together.
    """
    digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
    return np.random.SeedSequence([settings.seed, int.from_bytes(digest[:8])])


class _Average:
    """Adds up treebanks one by one, so that memory does not grow with their number."""

    def __init__(self, n_treebanks: int) -> None:
        self.needed = n_treebanks > 1
        self.sums: list[Sums] = []

    def add(self, parts: list[Sums]) -> None:
        """Add the parts of one more treebank."""
        if self.needed:
            self.sums = [one + other for one, other in zip(self.sums, parts)] if self.sums else [*map(np.copy, parts)]


def _drawn(table: Counted, seed: np.random.SeedSequence, settings: Settings) -> list[Sums]:
    """Numerators and denominators: observed, of the bootstrap, and of baseline and system after swapping.

    Shapes (runs, measures, 2), then (resamples, runs, measures, 2), then (resamples, systems, measures, 2) twice: of
    the first run of each system, swapped with the baseline's first.
    """
    for_boot, for_swaps = seed.spawn(2)
    total = table.parts.sum(axis=0)
    boot = table.shaped(resampled(table.flat, settings.resamples, for_boot))
    firsts = [table.systems.index(system) for system in dict.fromkeys(table.systems)]
    change = table.parts[:, firsts] - table.parts[:, :1]
    moved = swapped(change.reshape(len(change), -1), settings.resamples, for_swaps)
    moved = moved.reshape(-1, *change.shape[1:])
    return [total, boot, total[:1] + moved, total[firsts] - moved]


def _sample(values: list[Sums], systems: Sequence[str]) -> _Sample:
    observed, boot, baseline, system = values
    permuted = system - baseline
    if len(set(systems)) == len(systems):
        return _Sample(observed, boot, permuted, np.zeros(boot.shape[1:]))
    distinct = dict.fromkeys(systems)
    each = [boot[:, [run for run, other in enumerate(systems) if other == name]] for name in distinct]
    means = np.stack([own.mean(axis=1) for own in each], axis=1)
    return _Sample(observed, means, permuted, np.stack([_disagreement(own) for own in each]))


def _disagreement(boot: Sums) -> Sums:
    """The variance of the mean of runs that is of runs and sentences together, shape (measures,).

    Args:
        boot: the resampled values of the runs of one system, shape (resamples, runs, measures).
    """
    n_runs = boot.shape[1]
    if n_runs == 1:
        return np.zeros(boot.shape[2])
    apart = np.nan_to_num(boot - boot.mean(axis=1, keepdims=True))
    found: Sums = apart.var(axis=0).sum(axis=0) / (n_runs - 1) / n_runs
    return found


def _without(boot: Sums, variance: float) -> Sums:
    """Draw resampled values nearer together, so that their variance is smaller by as much."""
    known = boot[~np.isnan(boot)]
    whole = float(known.var()) if len(known) else 0.0
    if not variance or whole <= EQUAL**2:
        return boot
    middle = known.mean()
    nearer: Sums = middle + (boot - middle) * max(0.0, 1 - variance / whole) ** 0.5
    return nearer


def _results(name: str, table: Counted, sample: _Sample, settings: Settings) -> list[Result]:
    systems = list(dict.fromkeys(table.systems))
    found = []
    for m in range(len(table.measures)):
        rows = [_result(name, table, sample, settings, systems, s, m) for s in range(len(systems))]
        adjusted = holm([row.p for row in rows])
        found += [row._replace(p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    return found


def _result(
    name: str, table: Counted, sample: _Sample, settings: Settings, systems: list[str], s: int, m: int
) -> Result:
    def own(system: str) -> Sums:
        chosen: Sums = sample.observed[np.array(table.systems) == system, m]
        return chosen

    values, baseline = own(systems[s]), own(systems[0])
    value = float(values.mean())
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    errors = draw_run_errors([values], settings.resamples, seeded(settings, "runs"))
    within = interval(_without(sample.boot[:, s, m], sample.disagreement[s, m]) + errors, settings)
    runs = (len(values), len(baseline))
    result = Result(name, table.measures[m], systems[s], _number(value), within, spread, runs=runs)
    observed = value - float(baseline.mean())
    if s == 0 or np.isnan(observed):
        return result
    several = max(runs) > 1
    changes = _changes(sample, [values, baseline], s, m, settings)
    within_margin = _equivalence(table, sample, [values, baseline], s, m, settings)
    return result._replace(
        difference=observed,
        difference_interval=interval(changes, settings),
        p=float(bootstrap_p(changes) if several else permutation_p(sample.permuted[:, s, m], observed)),
        detectable=_detectable(changes, several=several),
        test="bootstrap" if several else "randomisation",
        equivalent=within_margin and within_margin.shown,
        p_equivalent=within_margin and within_margin.p,
    )


def _changes(sample: _Sample, runs: Sequence[Sums], s: int, m: int, settings: Settings) -> Sums:
    """The resampled differences of a system to the baseline, with the errors of the means of their runs."""
    apart = float(sample.disagreement[s, m] + sample.disagreement[0, m])
    errors = draw_run_errors(runs, settings.resamples, seeded(settings, "runs"))
    return _without(sample.boot[:, s, m] - sample.boot[:, 0, m], apart) + errors


def _equivalence(
    table: Counted, sample: _Sample, runs: Sequence[Sums], s: int, m: int, settings: Settings
) -> Equivalence | None:
    """Whether the difference is within the margin, if there is one; that of perplexities is of their logarithms."""
    if settings.margin is None:
        return None
    perplexity = m in table.perplexities
    if perplexity:
        changes = _changes(_logarithms(sample, s, m), [np.log(own) for own in runs], 1, 0, settings)
    else:
        changes = _changes(sample, runs, s, m, settings)
    margin = margin_of(settings.margin, perplexity=perplexity)
    found = equivalence(lambda level: interval(changes, settings._replace(level=level)), margin, settings.resamples)
    enough = enough_runs(*map(len, runs))
    return found if enough or found is None else found._replace(shown="not shown")


def _logarithms(sample: _Sample, s: int, m: int) -> _Sample:
    """The logarithms of one measure of the baseline and a system, with variances by the delta method."""
    boot, variance = sample.boot[:, [0, s], m : m + 1], sample.disagreement[[0, s], m : m + 1]
    return sample._replace(boot=np.log(boot), disagreement=variance / np.nanmean(boot, axis=0) ** 2)


def _detectable(differences: Sums, *, several: bool) -> float | None:
    """2.8 standard errors; of runs by the middle 95%, since Student's t has no standard deviation for two of them."""
    known = differences[~np.isnan(differences)]
    if len(known) < 2:
        return None
    if not several:
        return _POWER * float(known.std(ddof=1))
    low, high = np.quantile(known, [0.025, 0.975])
    return _POWER / _LEVEL * float(high - low) / 2


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def interval(values: Sums, settings: Settings) -> tuple[float, float] | None:
    """Return the percentile interval of resampled values; None where none has a value.

    Args:
        values: the value of each resample, nan where it has none, shape (resamples,).
        settings: the level.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    tail = (1 - settings.level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


def permutation_p(permuted: Sums, observed: Sums | float, equal: float = EQUAL) -> Sums:
    """Return (1 + permutations as extreme) / (1 + permutations), two-sided, never 0 (Davison and Hinkley 1997, 4.11).

    A permutation without a value, since nothing is left to count, is taken for as extreme.

    Args:
        permuted: the statistic of each permutation, NaN where it has none, shape (permutations, ...).
        observed: the statistic of the data, shape (...).
        equal: the difference below which statistics are ties.
    """
    less = np.count_nonzero(np.abs(permuted) < np.abs(observed) - equal, axis=0)
    return np.asarray((1 + len(permuted) - less) / (1 + len(permuted)))


def bootstrap_p(values: Sums) -> Sums:
    """Return twice the smaller share of resampled differences on either side of zero: two-sided, never 0.

    Args:
        values: the difference in each resample, nan where it has none, shape (resamples, ...).
    """
    below, above = np.count_nonzero(values <= EQUAL, axis=0), np.count_nonzero(values >= -EQUAL, axis=0)
    n_known = np.count_nonzero(~np.isnan(values), axis=0)
    return np.asarray(np.minimum(1.0, 2 * (1 + np.minimum(below, above)) / (1 + n_known)))
