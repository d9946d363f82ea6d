"""The page of a campaign: who is best, how sure that is, on what, and by which measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from levelhead.campaign import OutputResult, RankedIntervals, Ranking, Results, TestSet
from levelhead.measures.registry import STANDARD, Registry, lower_is_better
from levelhead.report.charts.page_charts import IntervalRow, Point, panels, scatter, shares, slopes, spreads
from levelhead.report.page.blocks import Block, Heat, Page, Section, Strip
from levelhead.report.partial import LABEL, VALID_TREES_NOTE
from levelhead.report.rank_notes import undecided
from levelhead.report.ranking import ranking_table, relation_notes
from levelhead.report.table import Cell, Column, IntervalCell, Table, formatted, value_cell
from levelhead.scoring.rules import rules_named

_MOST_MEASURES = 6
_MOST_POINTS = 3000
_FIND = "Find systems, test sets, families"
_KINDS = (("won", "s0"), ("tied", "none"), ("lost", "s1"))


class _Campaign(NamedTuple):
    """What the page is made from; see `ranking_page`."""

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
        return ranking.lines is not None and bool(self.results.gold)

    def of(self, group: str) -> list[Ranking]:
        """Return the rankings over a group."""
        return [ranking for ranking in self.rankings if ranking.group.name == group]

    def test_sets(self, ranking: Ranking) -> list[TestSet]:
        """Return the test sets of a ranking."""
        own = [one for one in self.results.test_sets if one.code in set(ranking.group.codes)]
        return sorted(own, key=lambda one: (one.language.family or "~", one.language.genus, one.code))

    def result(self, system: str, test_set: TestSet) -> OutputResult:
        """Return the result of a system on a test set."""
        return self.results.results[system, test_set.code]

    def value(self, system: str, test_set: TestSet, measure: str) -> float | None:
        """Return a system's score on a test set, None if there is none."""
        value = self.result(system, test_set).values.get(measure)
        return value_cell(value, perplexity=lower_is_better(measure))


def measures_of_page(rules: str, registry: Registry = STANDARD) -> tuple[str, ...]:
    """Return the measures that the page of a campaign shows whatever it ranks by: LAS, CLAS, and LAS of each class.

    Args:
        rules: the name of the rules; those of morphosyntactic parsing have LAS only.
        registry: the available measures and schemes; its default scheme has the classes.
    """
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
    """Return the page of a campaign.

    Args:
        results: its results.
        rankings: of each group by each measure; the first is the most important.
        intervals: intervals and tests, if they were computed.
        classes: measures of the results that are of one class of relations each.
        pages: the address of the page of each system (first) on each test set (second) that has one.
    """
    tested = intervals.rankings if intervals else rankings
    campaign = _Campaign(results, tested, intervals.wins if intervals else (), classes, pages)
    sections = [_leaderboard(campaign), _ranges(campaign), _heat(campaign), _measures(campaign), _classes(campaign)]
    sections += [_duels(campaign), _zeros(campaign)]
    first = campaign.rankings[0]
    codes = {code for ranking in rankings for code in ranking.group.codes}
    notes = relation_notes(results, codes) if results.gold else ranking_table(results, rankings).notes[:-1]
    signature = {**results.signature, "ranking": first.rule}
    choices = {"group": campaign.groups, "measure": campaign.measures}
    shown = [section for section in sections if section.blocks]
    lead = f"{LABEL} " if results.partial else ""
    lead += _lead(first, several=len(campaign.groups) > 1)
    return Page("Ranking", lead, _facts(results), choices, shown, tuple(notes), signature, "ranking", find=_FIND)


def _lead(ranking: Ranking, *, several: bool) -> str:
    ranked = [one for one in ranking.standings if one.value is not None]
    if not ranked:
        return f"No system has an average of {ranking.measure}."
    best = ranked[0]
    value = value_cell(best.value, perplexity=lower_is_better(ranking.measure))
    where = f" on {ranking.group.name}" if several else ""
    text = f"{best.system} is first by {ranking.measure}{where}, with {formatted(value, Column(ranking.measure))}"
    if len(ranked) > 1 and ranking.lines is not None:
        surely = "significantly ahead of" if 1 in ranking.lines else "but not significantly ahead of"
        text += f", {surely} {ranked[1].system}"
    return f"{text}."


