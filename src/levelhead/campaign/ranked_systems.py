"""Systems ranked by each measure over each group of test sets, with optional intervals and tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from levelhead.campaign.plan import Plan
from levelhead.campaign.ranking import (
    LeftOut,
    Ranking,
    Sampling,
    Standing,
    SystemPair,
    adjusted,
    fitted_scores,
    groups_named,
    macro_average,
    number,
    rank,
    valid_trees_value,
)
from levelhead.campaign.ranking_tables import LAYOUTS, first_place, left_out_notes, ranking_table, results_table
from levelhead.campaign.results import OutputResult, Results
from levelhead.errors import MeasureError, unknown
from levelhead.evaluation.score_data import ScoreNumbers, score_numbers
from levelhead.immutable import immutable
from levelhead.measures.registry import STANDARD, Registry, lower_is_better, parse_measure
from levelhead.significance.corrections import PairTests, compare_pairs, level_of_each
from levelhead.significance.estimates import Estimate, InferenceSettings, Sums, rescaled, signature_of_tests
from levelhead.significance.jackknife import Spread, SystemCounts, leave_out, spread_of, spread_of_sum
from levelhead.significance.scopes import CountedUnits, Scope, count_units, influence_rows, influenced_by
from levelhead.significance.units import unit_rows
from levelhead.tables.data import PercentInterval
from levelhead.tables.table import Table
from levelhead.tabular import Tabular
from levelhead.treebank.provenance import Provenance

__all__ = ["RankedSystems", "RankingChoice"]


def with_intervals(results: Results, rankings: Sequence[Ranking], settings: InferenceSettings) -> tuple[Ranking, ...]:
    """Return rankings with intervals, rank sets, letters and wins: by documents, sentences, or test sets of scores."""
    # Averages have full precision and the intervals of `compare`. All pairs of a ranking are one family of tests, from
    # which rank sets (Mogstad, Romano, Shaikh and Wilhelm 2024), letters (Piepho 2004) and lines follow; wins on a test
    # set come from the family of its pairs. A failure is one event, which alone makes no difference significant, see
    # `evidence`.
    if len(results.units) < len(results.gold):
        raise ValueError("the counts of sentences are missing: score the plan with by_sentence=True")
    scopes = _Scopes(results, settings.level)
    return tuple(
        ranking if ranking.undefined or lower_is_better(ranking.measure) else _with_intervals(ranking, results, scopes)
        for ranking in rankings
    )


class _Scopes:
    """The scopes of rankings: averages over groups, and test sets, each of which is in many groups."""

    def __init__(self, results: Results, level: float) -> None:
        self._results, self.level = results, level
        self._parallel = results.parallel()
        self._counted: dict[tuple[str, str, bool], CountedUnits] = {}
        self._better: dict[tuple[str, str], NDArray[np.bool_] | None] = {}

    def average(self, ranking: Ranking) -> tuple[Scope, PairTests | None]:
        codes, measure = ranking.group.codes, ranking.measure
        if not self._results.gold:
            scope = Scope(ranking.group.name, {"": self._scores(codes, measure)})
            return scope, compare_pairs(scope, np.zeros((1, len(self._results.systems)), dtype=bool), self.level)
        scope = self._scope(ranking.group.name, codes, measure)
        return scope, compare_pairs(scope, self._failed(codes, measure), self.level)

    def _scope(self, name: str, codes: Sequence[str], measure: str) -> Scope:
        alone = len(codes) == 1
        test_sets = {code: self._units(code, measure, alone=alone) for code in codes}
        return Scope(name, test_sets, None if alone else "macro", None if alone else self._parallel)

    def wins(self, ranking: Ranking) -> NDArray[np.int64]:
        """Return, for each pair of systems (row, column), on how many test sets the first is significantly better."""
        n_systems = len(self._results.systems)
        total = np.zeros((n_systems, n_systems), dtype=np.int64)
        for code in self._parallel.without_copies(ranking.group.codes):
            key = code, ranking.measure
            if key not in self._better:
                tests = compare_pairs(
                    self._scope(code, [code], ranking.measure), self._failed([code], ranking.measure), self.level
                )
                self._better[key] = tests and tests.better
            if (better := self._better[key]) is not None:
                total += better
        return total

    def variance(self, system: str, codes: Sequence[str], measure: str) -> float:
        """Return the variance of a system's average over some test sets, in squared points."""
        scope = self._scope("", codes, measure)
        (estimate,) = scope.estimates([[[self._results.systems.index(system)]]], 0)
        return 100**2 * estimate.variance

    def _units(self, code: str, measure: str, *, alone: bool) -> CountedUnits:
        alone &= self._results.units[code].few  # otherwise the units are the same
        key = code, measure, alone
        if key not in self._counted:
            table = SystemCounts(self._results.systems, (measure,), parts_of(self._results, code, measure)[:, :, None])
            self._counted[key] = count_units(table, self._results.units[code], alone=alone)
        return self._counted[key]

    def _failed(self, codes: Sequence[str], measure: str) -> NDArray[np.bool_]:
        every = self._results.results
        return np.array([[measure not in every[s, code].sentences for s in self._results.systems] for code in codes])

    def _scores(self, codes: Sequence[str], measure: str) -> CountedUnits:
        """Scores without counts, with test sets as units: their mean is a ratio of sums, too."""
        every, systems = self._results.results, self._results.systems
        values = [[float((every[system, code].values[measure] or 0) / 100) for system in systems] for code in codes]
        parts = np.stack([values, np.ones_like(values)], axis=-1)[:, :, None]
        return CountedUnits(SystemCounts(systems, (measure,), parts, counted=False), "test set", codes)


