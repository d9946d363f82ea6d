"""How systems compare on the page of a ranking: by two measures, by classes of relations, and against each other."""

from __future__ import annotations

import math
from collections.abc import Iterable

from levelhead.campaign import Ranking, TestSet
from levelhead.measures.registry import lower_is_better
from levelhead.report.charts.page_charts import Point, panels, scatter, shares, slopes
from levelhead.report.page.blocks import Block, HeatMap, Section
from levelhead.report.page.ranked_campaign import MOST_MEASURES, RankedCampaign, blocks_of, numbered
from levelhead.tables.table import Cell, Column, Table

_MOST_POINTS = 3000
_KINDS = (("won", "s0"), ("tied", "none"), ("lost", "s1"))


def comparison_sections(campaign: RankedCampaign) -> list[Section]:
    """Return the sections on measures, classes of relations, and test sets won and lost."""
    return [_measures(campaign), _classes(campaign), _duels(campaign)]


def _measures(campaign: RankedCampaign) -> Section:
    """Which systems profit from function words (LAS against CLAS), and ranks by all measures."""
    pair = _pair(campaign)
    blocks: list[Block] = []
    if pair:
        blocks = [make(campaign, pair, group) for group in campaign.groups for make in (_families, _points)]
        blocks += [_slopes(campaign, group) for group in campaign.groups]
    lead = "How ranks depend on the measure."
    if pair == ("LAS", "CLAS"):
        lead += (
            " LAS counts all words, CLAS leaves out function words. A system far above the line, or rising from LAS to"
            " CLAS, is worse on function words than its LAS suggests; one far below or falling is better."
        )
    return Section("measures", f"{pair[0]} and {pair[1]}" if pair else "", lead, blocks, narrow=True)


def _pair(campaign: RankedCampaign) -> tuple[str, str] | None:
    ratios = [measure for measure in campaign.measures if not lower_is_better(measure)]
    for names in (("LAS", "CLAS"), tuple(ratios[:2])):
        if len(names) == 2 and set(names) <= set(campaign.results.measures):
            return names[0], names[1]
    return None


def _slopes(campaign: RankedCampaign, group: str) -> Block:
    rankings = [ranking for ranking in campaign.of(group) if not ranking.undefined][:MOST_MEASURES]
    name = numbered(campaign, "ranks-by-measure", group)
    if len(rankings) < 2:
        return Block(name, when={"group": group})
    ranks = {
        standing.system: [_rank(ranking, standing.system) for ranking in rankings] for standing in rankings[0].standings
    }
    drawing = slopes(f"Ranks by measure, {group}", ranks, [ranking.measure for ranking in rankings])
    return Block(name, "Ranks by measure", when={"group": group}, drawing=drawing)


def _rank(ranking: Ranking, system: str) -> int | None:
    return next(standing.rank for standing in ranking.standings if standing.system == system)


def _valid(campaign: RankedCampaign, pair: tuple[str, str], group: str) -> Iterable[tuple[str, TestSet, float, float]]:
    """Both values of every valid output on the test sets of a group."""
    for test_set in campaign.test_sets(campaign.of(group)[0]):
        for system in campaign.results.systems:
            x, y = (campaign.value(system, test_set, measure) for measure in pair)
            if x is not None and y is not None and campaign.result(system, test_set).state == "valid":
                yield system, test_set, 100 * x, 100 * y


def _points(campaign: RankedCampaign, pair: tuple[str, str], group: str) -> Block:
    points = [
        Point(x, y, test_set.language.family, f"{system} on {test_set.code}: {pair[0]} {x:.2f}, {pair[1]} {y:.2f}")
        for system, test_set, x, y in _valid(campaign, pair, group)
    ]
    name, title = numbered(campaign, "measures", group), f"{pair[0]} against {pair[1]}"
    if not points:
        return Block(name, when={"group": group})
    step = 1 + len(points) // _MOST_POINTS
    which = "every valid output" if step == 1 else f"1 in {step} valid outputs"
    return Block(name, f"{title}, {which}", when={"group": group}, drawing=scatter(title, points[::step], *pair))


