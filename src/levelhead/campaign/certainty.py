"""How sure a ranking is: intervals, ranges of ranks, and which neighbours differ significantly."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.ranking import Ranking, Standing
from levelhead.campaign.results import Results
from levelhead.measures import lower_is_better
from levelhead.significance import Settings, holm, interval, resampled, swapped
from levelhead.significance.counted import ratios

Sums = NDArray[np.float64]

_EQUAL = 1e-12
"""Averages closer than this are equal: rounding of sums must not decide a rank or a test."""


class Certainty(NamedTuple):
    """Rankings with what is certain about them.

    Args:
        rankings: the rankings, their standings with `interval` and `ranks`, with `lines` drawn.
        beaten: of each ranking, on how many test sets a system (first) is significantly better than another (second);
            none where only scores are known.
        drawn: what was drawn.
    """

    rankings: tuple[Ranking, ...]
    beaten: tuple[Mapping[tuple[str, str], int], ...]
    drawn: Literal["sentences", "test sets"] = "sentences"


def with_certainty(results: Results, rankings: Sequence[Ranking], settings: Settings) -> Certainty:
    """Say how sure rankings are, from the counts of sentences, drawn within each test set (stratified).

    Intervals of averages and ranges of ranks are percentiles over bootstrap resamples; all systems have the same
    resample, so that what is difficult for all moves none. Between neighbours a line is drawn where the paired
    approximate randomisation test of the difference of their averages, corrected by Holm's method over the pairs of
    neighbours, is below 1 - level. A system beats another on a test set where twice the smaller share of resampled
    differences is, corrected over test sets, below 1 - level. An output that is missing or invalid is 0 in every
    resample. Draws depend on the seed and on the gold file alone: not on the group, the systems or their order.

    Where only scores are known, whole test sets are drawn, and swapped between neighbours: what is certain is then
    said of other test sets of the same kind, not of other sentences of these.

    Averages are of scores at full precision, whatever the rule of ranking. A ranking by a perplexity, or without
    averages, is left as it is.

    Args:
        results: what came of the campaign: with counts of sentences, or scores alone.
        rankings: its rankings.
        settings: how many resamples and permutations, the seed, the level.

    Raises:
        ValueError: the campaign was not scored with `by_sentence`.
    """
    asked = [n for n, one in enumerate(rankings) if not one.undefined and not lower_is_better(one.measure)]
    draws = [_Draws(rankings[number], len(results.systems), settings.resamples) for number in asked]
    if results.gold:
        for test_set in results.test_sets:
            concerned = [one for one in draws if test_set.code in one.ranking.group.codes]
            if concerned:
                _draw(results, test_set.code, concerned, settings)
    else:
        for one in draws:
            _draw_test_sets(results, one, settings)
    certain, beaten = list(rankings), [dict[tuple[str, str], int]() for _ in rankings]
    for number, one in zip(asked, draws):
        certain[number] = _ranking(rankings[number], results.systems, one, settings)
        if results.gold:
            beaten[number] = _beaten(results.systems, one.p_values, 1 - settings.level)
    return Certainty(tuple(certain), tuple(beaten), "sentences" if results.gold else "test sets")


class _Draws:
    """What was drawn for one ranking, summed over its test sets.

    `values` are the resampled values of all systems, shape (resamples, systems); `permuted` and `observed` the
    differences of neighbours, shapes (resamples, pairs) and (pairs,); `p_values` the p-values of all pairs of systems
    on each test set, nan where the first is not better, shape (systems, systems) each.
    """

    def __init__(self, ranking: Ranking, n_systems: int, resamples: int) -> None:
        self.ranking = ranking
        order = [standing.system for standing in ranking.standings]
        self.pairs = list(pairwise(order))
        self.values = np.zeros((resamples, n_systems))
        self.permuted = np.zeros((resamples, len(self.pairs)))
        self.observed = np.zeros(len(self.pairs))
        self.p_values: list[Sums] = []


def _draw(results: Results, code: str, draws: Sequence[_Draws], settings: Settings) -> None:
    """Draw sentences of one test set for all rankings that it counts in: every measure has the same draws."""
    measures = list(dict.fromkeys(one.ranking.measure for one in draws))
    parts = {measure: _parts(results, code, measure) for measure in measures}
    digest = hashlib.sha256(results.gold[code].sha256.encode()).digest()
    seeds = np.random.SeedSequence([settings.seed, int.from_bytes(digest[:8])]).spawn(2)
    flat = np.concatenate([table.reshape(len(table), -1) for table in parts.values()], axis=1)
    sums = resampled(flat, settings.resamples, np.random.default_rng(seeds[0]))
    boot = np.nan_to_num(ratios(sums.reshape(settings.resamples, len(measures), -1, 2)))
    of_pairs = _Pairs(parts, results.systems, draws, np.random.default_rng(seeds[1]), settings.resamples)
    p_values = {measure: _p_values(boot[:, number]) for number, measure in enumerate(measures)}
    for one in draws:
        one.values += boot[:, measures.index(one.ranking.measure)]
        one.p_values.append(p_values[one.ranking.measure])
        if one.pairs:
            observed, permuted = of_pairs.of(one.ranking.measure, one.pairs)
            one.observed += observed
            one.permuted += permuted


def _draw_test_sets(results: Results, draws: _Draws, settings: Settings) -> None:
    """Draw test sets in place of sentences, and swap them between neighbours."""
    codes, measure = draws.ranking.group.codes, draws.ranking.measure
    table = np.array([[float(results.results[s, c].values[measure] or 0) for s in results.systems] for c in codes])
    for_boot, for_swaps = np.random.SeedSequence(settings.seed).spawn(2)
    draws.values += resampled(table, settings.resamples, np.random.default_rng(for_boot))
    number = {system: place for place, system in enumerate(results.systems)}
    if draws.pairs:
        change = np.stack([table[:, number[one]] - table[:, number[other]] for one, other in draws.pairs], axis=1)
        draws.observed += change.sum(axis=0)
        moved = swapped(change, settings.resamples, np.random.default_rng(for_swaps))
        draws.permuted += change.sum(axis=0) - 2 * moved


def _parts(results: Results, code: str, measure: str) -> Sums:
    """Numerators and denominators, shape (sentences, systems, 2).

    A zero has the denominators that the valid outputs have on average: its sentences can then be swapped with theirs.
    """
    own = [results.results[system, code].sentences.get(measure) for system in results.systems]
    known = [parts for parts in own if parts is not None]
    if not known and any(results.results[system, code].values[measure] for system in results.systems):
        raise ValueError("there are no counts of sentences: score the campaign with by_sentence=True")
    whole = np.mean([parts[1] for parts in known], axis=0) if known else np.ones(results.gold[code].sentences)
    nothing = np.stack([np.zeros_like(whole), whole])
    return np.stack([nothing if parts is None else parts for parts in own]).transpose(2, 0, 1)


class _Pairs:
    """The differences of pairs of systems on one test set, observed and after swapping sentences between them."""

    def __init__(
        self,
        parts: Mapping[str, Sums],
        systems: Sequence[str],
        draws: Iterable[_Draws],
        rng: np.random.Generator,
        resamples: int,
    ) -> None:
        number = {system: place for place, system in enumerate(systems)}
        self.keys = list(dict.fromkeys((one.ranking.measure, *pair) for one in draws for pair in one.pairs))
        self.place = {key: place for place, key in enumerate(self.keys)}
        ones = [parts[measure][:, number[one]] for measure, one, _ in self.keys]
        others = [parts[measure][:, number[other]] for measure, _, other in self.keys]
        if not self.keys:
            return
        change = np.stack(ones, axis=1) - np.stack(others, axis=1)
        moved = swapped(change.reshape(len(change), -1), resamples, rng).reshape(resamples, -1, 2)
        first, second = (np.stack([table.sum(axis=0) for table in some]) for some in (ones, others))
        self.observed = np.nan_to_num(ratios(first)) - np.nan_to_num(ratios(second))
        self.permuted = np.nan_to_num(ratios(first - moved)) - np.nan_to_num(ratios(second + moved))

    def of(self, measure: str, pairs: Iterable[tuple[str, str]]) -> tuple[Sums, Sums]:
        """Return the differences of some pairs by one measure: shapes (pairs,) and (resamples, pairs)."""
        places = [self.place[measure, one, other] for one, other in pairs]
        return self.observed[places], self.permuted[:, places]


def _p_values(values: Sums) -> Sums:
    """Of each pair of systems the p-value of being better, nan where the first is not; shape (systems, systems).

    They are those of `bootstrap_p`, for all systems before one at once.
    """
    n_systems = values.shape[1]
    found = np.full((n_systems, n_systems), np.nan)
    for one in range(1, n_systems):
        differences = values[:, one, None] - values[:, :one]
        below, above = (differences <= _EQUAL).sum(axis=0), (differences >= -_EQUAL).sum(axis=0)
        p = np.minimum(1.0, 2 * (1 + np.minimum(below, above)) / (1 + len(values)))
        better = differences.mean(axis=0) > 0
        found[one, :one] = np.where(better, p, np.nan)
        found[:one, one] = np.where(better, np.nan, p)
    return found


def _beaten(systems: Sequence[str], p_values: Sequence[Sums], level: float) -> dict[tuple[str, str], int]:
    """Count the test sets on which one system is significantly better than another, Holm over test sets."""
    stacked = np.stack(p_values)
    either = np.where(np.isnan(stacked), stacked.transpose(0, 2, 1), stacked)
    found = {}
    for one, name in enumerate(systems):
        for other, other_name in enumerate(systems):
            if one != other:
                corrected = holm(either[:, one, other].tolist())
                own = ~np.isnan(stacked[:, one, other])
                found[name, other_name] = sum(
                    bool(mine) and p is not None and p < level for mine, p in zip(own, corrected, strict=True)
                )
    return found


def _ranking(ranking: Ranking, systems: Sequence[str], draws: _Draws, settings: Settings) -> Ranking:
    values = draws.values / len(ranking.group.codes)
    order = np.argsort(values, axis=1)
    ranks = _ranks(np.take_along_axis(values, order, axis=1), order)
    standings = [_standing(one, systems.index(one.system), values, ranks, settings) for one in ranking.standings]
    as_extreme = np.abs(draws.permuted) >= np.abs(draws.observed) - _EQUAL * len(ranking.group.codes)
    p = (1 + as_extreme.sum(axis=0)) / (1 + settings.resamples)
    real = [corrected is not None and corrected < 1 - settings.level for corrected in holm(p.tolist())]
    lines = frozenset(place for place, yes in enumerate(real, 1) if yes)
    return ranking._replace(standings=tuple(standings), lines=lines)


def _ranks(ordered: Sums, order: NDArray[np.intp]) -> NDArray[np.int64]:
    """The rank of each system in each resample, 1 + how many are better by more than rounding; shape like `order`."""
    n_systems = ordered.shape[1]
    steps = np.diff(ordered, axis=1) > _EQUAL  # steps[:, i]: the next better one is really better
    at = np.where(steps, np.arange(1, n_systems), n_systems)
    last = np.full((len(ordered), 1), n_systems)
    first_better = np.minimum.accumulate(np.concatenate([at, last], axis=1)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty_like(first_better)
    np.put_along_axis(ranks, order, 1 + n_systems - first_better, axis=1)
    return ranks


def _standing(standing: Standing, number: int, values: Sums, ranks: NDArray[np.int64], settings: Settings) -> Standing:
    tail = (1 - settings.level) / 2
    low = np.quantile(ranks[:, number], tail, method="inverted_cdf")
    high = np.quantile(ranks[:, number], 1 - tail, method="inverted_cdf")
    return standing._replace(interval=interval(values[:, number], settings), ranks=(int(low), int(high)))
