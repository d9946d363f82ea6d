"""Systems ranked by each measure over each group of test sets, with optional intervals and tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from levelhead.campaign.plan import Plan
from levelhead.campaign.ranking import Ranking, RankSets, groups_named, macro_average, rank
from levelhead.campaign.ranking_tables import ranking_document, ranking_table, results_table
from levelhead.campaign.results import Results
from levelhead.errors import MeasureError, unknown
from levelhead.evaluation.provenance import Provenance, signature_of_draws
from levelhead.immutable import immutable
from levelhead.measures.registry import STANDARD, Registry, lower_is_better, parse_measure
from levelhead.significance import Estimate, InferenceSettings, Units, check_settings
from levelhead.significance.jackknife import Spread, SystemCounts, leave_out, spread_of, spread_of_sum
from levelhead.significance.rankings import (
    RankedAverages,
    add_scores,
    add_test_set,
    better,
    compact_letters,
    sets_of_ranks,
)
from levelhead.significance.resampling import Sums
from levelhead.tables.table import Table
from levelhead.tabular import Tabular

__all__ = ["RankedSystems", "RankingChoice"]


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
    units = results.units
    if len(units) < len(results.gold):
        raise ValueError("the counts of sentences are missing: score the plan with by_sentence=True")
    number = {system: place for place, system in enumerate(results.systems)}
    all_averages = [
        None
        if ranking.undefined or lower_is_better(ranking.measure)
        else RankedAverages(
            ranking.measure, ranking.group.codes, [number[standing.system] for standing in ranking.standings], settings
        )
        for ranking in rankings
    ]
    tested = [averages for averages in all_averages if averages is not None]
    for averages in tested if not results.gold else ():
        cells = [[results.results[system, code] for system in results.systems] for code in averages.test_sets]
        values = [[float(cell.values[averages.measure] or 0) for cell in row] for row in cells]
        add_scores(np.array(values), averages, settings)
    for code in results.gold:
        if counting := [averages for averages in tested if code in averages.test_sets]:
            measures = dict.fromkeys(averages.measure for averages in counting)
            parts = {measure: parts_by_unit(results, code, measure) for measure in measures}
            sentences = [results.results[system, code].sentences for system in results.systems]
            failed = {measure: np.array([measure not in counts for counts in sentences]) for measure in measures}
            add_test_set(results.seed_of(code), parts, failed, counting, settings)
    with_tests = tuple(
        ranking if averages is None else _with_intervals(ranking, averages, rank_sets)
        for ranking, averages in zip(rankings, all_averages)
    )
    all_wins = [averages.wins() if averages and results.gold else None for averages in all_averages]
    pairs = list(itertools.permutations(enumerate(results.systems), 2))
    wins = ({} if won is None else {(a, b): int(won[i, j]) for (i, a), (j, b) in pairs} for won in all_wins)
    return RankedIntervals(with_tests, tuple(wins), units)


def parts_by_unit(results: Results, code: str, measure: str) -> Sums:
    """Return numerators and denominators on a test set, shape (units, systems, 2).

    In every sentence of a missing or invalid output they are 0 and 1.
    """
    by_sentence = np.empty((results.gold[code].sentences, len(results.systems), 2))
    for place, system in enumerate(results.systems):
        parts = results.results[system, code].sentences.get(measure)
        by_sentence[:, place] = (0, 1) if parts is None else parts.T
    return results.units[code].sums(by_sentence)


def _with_intervals(ranking: Ranking, averages: RankedAverages, rank_sets: RankSets) -> Ranking:
    differences = averages.differences()
    level = averages.settings.level
    standings = [  # without any output there is no sample
        standing._replace(interval=averages.estimate(place).score_interval(level))
        if standing.n_valid or standing.value
        else standing
        for standing, place in zip(ranking.standings, averages.order, strict=True)
    ]
    if differences is not None:
        letters = compact_letters(better(differences, level)[np.ix_(averages.order, averages.order)])
        ranks = sets_of_ranks(differences, level, jointly=rank_sets == "simultaneous")
        standings = [
            standing._replace(ranks=ranks[place], letters=shared)
            for standing, place, shared in zip(standings, averages.order, letters, strict=True)
        ]
    return ranking._replace(standings=tuple(standings), lines=averages.lines(differences), rank_sets=rank_sets)


LEVEL = 0.95
"""The confidence level of intervals from a few stored numbers per test set, the default of `levelhead rank`."""


def spread_on(results: Results, system: str, code: str, measure: str) -> Spread | None:
    """Return the error of a system's score on a test set; None for a perplexity or without a value."""
    if lower_is_better(measure) or results.results[system, code].values[measure] is None:
        return None
    parts = parts_by_unit(results, code, measure)[:, [results.systems.index(system)], None]
    return spread_of([leave_out(SystemCounts((system,), (measure,), parts, results.seed_of(code)))], [[0]], 0)


