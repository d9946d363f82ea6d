"""The pages of a campaign: its ranking, with significant differences, and the difficulty of its test sets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, permutations
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from levelhead.campaign import OutputResult, Ranking, Results, TestSet
from levelhead.campaign.ranking import PREDICTED, adjustment_notes
from levelhead.campaign.ranking_tables import (
    first_place,
    has_tests,
    included_test_sets,
    influenced_results,
    notes_on_partial_scores,
    notes_on_units,
    ranking_table,
    relation_notes,
    undecided_ranks,
    undefined_average,
)
from levelhead.comparison.difficulty import Difficulty
from levelhead.errors import names_or_number
from levelhead.evaluation.score_tables import LABEL, VALID_TREES_NOTE
from levelhead.measures.registry import STANDARD, Registry, lower_is_better
from levelhead.report.charts.page_charts import panels, plotted_row, shares, slopes, spreads
from levelhead.report.charts.point_charts import Named, scatter
from levelhead.report.page.blocks import Block, HeatMap, Page, Section, Strip, as_sentence
from levelhead.scoring.rules import Rules, rules_named
from levelhead.significance.scopes import influence_notes
from levelhead.tables.table import Cell, Column, Table, level_text

_KINDS = (("won", "s0"), ("tied", "none"), ("lost", "s1"))
_MOST_MEASURES = 6  # in a table or chart


class _Campaign(NamedTuple):
    """The results on the page, their rankings, and the addresses of outputs' pages."""

    results: Results
    rankings: Sequence[Ranking]
    pages: Mapping[tuple[str, str], str]

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(ranking.measure for ranking in self.rankings))

    @property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(ranking.group.name for ranking in self.rankings))

    def of(self, group: str) -> list[Ranking]:
        return [ranking for ranking in self.rankings if ranking.group.name == group]

    def test_sets(self, ranking: Ranking) -> list[TestSet]:
        codes = set(ranking.group.codes)
        return by_family(test_set for test_set in self.results.test_sets if test_set.code in codes)

    def result(self, system: str, test_set: TestSet) -> OutputResult:
        return self.results.results[system, test_set.code]

    def value(self, system: str, test_set: TestSet, measure: str) -> float | None:
        value = self.result(system, test_set).values.get(measure)
        return None if value is None else float(value)

    def of_rankings(self, name: str) -> Iterator[tuple[Ranking, Block]]:
        """Yield each ranking with an empty block for it."""
        for number, ranking in enumerate(self.rankings, 1):
            when = {"group": ranking.group.name, "measure": ranking.measure}
            yield ranking, Block(f"{name}-{number}" if len(self.rankings) > 1 else name, when=when)

    def of_groups(self, name: str) -> Iterator[tuple[str, Block]]:
        """Yield each group with an empty block for it."""
        for number, group in enumerate(self.groups, 1):
            yield group, Block(f"{name}-{number}" if len(self.groups) > 1 else name, when={"group": group})


def by_family(test_sets: Iterable[TestSet]) -> list[TestSet]:
    """Return test sets by language family and genus, with unknown languages last."""
    return sorted(
        test_sets, key=lambda test_set: (test_set.language.family or "~", test_set.language.genus, test_set.code)
    )


def measures_of_page(rules: str | Rules, registry: Registry = STANDARD) -> tuple[str, ...]:
    """Return the measures that every ranking page shows: LAS, CLAS, and LAS of each class."""
    scheme = registry.schemes.by_name[registry.schemes.default]
    classes = [f"LAS@{scheme.name}:{name}" for name in scheme.classes]
    return ("LAS",) if rules_named(rules).content else ("LAS", "CLAS", *classes)


