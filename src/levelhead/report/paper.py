"""Tables for papers, with the best scores in bold, letters, intervals and a caption; and summaries in Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from levelhead.campaign import Ranking, Results
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.campaign.ranking import ALL, PREDICTED, ZEROS
from levelhead.campaign.ranking_tables import SHARED_LETTERS, any_failed
from levelhead.comparison.regression import verdict_text
from levelhead.comparison.systems import Comparison
from levelhead.comparison.trees import WorseSentence
from levelhead.evaluation.score_tables import NOT_OFFICIAL, VALID_TREES_NOTE
from levelhead.measures.registry import lower_is_better
from levelhead.significance.differences import ComparedScore
from levelhead.significance.estimates import Interval
from levelhead.significance.units import units_counted
from levelhead.tables.svg import clean
from levelhead.tables.table import STARS_NOTE, Column, Table, formatted, level_text
from levelhead.tables.writers import latex_row, latex_text, markdown_text, to_markdown
from levelhead.treebank.provenance import FileId, releases_of_all

_NONE = "-"  # no score; on a single test set also a missing or invalid output, which counts as 0 in averages

# a score with its interval, and its letters or stars
_Score = tuple[float | None, Interval | None, str]


class PaperCell(NamedTuple):
    """A score in a table for a paper, with letters or stars in superscript; the best is found after rounding."""

    value: str
    best: bool = False
    raised: str = ""
    interval: str = ""


class PaperTable(NamedTuple):
    """A table for a paper."""

    corner: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[PaperCell, ...]], ...]
    caption: str
    label: str  # for references to the table
    rules_before: frozenset[int] = frozenset()  # the rows with a rule above them


def ranking_papers(board: RankedSystems, places: int = 2) -> list[PaperTable]:
    """Return a ranking as tables for a paper; for partial scores, tables with the scores of valid trees only follow."""
    strict = [
        ranking._replace(
            standings=tuple(
                standing._replace(value=standing.value_of_valid_trees, interval=None, letters=None)
                for standing in ranking.standings
            )
        )
        for ranking in board.rankings
        if any(standing.value_of_valid_trees is not None for standing in ranking.standings)
    ]
    strict_tables = map(_of_valid_trees, _ranking_papers(board.results, strict, places))
    return [*_ranking_papers(board.results, board.rankings, places), *strict_tables]


def _of_valid_trees(table: PaperTable) -> PaperTable:
    """A table with scores of valid trees only, with its own label and a note in the caption."""
    return table._replace(label=f"{table.label}-valid-trees", caption=f"{VALID_TREES_NOTE} {table.caption}")


def _ranking_papers(results: Results, rankings: Sequence[Ranking], places: int) -> Iterator[PaperTable]:
    if len({ranking.group for ranking in rankings}) == 1:
        columns = [_of_systems(ranking, places) for ranking in rankings]
        rows = tuple((system, tuple(column[system] for column in columns)) for system in columns[0])
        caption = _ranking_caption(results, rankings, "column")
        yield PaperTable("System", tuple(ranking.measure for ranking in rankings), rows, caption, "scores")
        return
    for measure in dict.fromkeys(ranking.measure for ranking in rankings):
        of_measure = [ranking for ranking in rankings if ranking.measure == measure]
        ordered = sorted(of_measure, key=lambda ranking: len(ranking.group.codes) > 1)
        names = tuple(standing.system for standing in ordered[-1].standings)
        groups = [("Macro-average" if ranking.group.name == ALL else ranking.group.name, _of_systems(ranking, places))
                  for ranking in ordered]  # fmt: skip
        rows = tuple((group, tuple(cells[system] for system in names)) for group, cells in groups)
        n_single = sum(len(ranking.group.codes) == 1 for ranking in ordered)
        rules = frozenset({n_single} if 0 < n_single < len(ordered) else ())
        caption = _ranking_caption(results, ordered, "row")
        yield PaperTable("Test set", names, rows, caption, f"scores-{measure}", rules)


def _of_systems(ranking: Ranking, places: int) -> dict[str, PaperCell]:
    """The cell of each system; the letter of a single system would mean nothing."""
    standings = ranking.standings
    several = len(ranking.group.codes) > 1
    scores: list[_Score] = [
        (standing.value, standing.interval, (standing.letters or "") if len(standings) > 1 else "")
        if standing.n_valid or several
        else (None, None, "")
        for standing in standings
    ]
    cells = _cells(scores, places, lower=lower_is_better(ranking.measure))
    return {standing.system: cell for standing, cell in zip(standings, cells, strict=True)}


def _ranking_caption(results: Results, rankings: Sequence[Ranking], across: str) -> str:
    codes = dict.fromkeys(code for ranking in rankings for code in ranking.group.codes)
    units = {code: of_set for code, of_set in results.units.items() if code in codes}
    standings = [standing for ranking in rankings for standing in ranking.standings]
    letters = ""
    if any(standing.letters for standing in standings) and len(rankings[0].standings) > 1:
        level = float(results.signature["level"])
        letters = (
            f"In each {across}, {SHARED_LETTERS} (all pairs, Student's t with a correction for skewness,"
            f" family-wise error rate {1 - level:.4g} by Sidak's method)."
        )
    counted = units_counted(units) + results.parallel(codes).averaged() if units else f"{len(codes):,} test sets"
    return _caption(
        across,
        list(dict.fromkeys(ranking.measure for ranking in rankings)),
        list(codes),
        {code: contents.id for code, contents in results.gold.items()},
        "Macro-averages",
        results.signature,
        letters,
        counted if any(standing.interval for standing in standings) else "",
        (PREDICTED if rankings[0].adjusted else ZEROS) if any_failed(results, rankings) else "",
        partial=any(standing.share_answered is not None for standing in standings),
    )


def comparison_papers(comparison: Comparison, places: int = 2, *, each: bool = False) -> list[PaperTable]:
    """Return a comparison as tables for papers: systems by measures, with stars at differences from the baseline."""
    strict = replace(comparison, results=comparison.valid_trees)
    strict_tables = map(_of_valid_trees, _comparison_papers(strict, places, each=each))
    return [*_comparison_papers(comparison, places, each=each), *strict_tables]


def _comparison_papers(comparison: Comparison, places: int, *, each: bool) -> Iterator[PaperTable]:
    averages = [result for result in comparison.results if result.average]
    if each and averages:
        for measure in comparison.measures:
            results = [result for result in comparison.results if result.measure == measure]
            parts: dict[tuple[bool, str], list[ComparedScore]] = {}
            for result in results:
                name = result.treebank.capitalize() if result.average else result.treebank
                parts.setdefault((bool(result.average), name), []).append(result)
            rows = tuple((name, _compared(comparison, parts[is_average, name], places))
                         for is_average, name in sorted(parts, key=lambda key: key[0]))  # fmt: skip
            rules = frozenset({sum(not is_average for is_average, _ in parts)})
            caption = _comparison_caption(comparison, results, "row")
            label = f"comparison-{measure}"
            yield PaperTable("Treebank", comparison.systems, rows, caption, label, rules)
        return
    shown = averages or comparison.results
    for kind in dict.fromkeys(result.treebank for result in shown):
        results = [result for result in shown if result.treebank == kind]
        columns = [
            _compared(comparison, [result for result in results if result.measure == measure], places)
            for measure in comparison.measures
        ]
        rows = tuple(zip(comparison.systems, zip(*columns, strict=True), strict=True))
        label = "-".join(filter(None, ("comparison", results[0].average)))
        caption = _comparison_caption(comparison, results, "column")
        yield PaperTable("System", comparison.measures, rows, caption, label)


def _compared(comparison: Comparison, results: Sequence[ComparedScore], places: int) -> tuple[PaperCell, ...]:
    scores = [(result.value, result.interval, result.stars) for result in results]
    return _cells(scores, places, lower=results[0].measure in comparison.perplexities)


def _comparison_caption(comparison: Comparison, results: Sequence[ComparedScore], across: str) -> str:
    signature = comparison.provenance.signature
    average = results[0].average
    stars = ""
    if any(result.p is not None for result in results):
        several = ", for all systems jointly by Sidak's method" if len(comparison.systems) > 2 else ""
        test = f"Student's t with a correction for skewness{several}"
        stars = f"Significantly different from {comparison.systems[0]}: {STARS_NOTE} ({test})."
    return _caption(
        across,
        list(dict.fromkeys(result.measure for result in results)),
        list(dict.fromkeys(result.treebank for result in comparison.results if not result.average)),
        {code: files["gold"] for code, files in comparison.provenance.files.items()},
        f"{average.capitalize()}-averages" if average else "Scores",
        signature,
        stars,
        units_counted(comparison.units) + comparison.joint_units if any(result.interval for result in results) else "",
        partial=bool(comparison.coverage),
    )


def _caption(
    across: str,
    measures: Sequence[str],
    codes: Sequence[str],
    gold: Mapping[str, FileId],
    averages: str,
    signature: Mapping[str, str],
    marks: str,
    units: str,
    failed: str = "",
    *,
    partial: bool,
) -> str:
    """A caption; the scores of all systems by one measure are in a column or in a row."""
    lower = [measure for measure in measures if lower_is_better(measure)]
    reversed_scale = f" (lower is better: {','.join(lower)})" if lower else ""
    what = measures[0] if across == "row" else "Scores" if len(codes) == 1 else averages
    files = [gold.get(code, FileId(None)) for code in codes]
    releases = releases_of_all(files)
    where = f"{len(codes):,} test sets{f' of UD {releases}' if releases else ''}"
    if len(codes) == 1:
        where = str(files[0]) if files[0].name else codes[0]
    rules = f", rules {signature['rules']}" if "rules" in signature else ""  # scores can have no rules
    sentences = (
        f"{what}{'' if lower else ' (%)'} on {where}.",
        f"The best score of each {across} is in bold{reversed_scale}.",
        marks,
        units
        and f"In small type: {level_text(signature['level'])} confidence intervals of single scores"
        f" (jackknife over {units}).",
        failed,
        f"{NOT_OFFICIAL}." if partial else "",
        f"levelhead {signature['version']}{rules}.",
    )
    return " ".join(filter(None, sentences))


def _cells(scores: Iterable[_Score], places: int, *, lower: bool) -> tuple[PaperCell, ...]:
    """The cells of several scores, with the best marked after rounding; a single cell is not marked."""
    column = Column("", "percent")
    cells = [
        PaperCell(
            formatted(value, column, places),
            False,
            raised,
            formatted(interval, column, places) if interval else "",
        )
        for value, interval, raised in scores
    ]
    values = {cell.value: float(cell.value) for cell in cells if cell.value != _NONE}
    best = (min if lower else max)(values.values(), default=None) if len(cells) > 1 else None
    return tuple(cell._replace(best=best is not None and values.get(cell.value) == best) for cell in cells)


def papers_text(tables: Sequence[PaperTable], output_format: str) -> str:
    return "\n".join(map({"latex": _latex, "markdown": _markdown, "html": _html}[output_format], tables))


def _cell_text(cell: PaperCell, escape: Callable[[str], str], best: str, raised: str, interval: str = "") -> str:
    """A cell in a markup, with {} in the markup of its parts."""
    value = best.format(cell.value) if cell.best else escape(cell.value)
    above = raised.format(escape(cell.raised)) if cell.raised else ""
    return value + above + (interval.format(escape(cell.interval)) if cell.interval else "")


def _latex(table: PaperTable) -> str:
    """A float with booktabs rules; intervals are on a line below the scores."""
    lines = [
        "% \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        f"\\begin{{tabular}}{{l{'r' * len(table.heads)}}}",
        "\\toprule",
        latex_row([latex_text(head) for head in (table.corner, *table.heads)]),
        "\\midrule",
    ]
    for number, (name, cells) in enumerate(table.rows):
        lines += ["\\midrule"] if number in table.rules_before else []
        texts = [_cell_text(cell, latex_text, "\\textbf{{{}}}", "\\textsuperscript{{{}}}") for cell in cells]
        lines.append(latex_row([latex_text(name), *texts]))
        if any(cell.interval for cell in cells):
            intervals = (cell.interval.replace("-", "--") for cell in cells)
            lines.append(latex_row(["", *(f"{{\\scriptsize {interval}}}" for interval in intervals)]))
    label = re.sub(r"[^A-Za-z0-9-]+", "-", table.label)
    lines += ["\\bottomrule", "\\end{tabular}", f"\\caption{{{latex_text(table.caption)}}}", f"\\label{{tab:{label}}}"]
    return "\n".join([*lines, "\\end{table}"]) + "\n"


def _markdown(table: PaperTable) -> str:
    rows = [list(map(markdown_text, (table.corner, *table.heads))), ["---", *["---:"] * len(table.heads)]]
    markup = ("**{}**", "<sup>{}</sup>", "<br><sub>{}</sub>")
    rows += [
        [markdown_text(name), *(_cell_text(cell, _starless, *markup) for cell in cells)] for name, cells in table.rows
    ]
    return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", f"*{_starless(table.caption)}*"]) + "\n"


def _starless(text: str) -> str:
    return markdown_text(text).replace("*", "\\*")


def _html(table: PaperTable) -> str:
    """A table that needs no style sheet; heads of rows and columns are marked up as heads."""
    heads = "".join(f'<th scope="col" style="text-align: right">{clean(head)}</th>' for head in table.heads)
    lines = [
        "<table>",
        f'<caption style="caption-side: bottom; text-align: left">{clean(table.caption)}</caption>',
        f'<thead><tr><th scope="col" style="text-align: left">{clean(table.corner)}</th>{heads}</tr></thead>',
        "<tbody>",
    ]
    markup = ("<strong>{}</strong>", "<sup>{}</sup>", "<br><small>{}</small>")
    for number, (name, cells) in enumerate(table.rows):
        rule = ' style="border-top: 1px solid"' if number in table.rules_before else ""
        head = f'<th scope="row" style="text-align: left">{clean(name)}</th>'
        texts = (f'<td style="text-align: right">{_cell_text(cell, clean, *markup)}</td>' for cell in cells)
        lines.append(f"<tr{rule}>{head}{''.join(texts)}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"]) + "\n"


_MOST_SENTENCES = 10
_LONGEST_TEXT = 300  # characters of a sentence


def summary(comparison: Comparison, measure: str, sentences: Mapping[str, Sequence[WorseSentence]]) -> str:
    """Return a Markdown summary of a comparison with verdicts, scores, differences, and sentences with large losses."""
    verdicts = [f"- {markdown_text(verdict_text(gate, comparison))}" for gate in comparison.gates]
    shown = (fault for faults in comparison.invalid.values() for fault in faults[:_MOST_SENTENCES])
    verdicts += [f"  - {markdown_text(str(fault))}" for fault in shown]
    every = sorted(chain(*sentences.values()), key=lambda sentence: sentence.right - sentence.baseline)
    rows = tuple(
        (
            *(sentence.treebank, sentence.system, sentence.sent_id),
            *(sentence.sentence, sentence.baseline, sentence.right, sentence.words),
            sentence.text[:_LONGEST_TEXT] + (" ..." if len(sentence.text) > _LONGEST_TEXT else ""),
        )
        for sentence in every[:_MOST_SENTENCES]
    )
    columns = (
        *(Column(name, "text") for name in ("Treebank", "System", "sent_id")),
        *(Column(name, "number") for name in ("Sentence", "Baseline correct", "System correct", "Words")),
        Column("Text", "text"),
    )
    losses = to_markdown(Table(columns, rows)) if rows else "None.\n"
    scores = to_markdown(replace(comparison, gates=()).table())
    heading = f"## Sentences with the most additional errors ({markdown_text(measure)})"
    return "\n".join(["## Scores and differences", "", *verdicts, "", scores, heading, "", losses])