def parts_of(results: Results, code: str, measure: str) -> Sums:
    """Return numerators and denominators of sentences, shape (sentences, systems, 2); 0 and 1 for a failed output."""
    by_sentence = np.empty((results.gold[code].sentences, len(results.systems), 2))
    for place, system in enumerate(results.systems):
        parts = results.results[system, code].sentences.get(measure)
        by_sentence[:, place] = (0, 1) if parts is None else parts.T
    return by_sentence


def _with_intervals(ranking: Ranking, results: Results, scopes: _Scopes) -> Ranking:
    scope, tests = scopes.average(ranking)
    order = [results.systems.index(standing.system) for standing in ranking.standings]
    estimates = scope.estimates([[[place]] for place in order], 0)
    standings = [  # without any output there is no sample
        standing._replace(interval=rescaled(estimate.score_interval(scopes.level), 100))
        if standing.n_valid or standing.value
        else standing
        for standing, estimate in zip(ranking.standings, estimates, strict=True)
    ]
    if tests is None:
        return ranking._replace(standings=tuple(standings), lines=frozenset())
    standings = [
        standing._replace(rank_interval=tests.ranks(place), letters=letters)
        for standing, place, letters in zip(standings, order, tests.letters(order), strict=True)
    ]
    systems = results.systems
    of_each = level_of_each(scopes.level, max(1, len(tests.p)))
    influences = tuple(
        ((systems[one], systems[other]), influenced)
        for (one, other), estimate in tests.influenced
        for influenced in influenced_by(estimate, "difference", of_each)
    )
    return ranking._replace(
        standings=tuple(standings),
        lines=tests.lines(order),
        pairs=tuple(_pairs(standings, order, tests, scopes.wins(ranking) if results.gold else None)),
        influences=influences,
    )


def _pairs(
    standings: Sequence[Standing], order: Sequence[int], tests: PairTests, wins: NDArray[np.int64] | None
) -> Iterator[SystemPair]:
    for (one, i), (other, j) in itertools.combinations(zip(standings, order), 2):
        won = (None, None) if wins is None else (int(wins[i, j]), int(wins[j, i]))
        yield SystemPair(
            one.system,
            other.system,
            float((one.exact or 0) - (other.exact or 0)),
            tests.p[min(i, j), max(i, j)],
            bool(tests.better[i, j] | tests.better[j, i]),
            *won,
        )


LEVEL = 0.95
"""The confidence level of intervals from a few stored numbers per test set, the default of `levelhead rank`."""


