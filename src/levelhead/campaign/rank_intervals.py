"""Intervals and tests of rankings: intervals of averages, confidence sets of ranks, significant differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.ranking import Ranking, RankSets, macro_average
from levelhead.campaign.results import Results
from levelhead.measures.registry import lower_is_better
from levelhead.significance import Estimate, InferenceSettings, Units, check_settings
from levelhead.significance.jackknife import Spread, SystemCounts, leave_out, spread_of, spread_of_sum
from levelhead.significance.rankings import (
    RankedAverages,
    add_scores,
    add_test_set,
    better,
    compact_letters,
    marginal_rank_sets,
    simultaneous_rank_sets,
)

Sums = NDArray[np.float64]

_RANK_SETS = {"marginal": marginal_rank_sets, "simultaneous": simultaneous_rank_sets}


class RankedIntervals(NamedTuple):
    """Rankings with their intervals and tests.

    Args:
        rankings: the rankings with `lines`, their standings with `interval`, `ranks` and `letters`.
        wins: for each ranking, the number of test sets on which a system (first) is significantly better than another
            (second); empty if only scores are known.
        units: the units of each test set; empty if only scores are known, when the test sets are the units.
    """

    rankings: tuple[Ranking, ...]
    wins: tuple[Mapping[tuple[str, str], int], ...]
    units: Mapping[str, Units] = {}


def with_intervals(
    results: Results, rankings: Sequence[Ranking], settings: InferenceSettings, rank_sets: RankSets = "marginal"
) -> RankedIntervals:
    """Return rankings with intervals and tests from the counts of units: documents or sentences.

    Intervals of averages are computed by `Estimate`, and are the same as in `compare` for the same files and level.

    The confidence set of a rank is computed from the differences from all other systems: it contains the ranks below
    all systems that are significantly better, and above all systems that are significantly worse. It contains the rank
    of a system with the probability of the level; `simultaneous` sets contain all ranks jointly. Two systems share a
    letter if they do not differ significantly. Sets and letters use the largest studentized difference of each draw
    from the errors of all systems, stepwise, so that the error over all comparisons is at most 1 - level.

    Between neighbors a line is drawn if the p-value of the difference of their averages, as in `differences`, corrected
    by Holm's method over the pairs of neighbors, is below 1 - level. A system beats another on a test set if the
    p-value by Student's t, corrected over test sets, is below 1 - level.

    A missing or invalid output scores 0. In tests it is a single event, which alone makes no difference significant;
    see `significance.failed_outputs.evidence`. Swaps depend only on the seed and the gold contents, not on the group,
    the systems or their order.

    If only scores are known, test sets are the units: the intervals then refer to other test sets of the same kind, not
    to other sentences of these test sets.

    Averages have full precision, regardless of the rule of ranking. A ranking by a perplexity, or without averages, is
    returned unchanged.

    Args:
        results: the results of the campaign, with counts of sentences or only scores.
        rankings: its rankings.
        settings: the numbers of resamples and permutations, the seed, the level.
        rank_sets: `marginal`: each confidence set of a rank holds at the level separately; `simultaneous`: all sets
            jointly.

    Raises:
        ValueError: the campaign was not scored with `by_sentence`.

    Sources: Mogstad, Romano, Shaikh and Wilhelm (2024) for the sets; Romano and Wolf (2005) for the stepdown; Piepho
    (2004) for letters.
    """
    check_settings(settings)
    number = {system: place for place, system in enumerate(results.systems)}
    units = results.units
    if len(units) < len(results.gold):
        raise ValueError("the counts of sentences are missing: score the plan with by_sentence=True")
    drawn = {
        place: _averages_of(ranking, number, settings)
        for place, ranking in enumerate(rankings)
        if _has_averages(ranking)
    }
    for test_set in results.test_sets if results.gold else ():
        if counting := [averages for averages in drawn.values() if test_set.code in averages.test_sets]:
            measures = dict.fromkeys(averages.measure for averages in counting)
            parts = {measure: parts_by_unit(results, test_set.code, measure) for measure in measures}
            failed = {measure: _failed(results, test_set.code, measure) for measure in measures}
            add_test_set(results.seed_of(test_set.code), parts, failed, counting, settings)
    for averages in drawn.values() if not results.gold else ():
        add_scores(_values(results, averages), averages, settings)
    shown = [_with_intervals(ranking, number, drawn.get(place), rank_sets) for place, ranking in enumerate(rankings)]
    wins = [_wins(results, drawn.get(place)) for place in range(len(rankings))]
    return RankedIntervals(tuple(shown), tuple(wins), units)


def _has_averages(ranking: Ranking) -> bool:
    return not ranking.undefined and not lower_is_better(ranking.measure)


def _averages_of(ranking: Ranking, number: Mapping[str, int], settings: InferenceSettings) -> RankedAverages:
    order = [number[standing.system] for standing in ranking.standings]
    return RankedAverages(ranking.measure, ranking.group.codes, order, settings)


def _values(results: Results, ranking: RankedAverages) -> Sums:
    """The value of each system (column) on each test set (row); a missing value counts as 0."""
    cells = (results.results[system, code] for code in ranking.test_sets for system in results.systems)
    values = [float(cell.values[ranking.measure] or 0) for cell in cells]
    return np.array(values).reshape(len(ranking.test_sets), -1)


def parts_by_unit(results: Results, code: str, measure: str) -> Sums:
    """Return numerators and denominators on a test set, shape (units, systems, 2).

    In every sentence of a missing or invalid output they are 0 and 1.
    """
    of_systems = [results.results[system, code].sentences.get(measure) for system in results.systems]
    by_sentence = np.empty((results.gold[code].sentences, len(of_systems), 2))
    for place, parts in enumerate(of_systems):
        by_sentence[:, place] = (0, 1) if parts is None else parts.T
    return results.units[code].sums(by_sentence)


def _failed(results: Results, code: str, measure: str) -> NDArray[np.bool_]:
    """Whether the output of each system is missing or invalid, shape (systems,)."""
    return np.array([results.results[system, code].sentences.get(measure) is None for system in results.systems])


def _wins(results: Results, ranking: RankedAverages | None) -> dict[tuple[str, str], int]:
    if ranking is None or not results.gold:
        return {}
    wins = ranking.wins()
    systems = list(enumerate(results.systems))
    return {(system, other): int(wins[i, j]) for i, system in systems for j, other in systems if i != j}


def _with_intervals(
    ranking: Ranking, number: Mapping[str, int], drawn: RankedAverages | None, rank_sets: RankSets
) -> Ranking:
    if drawn is None:
        return ranking
    order = [number[standing.system] for standing in ranking.standings]
    differences, level = drawn.differences(), drawn.settings.level
    standings = [  # without any output there is no sample
        standing._replace(interval=drawn.estimate(place).score_interval(level))
        if standing.n_valid or standing.value
        else standing
        for standing, place in zip(ranking.standings, order, strict=True)
    ]
    if differences is not None:
        letters = compact_letters(better(differences, level)[np.ix_(order, order)])
        ranks = _RANK_SETS[rank_sets](differences, level)
        standings = [
            standing._replace(ranks=ranks[place], letters=shared)
            for standing, place, shared in zip(standings, order, letters, strict=True)
        ]
    return ranking._replace(standings=tuple(standings), lines=drawn.lines(differences), rank_sets=rank_sets)


LEVEL = 0.95
"""The confidence level of intervals from a few stored numbers per test set, the default of `levelhead rank`."""


def spread_on(results: Results, system: str, code: str, measure: str) -> Spread | None:
    """Return the error of a system's score on a test set; None for a perplexity or without a value."""
    if lower_is_better(measure) or results.results[system, code].values[measure] is None:
        return None
    place = results.systems.index(system)
    parts = parts_by_unit(results, code, measure)[:, [place], None]
    counts = SystemCounts((system,), (measure,), parts, results.seed_of(code))
    return spread_of([leave_out(counts)], np.ones(1), 0)


def average_interval(values: Sequence[Fraction], spreads: Sequence[Spread]) -> tuple[float, float] | None:
    """Return the confidence interval of an average over test sets, equal to that of `with_intervals`."""
    share = 1 / len(values)
    total = spread_of_sum([spread.scaled(share) for spread in spreads])
    return Estimate(float(macro_average(values)), total.variance, total.freedom, total.n_units).score_interval(LEVEL)