def average_interval(values: Sequence[Fraction], spreads: Sequence[Spread]) -> tuple[float, float] | None:
    """Return the confidence interval of an average over test sets, equal to that of `with_intervals`."""
    share = 1 / len(values)
    total = spread_of_sum([spread.scaled(share) for spread in spreads])
    return Estimate(float(macro_average(values)), total.variance, total.freedom, total.n_units).score_interval(LEVEL)


@immutable
class RankingChoice:
    """The settings of rankings.

    Args:
        ranking: the rule, one of `RANKINGS`.
        groups: the groups of test sets: all, a name of `own`, family:NAME, genus:NAME, language:NAME, conll18:pud ...
        own: the codes of the test sets of named groups.
        tests: the settings of tests; None for no intervals and tests.
        rank_sets: the kind of confidence sets of ranks.
    """

    ranking: str
    groups: Sequence[str]
    own: Mapping[str, Sequence[str]]
    tests: InferenceSettings | None
    rank_sets: RankSets


@immutable
class RankedSystems(Tabular):
    """Systems ranked by macro-averages.

    Args:
        rankings: one per group and measure, ordered by group.
        results: the result of each system on each test set.
        provenance: the provenance of the numbers.
        intervals: the rankings with their tests; None if not requested.
        looked: what its page shows; None if not requested.
    """

    rankings: tuple[Ranking, ...]
    results: Results
    provenance: Provenance
    intervals: RankedIntervals | None = None
    looked: Any = None

    def __getitem__(self, measure: str) -> Ranking:
        """Return the ranking by a measure (ignoring case) over the first group."""
        for ranking in self.rankings:
            if ranking.measure.lower() == measure.lower():
                return ranking
        raise KeyError(f"no ranking by {measure!r}: available are {', '.join(r.measure for r in self.rankings)}")

    def table(self, *, by_treebank: bool = False) -> Table:
        """Return the ranking as a table, or the scores on each test set."""
        if not by_treebank:
            return ranking_table(self.results, self.rankings)
        codes = {code for ranking in self.rankings for code in ranking.group.codes}
        shown = tuple(test_set for test_set in self.results.test_sets if test_set.code in codes)
        return results_table(self.results._replace(test_sets=shown))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return ranking_document(self.results, self.rankings)


def needed_plan(plan: Plan, choice: RankingChoice, groups: Sequence[str]) -> Plan:
    named = groups_named(groups, plan.test_sets, own=choice.own, ranking=choice.ranking)
    needed = {code for group in named for code in group.codes}
    return plan._replace(test_sets=tuple(test_set for test_set in plan.test_sets if test_set.code in needed))


def rank_results(results: Results, measures: Iterable[str], choice: RankingChoice) -> RankedSystems:
    """Return rankings of systems by known results, such as a table of scores."""
    groups = groups_named(choice.groups, results.test_sets, own=choice.own, ranking=choice.ranking)
    chosen = list(dict.fromkeys(measures))
    rankings = tuple(rank(results, measure, group, choice.ranking) for group in groups for measure in chosen)
    if choice.tests is None:
        return RankedSystems(rankings, results.only(chosen), results.provenance())
    intervals = with_intervals(results, rankings, choice.tests, choice.rank_sets)
    signature = {**results.signature, **signature_of_draws(choice.tests, results.units)}
    signature |= {"rank-sets": choice.rank_sets} if choice.rank_sets != "marginal" else {}
    signed = results._replace(signature=signature)
    return RankedSystems(intervals.rankings, signed.only(chosen), signed.provenance(), intervals)


def measure_in(results: Results, measure: str, registry: Registry = STANDARD) -> str:
    """Return the name of a measure in results; spellings vary in published tables."""
    lower = {name.lower(): name for name in results.measures}
    name = (
        measure if measure in results.measures else lower.get(measure.lower()) or str(parse_measure(measure, registry))
    )
    if name not in results.measures:
        raise MeasureError(unknown("measure in this table", measure, results.measures), "unknown-measure")
    return name