def _facts(results: Results) -> list[tuple[str, str]]:
    names = {one.language.name for one in results.test_sets if one.language.name}
    valid = sum(result.state == "valid" for result in results.results.values())
    counts = [("system", len(results.systems)), ("test set", len(results.test_sets)), ("language", len(names))]
    facts = [(what if n == 1 else f"{what}s", f"{n}") for what, n in counts if n]
    facts += [("gold words", f"{sum(gold.words for gold in results.gold.values()):,}")] if results.gold else []
    return [*facts, ("valid outputs" if results.gold else "scored outputs", f"{valid} of {len(results.results)}")]


def _blocks(campaign: _Campaign, name: str, make: Callable[[_Campaign, Ranking, str], Block]) -> list[Block]:
    """A block for each group and measure."""
    blocks = []
    for number, ranking in enumerate(campaign.rankings):
        block = make(campaign, ranking, f"{name}-{number + 1}" if len(campaign.rankings) > 1 else name)
        blocks.append(block._replace(when={"group": ranking.group.name, "measure": ranking.measure}))
    return blocks


def _leaderboard(campaign: _Campaign) -> Section:
    lead = "Macro-averages: every test set counts the same. A missing or invalid output counts as 0."
    lead += f" {VALID_TREES_NOTE}" if campaign.results.partial else ""
    if campaign.rankings[0].lines is not None:
        lead += (
            " A line separates neighbors that differ significantly; letters, under More columns, join"
            " systems that do not: all pairs are tested. The tick is the average, the band its"
            f" {_level(campaign)} confidence interval (CI)."
        )
    return Section("leaderboard", "Ranking", lead, _blocks(campaign, "leaderboard", _board))


def _board(campaign: _Campaign, ranking: Ranking, name: str) -> Block:
    others = [one for one in campaign.of(ranking.group.name) if one is not ranking][: _MOST_MEASURES - 1]
    table = _with_intervals(ranking_table(campaign.results, [ranking, *others]), ranking.measure, _level(campaign))
    ends = [end for one in ranking.standings for end in (*(one.interval or ()), one.value) if end is not None]
    low, high = float(min(ends, default=0)), float(max(ends, default=1))

    def place(value: float) -> float:
        return (value - low) / (high - low or 1)

    strips = [
        None if one.value is None else Strip(place(float(one.value)), *(place(end) for end in one.interval or ()))
        for one in ranking.standings
    ]
    plain = lower_is_better(ranking.measure)
    scale = [formatted(value_cell(end, perplexity=plain), Column(ranking.measure), 1) for end in (low, high)]
    extra = {
        "Letters",
        f"{ranking.measure} of valid sentences",
        *(name for other in others for name in (other.measure, f"{other.measure} rank")),
    }
    undefined = (
        f"No average: gold has nothing to measure on {', '.join(ranking.undefined)}." if ranking.undefined else ""
    )
    n_all = len(ranking.group.codes) + len(ranking.group.lacks)
    part = f"{len(ranking.group.codes)} of the group's {n_all} test sets are included." if ranking.group.lacks else ""
    caption = " ".join(filter(None, (undefined, part, _sentence(undecided(ranking)))))
    hidden = frozenset(extra & {column.name for column in table.columns})
    return Block(
        name, caption=caption, table=table, strips=strips, strip_ends=(scale[0], scale[1]), extra=hidden,
        rows_are="system",
    )  # fmt: skip


def _with_intervals(table: Table, measure: str, level: str) -> Table:
    """The table of a ranking for a page: an interval is one column, named by its level."""
    names = [column.name for column in table.columns]
    if "low" not in names:
        return table._replace(notes=())
    at = names.index("low")
    interval = Column(f"{level} CI", ends=(f"{measure} low", f"{measure} high"))
    columns = (*table.columns[:at], interval, *table.columns[at + 2 :])
    return table._replace(
        columns=columns, rows=tuple((*row[:at], _interval(row[at : at + 2]), *row[at + 2 :]) for row in table.rows),
        notes=(),
    )  # fmt: skip


