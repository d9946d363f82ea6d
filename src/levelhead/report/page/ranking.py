"""The page of a campaign: the ranking, which differences are significant, and how systems compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from levelhead.campaign import OutputResult, RankedIntervals, Ranking, Results, TestSet
from levelhead.campaign.ranking_tables import (
    included_test_sets,
    ranking_table,
    relation_notes,
    resampling_notes,
    undecided_ranks,
    undefined_average,
)
from levelhead.evaluation.score_tables import LABEL, VALID_TREES_NOTE
from levelhead.measures.registry import STANDARD, Registry, lower_is_better
from levelhead.report.charts.page_charts import IntervalRow, Point, panels, scatter, shares, slopes, spreads
from levelhead.report.page.blocks import Block, HeatMap, Page, Section, Strip, names_or_number
from levelhead.scoring.rules import Rules, rules_named
from levelhead.tables.table import Cell, Column, Table, formatted, level_text, value_cell

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


_FIND = "Find systems, test sets, families"


def measures_of_page(rules: str | Rules, registry: Registry = STANDARD) -> tuple[str, ...]:
    """Return the measures that every ranking page shows: LAS, CLAS, and LAS of each class."""
    scheme = registry.schemes.by_name[registry.schemes.default]
    classes = [f"LAS@{scheme.name}:{name}" for name in scheme.classes]
    return ("LAS",) if rules_named(rules).content else ("LAS", "CLAS", *classes)


def ranking_page(
    results: Results,
    rankings: Sequence[Ranking],
    intervals: RankedIntervals | None = None,
    classes: Sequence[str] = (),
    pages: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> Page:
    """Return the page of a campaign."""
    tested = intervals.rankings if intervals else rankings
    campaign = RankedCampaign(results, tested, intervals.wins if intervals else (), classes, pages)
    sections = [_leaderboard(campaign), _ranges(campaign), _heat(campaign), *comparison_sections(campaign)]
    sections += [_zeros(campaign)]
    first = campaign.rankings[0]
    codes = {code for ranking in rankings for code in ranking.group.codes}
    notes = relation_notes(results, codes) if results.gold else ranking_table(results, rankings).notes[:-1]
    notes = [*notes, *(map(_sentence, resampling_notes(results, rankings)) if results.gold else ())]
    signature = {**results.signature, "ranking": first.rule}
    choices = {"group": campaign.groups, "measure": campaign.measures}
    shown = [section for section in sections if section.blocks]
    lead = f"{LABEL} " if results.partial else ""
    lead += _lead(first, several=len(campaign.groups) > 1)
    codes_shown = [test_set.code for test_set in results.test_sets if test_set.code in codes]
    title = f"Ranking of {names_or_number(results.systems, 'system')} on {names_or_number(codes_shown, 'test set')}"
    return Page(title, lead, _facts(results), choices, shown, tuple(notes), signature, "ranking", find=_FIND)


def _lead(ranking: Ranking, *, several: bool) -> str:
    ranked = [standing for standing in ranking.standings if standing.value is not None]
    if not ranked:
        return f"No system has an average of {ranking.measure}."
    if not any(standing.n_valid for standing in ranked):
        return "No output is valid."
    best = [standing for standing in ranked if standing.rank == ranked[0].rank]
    value = value_cell(best[0].value, perplexity=lower_is_better(ranking.measure))
    where = f" on {ranking.group.name}" if several else ""
    how = f"by {ranking.measure}{where}, with {formatted(value, Column(ranking.measure))}"
    if len(best) > 1:
        return f"{names_or_number([standing.system for standing in best], 'system')} are tied for first place {how}."
    text = f"{best[0].system} is first {how}"
    if len(ranked) > 1 and has_tests(ranking):
        ahead = "significantly ahead of" if 1 in (ranking.lines or ()) else "but not significantly ahead of"
        text += f", {ahead} {ranked[1].system}"
    return f"{text}."


def _facts(results: Results) -> list[tuple[str, str]]:
    names = {test_set.language.name for test_set in results.test_sets if test_set.language.name}
    valid = sum(result.state == "valid" for result in results.results.values())
    counts = [("system", len(results.systems)), ("test set", len(results.test_sets)), ("language", len(names))]
    facts = [(what if n == 1 else f"{what}s", f"{n}") for what, n in counts if n]
    facts += [("gold words", f"{sum(gold.words for gold in results.gold.values()):,}")] if results.gold else []
    return [*facts, ("valid outputs" if results.gold else "scored outputs", f"{valid:,} of {len(results.results):,}")]


def _leaderboard(campaign: RankedCampaign) -> Section:
    lead = "Macro-averages: every test set counts the same. A missing or invalid output counts as 0."
    lead += f" {VALID_TREES_NOTE}" if campaign.results.partial else ""
    if has_tests(campaign.rankings[0]):
        lead += (
            " A line between two neighbors marks a significant difference. All pairs are tested: systems that share a"
            " letter (see More columns) do not differ significantly. The tick is the average, the band its"
            f" {_level(campaign)} confidence interval (CI)."
        )
    return Section("leaderboard", "Ranking", lead, blocks_of(campaign, "leaderboard", _board))


def _board(campaign: RankedCampaign, ranking: Ranking, name: str) -> Block:
    others = [other for other in campaign.of(ranking.group.name) if other is not ranking][: MOST_MEASURES - 1]
    table = ranking_table(campaign.results, [ranking, *others])._replace(notes=())
    extra = {
        "Letters",
        f"{ranking.measure} of valid sentences",
        *(name for other in others for name in (other.measure, f"{other.measure} rank")),
    }
    hidden = frozenset(extra & {column.name for column in table.columns})
    strips, ends = _strips(ranking)
    notes = (undefined_average(ranking), included_test_sets(ranking.group), undecided_ranks(ranking))
    caption = " ".join(_sentence(note) for note in notes if note)
    return Block(
        name, caption=caption, table=table, strips=strips, strip_ends=ends, extra=hidden, rows_are="system"
    )  # fmt: skip


def _strips(ranking: Ranking) -> tuple[list[Strip | None], tuple[str, str]]:
    """A picture of each system's average with its interval, and the values at both ends of the pictures."""
    ends = [
        end for standing in ranking.standings for end in (*(standing.interval or ()), standing.value) if end is not None
    ]
    low, high = float(min(ends, default=0)), float(max(ends, default=1))

    def position(value: float) -> float:
        return (value - low) / (high - low or 1)

    strips = [
        None
        if standing.value is None
        else Strip(position(float(standing.value)), *map(position, standing.interval or ()))
        for standing in ranking.standings
    ]
    column, plain = Column(ranking.measure), lower_is_better(ranking.measure)
    first, last = (formatted(value_cell(end, perplexity=plain), column, 1) for end in (low, high))
    return strips, (first, last)


