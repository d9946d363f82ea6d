"""Tables for papers: systems by measures or test sets, with the best in bold, letters, intervals and a caption."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from levelhead.campaign import Ranking, Results, Standing
from levelhead.campaign.groups import ALL
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.comparison.systems import Comparison
from levelhead.evaluation.score_tables import VALID_TREES_NOTE
from levelhead.measures.registry import lower_is_better
from levelhead.report.paper_captions import comparison_caption, ranking_caption
from levelhead.significance import ComparedScore
from levelhead.tables.table import Column, formatted, interval_cell, value_cell

_MACRO, _STRICT = "Macro-average", "-valid-trees"
_NONE = "-"
"""No score; on a single test set also a missing or invalid output, which counts as 0 in averages."""


class PaperCell(NamedTuple):
    """A score in a table for a paper.

    Args:
        value: the score as text.
        best: whether no other score of its column (or row) is better, after rounding.
        raised: the letters or stars after it, in superscript.
        interval: its confidence interval as text; empty if there is none.
    """

    value: str
    best: bool = False
    raised: str = ""
    interval: str = ""


class PaperTable(NamedTuple):
    """A table for a paper.

    Args:
        corner: the head of the first column.
        heads: the heads of the other columns.
        rows: the name of each row and its scores.
        caption: what the table shows and how it was computed, in sentences.
        label: the label for references to the table.
        rules_before: the rows above which a rule is drawn.
    """

    corner: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[PaperCell, ...]], ...]
    caption: str
    label: str
    rules_before: frozenset[int] = frozenset()


def ranking_papers(board: RankedSystems, places: int = 2) -> list[PaperTable]:
    """Return a ranking as tables for a paper.

    For one group of test sets, a table of systems by measures; for several groups, a table for each measure with a row
    for each group, larger groups last. For partial scores, tables with the scores of valid trees only follow.
    """
    strict = [_with_valid_trees(ranking) for ranking in board.rankings] if board.results.partial else []
    return [*_papers(board.results, board.rankings, places), *_papers(board.results, strict, places, _STRICT)]


def _with_valid_trees(ranking: Ranking) -> Ranking:
    """A ranking with the scores of valid trees only, without tests."""
    standings = (
        standing._replace(value=standing.valid_trees, interval=None, ranks=None, letters=None)
        for standing in ranking.standings
    )
    return ranking._replace(standings=tuple(standings))


def _papers(results: Results, rankings: Sequence[Ranking], places: int, suffix: str = "") -> list[PaperTable]:
    groups = list(dict.fromkeys(ranking.group for ranking in rankings))
    if len(groups) == 1:
        tables = [_by_measure(results, rankings, places)]
    else:
        measures = dict.fromkeys(ranking.measure for ranking in rankings)
        tables = [_by_group(results, [r for r in rankings if r.measure == measure], places) for measure in measures]
    return [_named(table, suffix) for table in tables]


def _named(table: PaperTable, suffix: str) -> PaperTable:
    """A table; if it has scores of valid trees only, with its own label and a note in the caption."""
    if not suffix:
        return table
    return table._replace(label=f"{table.label}{suffix}", caption=f"{VALID_TREES_NOTE} {table.caption}")


def _by_measure(results: Results, rankings: Sequence[Ranking], places: int) -> PaperTable:
    columns = [_of_systems(ranking, places) for ranking in rankings]
    names = [standing.system for standing in rankings[0].standings]
    rows = tuple((name, tuple(column[name] for column in columns)) for name in names)
    caption = ranking_caption(results, rankings, across="column")
    return PaperTable("System", tuple(ranking.measure for ranking in rankings), rows, caption, "scores")


def _by_group(results: Results, rankings: Sequence[Ranking], places: int) -> PaperTable:
    ordered = sorted(rankings, key=lambda ranking: len(ranking.group.codes) > 1)
    names = [standing.system for standing in ordered[-1].standings]
    tables = [(_group_name(ranking), _of_systems(ranking, places)) for ranking in ordered]
    rows = tuple((name, tuple(cells[system] for system in names)) for name, cells in tables)
    n_single = sum(len(ranking.group.codes) == 1 for ranking in ordered)
    rules = frozenset({n_single} if 0 < n_single < len(ordered) else ())
    measure = ordered[0].measure
    caption = ranking_caption(results, ordered, across="row")
    return PaperTable("Test set", tuple(names), rows, caption, f"scores-{measure}", rules)


def _group_name(ranking: Ranking) -> str:
    return _MACRO if ranking.group.name == ALL else ranking.group.name


def _of_systems(ranking: Ranking, places: int) -> dict[str, PaperCell]:
    """The cell of each system."""
    plain = lower_is_better(ranking.measure)
    absent = PaperCell(_NONE)
    standings = ranking.standings
    if len(standings) == 1:
        standings = (standings[0]._replace(letters=None),)  # the letter of a single system means nothing
    cells = {
        standing.system: _standing_cell(standing, places, plain=plain)
        if standing.n_valid or len(ranking.group.codes) > 1
        else absent
        for standing in standings
    }
    return dict(zip(cells, _with_best(cells.values(), lowest=plain), strict=True))


def _standing_cell(standing: Standing, places: int, *, plain: bool) -> PaperCell:
    value = _text(None if standing.value is None else float(standing.value), places, plain=plain)
    return PaperCell(value, False, standing.letters or "", _interval(standing.interval, places, plain=plain))


def comparison_papers(comparison: Comparison, places: int = 2, *, each: bool = False) -> list[PaperTable]:
    """Return a comparison as tables for a paper: systems by measures, with stars where they differ from the baseline.

    For partial scores, tables with the scores of valid trees only follow.
    """
    strict = replace(comparison, results=comparison.valid_trees)
    strict_tables = _comparison_papers(strict, places, each=each) if comparison.valid_trees else []
    return [*_comparison_papers(comparison, places, each=each), *(_named(table, _STRICT) for table in strict_tables)]


def _comparison_papers(comparison: Comparison, places: int, *, each: bool) -> list[PaperTable]:
    averages = [result for result in comparison.results if result.average]
    if each and averages:
        return [_by_treebank(comparison, measure, places) for measure in comparison.measures]
    shown = averages or comparison.results
    kinds = list(dict.fromkeys(result.treebank for result in shown))
    return [_by_system(comparison, [result for result in shown if result.treebank == kind], places) for kind in kinds]


def _by_system(comparison: Comparison, results: Sequence[ComparedScore], places: int) -> PaperTable:
    columns = [
        _cells(comparison, [result for result in results if result.measure == measure], places)
        for measure in comparison.measures
    ]
    rows = tuple(zip(comparison.systems, zip(*columns, strict=True), strict=True))
    caption = comparison_caption(comparison, results, across="column")
    average = results[0].average
    label = f"comparison-{average}" if average else "comparison"
    return PaperTable("System", comparison.measures, rows, caption, label)


def _by_treebank(comparison: Comparison, measure: str, places: int) -> PaperTable:
    own = [result for result in comparison.results if result.measure == measure]
    places_of = dict.fromkeys((result.average, result.treebank) for result in own)
    parts = [[result for result in own if (result.average, result.treebank) == key] for key in places_of]
    parts.sort(key=lambda some: some[0].average is not None)
    names = [some[0].treebank.capitalize() if some[0].average else some[0].treebank for some in parts]
    rows = tuple((name, tuple(_cells(comparison, some, places))) for name, some in zip(names, parts, strict=True))
    n_single = sum(some[0].average is None for some in parts)
    caption = comparison_caption(comparison, own, across="row")
    return PaperTable("Treebank", comparison.systems, rows, caption, f"comparison-{measure}", frozenset({n_single}))


def _cells(comparison: Comparison, results: Sequence[ComparedScore], places: int) -> list[PaperCell]:
    plain = results[0].measure in comparison.perplexities
    return _with_best([_result_cell(result, places, plain=plain) for result in results], lowest=plain)


def _result_cell(result: ComparedScore, places: int, *, plain: bool) -> PaperCell:
    value, between = (_text(result.value, places, plain=plain), _interval(result.interval, places, plain=plain))
    return PaperCell(value, False, result.stars, between)


def _text(value: float | None, places: int, *, plain: bool) -> str:
    return formatted(value_cell(value, perplexity=plain), Column(""), places)


def _interval(interval: tuple[float, float] | None, places: int, *, plain: bool) -> str:
    cell = interval_cell(interval, perplexity=plain)
    return "" if cell is None else formatted(cell, Column(""), places)


def _with_best(cells: Iterable[PaperCell], *, lowest: bool) -> list[PaperCell]:
    """Mark the best of several cells after rounding; a single cell is not marked."""
    cells = list(cells)
    values = {cell.value: float(cell.value) for cell in cells if cell.value != _NONE}
    if len(cells) < 2 or not values:
        return cells
    best = (min if lowest else max)(values.values())
    return [cell._replace(best=values.get(cell.value) == best) for cell in cells]