def _families(campaign: RankedCampaign, pair: tuple[str, str], group: str) -> Block:
    own: dict[str, list[tuple[str, float, float]]] = {}
    for _, test_set, x, y in _valid(campaign, pair, group):
        own.setdefault(test_set.language.family or "unknown", []).append((test_set.code, x / 100, y / 100))
    families: list[tuple[float, str, int, float, float]] = []
    for family, some in own.items():
        x, y = (math.fsum(value) / len(some) for value in ([one[1] for one in some], [one[2] for one in some]))
        families.append((y - x, family, len({code for code, _, _ in some}), x, y))
    rows: list[tuple[Cell, ...]] = [(family, n, x, y, change) for change, family, n, x, y in sorted(families)]
    columns = (
        Column("Family", "text"),
        Column("Test sets", "number"),
        *map(Column, pair),
        Column("Change", "difference"),
    )
    caption = f"Means over valid outputs of all systems; change from {pair[0]} to {pair[1]}, in points."
    name, when = numbered(campaign, "families", group), {"group": group}
    if len(rows) < 2:
        return Block(name, when=when)
    return Block(name, "By language family", caption, when=when, table=Table(columns, tuple(rows)))


def _classes(campaign: RankedCampaign) -> Section:
    blocks = [_class_bars(campaign, group) for group in campaign.groups]
    lead = "LAS by class of relations (Nivre and Fang 2017): means over valid outputs on test sets with this class."
    return Section("classes", "Classes of relations", lead, [block for block in blocks if block.drawing])


def _class_bars(campaign: RankedCampaign, group: str) -> Block:
    ranking = campaign.of(group)[0]
    name = numbered(campaign, "classes", group)
    systems = [standing.system for standing in ranking.standings]
    columns = {}
    for measure in campaign.classes:
        values = [_mean(campaign, system, ranking, measure) for system in systems]
        if any(value is not None for value in values):
            columns[measure.rpartition(":")[2].rpartition("@")[2]] = values
    if not columns:
        return Block(name)
    return Block(name, when={"group": group}, drawing=panels(f"LAS by class of relations, {group}", systems, columns))


def _mean(campaign: RankedCampaign, system: str, ranking: Ranking, measure: str) -> float | None:
    own = [test_set for test_set in campaign.test_sets(ranking) if campaign.result(system, test_set).state == "valid"]
    known = [value for test_set in own if (value := campaign.value(system, test_set, measure)) is not None]
    return 100 * math.fsum(known) / len(known) if known else None


def _duels(campaign: RankedCampaign) -> Section:
    better = "significantly better" if campaign.tested(campaign.rankings[0]) else "better"
    lead = f"Number of test sets on which the system of the row is {better} than the system of the column."
    blocks = [
        block
        for pair in zip(blocks_of(campaign, "duels", _shares), blocks_of(campaign, "wins", _wins))
        for block in pair
    ]
    return Section("duels", "Won, tied, lost", lead, blocks if len(campaign.results.systems) > 1 else [])


def _won(campaign: RankedCampaign, ranking: Ranking, one: str, other: str) -> int:
    if campaign.tested(ranking):
        number = next(i for i, own in enumerate(campaign.rankings) if own is ranking)
        return campaign.wins[number].get((one, other), 0)
    n_won, lower = 0, lower_is_better(ranking.measure)
    for code in ranking.group.codes:
        mine, theirs = (campaign.results.results[system, code].values[ranking.measure] for system in (one, other))
        n_won += mine is not None and theirs is not None and (mine < theirs if lower else mine > theirs)
    return n_won


def _shares(campaign: RankedCampaign, ranking: Ranking, name: str) -> Block:
    systems, rows = [standing.system for standing in ranking.standings], {}
    for system in systems:
        others = [other for other in systems if other != system]
        won = sum(_won(campaign, ranking, system, other) for other in others)
        lost = sum(_won(campaign, ranking, other, system) for other in others)
        rows[system] = (won, len(ranking.group.codes) * len(others) - won - lost, lost)
    title = f"Won, tied and lost against all others by {ranking.measure}"
    return Block(name, drawing=shares(title, rows, _KINDS))


def _wins(campaign: RankedCampaign, ranking: Ranking, name: str) -> Block:
    systems = [standing.system for standing in ranking.standings]
    rows = [
        (system, [None if system == other else float(_won(campaign, ranking, system, other)) for other in systems])
        for system in systems
    ]
    matrix = HeatMap("better", systems, rows, {}, {}, Column("wins", "number"), kinds=("system", "system"))
    return Block(name, heat=matrix)