def _level(campaign: RankedCampaign) -> str:
    """The confidence level as a percentage."""
    return level_text(campaign.results.signature.get("level", 0.95))


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def _ranges(campaign: RankedCampaign) -> Section:
    lead = (
        "The possible ranks of each system: below all systems that are significantly better, above all that are"
        " significantly worse (confidence sets, Mogstad et al. 2024)."
    )
    if campaign.rankings[0].rank_sets == "simultaneous":
        lead += " All sets hold simultaneously."
    blocks = blocks_of(campaign, "rank-ranges", _range)
    return Section("ranks", "Rank ranges", lead, [block for block in blocks if block.drawing])


def _range(campaign: RankedCampaign, ranking: Ranking, name: str) -> Block:  # noqa: ARG001
    rows = [
        IntervalRow(standing.system, standing.rank, *(standing.ranks or ()))
        for standing in ranking.standings
        if standing.rank is not None
    ]
    if not rows or not has_tests(ranking):
        return Block(name)
    title = f"Rank ranges by {ranking.measure}, {ranking.group.name}"
    return Block(name, drawing=spreads(title, rows, "rank", rules=ranking.lines or (), whole=True))


def _heat(campaign: RankedCampaign) -> Section:
    lead = (
        "Systems are in the order of their ranks, test sets by language family. Darker blue is better. Click a system"
    )
    lead += " to sort by it, or a score to see its errors." if campaign.pages else " to sort by it."
    return Section("treebanks", "Every system on every test set", lead, blocks_of(campaign, "treebanks", _heat_of))


def _heat_of(campaign: RankedCampaign, ranking: Ranking, name: str) -> Block:
    systems, test_sets = [standing.system for standing in ranking.standings], campaign.test_sets(ranking)
    rows = [(test_set.code, [campaign.value(s, test_set, ranking.measure) for s in systems]) for test_set in test_sets]
    cells = [(i, j, system, test_set) for i, test_set in enumerate(test_sets) for j, system in enumerate(systems)]
    marks = {
        (i, j): "; ".join(campaign.result(system, test_set).reasons) or "no output"
        for i, j, system, test_set in cells
        if campaign.result(system, test_set).state != "valid"
    }
    links = {
        (i, j): campaign.pages[s, test_set.code] for i, j, s, test_set in cells if (s, test_set.code) in campaign.pages
    }
    links |= dict.fromkeys(marks, "#zeros")
    languages = ((i, test_set.language) for i, test_set in enumerate(test_sets) if test_set.language.name)
    aliases = {i: " · ".join(filter(None, dict.fromkeys((a.name, a.genus, a.family)))) for i, a in languages}
    matrix = HeatMap(
        "Test set", systems, rows, _headings(test_sets), marks, Column(ranking.measure),
        lower_is_better(ranking.measure), True, links, aliases, ("set", "system"),
    )  # fmt: skip
    return Block(name, heat=matrix)


def _headings(test_sets: Sequence[TestSet]) -> dict[int, str]:
    """Each family as a heading above its first test set; nothing if no family is known."""
    families = [test_set.language.family or "Other" for test_set in test_sets]
    starts = {i: family for i, family in enumerate(families) if i == 0 or family != families[i - 1]}
    return starts if any(test_set.language.family for test_set in test_sets) else {}


def _zeros(campaign: RankedCampaign) -> Section:
    faults: list[tuple[str, Sequence[str]]] = []
    for system in campaign.results.systems:
        own = {test_set.code: campaign.result(system, test_set) for test_set in campaign.results.test_sets}
        missing = [code for code, result in own.items() if result.state == "missing" and not result.reasons]
        faults += [(f"{system} on {', '.join(missing)}", ["no output"])] if missing else []
        faults += [
            (f"{system} on {code}", _reasons(result, campaign.measures))
            for code, result in own.items()
            if result.reasons
        ]
    lead = "They count as 0, as in the CoNLL shared tasks. Scores over valid sentences do not affect ranks."
    if has_tests(campaign.rankings[0]):
        lead += " A single one of them never makes a difference significant."
    return Section("zeros", "Missing and invalid outputs", lead, [Block("zeros", faults=faults)] if faults else [])


def _reasons(result: OutputResult, measures: Sequence[str]) -> list[str]:
    if result.coverage is None:
        return list(result.reasons)
    scored = f"{result.coverage.scored:,} of {result.coverage.gold:,} sentences can be compared"
    known = {name: score for name, score in result.secondary.items() if name in measures[:MOST_MEASURES]}
    values = (
        f"{name} {formatted(value_cell(score.value, perplexity=score.perplexity), Column(name))}"
        for name, score in known.items()
        if score.value is not None
    )
    return [*result.reasons, f"{scored}: {', '.join(values)}"]
