"""The results behind the page of a ranking, and helpers that make a block for each group and measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from levelhead.campaign import OutputResult, Ranking, Results, TestSet
from levelhead.measures.registry import lower_is_better
from levelhead.report.page.blocks import Block
from levelhead.tables.table import value_cell

MOST_MEASURES = 6
"""The largest number of measures in a table or chart."""


class RankedCampaign(NamedTuple):
    """The results on the page; see `ranking_page` for the fields."""

    results: Results
    rankings: Sequence[Ranking]
    wins: Sequence[Mapping[tuple[str, str], int]]
    classes: Sequence[str]
    pages: Mapping[tuple[str, str], str]

    @property
    def measures(self) -> list[str]:
        """The measures, in the order of the rankings."""
        return list(dict.fromkeys(ranking.measure for ranking in self.rankings))

    @property
    def groups(self) -> list[str]:
        """The groups of test sets, in the order of the rankings."""
        return list(dict.fromkeys(ranking.group.name for ranking in self.rankings))

    def tested(self, ranking: Ranking) -> bool:
        """Whether systems were tested against each other on every test set."""
        return bool(self.results.gold) and has_tests(ranking)

    def of(self, group: str) -> list[Ranking]:
        """Return the rankings over a group."""
        return [ranking for ranking in self.rankings if ranking.group.name == group]

    def test_sets(self, ranking: Ranking) -> list[TestSet]:
        """Return the test sets of a ranking."""
        own = [test_set for test_set in self.results.test_sets if test_set.code in set(ranking.group.codes)]
        return by_family(own)

    def result(self, system: str, test_set: TestSet) -> OutputResult:
        """Return the result of a system on a test set."""
        return self.results.results[system, test_set.code]

    def value(self, system: str, test_set: TestSet, measure: str) -> float | None:
        """Return a system's score on a test set; None if it is undefined."""
        value = self.result(system, test_set).values.get(measure)
        return value_cell(value, perplexity=lower_is_better(measure))


def has_tests(ranking: Ranking) -> bool:
    """Return whether the averages of systems were tested; they are not if there are too few units to resample."""
    return any(standing.ranks for standing in ranking.standings)


def by_family(test_sets: Iterable[TestSet]) -> list[TestSet]:
    """Return test sets by language family and genus, with unknown languages last."""
    return sorted(
        test_sets, key=lambda test_set: (test_set.language.family or "~", test_set.language.genus, test_set.code)
    )


def blocks_of(
    campaign: RankedCampaign, name: str, make: Callable[[RankedCampaign, Ranking, str], Block]
) -> list[Block]:
    """Return a block for each group and measure."""
    blocks = []
    for number, ranking in enumerate(campaign.rankings):
        block = make(campaign, ranking, f"{name}-{number + 1}" if len(campaign.rankings) > 1 else name)
        blocks.append(block._replace(when={"group": ranking.group.name, "measure": ranking.measure}))
    return blocks


def numbered(campaign: RankedCampaign, name: str, group: str) -> str:
    """Return the name of the files of a block of a group."""
    return f"{name}-{campaign.groups.index(group) + 1}" if len(campaign.groups) > 1 else name
