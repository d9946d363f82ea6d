"""How reliable a ranking is: intervals of averages, ranges of ranks, and which neighbors differ significantly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.ranking import Ranking, Standing
from levelhead.campaign.results import Results
from levelhead.measures import lower_is_better
from levelhead.significance import Settings, interval
from levelhead.significance.rankings import RankedAverages, draw_sentences, draw_test_sets

Sums = NDArray[np.float64]


class RankedIntervals(NamedTuple):
    """Rankings with their intervals and tests.

    Args:
        rankings: the rankings, their standings with `interval` and `ranks`, with `lines` drawn.
        wins: of each ranking, on how many test sets a system (first) is significantly better than another (second);
            empty if only scores are known.
        drawn: what was drawn.
    """

    rankings: tuple[Ranking, ...]
    wins: tuple[Mapping[tuple[str, str], int], ...]
    drawn: Literal["sentences", "test sets"] = "sentences"


def with_intervals(results: Results, rankings: Sequence[Ranking], settings: Settings) -> RankedIntervals:
    """Return rankings with intervals and tests from the counts of sentences, drawn within each test set (stratified).

    Intervals of averages and ranges of ranks are percentiles over bootstrap resamples; all systems have the same
    resample, so that what is difficult for all moves none. Between neighbors a line is drawn if the paired
    approximate randomization test of the difference of their averages, corrected by Holm's method over the pairs of
    neighbors, is below 1 - level. A system beats another on a test set if twice the smaller share of resampled
    differences is, corrected over test sets, below 1 - level. An output that is missing or invalid is 0 in every
    resample. Draws depend on the seed and on the gold contents alone: not on the group, the systems or their order.
    A resample in which a measure has no value is left out of intervals and ranks, and counts as extreme in tests.

    If only scores are known, whole test sets are drawn, and swapped between neighbors: the intervals then speak of
    other test sets of the same kind, not of other sentences of these.

    Averages are of scores at full precision, whatever the rule of ranking. A ranking by a perplexity, or without
    averages, stays as it is.

    Args:
        results: the results of the campaign: with counts of sentences, or scores alone.
        rankings: its rankings.
        settings: how many resamples and permutations, the seed, the level.

    Raises:
        ValueError: the campaign was not scored with `by_sentence`.
    """
    number = {system: place for place, system in enumerate(results.systems)}
    drawn = {place: _averages_of(one, number, settings) for place, one in enumerate(rankings) if _has_averages(one)}
    for test_set in results.test_sets if results.gold else ():
        if counting := [one for one in drawn.values() if test_set.code in one.test_sets]:
            parts = {
                measure: _parts(results, test_set.code, measure) for measure in {one.measure: 0 for one in counting}
            }
            draw_sentences(results.gold[test_set.code].sha256 or "", parts, counting, settings)
    for one in drawn.values() if not results.gold else ():
        draw_test_sets(_values(results, one), one, settings)
    shown = [_with_intervals(one, number, drawn.get(place)) for place, one in enumerate(rankings)]
    wins = [_wins(results, drawn.get(place)) for place in range(len(rankings))]
    return RankedIntervals(tuple(shown), tuple(wins), "sentences" if results.gold else "test sets")


def _has_averages(ranking: Ranking) -> bool:
    return not ranking.undefined and not lower_is_better(ranking.measure)


def _averages_of(ranking: Ranking, number: Mapping[str, int], settings: Settings) -> RankedAverages:
    order = [number[standing.system] for standing in ranking.standings]
    return RankedAverages(ranking.measure, ranking.group.codes, order, settings)


def _values(results: Results, ranking: RankedAverages) -> Sums:
    """The value of each system (column) on each test set (row); none counts as 0."""
    found = (results.results[system, code] for code in ranking.test_sets for system in results.systems)
    values = [float(one.values[ranking.measure] or 0) for one in found]
    return np.array(values).reshape(len(ranking.test_sets), -1)


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


def _wins(results: Results, ranking: RankedAverages | None) -> dict[tuple[str, str], int]:
    if ranking is None or not results.gold:
        return {}
    wins = ranking.wins()
    systems = list(enumerate(results.systems))
    return {(one, other): int(wins[i, j]) for i, one in systems for j, other in systems if i != j}


def _with_intervals(ranking: Ranking, number: Mapping[str, int], drawn: RankedAverages | None) -> Ranking:
    if drawn is None:
        return ranking
    values, ranks = drawn.averages(), drawn.ranks()
    standings = [
        _standing(one, values[:, number[one.system]], ranks[:, number[one.system]], drawn.settings)
        for one in ranking.standings
    ]
    return ranking._replace(standings=tuple(standings), lines=drawn.lines())


def _standing(standing: Standing, values: Sums, ranks: NDArray[np.int64], settings: Settings) -> Standing:
    if not len(values):
        return standing
    tail = (1 - settings.level) / 2
    low, high = (int(np.quantile(ranks, share, method="inverted_cdf")) for share in (tail, 1 - tail))
    return standing._replace(interval=interval(values, settings), ranks=(low, high))
