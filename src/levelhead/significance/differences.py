"""Systems against a baseline: intervals by the paired bootstrap, p-values by paired approximate randomisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.significance.corrections import holm
from levelhead.significance.counted import Counted
from levelhead.significance.resampling import resampled, swapped

Sums = NDArray[np.float64]

_EQUAL = 1e-12
"""Differences closer than this are ties: sums of integers in another order give the same ratio but for rounding."""

_POWER = 1.959963984540054 + 0.8416212335729143
"""Standard errors that a difference must have to be found in 80% of cases at the two-sided level of 5%."""


class Settings(NamedTuple):
    """How differences are tested.

    Args:
        resamples: how many resamples of the bootstrap, and how many permutations.
        seed: of all draws.
        level: of the intervals.
    """

    resamples: int = 10_000
    seed: int = 1
    level: float = 0.95


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
        treebank: the treebank, or "macro-average" or "micro-average".
        measure: the measure.
        system: the system.
        value: its value (the mean of its runs), None where there is nothing to count.
        interval: of the value, by bootstrap over sentences (and runs).
        spread: the standard deviation over runs; None for one run.
        difference: the value minus the baseline's; None for the baseline.
        difference_interval: of the difference.
        p: of the hypothesis of no difference: (1 + as extreme ones) / (1 + permutations).
        p_holm: the same, corrected for the number of systems (Holm).
        detectable: the smallest difference that would be found with a probability of 80%.
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


class _Sample(NamedTuple):
    """Values of all systems and measures: observed, over bootstrap samples, and differences over permutations.

    Args:
        observed: shape (runs, measures).
        boot: shape (resamples, systems, measures).
        permuted: differences to the baseline, shape (resamples, systems, measures); None with several runs.
    """

    observed: Sums
    boot: Sums
    permuted: Sums | None


def differences(treebanks: Mapping[str, Counted], settings: Settings) -> list[Result]:
    """Compare systems with the first one, on every treebank, and on their averages if there are several.

    Bootstrap and randomisation draw sentences within each treebank (stratified). The macro-average is the mean of the
    treebanks' ratios, the micro-average the ratio of their summed counts. With several runs of any system, runs are
    drawn too, and p is the bootstrap's: runs cannot be paired, and so not swapped.

    Args:
        treebanks: the counts of each treebank, all of the same runs and measures.
        settings: how to test.
    """
    tables = list(treebanks.values())
    seeds = np.random.SeedSequence(settings.seed).spawn(len(tables) + 1)
    runs = _drawn_runs(tables[0].systems, settings.resamples, np.random.default_rng(seeds[-1]))
    results: list[Result] = []
    macro, micro = _Average(len(tables)), _Average(len(tables))
    for (name, table), seed in zip(treebanks.items(), seeds):
        sums = _drawn(table, seed, settings)
        own = [None if part is None else table.values(part) for part in sums]
        results += _results(name, table, _sample(own, runs), settings)
        macro.add(own)
        micro.add(sums)
    if len(tables) > 1:
        means = [None if part is None else part / len(tables) for part in macro.sums]
        pooled = [None if part is None else tables[0].values(part) for part in micro.sums]
        results += _results("macro-average", tables[0], _sample(means, runs), settings)
        results += _results("micro-average", tables[0], _sample(pooled, runs), settings)
    return results


class _Average:
    """Adds up treebanks one by one, so that memory does not grow with their number."""

    def __init__(self, n_treebanks: int) -> None:
        self.needed = n_treebanks > 1
        self.sums: list[Sums | None] = []

    def add(self, parts: list[Sums | None]) -> None:
        """Add the parts of one more treebank."""
        if not self.needed:
            return
        if not self.sums:
            self.sums = [None if part is None else part.copy() for part in parts]
            return
        pairs = zip(self.sums, parts, strict=True)
        self.sums = [None if one is None or other is None else one + other for one, other in pairs]


def _drawn(table: Counted, seed: np.random.SeedSequence, settings: Settings) -> list[Sums | None]:
    """Numerators and denominators: observed, of the bootstrap, and of baseline and system after swapping.

    Shapes (runs, measures, 2), then (resamples, runs, measures, 2) three times; the last two are None where a system
    has several runs.
    """
    for_boot, for_swaps = seed.spawn(2)
    total = table.parts.sum(axis=0)
    boot = table.shaped(resampled(table.flat, settings.resamples, np.random.default_rng(for_boot)))
    if len(set(table.systems)) < len(table.systems):
        return [total, boot, None, None]
    change = table.parts - table.parts[:, :1]
    flat = change.reshape(len(change), -1)
    moved = table.shaped(swapped(flat, settings.resamples, np.random.default_rng(for_swaps)))
    return [total, boot, total[:1] + moved, total - moved]


def _sample(values: list[Sums | None], runs: Sums) -> _Sample:
    observed, boot, baseline, system = values
    if observed is None or boot is None:
        raise ValueError("nothing was observed")
    permuted = None if baseline is None or system is None else system - baseline
    return _Sample(observed, _mean_of_runs(boot, runs), permuted)


def _drawn_runs(systems: Sequence[str], resamples: int, rng: np.random.Generator) -> Sums:
    """The share of each run in each resample of runs, shape (resamples, systems, runs)."""
    distinct = list(dict.fromkeys(systems))
    weights = np.zeros((resamples, len(distinct), len(systems)))
    for number, system in enumerate(distinct):
        own = np.flatnonzero(np.array(systems) == system)
        drawn = rng.multinomial(len(own), np.full(len(own), 1 / len(own)), size=resamples)
        weights[:, number, own] = drawn / len(own)
    return weights


def _mean_of_runs(values: Sums, runs: Sums) -> Sums:
    """The mean over drawn runs, shape (resamples, systems, measures)."""
    if runs.shape[1] == runs.shape[2]:
        return values
    mean: Sums = np.einsum("rst,rtm->rsm", runs, values)
    return mean


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

    values, baseline = own(systems[s]), float(own(systems[0]).mean())
    value = float(values.mean())
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    result = Result(
        name, table.measures[m], systems[s], _number(value), interval(sample.boot[:, s, m], settings), spread
    )
    if s == 0 or np.isnan(value - baseline):
        return result
    boot = sample.boot[:, s, m] - sample.boot[:, 0, m]
    observed = value - baseline
    permuted = None if sample.permuted is None else sample.permuted[:, s, m]
    return result._replace(
        difference=observed,
        difference_interval=interval(boot, settings),
        p=bootstrap_p(boot) if permuted is None else _permutation_p(permuted, observed),
        detectable=_detectable(boot),
    )


def _detectable(differences: Sums) -> float | None:
    known = differences[~np.isnan(differences)]
    return _POWER * float(known.std(ddof=1)) if len(known) > 1 else None


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


def _permutation_p(permuted: Sums, observed: float) -> float:
    """(1 + permutations as extreme) / (1 + permutations), two-sided: never 0 (Davison and Hinkley 1997, 4.11).

    A permutation that leaves nothing to count on one side has no difference, and is taken for as extreme.
    """
    less = np.count_nonzero(np.abs(permuted) < abs(observed) - _EQUAL)
    return float((1 + len(permuted) - less) / (1 + len(permuted)))


def bootstrap_p(values: Sums) -> float:
    """Return twice the smaller share of resampled differences on either side of zero: two-sided, never 0.

    Args:
        values: the difference in each resample, nan where it has none, shape (resamples,).
    """
    known = values[~np.isnan(values)]
    below, above = np.count_nonzero(known <= _EQUAL), np.count_nonzero(known >= -_EQUAL)
    return float(min(1.0, 2 * (1 + min(below, above)) / (1 + len(known))))