def ranking_page(
    results: Results,
    rankings: Sequence[Ranking],
    pages: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> Page:
    campaign = _Campaign(results, rankings, pages)
    makers = (_leaderboard, _ranges, _heat, _measures, _classes, _duels, _zeros)
    sections = [section for make in makers if (section := make(campaign)).blocks]
    first = campaign.rankings[0]
    codes = {code for ranking in rankings for code in ranking.group.codes}
    if results.gold:
        _, *partial = notes_on_partial_scores(results, codes) or [""]  # the first note is in the lead
        notes = [*partial, *relation_notes(results, codes), *map(as_sentence, notes_on_units(results, rankings))]
    else:
        notes = [*ranking_table(results, rankings).notes]
    codes_shown = [test_set.code for test_set in results.test_sets if test_set.code in codes]
    return Page(
        f"Ranking of {names_or_number(results.systems, 'system')} on {names_or_number(codes_shown, 'test set')}",
        f"{LABEL} " * results.partial + first_place(results, first, several=len(campaign.groups) > 1),
        _facts(results),
        {"group": campaign.groups, "measure": campaign.measures},
        sections,
        tuple(notes),
        {**results.signature, "ranking": first.rule},
        "ranking",
        find="Find systems, test sets, families",
    )


def _facts(results: Results) -> list[tuple[str, str]]:
    names = {test_set.language.name for test_set in results.test_sets if test_set.language.name}
    valid = sum(result.state == "valid" for result in results.results.values())
    counts = {"system": len(results.systems), "test set": len(results.test_sets), "language": len(names)}
    facts = [(what if n == 1 else f"{what}s", f"{n}") for what, n in counts.items() if n]
    facts += [("gold words", f"{sum(gold.words for gold in results.gold.values()):,}")] if results.gold else []
    return [
        *facts,
        (
            "valid outputs" if results.gold and not results.partial else "scored outputs",
            f"{valid:,} of {len(results.results):,}",
        ),
    ]


def _leaderboard(campaign: _Campaign) -> Section:
    lead = "Macro-averages: every test set counts the same. "
    lead += PREDICTED if campaign.rankings[0].adjusted else "A missing or invalid output counts as 0."
    lead += f" {VALID_TREES_NOTE}" if campaign.results.partial else ""
    if has_tests(campaign.rankings[0]):
        lead += (
            " On its own, it never makes a difference significant."
            " A line between two neighbors marks a significant difference. All pairs are tested: systems that share a"
            " letter (see More columns) do not differ significantly. The tick is the average, the band its own"
            f" {level_text(campaign.results.signature.get('level', 0.95))} confidence interval (CI)."
        )
    blocks = []
    for ranking, block in campaign.of_rankings("leaderboard"):
        others = [other for other in campaign.of(ranking.group.name) if other is not ranking][: _MOST_MEASURES - 1]
        table = ranking_table(campaign.results, [ranking, *others])._replace(notes=())
        of_others = (name for other in others for name in (other.measure, f"{other.measure} rank"))
        extra = frozenset({"Letters", f"{ranking.measure} of valid sentences", *of_others})
        hidden = extra.intersection(column.name for column in table.columns)
        values = [
            () if standing.value is None else (standing.value, *(standing.interval or ()))
            for standing in ranking.standings
        ]
        low, high = min(chain(*values), default=0.0), max(chain(*values), default=100.0)
        strips = [Strip(*((end - low) / (high - low or 1) for end in ends)) if ends else None for ends in values]
        of_files = bool(campaign.results.units)
        predicted = adjustment_notes(ranking, of_files=of_files) if ranking.adjusted else []
        notes = (*predicted, undefined_average(ranking), included_test_sets(ranking.group), undecided_ranks(ranking),
                 *influence_notes(influenced_results(ranking)))  # fmt: skip
        caption = " ".join(map(as_sentence, filter(None, notes)))
        ends = f"{low:.1f}", f"{high:.1f}"
        blocks.append(block._replace(caption=caption, table=table, strips=strips, strip_ends=ends, extra=hidden,
                                     rows_are="system"))  # fmt: skip
    return Section("leaderboard", "Ranking", lead, blocks)


def _ranges(campaign: _Campaign) -> Section:
    lead = (
        "The possible ranks of each system: below all systems that are significantly better, above all that are"
        " significantly worse (confidence sets that hold jointly, Mogstad et al. 2024)."
    )
    blocks = []
    for ranking, block in campaign.of_rankings("rank-ranges"):
        ranked = [standing for standing in ranking.standings if standing.rank is not None]
        if ranked and has_tests(ranking):
            rows = [plotted_row(standing.system, standing.rank, standing.rank_interval) for standing in ranked]
            title = f"Rank ranges by {ranking.measure}, {ranking.group.name}"
            chart = spreads(title, rows, "rank", rules=ranking.lines or (), whole=True)
            blocks.append(block._replace(drawing=chart))
    return Section("ranks", "Rank ranges", lead, blocks)


def _heat(campaign: _Campaign) -> Section:
    lead = (
        "Systems are in the order of their ranks, test sets by language family. Darker blue is better. Click a system"
        f" to sort by it{', or a score to see its errors' if campaign.pages else ''}."
    )
    blocks = [block._replace(heat=_heat_map(campaign, ranking)) for ranking, block in campaign.of_rankings("treebanks")]
    return Section("treebanks", "Every system on every test set", lead, blocks)


def _heat_map(campaign: _Campaign, ranking: Ranking) -> HeatMap:
    systems, test_sets = [standing.system for standing in ranking.standings], campaign.test_sets(ranking)
    rows = [(test_set.code, [campaign.value(s, test_set, ranking.measure) for s in systems]) for test_set in test_sets]
    families = [test_set.language.family for test_set in test_sets]
    starts = [i for i, family in enumerate(families) if i == 0 or family != families[i - 1]]
    headings = {i: families[i] or "Other" for i in starts if any(families)}
    marks, links, aliases = {}, {}, {}
    for i, test_set in enumerate(test_sets):
        for j, system in enumerate(systems):
            result = campaign.result(system, test_set)
            if (system, test_set.code) in campaign.pages:
                links[i, j] = campaign.pages[system, test_set.code]
            if result.state != "valid":
                marks[i, j], links[i, j] = "; ".join(result.reasons) or "no output", "#zeros"
        language = test_set.language
        if language.name:
            aliases[i] = " · ".join(filter(None, dict.fromkeys((language.name, language.genus, language.family))))
    return HeatMap(
        "Test set", systems, rows, headings, marks, Column(ranking.measure, "percent"),
        lower_is_better(ranking.measure), True, links, aliases, ("set", "system"),
    )  # fmt: skip


def _measures(campaign: _Campaign) -> Section:
    """Which systems profit from function words (LAS against CLAS), and ranks by all measures."""
    ratios = [measure for measure in campaign.measures if not lower_is_better(measure)]
    pair = ["LAS", "CLAS"] if {"LAS", "CLAS"} <= {*campaign.results.measures} else ratios[:2]
    if len(pair) < 2 or not {*pair} <= {*campaign.results.measures}:
        return Section("measures", "", "", [])
    blocks = []
    for (group, families), (_, points) in zip(campaign.of_groups("families"), campaign.of_groups("measures")):
        outputs = [
            (system, test_set, x, y)
            for test_set in campaign.test_sets(campaign.of(group)[0])
            for system in campaign.results.systems
            for x, y in [[campaign.value(system, test_set, measure) for measure in pair]]
            if x is not None and y is not None and campaign.result(system, test_set).state == "valid"
        ]
        blocks += [_by_family(families, pair, outputs), _scattered(points, pair, outputs)]
    for group, block in campaign.of_groups("ranks-by-measure"):
        rankings = [ranking for ranking in campaign.of(group) if not ranking.undefined][:_MOST_MEASURES]
        blocks.append(block)
        if len(rankings) > 1:
            ranks = [{standing.system: standing.rank for standing in ranking.standings} for ranking in rankings]
            by_system = {system: [places[system] for places in ranks] for system in ranks[0]}
            drawing = slopes(f"Ranks by measure, {group}", by_system, [ranking.measure for ranking in rankings])
            blocks[-1] = block._replace(title="Ranks by measure", drawing=drawing)
    lead = "How ranks depend on the measure."
    if pair == ["LAS", "CLAS"]:
        lead += (
            " LAS counts all words, CLAS leaves out function words. A system far above the line, or rising from LAS to"
            " CLAS, is worse on function words than its LAS suggests; one far below or falling is better."
        )
    return Section("measures", f"{pair[0]} and {pair[1]}", lead, blocks, narrow=True)


# a system, a test set, and the values of its valid output by two measures, in percent
_Valid = tuple[str, TestSet, float, float]


def _by_family(block: Block, pair: Sequence[str], outputs: Sequence[_Valid]) -> Block:
    by_name: dict[str, list[_Valid]] = {}
    for output in outputs:
        by_name.setdefault(output[1].language.family or "unknown", []).append(output)
    if len(by_name) < 2:
        return block
    rows: list[tuple[Cell, ...]] = []
    for family, of_family in by_name.items():
        x, y = (math.fsum(values) / len(of_family) for values in zip(*((x, y) for _, _, x, y in of_family)))
        rows.append((family, len({test_set.code for _, test_set, _, _ in of_family}), x, y, y - x))
    rows.sort(key=lambda row: (row[-1], *row))
    columns = (Column("Family", "text"), Column("Test sets", "number"), *(Column(name, "percent") for name in pair))
    caption = f"Means over valid outputs of all systems; change from {pair[0]} to {pair[1]}, in points."
    table = Table((*columns, Column("Change", "points")), tuple(rows))
    return block._replace(title="By language family", caption=caption, table=table)


def _scattered(block: Block, pair: Sequence[str], outputs: Sequence[_Valid]) -> Block:
    points = [
        Named(f"{system} on {test_set.code}: {pair[0]} {x:.2f}, {pair[1]} {y:.2f}", x, y, test_set.language.family)
        for system, test_set, x, y in outputs
    ]
    if not points:
        return block
    step = 1 + len(points) // 3000
    title = f"{pair[0]} against {pair[1]}"
    which = "every valid output" if step == 1 else f"1 in {step} valid outputs"
    return block._replace(title=f"{title}, {which}", drawing=scatter(title, points[::step], *pair))


def _classes(campaign: _Campaign) -> Section:
    lead = "LAS by class of relations (Nivre and Fang 2017): means over valid outputs on test sets with this class."
    blocks = []
    for group, block in campaign.of_groups("classes"):
        ranking = campaign.of(group)[0]
        columns = {}
        systems, test_sets = [standing.system for standing in ranking.standings], campaign.test_sets(ranking)
        valid = {s: [each for each in test_sets if campaign.result(s, each).state == "valid"] for s in systems}
        for measure in (measure for measure in campaign.results.measures if measure.startswith("LAS@")):
            scores = [[campaign.value(system, each, measure) for each in valid[system]] for system in systems]
            known = [[value for value in values if value is not None] for values in scores]
            if any(known):
                means = [math.fsum(values) / len(values) if values else None for values in known]
                columns[measure.rpartition(":")[2].rpartition("@")[2]] = means
        if columns:
            blocks.append(block._replace(drawing=panels(f"LAS by class of relations, {group}", systems, columns)))
    return Section("classes", "Classes of relations", lead, blocks)


def _duels(campaign: _Campaign) -> Section:
    better = "significantly better" if _tested(campaign, campaign.rankings[0]) else "better"
    lead = f"Number of test sets on which the system of the row is {better} than the system of the column."
    rankings = campaign.of_rankings("duels") if len(campaign.results.systems) > 1 else ()
    blocks = []
    for (ranking, duels), (_, wins) in zip(rankings, campaign.of_rankings("wins")):
        systems = [standing.system for standing in ranking.standings]
        won = {(pair.system, pair.other): pair.wins or 0 for pair in ranking.pairs}
        won |= {(pair.other, pair.system): pair.losses or 0 for pair in ranking.pairs}
        won = won if _tested(campaign, ranking) else _better(campaign, ranking, systems)
        counts = [[won.get((system, other), 0) for other in systems] for system in systems]
        whole = len(ranking.group.codes) * (len(systems) - 1)
        totals = zip(systems, map(sum, counts), map(sum, zip(*counts)))
        shown = {system: (n, whole - n - lost, lost) for system, n, lost in totals}
        drawing = shares(f"Won, tied and lost against all others by {ranking.measure}", shown, _KINDS)
        rows = [
            (s, [None if s == other else float(n) for other, n in zip(systems, row)]) for s, row in zip(systems, counts)
        ]
        heat = HeatMap("better", systems, rows, {}, {}, Column("wins", "number"), kinds=("system", "system"))
        blocks += [duels._replace(drawing=drawing), wins._replace(heat=heat)]
    return Section("duels", "Won, tied, lost", lead, blocks)


def _tested(campaign: _Campaign, ranking: Ranking) -> bool:
    """Whether systems were tested against each other on every test set."""
    return bool(campaign.results.gold) and has_tests(ranking)


def _better(campaign: _Campaign, ranking: Ranking, systems: Sequence[str]) -> dict[tuple[str, str], int]:
    """The number of test sets on which the first of two systems has the better score."""
    won = Counter[tuple[str, str]]()
    sign = -1 if lower_is_better(ranking.measure) else 1
    for code in ranking.group.codes:
        scores = [(system, campaign.results.results[system, code].values[ranking.measure]) for system in systems]
        valid = [(system, sign * value) for system, value in scores if value is not None]
        won.update((first, other) for (first, a), (other, b) in permutations(valid, 2) if a > b)
    return won


def _zeros(campaign: _Campaign) -> Section:
    faults: list[tuple[str, Sequence[str]]] = []
    for system in campaign.results.systems:
        results = {test_set.code: campaign.result(system, test_set) for test_set in campaign.results.test_sets}
        missing = [code for code, result in results.items() if result.state == "missing" and not result.reasons]
        faults += [(f"{system} on {', '.join(missing)}", ["no output"])] if missing else []
        for code, result in results.items():
            reasons = list(result.reasons)
            if reasons and result.coverage is not None:
                values = (
                    f"{name} {score.value:.2f}"
                    for name, score in result.secondary.items()
                    if name in campaign.measures[:_MOST_MEASURES] and score.value is not None
                )
                scored = f"{result.coverage.scored:,} of {result.coverage.gold:,} sentences can be compared"
                reasons.append(f"{scored}: {', '.join(values)}")
            faults += [(f"{system} on {code}", reasons)] if reasons else []
    adjusted = campaign.rankings[0].adjusted
    lead = PREDICTED if adjusted else "They count as 0, as in the CoNLL shared tasks."
    lead += " Scores over valid sentences do not affect ranks."
    if has_tests(campaign.rankings[0]):
        lead += " A single missing or invalid output never makes a difference significant."
    return Section("zeros", "Missing and invalid outputs", lead, [Block("zeros", faults=faults)] if faults else [])


_COLORED = 0.95  # the share of residuals within the ends of the colors, so that a disaster does not hide the others

_LEADS = {
    "explained": ("Properties", "How well properties of treebanks explain differences in difficulty."),
    "systems": ("Systems", "Averages over all test sets; missing scores are predicted. Ability is in logits."),
    "unusual": ("Unusual scores", "Systems that are much better or worse on a test set than expected."),
    "detectable": (
        "Detectable differences",
        "Differences detected with 80% power between systems with close scores, or half of the ranking apart.",
    ),
}


def difficulty_page(difficulty: Difficulty) -> Page:
    """Return the page of difficulties."""
    known = [row for row in difficulty.test_sets if row.difficulty is not None]
    rows = [plotted_row(row.treebank, row.difficulty, row.difficulty_interval) for row in known]
    drawing = spreads("Difficulty of test sets", rows, "points below the mean", zero=True)
    blocks = [Block("difficulty", drawing=drawing), Block("test-sets", "Numbers", table=difficulty.table())]
    lead = (
        "How many points a system of average ability is expected to score below its mean over all test sets. Intervals"
        " refer to other systems of the same kind."
    )
    residuals = {(row.treebank, row.system): row.residual for row in difficulty.residuals}
    limit = float(np.quantile(np.abs(list(residuals.values())), _COLORED))
    systems = [row.system for row, ability in difficulty.systems if ability.ability is not None]
    cells = [(row.treebank, [residuals.get((row.treebank, system)) for system in systems]) for row in known]
    heat = HeatMap("Treebank", systems, cells, {}, {}, Column("Residual", "points"), limit=limit)
    residual_lead = (
        "The score minus the expected score (from the ability of the system and the difficulty of the test set), in"
        f" points. Colors are lightest at \N{MINUS SIGN}{limit:.1f} or less and darkest at +{limit:.1f} or more."
        " Empty cells have no valid output."
    )
    sections = [
        Section("difficulty", "Difficulty", lead, blocks),
        Section("map", "Better or worse than expected", residual_lead, [Block("residuals", heat=heat)]),
    ]
    tables = dict(difficulty.other_tables())
    sections += [
        Section(name, *texts, [Block(name, table=tables[name])]) for name, texts in _LEADS.items() if name in tables
    ]
    facts = [("systems", str(len(systems))), ("test sets", str(len(known))), ("scores", f"{len(residuals):,}")]
    provenance = difficulty.provenance
    title = f"Difficulty of test sets by {difficulty.measure}"
    return Page(title, difficulty.verdict, facts, {}, sections, provenance.notes, provenance.signature)