def _interval(ends: Sequence[Cell]) -> Cell:
    low, high = ends
    return IntervalCell(low, high) if isinstance(low, float) and isinstance(high, float) else None


def _level(campaign: _Campaign) -> str:
    """The confidence level as a percentage."""
    return f"{100 * float(campaign.results.signature.get('level', 0.95)):g}%"


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}." if note else ""


def _ranges(campaign: _Campaign) -> Section:
    lead = (
        "The ranks that each system may have: below all systems that are significantly better, above all that are"
        " significantly worse (confidence sets of Mogstad and others, 2024)."
    )
    if campaign.rankings[0].rank_sets == "simultaneous":
        lead += " All sets hold at once."
    blocks = _blocks(campaign, "rank-ranges", _range)
    return Section("ranks", "Rank ranges", lead, [block for block in blocks if block.drawing])


def _range(campaign: _Campaign, ranking: Ranking, name: str) -> Block:  # noqa: ARG001
    rows = [IntervalRow(one.system, one.rank, *(one.ranks or ())) for one in ranking.standings if one.rank is not None]
    if not rows or ranking.lines is None:
        return Block(name)
    title = f"Rank ranges by {ranking.measure}, {ranking.group.name}"
    return Block(name, drawing=spreads(title, rows, "rank", rules=ranking.lines or (), whole=True))


def _heat(campaign: _Campaign) -> Section:
    lead = "Systems by rank, test sets by family. Stronger blue is better. A name at the top sorts by that system."
    if campaign.pages:
        lead += " Choose a number to see the errors behind it."
    return Section("treebanks", "Every system on every test set", lead, _blocks(campaign, "treebanks", _heat_of))


def _heat_of(campaign: _Campaign, ranking: Ranking, name: str) -> Block:
    systems, test_sets = [one.system for one in ranking.standings], campaign.test_sets(ranking)
    rows = [(one.code, [campaign.value(s, one, ranking.measure) for s in systems]) for one in test_sets]
    cells = [(i, j, system, one) for i, one in enumerate(test_sets) for j, system in enumerate(systems)]
    marks = {
        (i, j): "; ".join(campaign.result(system, one).reasons) or "no output"
        for i, j, system, one in cells
        if campaign.result(system, one).state != "valid"
    }
    links = {(i, j): campaign.pages[s, one.code] for i, j, s, one in cells if (s, one.code) in campaign.pages}
    links |= dict.fromkeys(marks, "#zeros")
    languages = ((i, one.language) for i, one in enumerate(test_sets) if one.language.name)
    aliases = {i: " · ".join(filter(None, dict.fromkeys((a.name, a.genus, a.family)))) for i, a in languages}
    matrix = Heat(
        "Test set", systems, rows, _headings(test_sets), marks, Column(ranking.measure),
        lower_is_better(ranking.measure), True, links, aliases, ("set", "system"),
    )  # fmt: skip
    return Block(name, heat=matrix)


def _headings(test_sets: Sequence[TestSet]) -> dict[int, str]:
    """The family above the first test set of each, if any is known."""
    families = [one.language.family or "Other" for one in test_sets]
    starts = {i: family for i, family in enumerate(families) if i == 0 or family != families[i - 1]}
    return starts if any(one.language.family for one in test_sets) else {}


def _measures(campaign: _Campaign) -> Section:
    """Who profits from function words: the two most telling measures, and ranks by all."""
    pair = _pair(campaign)
    blocks = [_slopes(campaign, group) for group in campaign.groups] if pair else []
    if pair:
        blocks += [make(campaign, pair, group) for group in campaign.groups for make in (_families, _points)]
    lead = "How ranks change with the measure."
    if pair == ("LAS", "CLAS"):
        lead += (
            " LAS counts all words, CLAS leaves function words out: systems far above the line, or rising from LAS to"
        )
        lead += " CLAS, are worse on function words than their LAS suggests, and vice versa."
    return Section("measures", f"{pair[0]} and {pair[1]}" if pair else "", lead, blocks)


