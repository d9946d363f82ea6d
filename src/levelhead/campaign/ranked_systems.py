"""Rankings of systems by each measure over each group of test sets, with optional intervals and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from levelhead.campaign.plan import Plan
from levelhead.campaign.rank_intervals import RankedIntervals, with_intervals
from levelhead.campaign.ranking import ALL, Ranking, RankSets, groups_named, rank
from levelhead.campaign.ranking_tables import ranking_document, ranking_table, results_table
from levelhead.campaign.results import Results
from levelhead.errors import MeasureError, unknown
from levelhead.evaluation.provenance import Provenance, signature_of_draws
from levelhead.immutable import immutable
from levelhead.measures.registry import STANDARD, Registry, parse_measure
from levelhead.significance import InferenceSettings
from levelhead.tables.table import Table
from levelhead.tabular import Tabular

__all__ = ["RankedSystems", "RankingChoice"]


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

    ranking: str = "exact"
    groups: Sequence[str] = (ALL,)
    own: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tests: InferenceSettings | None = None
    rank_sets: RankSets = "marginal"


STANDARD_RANKING = RankingChoice()
"""By averages at full precision over all test sets, without tests."""


@immutable
class RankedSystems(Tabular):
    """Systems ranked by macro-averages.

    Args:
        rankings: one per group and measure, ordered by group.
        results: the result of each system on each test set.
        provenance: the provenance of the numbers.
        intervals: the rankings with their tests; None if not requested.
    """

    rankings: tuple[Ranking, ...]
    results: Results
    provenance: Provenance
    intervals: RankedIntervals | None = None

    def __getitem__(self, measure: str) -> Ranking:
        """Return the ranking by a measure (ignoring case) over the first group."""
        for ranking in self.rankings:
            if ranking.measure.lower() == measure.lower():
                return ranking
        available = ", ".join(ranking.measure for ranking in self.rankings)
        raise KeyError(f"no ranking by {measure!r}: available are {available}")

    def table(self, *, by_treebank: bool = False) -> Table:
        """Return the ranking as a table.

        Args:
            by_treebank: the scores on each test set instead of averages.
        """
        if not by_treebank:
            return ranking_table(self.results, self.rankings)
        codes = {code for ranking in self.rankings for code in ranking.group.codes}
        shown = tuple(test_set for test_set in self.results.test_sets if test_set.code in codes)
        return results_table(self.results._replace(test_sets=shown))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document that the command prints with `--format json`."""
        return ranking_document(self.results, self.rankings)


def needed_plan(plan: Plan, choice: RankingChoice, groups: Sequence[str]) -> Plan:
    """Return a plan with the test sets that groups need."""
    named = groups_named(groups, plan.test_sets, own=choice.own, ranking=choice.ranking)
    needed = {code for group in named for code in group.codes}
    return plan._replace(test_sets=tuple(test_set for test_set in plan.test_sets if test_set.code in needed))


def rank_results(results: Results, measures: Iterable[str], choice: RankingChoice = STANDARD_RANKING) -> RankedSystems:
    """Return rankings of systems by known results, such as a table of scores."""
    groups = groups_named(choice.groups, results.test_sets, own=choice.own, ranking=choice.ranking)
    chosen = list(dict.fromkeys(measures))
    rankings = tuple(rank(results, measure, group, choice.ranking) for group in groups for measure in chosen)
    if choice.tests is None:
        return RankedSystems(rankings, results.only(chosen), results.provenance())
    intervals = with_intervals(results, rankings, choice.tests, choice.rank_sets)
    signature = {**results.signature, **signature_of_draws(choice.tests)}
    signature |= {"rank-sets": choice.rank_sets} if choice.rank_sets != "marginal" else {}
    signed = results._replace(signature=signature)
    return RankedSystems(intervals.rankings, signed.only(chosen), signed.provenance(), intervals)


def measure_in(results: Results, measure: str, registry: Registry = STANDARD) -> str:
    """Return the name of a measure in results; spellings vary in published tables."""
    by_lower = {name.lower(): name for name in results.measures}
    if measure.lower() in by_lower:
        return measure if measure in results.measures else by_lower[measure.lower()]
    text = str(parse_measure(measure, registry))
    if text not in results.measures:
        raise MeasureError(unknown("measure in this table", measure, results.measures), "unknown-measure")
    return text