def spread_on(results: Results, system: str, code: str, measure: str) -> Spread | None:
    """Return the error of a system's score on a test set; None for a perplexity or without a value."""
    if lower_is_better(measure) or results.results[system, code].values[measure] is None:
        return None
    parts = results.units[code].sums(parts_of(results, code, measure)[:, [results.systems.index(system)], None])
    return spread_of([leave_out(SystemCounts((system,), (measure,), parts))], [[0]], 0)


def average_interval(values: Sequence[Fraction], spreads: Sequence[Spread]) -> PercentInterval | None:
    """Return the interval of an average of percentages, given errors of ratios; no test sets may be parallel."""
    share = 1 / len(values)
    total = spread_of_sum([spread.scaled(share) for spread in spreads])
    average = Estimate(float(macro_average(values) / 100), total.variance, total.freedom, total.n_units)
    return rescaled(average.score_interval(LEVEL), 100)


@immutable
class RankingChoice:
    """The settings of rankings."""

    ranking: str  # the rule, one of `RANKINGS`
    # all, a name of `own`, family:NAME, genus:NAME, language:NAME, or a group of 2018 such as conll18:pud
    groups: Sequence[str]
    own: Mapping[str, Sequence[str]]  # the codes of the test sets of named groups
    tests: InferenceSettings | None  # the settings of tests; None for no intervals and tests
    adjust: float | None = None  # whether to predict missing scores: the level of intervals


@immutable
class RankedSystems(Tabular):
    """Systems ranked by macro-averages.

    Args:
        rankings: a ranking for each group of test sets and each measure, ordered by group.
        results: the scores of each system on each test set.
        provenance: the settings and files behind the numbers.
        left_out: in a shared task, the submissions that could not be run or scored; otherwise empty.
        looked: additional data for the report page; None if no page was requested.
    """

    KIND: ClassVar[str] = "rank"
    LAYOUTS = LAYOUTS

    rankings: tuple[Ranking, ...]
    results: Results
    provenance: Provenance
    left_out: tuple[LeftOut, ...] = ()
    looked: Any = None

    def __getitem__(self, measure: str) -> Ranking:
        """Return the ranking by a measure (ignoring case) over the first group."""
        for ranking in self.rankings:
            if ranking.measure.lower() == measure.lower():
                return ranking
        raise KeyError(f"no ranking by {measure!r}: available are {', '.join(r.measure for r in self.rankings)}")

    @property
    def verdict(self) -> str:
        """A sentence that says which system ranks first by the first measure."""
        return first_place(
            self.results, self.rankings[0], several=len({ranking.group for ranking in self.rankings}) > 1
        )

    @property
    def tested(self) -> bool:
        """Whether confidence intervals and tests were requested."""
        return "level" in self.provenance.signature

    def records(self, name: str) -> Any:
        """Return the rows of the table `name`, such as "standings"."""
        if field := _OF_EACH_RANKING.get(name):
            return ((one.group.name, one.measure, row) for one in self.rankings for row in getattr(one, field))
        return super().records(name)

    def _standings_rows(self) -> Iterator[Any]:
        for ranking in self.rankings:
            lines, last = ranking.lines, len(ranking.standings)
            for place, standing in enumerate(ranking.standings, 1):
                below = None if lines is None or place == last else place in lines
                yield ranking.group.name, ranking.measure, standing, _unit(ranking.measure), below

    def _scores_rows(self) -> Iterator[Any]:
        for system, code, result in self._outputs():
            covered = self.results.covered(system, code)
            for name, value in result.values.items():
                score, valid = result.scores.get(name), result.secondary.get(name)
                numbers = ScoreNumbers(number(value), _unit(name))
                if score is not None:
                    numbers = score_numbers(score)._replace(value=numbers.value)
                of_trees = None if covered is None or value is None else float(valid_trees_value(result, name))
                reason = next(filter(None, (score and score.reason, *result.reasons)), None)
                of_sentences = None if valid is None else valid.value
                yield system, code, name, numbers, result.state, of_sentences, of_trees, reason

    def _outputs_rows(self) -> Iterator[Any]:
        for system, code, result in self._outputs():
            counts = result.coverage and (result.coverage.scored, result.coverage.system, result.coverage.invalid)
            yield system, code, result.state, result.status, *(counts or (None, None, None))

    def _reasons_rows(self) -> Iterator[Any]:
        return ((system, code, reason) for system, code, result in self._outputs() for reason in result.reasons)

    def _influence_rows(self) -> Iterator[Any]:
        for ranking in self.rankings:
            for pair, influenced in ranking.influences:
                for row in influence_rows(influenced, ranking.group.codes):
                    yield ranking.group.name, ranking.measure, *pair, *row

    def _groups_rows(self) -> Iterator[Any]:
        for group in dict.fromkeys(ranking.group for ranking in self.rankings):
            yield from ((group.name, code, True) for code in group.codes)
            yield from ((group.name, code, False) for code in group.lacks)

    def _treebanks_rows(self) -> Iterator[Any]:
        for test_set in self.results.test_sets:
            gold, language = self.results.gold.get(test_set.code), test_set.language
            sizes = (None, None, None) if gold is None else (gold.sha256, gold.sentences, gold.words)
            yield test_set.code, language.name, language.family, language.genus, *sizes

    def _units_rows(self) -> Any:
        return unit_rows(self.results.units)

    def _coverage_rows(self) -> Iterator[Any]:
        for system, code, _ in self._outputs():
            if covered := self.results.covered(system, code):
                yield system, code, covered

    def _outputs(self) -> Iterator[tuple[str, str, OutputResult]]:
        codes = [test_set.code for test_set in self.results.test_sets]
        return ((system, code, self.results.results[system, code]) for system in self.results.systems for code in codes)

    def table(self, *, by_treebank: bool = False) -> Table:
        """Return a table of the ranking, or of the scores on each test set if `by_treebank` is true."""
        if by_treebank:
            return results_table(self.results)
        table = ranking_table(self.results, self.rankings)
        return table._replace(notes=(*left_out_notes(self.left_out), *table.notes))