def _pair(campaign: _Campaign) -> tuple[str, str] | None:
    ratios = [measure for measure in campaign.measures if not lower_is_better(measure)]
    for names in (("LAS", "CLAS"), tuple(ratios[:2])):
        if len(names) == 2 and set(names) <= set(campaign.results.measures):
            return names[0], names[1]
    return None


def _slopes(campaign: _Campaign, group: str) -> Block:
    rankings = [one for one in campaign.of(group) if not one.undefined][:_MOST_MEASURES]
    name = _numbered(campaign, "ranks-by-measure", group)
    if len(rankings) < 2:
        return Block(name, when={"group": group})
    ranks = {one.system: [_rank(ranking, one.system) for ranking in rankings] for one in rankings[0].standings}
    drawing = slopes(f"Ranks by measure, {group}", ranks, [ranking.measure for ranking in rankings])
    return Block(name, "Ranks by measure", when={"group": group}, drawing=drawing)


def _rank(ranking: Ranking, system: str) -> int | None:
    return next(one.rank for one in ranking.standings if one.system == system)


def _valid(campaign: _Campaign, pair: tuple[str, str], group: str) -> Iterable[tuple[str, TestSet, float, float]]:
    """Both values of every valid output on the test sets of a group."""
    for test_set in campaign.test_sets(campaign.of(group)[0]):
        for system in campaign.results.systems:
            x, y = (campaign.value(system, test_set, measure) for measure in pair)
            if x is not None and y is not None and campaign.result(system, test_set).state == "valid":
                yield system, test_set, 100 * x, 100 * y


def _numbered(campaign: _Campaign, name: str, group: str) -> str:
    return f"{name}-{campaign.groups.index(group) + 1}" if len(campaign.groups) > 1 else name


def _points(campaign: _Campaign, pair: tuple[str, str], group: str) -> Block:
    points = [
        Point(x, y, test_set.language.family, f"{system} on {test_set.code}: {pair[0]} {x:.2f}, {pair[1]} {y:.2f}")
        for system, test_set, x, y in _valid(campaign, pair, group)
    ]
    name, title = _numbered(campaign, "measures", group), f"{pair[0]} against {pair[1]}"
    if not points:
        return Block(name, when={"group": group})
    step = 1 + len(points) // _MOST_POINTS
    which = "every valid output" if step == 1 else f"one of {step} valid outputs"
    return Block(name, f"{title}, {which}", when={"group": group}, drawing=scatter(title, points[::step], *pair))


def _families(campaign: _Campaign, pair: tuple[str, str], group: str) -> Block:
    own: dict[str, list[tuple[str, float, float]]] = {}
    for _, test_set, x, y in _valid(campaign, pair, group):
        own.setdefault(test_set.language.family or "unknown", []).append((test_set.code, x / 100, y / 100))
    found: list[tuple[float, str, int, float, float]] = []
    for family, some in own.items():
        x, y = (sum(value) / len(some) for value in ([one[1] for one in some], [one[2] for one in some]))
        found.append((y - x, family, len({code for code, _, _ in some}), x, y))
    rows: list[tuple[Cell, ...]] = [(family, n, x, y, change) for change, family, n, x, y in sorted(found)]
    columns = (
        Column("Family", "text"),
        Column("Test sets", "number"),
        *map(Column, pair),
        Column("Change", "difference"),
    )
    caption = f"Means over valid outputs of all systems; change from {pair[0]} to {pair[1]}, in points."
    name, when = _numbered(campaign, "families", group), {"group": group}
    if len(rows) < 2:
        return Block(name, when=when)
    return Block(name, "By language family", caption, when=when, table=Table(columns, tuple(rows)))


def _classes(campaign: _Campaign) -> Section:
    blocks = [_class_bars(campaign, group) for group in campaign.groups]
    lead = (
        "LAS of each class of relations (Nivre and Fang 2017), the mean over valid outputs on test sets that have it."
    )
    return Section("classes", "Classes of relations", lead, [block for block in blocks if block.drawing])


