"""Tables for papers: systems by measures or test sets, with the best in bold, letters, intervals and a caption.

Also a comparison as a summary in Markdown, for example for the summary page of a GitHub job.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from types import MappingProxyType
from typing import Literal, NamedTuple

from levelhead.campaign import Ranking, Results
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.campaign.ranking import ALL
from levelhead.campaign.ranking_tables import SHARED_LETTERS, any_failed
from levelhead.comparison.contrasts import WorseSentence
from levelhead.comparison.regression import verdict_text
from levelhead.comparison.systems import Comparison
from levelhead.evaluation.score_tables import NOT_OFFICIAL, VALID_TREES_NOTE
from levelhead.measures.registry import lower_is_better
from levelhead.significance import ComparedScore
from levelhead.significance.units import units_counted
from levelhead.tables.svg import clean
from levelhead.tables.table import STARS_NOTE, Column, Table, formatted, interval_cell, level_text, value_cell
from levelhead.tables.writers import latex_row, latex_text, markdown_text, to_markdown

Across = Literal["column", "row"]
"""Whether the scores of all systems by one measure are in a column or in a row."""


def ranking_caption(results: Results, rankings: Sequence[Ranking], *, across: Across) -> str:
    """Return the caption of a ranking."""
    codes = dict.fromkeys(code for ranking in rankings for code in ranking.group.codes)
    units = {code: one for code, one in results.units.items() if code in codes}
    standings = [standing for ranking in rankings for standing in ranking.standings]
    unit = units_counted(units) if units else f"{len(codes):,} test sets"
    measures = list(dict.fromkeys(ranking.measure for ranking in rankings))
    largest = max((ranking.group for ranking in rankings), key=lambda group: len(group.codes))
    partial = any(standing.answered is not None for standing in standings)
    sentences = (
        f"{_shown(measures, list(largest.codes), 'Macro-averages', across)}.",
        _best(measures, across),
        f"In each {across}, {SHARED_LETTERS} (all pairs, stepdown test of the largest studentized difference,"
        f" {int(results.signature['resamples']):,} draws, family-wise error rate"
        f" {1 - float(results.signature['level']):.4g})."
        if any(standing.letters for standing in standings) and len(rankings[0].standings) > 1
        else "",
        _intervals(results.signature, unit) if any(standing.interval for standing in standings) else "",
        "Missing and invalid outputs count as 0." if any_failed(results, rankings) else "",
        f"{NOT_OFFICIAL}." if partial else "",
        _version(results.signature),
    )
    return " ".join(filter(None, sentences))


def comparison_caption(comparison: Comparison, results: Sequence[ComparedScore], *, across: Across) -> str:
    """Return the caption of a comparison."""
    signature = comparison.provenance.signature
    measures = list(dict.fromkeys(result.measure for result in results))
    codes = list(dict.fromkeys(result.treebank for result in comparison.results if not result.average))
    average = results[0].average
    averages = f"{average.capitalize()}-averages" if average else "Scores"
    sentences = (
        f"{_shown(measures, codes, averages, across)}.",
        _best(measures, across),
        _stars(comparison, results) if any(result.p_holm is not None for result in results) else "",
        _intervals(signature, units_counted(comparison.units)) if any(result.interval for result in results) else "",
        f"{NOT_OFFICIAL}." if comparison.coverage else "",
        _version(signature),
    )
    return " ".join(filter(None, sentences))


def _shown(measures: Sequence[str], codes: Sequence[str], averages: str, across: Across) -> str:
    """The measure or the kind of average, and the test sets."""
    alone = len(codes) == 1
    what = measures[0] if across == "row" else "Scores" if alone else averages
    unit = "" if any(map(lower_is_better, measures)) else " (%)"
    return f"{what}{unit} on {codes[0] if alone else f'{len(codes):,} test sets'}"


def _best(measures: Sequence[str], across: Across) -> str:
    lower = [measure for measure in measures if lower_is_better(measure)]
    note = f" (lower is better: {','.join(lower)})" if lower else ""
    return f"The best score of each {across} is in bold{note}."


def _stars(comparison: Comparison, results: Sequence[ComparedScore]) -> str:
    runs = any(result.test == "runs" for result in results)
    permuted = f"{int(comparison.provenance.signature['resamples']):,} random permutations"
    test = f"Student's t{'' if runs else f' and {permuted}, the larger p'}, corrected across systems by Holm's method"
    return f"Significantly different from {comparison.systems[0]}: {STARS_NOTE} ({test})."


def _intervals(signature: Mapping[str, str], unit: str) -> str:
    return f"In small type: {level_text(signature['level'])} confidence intervals (jackknife over {unit})."


def _version(signature: Mapping[str, str]) -> str:
    named = (f"{name} {signature[name]}" for name in ("rules", "seed") if name in signature)  # scores can have no rules
    return f"{', '.join(['levelhead ' + signature['version'], *named])}."


_NONE = "-"
"""No score; on a single test set also a missing or invalid output, which counts as 0 in averages."""


class PaperCell(NamedTuple):
    """A score in a table for a paper, with letters or stars in superscript; the best is found after rounding."""

    value: str
    best: bool = False
    raised: str = ""
    interval: str = ""


class PaperTable(NamedTuple):
    """A table for a paper; a rule is drawn above some rows, and `label` is for references to the table."""

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
    strict = [
        ranking._replace(
            standings=tuple(
                standing._replace(value=standing.valid_trees, interval=None, ranks=None, letters=None)
                for standing in ranking.standings
            )
        )
        for ranking in (board.rankings if board.results.partial else ())
    ]
    strict_tables = _papers(board.results, strict, places) if strict else []
    return [*_papers(board.results, board.rankings, places), *map(_of_valid_trees, strict_tables)]


def _of_valid_trees(table: PaperTable) -> PaperTable:
    """A table with scores of valid trees only, with its own label and a note in the caption."""
    return table._replace(label=f"{table.label}-valid-trees", caption=f"{VALID_TREES_NOTE} {table.caption}")


def _papers(results: Results, rankings: Sequence[Ranking], places: int) -> list[PaperTable]:
    measures = tuple(dict.fromkeys(ranking.measure for ranking in rankings))
    if len({ranking.group for ranking in rankings}) > 1:
        return [_by_group(results, [r for r in rankings if r.measure == measure], places) for measure in measures]
    columns = [_of_systems(ranking, places) for ranking in rankings]
    rows = tuple((system, tuple(column[system] for column in columns)) for system in columns[0])
    caption = ranking_caption(results, rankings, across="column")
    return [PaperTable("System", tuple(ranking.measure for ranking in rankings), rows, caption, "scores")]


def _by_group(results: Results, rankings: Sequence[Ranking], places: int) -> PaperTable:
    ordered = sorted(rankings, key=lambda ranking: len(ranking.group.codes) > 1)
    names = [standing.system for standing in ordered[-1].standings]
    tables = [(ranking.group.name, _of_systems(ranking, places)) for ranking in ordered]
    rows = tuple(
        ("Macro-average" if name == ALL else name, tuple(cells[system] for system in names)) for name, cells in tables
    )
    n_single = sum(len(ranking.group.codes) == 1 for ranking in ordered)
    rules = frozenset({n_single} if 0 < n_single < len(ordered) else ())
    caption = ranking_caption(results, ordered, across="row")
    return PaperTable("Test set", tuple(names), rows, caption, f"scores-{ordered[0].measure}", rules)


def _of_systems(ranking: Ranking, places: int) -> dict[str, PaperCell]:
    """The cell of each system."""
    plain = lower_is_better(ranking.measure)
    standings = ranking.standings
    if len(standings) == 1:
        standings = (standings[0]._replace(letters=None),)  # the letter of a single system means nothing
    cells = {
        standing.system: _cell(standing.value, standing.interval, standing.letters or "", places, plain=plain)
        if standing.n_valid or len(ranking.group.codes) > 1
        else PaperCell(_NONE)
        for standing in standings
    }
    return dict(zip(cells, _with_best(cells.values(), lowest=plain), strict=True))


def comparison_papers(comparison: Comparison, places: int = 2, *, each: bool = False) -> list[PaperTable]:
    """Return a comparison as tables for a paper: systems by measures, with stars where they differ from the baseline.

    For partial scores, tables with the scores of valid trees only follow.
    """
    strict = replace(comparison, results=comparison.valid_trees)
    strict_tables = _comparison_papers(strict, places, each=each) if comparison.valid_trees else []
    return [*_comparison_papers(comparison, places, each=each), *map(_of_valid_trees, strict_tables)]


def _comparison_papers(comparison: Comparison, places: int, *, each: bool) -> list[PaperTable]:
    averages = [result for result in comparison.results if result.average]
    if each and averages:
        return [_by_treebank(comparison, measure, places) for measure in comparison.measures]
    shown = averages or comparison.results
    kinds = dict.fromkeys(result.treebank for result in shown)
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
    results = [result for result in comparison.results if result.measure == measure]
    parts: dict[tuple[bool, str], list[ComparedScore]] = {}
    for result in results:
        name = result.treebank.capitalize() if result.average else result.treebank
        parts.setdefault((bool(result.average), name), []).append(result)
    rows = tuple((name, tuple(_cells(comparison, parts[is_average, name], places)))
                 for is_average, name in sorted(parts, key=lambda key: key[0]))  # fmt: skip
    n_single = sum(not is_average for is_average, _ in parts)
    caption = comparison_caption(comparison, results, across="row")
    return PaperTable("Treebank", comparison.systems, rows, caption, f"comparison-{measure}", frozenset({n_single}))


def _cells(comparison: Comparison, results: Sequence[ComparedScore], places: int) -> list[PaperCell]:
    plain = results[0].measure in comparison.perplexities
    cells = [_cell(result.value, result.interval, result.stars, places, plain=plain) for result in results]
    return _with_best(cells, lowest=plain)


def _cell(
    value: float | Fraction | None, interval: tuple[float, float] | None, raised: str, places: int, *, plain: bool
) -> PaperCell:
    between = interval_cell(interval, perplexity=plain)
    text = formatted(value_cell(value, perplexity=plain), Column(""), places)
    return PaperCell(text, False, raised, "" if between is None else formatted(between, Column(""), places))


def _with_best(cells: Iterable[PaperCell], *, lowest: bool) -> list[PaperCell]:
    """Mark the best of several cells after rounding; a single cell is not marked."""
    cells = list(cells)
    values = {cell.value: float(cell.value) for cell in cells if cell.value != _NONE}
    if len(cells) < 2 or not values:
        return cells
    best = (min if lowest else max)(values.values())
    return [cell._replace(best=values.get(cell.value) == best) for cell in cells]


def papers_text(tables: Sequence[PaperTable], output_format: str) -> str:
    """Return tables for a paper as text."""
    return "\n".join(_WRITERS[output_format](table) for table in tables)


def _latex(table: PaperTable) -> str:
    """A float with booktabs rules; intervals are on a line below the scores."""
    lines = ["% \\usepackage{booktabs}", "\\begin{table}", "\\centering"]
    lines += [f"\\begin{{tabular}}{{l{'r' * len(table.heads)}}}", "\\toprule"]
    lines += [latex_row([latex_text(head) for head in (table.corner, *table.heads)]), "\\midrule"]
    for number, (name, cells) in enumerate(table.rows):
        lines += ["\\midrule"] if number in table.rules_before else []
        lines.append(latex_row([latex_text(name), *map(_latex_cell, cells)]))
        if any(cell.interval for cell in cells):
            intervals = (cell.interval.replace("-", "--") for cell in cells)
            lines.append(latex_row(["", *(f"{{\\scriptsize {interval}}}" for interval in intervals)]))
    label = re.sub(r"[^A-Za-z0-9-]+", "-", table.label)
    lines += ["\\bottomrule", "\\end{tabular}", f"\\caption{{{latex_text(table.caption)}}}", f"\\label{{tab:{label}}}"]
    return "\n".join([*lines, "\\end{table}"]) + "\n"


def _latex_cell(cell: PaperCell) -> str:
    value = f"\\textbf{{{cell.value}}}" if cell.best else latex_text(cell.value)
    return value + (f"\\textsuperscript{{{latex_text(cell.raised)}}}" if cell.raised else "")


def _markdown(table: PaperTable) -> str:
    rows = [list(map(markdown_text, (table.corner, *table.heads))), ["---", *["---:"] * len(table.heads)]]
    rows += [[markdown_text(name), *map(_markdown_cell, cells)] for name, cells in table.rows]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([*lines, "", f"*{_starless(table.caption)}*"]) + "\n"


def _markdown_cell(cell: PaperCell) -> str:
    value = f"**{cell.value}**" if cell.best else cell.value
    raised = f"<sup>{_starless(cell.raised)}</sup>" if cell.raised else ""
    return value + raised + (f"<br><sub>{cell.interval}</sub>" if cell.interval else "")


def _starless(text: str) -> str:
    return markdown_text(text).replace("*", "\\*")


def _html(table: PaperTable) -> str:
    """A table that needs no style sheet; heads of rows and columns are marked up as heads."""
    heads = "".join(f'<th scope="col" style="text-align: right">{clean(head)}</th>' for head in table.heads)
    lines = ["<table>", f'<caption style="caption-side: bottom; text-align: left">{clean(table.caption)}</caption>']
    lines += [f'<thead><tr><th scope="col" style="text-align: left">{clean(table.corner)}</th>{heads}</tr></thead>']
    lines.append("<tbody>")
    for number, (name, cells) in enumerate(table.rows):
        rule = ' style="border-top: 1px solid"' if number in table.rules_before else ""
        head = f'<th scope="row" style="text-align: left">{clean(name)}</th>'
        lines.append(f"<tr{rule}>{head}{''.join(map(_html_cell, cells))}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"]) + "\n"


def _html_cell(cell: PaperCell) -> str:
    value = f"<strong>{clean(cell.value)}</strong>" if cell.best else clean(cell.value)
    raised = f"<sup>{clean(cell.raised)}</sup>" if cell.raised else ""
    interval = f"<br><small>{clean(cell.interval)}</small>" if cell.interval else ""
    return f'<td style="text-align: right">{value}{raised}{interval}</td>'


_WRITERS: Mapping[str, Callable[[PaperTable], str]] = MappingProxyType(
    {"latex": _latex, "markdown": _markdown, "html": _html}
)


_MOST_SENTENCES = 10
_LONGEST_TEXT = 300  # characters of a sentence


def summary(comparison: Comparison, measure: str, sentences: Mapping[str, Sequence[WorseSentence]]) -> str:
    """Return a summary of a comparison in Markdown: verdicts, scores, differences, and sentences with large losses."""
    lines = ["## Scores and differences", ""]
    lines += [f"- {markdown_text(verdict_text(gate, comparison))}" for gate in comparison.gates]
    lines += [
        f"  - {markdown_text(str(fault))}"
        for faults in comparison.invalid.values()
        for fault in faults[:_MOST_SENTENCES]
    ]
    lines += ["", to_markdown(replace(comparison, gates=()).table())]
    every = sorted(chain(*sentences.values()), key=lambda sentence: sentence.right - sentence.baseline)
    rows = []
    for sentence in every[:_MOST_SENTENCES]:
        numbers = (sentence.sentence, sentence.baseline, sentence.right, sentence.words)
        text = sentence.text if len(sentence.text) <= _LONGEST_TEXT else sentence.text[:_LONGEST_TEXT] + " ..."
        rows.append((sentence.treebank, sentence.system, sentence.sent_id, *numbers, text))
    lines += [f"## Sentences with the largest losses ({markdown_text(measure)})", ""]
    columns = (
        *(Column(name, "text") for name in ("Treebank", "System", "sent_id")),
        *(Column(name, "number") for name in ("Sentence", "Baseline correct", "System correct", "Words")),
        Column("Text", "text"),
    )
    lines.append(to_markdown(Table(columns, tuple(rows))) if rows else "None.\n")
    return "\n".join(lines)