_OF_EACH_RANKING = {"systems": "adjusted", "pairs": "pairs", "undefined": "undefined"}  # tables and their fields


def _unit(measure: str) -> Literal["percent", "perplexity"]:
    return "perplexity" if lower_is_better(measure) else "percent"


def sampling_of(results: Results, level: float) -> Sampling | None:
    return _Scopes(results, level).variance if results.units else None


def needed_plan(plan: Plan, choice: RankingChoice, groups: Sequence[str]) -> Plan:
    named = groups_named(groups, plan.test_sets, own=choice.own, ranking=choice.ranking)
    needed = {code for group in named for code in group.codes}
    return plan._replace(test_sets=tuple(test_set for test_set in plan.test_sets if test_set.code in needed))


def rank_results(results: Results, measures: Iterable[str], choice: RankingChoice) -> RankedSystems:
    groups = groups_named(choice.groups, results.test_sets, own=choice.own, ranking=choice.ranking)
    chosen = list(dict.fromkeys(measures))
    rankings = tuple(rank(results, measure, group, choice.ranking) for group in groups for measure in chosen)
    if choice.tests is not None:
        rankings = with_intervals(results, rankings, choice.tests)
        signature = {**results.signature, **signature_of_tests(choice.tests, results.units)}
        results = results._replace(signature={**signature, **results.declared_parallel})
    if choice.adjust is not None:
        sampling = sampling_of(results, choice.adjust)
        fitted = {measure: fitted_scores(results, measure) for measure in chosen}
        rankings = tuple(adjusted(results, one, fitted[one.measure], choice.adjust, sampling) for one in rankings)
        results = results._replace(signature={**results.signature, "missing": "adjust", "level": repr(choice.adjust)})
    codes = {code for group in groups for code in group.codes}
    shown = results._replace(test_sets=tuple(each for each in results.test_sets if each.code in codes)).only(chosen)
    return RankedSystems(rankings, shown, results.provenance().with_parts(ranking=choice.ranking))


def measure_in(results: Results, measure: str, registry: Registry = STANDARD) -> str:
    lower = {name.lower(): name for name in results.measures}
    name = (
        measure if measure in results.measures else lower.get(measure.lower()) or str(parse_measure(measure, registry))
    )
    if name not in results.measures:
        raise MeasureError(unknown("measure in this table", measure, results.measures), "unknown-measure")
    return name