def _class_bars(campaign: _Campaign, group: str) -> Block:
    ranking = campaign.of(group)[0]
    name = _numbered(campaign, "classes", group)
    systems = [one.system for one in ranking.standings]
    columns = {}
    for measure in campaign.classes:
        values = [_mean(campaign, system, ranking, measure) for system in systems]
        if any(value is not None for value in values):
            columns[measure.rpartition(":")[2].rpartition("@")[2]] = values
    if not columns:
        return Block(name)
    return Block(name, when={"group": group}, drawing=panels(f"LAS by class of relations, {group}", systems, columns))


def _mean(campaign: _Campaign, system: str, ranking: Ranking, measure: str) -> float | None:
    own = [one for one in campaign.test_sets(ranking) if campaign.result(system, one).state == "valid"]
    known = [value for one in own if (value := campaign.value(system, one, measure)) is not None]
    return 100 * sum(known) / len(known) if known else None


def _duels(campaign: _Campaign) -> Section:
    lead = "Number of test sets on which the system of the row is better than that of the column."
    if campaign.tested(campaign.rankings[0]):
        lead = "Number of test sets on which the system of the row is significantly better than that of the column."
    blocks = [
        block for pair in zip(_blocks(campaign, "duels", _shares), _blocks(campaign, "wins", _wins)) for block in pair
    ]
    return Section("duels", "Won, tied, lost", lead, blocks if len(campaign.results.systems) > 1 else [])


def _won(campaign: _Campaign, ranking: Ranking, one: str, other: str) -> int:
    if campaign.tested(ranking):
        number = next(i for i, own in enumerate(campaign.rankings) if own is ranking)
        return campaign.wins[number].get((one, other), 0)
    found, lower = 0, lower_is_better(ranking.measure)
    for code in ranking.group.codes:
        mine, theirs = (campaign.results.results[system, code].values[ranking.measure] for system in (one, other))
        found += mine is not None and theirs is not None and (mine < theirs if lower else mine > theirs)
    return found


def _shares(campaign: _Campaign, ranking: Ranking, name: str) -> Block:
    systems, rows = [one.system for one in ranking.standings], {}
    for one in systems:
        others = [other for other in systems if other != one]
        won = sum(_won(campaign, ranking, one, other) for other in others)
        lost = sum(_won(campaign, ranking, other, one) for other in others)
        rows[one] = (won, len(ranking.group.codes) * len(others) - won - lost, lost)
    title = f"Won, tied and lost against all others by {ranking.measure}"
    return Block(name, drawing=shares(title, rows, _KINDS))


def _wins(campaign: _Campaign, ranking: Ranking, name: str) -> Block:
    systems = [one.system for one in ranking.standings]
    rows = [
        (one, [None if one == other else float(_won(campaign, ranking, one, other)) for other in systems])
        for one in systems
    ]
    return Block(name, heat=Heat("better", systems, rows, {}, {}, Column("wins", "number"), kinds=("system", "system")))


def _zeros(campaign: _Campaign) -> Section:
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
    lead = "These count as 0, as in the shared tasks. The scores over valid sentences do not change ranks."
    if campaign.rankings[0].lines is not None:
        lead += " No difference is significant because of them alone."
    return Section("zeros", "Missing and invalid outputs", lead, [Block("zeros", faults=faults)] if faults else [])


def _reasons(result: OutputResult, measures: Sequence[str]) -> list[str]:
    if result.coverage is None:
        return list(result.reasons)
    scored = f"{result.coverage.scored} of {result.coverage.gold} sentences can be compared"
    known = {name: score for name, score in result.secondary.items() if name in measures[:_MOST_MEASURES]}
    values = (
        f"{name} {formatted(value_cell(score.value, perplexity=score.perplexity), Column(name))}"
        for name, score in known.items()
        if score.value is not None
    )
    return [*result.reasons, f"{scored}: {', '.join(values)}"]
