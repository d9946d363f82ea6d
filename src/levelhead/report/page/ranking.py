"""The page of a campaign: the ranking, which differences are significant, and scores by test set and measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

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
from levelhead.report.charts.page_charts import IntervalRow, spreads
from levelhead.report.page.blocks import Block, HeatMap, Page, Section, Strip, names_or_number
from levelhead.report.page.ranked_campaign import MOST_MEASURES, RankedCampaign, blocks_of, has_tests
from levelhead.report.page.ranking_comparisons import comparison_sections
from levelhead.scoring.rules import Rules, rules_named
from levelhead.tables.table import Column, formatted, level_text, value_cell

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
