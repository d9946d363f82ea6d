"""The page of one system: its scores, what its errors cost, where they occur, and the sentences with them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from levelhead.analysis.breakdown import averages
from levelhead.analysis.repairs import costliest_error
from levelhead.comparison.breakdowns import Breakdowns
from levelhead.comparison.evaluations import averaged
from levelhead.comparison.system_errors import MARK, UNCERTAIN, repair_rows
from levelhead.errors import Fault, InputError, listed, names_or_number
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.provenance import notes_on_reasons
from levelhead.evaluation.score_tables import VALID_TREES_NOTE, covered, headline, score_table, scores_table
from levelhead.measures.registry import STANDARD, Registry
from levelhead.report.charts.page_charts import ChartRow, OpenedWords, RowChart, cell_text, measured_row, plotted_row
from levelhead.report.page.blocks import (
    COMPONENTS,
    KINDS_OF_ERRORS,
    Block,
    Page,
    Section,
    as_sentence,
    class_terms,
    in_words,
    measure_terms,
    open_ended,
)
from levelhead.report.page.examples import stored
from levelhead.report.page.treebank_errors import BY_FREQUENCY, PROPERTY_TITLES, STORE, TreebankErrors, joined_errors
from levelhead.significance.estimates import Interval
from levelhead.significance.jackknife import BucketEstimate
from levelhead.significance.units import FEW_NOTE, FEWEST_UNITS
from levelhead.tables.table import Column, Table, formatted
from levelhead.treebank.provenance import Provenance

ALL = "all treebanks"  # the option of a page that shows all treebanks together
_MOST_ERRORS = 20
_PERCENT, _POINTS = Column("", "percent"), Column("", "points")
_SCORE_COLUMNS = ("F1 Score", "95% CI", "Precision", "Recall", "AligndAcc")
_COSTS_LEAD = (
    "Points of {} that the system would gain if an error were corrected and nothing else changed; the costliest error"
    " first."
    " Share: percentage of all words with an error. Click an error to see its sentences."
)
_BREAKDOWNS_LEAD = (
    "{} by property of words. Errors: gold words that are wrong or not aligned. Click a value to see its errors."
)
_RECALL_LEAD = "Recall of LAS by property of gold words, over all readable rows. Click a value to see its errors."
CONFUSION_LEAD = (
    "Rows: gold relation; columns: system relation. Click a cell to see its sentences. Words on the diagonal have the"
    " correct relation, but some have a wrong head."
)


def evaluation_page(result: Evaluation) -> Page:
    """Return the page of scores with the errors that were found while files were read."""
    looked = [evaluation.looked for evaluation in result.treebanks.values()]
    if None in looked:
        message = 'the scores have no errors for a page: use score(..., prepare="page")'
        raise InputError(Fault("invalid-argument", message))
    by_code = {found.code: one for found, one in zip(looked, result.treebanks.values())}
    return score_page(looked[0].system, by_code, {found.code: found.page for found in looked}, looked[0].registry)


def score_page(
    name: str,
    evaluations: Mapping[str, Evaluation],
    parts: Mapping[str, TreebankErrors],
    registry: Registry = STANDARD,
) -> Page:
    several, first = len(evaluations) > 1, next(iter(evaluations.values()))
    average = averaged(evaluations) if several else first
    choices = {"treebank": [ALL, *evaluations]} if several else {}
    shared = {k: first.signature[k] for k in ("rules", "unicode", "version")} if several else first.signature
    scheme = registry.schemes.by_name[registry.schemes.default]
    terms = {**measure_terms(first, registry), **COMPONENTS, **KINDS_OF_ERRORS, **class_terms(scheme)}
    golds = [evaluation.gold for evaluation in evaluations.values()]
    facts = [
        *([("treebanks", f"{len(golds)}")] if several else []),
        ("gold sentences", f"{sum(gold.sentences for gold in golds):,}"),
        ("gold words", f"{sum(gold.words for gold in golds):,}"),
        ("system words", f"{sum(evaluation.system.words for evaluation in evaluations.values()):,}"),
    ]
    whole = joined_errors([*parts.values()]) if several else next(iter(parts.values()))
    sections = _sections(evaluations, parts, average, whole)
    lead = f"{headline(average)} {costliest_error(whole.repairs.kinds, whole.measure, several=several)}"
    data = stored([part.examples for part in parts.values()], whole.examples if several else None)
    title = f"{name} on {names_or_number([*evaluations], 'treebank')}"
    few = [f"{name} ({n})" for name, part in parts.items() if 1 < (n := part.n_documents) < FEWEST_UNITS]
    notes = [as_sentence(f"{FEW_NOTE.format('intervals')}: {listed(few)}")] if few else []
    return Page(title, lead, facts, choices, sections, notes, shared, "score", data, terms)


def _sections(
    evaluations: Mapping[str, Evaluation],
    parts: Mapping[str, TreebankErrors],
    average: Evaluation,
    whole: TreebankErrors,
) -> list[Section]:
    several = len(evaluations) > 1
    measure = whole.measure
    blocks: dict[str, list[Block]] = {"scores": [], "costs": [], "kinds": [], "breakdowns": [], "confusion": []}
    if several:
        note = "Points are means over treebanks; errors are counted on all of them."
        of_all = {
            "scores": _average_scores(average, parts, measure),
            "costs": [_costs(whole, STORE, note)],
            "kinds": [_kinds(whole.kinds, STORE)],
            "breakdowns": [_mean_breakdown(by, [*parts.values()], whole) for by in PROPERTY_TITLES],
        }
        blocks |= {name: [block._replace(when={"treebank": ALL}) for block in some] for name, some in of_all.items()}
    for number, (treebank, part) in enumerate(parts.items(), 1):
        store, when = str(number), {"treebank": treebank} if several else {}
        of_treebank = {
            "scores": [_scores(evaluations[treebank], part.intervals)],
            "costs": [_costs(part, store)],
            "kinds": [_kinds(part.kinds, store)],
            "breakdowns": [_breakdown(part, by, store) for by in PROPERTY_TITLES],
            "confusion": [Block("confusion", confused=part.confused._replace(store=store))],
        }
        for section, some in of_treebank.items():
            for block in some:
                name = f"{block.name}-{number}" if when else block.name
                blocks[section].append(block._replace(name=name, when=when, filed=block.filed or bool(when)))
    by_property = (_RECALL_LEAD if covered(evaluations) else _BREAKDOWNS_LEAD).format(measure)
    return [
        Section("scores", "Scores", "", blocks["scores"]),
        Section("costs", "What errors cost", _COSTS_LEAD.format(measure), blocks["costs"]),
        Section("kinds", "Error types", "Aligned words with a wrong head or relation.", blocks["kinds"]),
        Section("breakdowns", "Where errors occur", by_property, blocks["breakdowns"], narrow=True),
        Section("confusion", "Confusion of relations", CONFUSION_LEAD, blocks["confusion"]),
    ]


def _scores(evaluation: Evaluation, intervals: Mapping[str, Interval | None]) -> Block:
    rows: list[ChartRow] = []
    for name, score in evaluation.items():
        if score.perplexity:
            rows.append(ChartRow(name, cells=(formatted(score.value, _PERCENT), "", "", "", "")))
            continue
        ratios = (score.precision, score.recall, score.aligned_accuracy)
        others = ["–" if ratio is None else formatted(ratio, _PERCENT) for ratio in ratios]
        row = measured_row(name, score.f1, None if score.reason else informative(intervals.get(name)), _PERCENT, others)
        rows.append(row if score.component == "f1" else row._replace(low=None, high=None))
    caption = _remarks({"": evaluation}, notes_on_reasons(evaluation.reasons))
    chart = RowChart("Scores", "Measure", _SCORE_COLUMNS[0], _SCORE_COLUMNS, rows, hidden=_SCORE_COLUMNS[1:], full=100,
                     explained=True)  # fmt: skip
    table = score_table(evaluation)._replace(notes=())
    return Block("scores", "", caption, chart=chart, table=table, filed=not covered({"": evaluation}))


def _remarks(evaluations: Mapping[str, Evaluation], reasons: Iterable[str]) -> str:
    """The caption of scores: what partial scores cover, why scores are missing, and notes."""
    coverage = covered(evaluations)
    partial = f"P{str(coverage)[1:]}. {VALID_TREES_NOTE}" if coverage else ""
    notes = dict.fromkeys(note for evaluation in evaluations.values() for note in evaluation.notes)
    return " ".join(filter(None, (partial, *(f"{text[:1].upper()}{text[1:]}." for text in (*reasons, *notes)))))


def _average_scores(average: Evaluation, parts: Mapping[str, TreebankErrors], measure: str) -> Iterator[Block]:
    shown = measure if measure in average else next(iter(average))
    title = f"{shown} on each treebank"
    intervals = {treebank: informative(part.intervals.get(shown)) for treebank, part in parts.items()}
    rows = [
        measured_row(treebank, score.value, None if score.reason else intervals[treebank], _PERCENT)._replace(
            goes=("treebank", treebank, "scores")
        )
        for treebank, score in ((treebank, scores[shown]) for treebank, scores in average.parts.items())
        if score.value is not None
    ]
    rows.sort(key=lambda row: -(row.value or 0.0))
    full = None if average[shown].perplexity else 100
    chart = RowChart(title, "Treebank", shown, (shown, "95% CI"), rows, full=full)
    yield Block("treebanks", title, chart=chart)
    caption = _remarks(average.parts, notes_on_reasons(average.reasons))
    yield Block("scores", "All scores", caption, table=scores_table(average)._replace(notes=()))


def _costs(part: TreebankErrors, store: str, note: str = "") -> Block:
    """The cost of each type of error, the costliest first; rows open their sentences."""
    shown = part.repairs.kinds[:_MOST_ERRORS]
    rest = part.repairs.kinds[_MOST_ERRORS:]
    if not shown:
        return Block("costs", caption="No errors.")
    rows = []
    for repair in shown:
        label = repair.detail.replace("->", "\N{RIGHTWARDS ARROW}") or repair.error
        label += f", wrong {repair.wrong}" * bool(repair.detail and repair.wrong)
        opens = OpenedWords(store, "repair", str(repair.kind), repair.in_words(in_words))
        interval = informative(repair.estimate.interval, difference=True)
        between = cell_text(interval, _POINTS)
        texts = (f"{repair.gain:.2f}", between, f"{repair.words:,}", f"{repair.share:.1f}%")
        row = plotted_row(marked(label, repair.estimate), repair.gain, interval)
        rows.append(row._replace(cells=texts, color="s1", opens=opens, uncertain=repair.estimate.uncertain))
    chart = RowChart(f"What errors cost: points of {part.measure}", "Error", "Points",
                     ("Points", "95% CI", "Errors", "Share"), rows)  # fmt: skip
    columns, cells = repair_rows(shown, "0.95")
    words, share = sum(repair.words for repair in rest), math.fsum(repair.share for repair in rest)
    others = f"{len(rest):,} other types of errors: {words:,} words, {share:.1f}% of all errors." if rest else ""
    caption = " ".join(filter(None, (others, note, uncertain_note(rows))))
    return Block("costs", "", caption, chart=chart, table=Table(columns, tuple(cells)), filed=True)


def _kinds(kinds: Mapping[str, int], store: str) -> Block:
    whole = sum(kinds.values())
    rows = [
        ChartRow(
            kind, float(n), cells=(f"{n:,}", f"{100 * n / whole:.1f}%"), color="s1",
            opens=OpenedWords(store, "kind", kind, f"{kind}: {KINDS_OF_ERRORS[kind]}"),
        )
        for kind, n in sorted(kinds.items(), key=lambda pair: -pair[1])
        if n
    ]  # fmt: skip
    if not rows:
        return Block("kinds", caption="No aligned word has an error.")
    numbers = tuple((row.label, kinds[row.label]) for row in rows)
    table = Table((Column("Error", "text"), Column("Words", "number")), numbers)
    chart = RowChart("Error types", "Error", "Words", ("Words", "Share"), rows)
    return Block("kinds", chart=chart, table=table, explained=tuple(row.label for row in rows), filed=True)


def _breakdown(part: TreebankErrors, by: str, store: str) -> Block:
    breakdown = part.breakdowns[by]
    values = [(value, score.value, breakdown.estimates[value,]) for (value,), score in breakdown.rows]
    block = _buckets(by, part, store, values, "Errors")
    table = Breakdowns({"": [breakdown]}, Provenance({}, {})).table()._replace(notes=())
    return block._replace(table=table, explained=tuple(value for value, *_ in values) if by == "class" else ())


def _mean_breakdown(by: str, parts: Sequence[TreebankErrors], whole: TreebankErrors) -> Block:
    values = [
        (*mean.values, mean.value, mean.estimate, str(mean.n_treebanks))
        for mean in averages([part.breakdowns[by] for part in parts])
        if mean.estimate
    ]
    return _buckets(by, whole, STORE, sorted(values) if by in BY_FREQUENCY else values, "Treebanks", "Errors")


def _buckets(by: str, part: TreebankErrors, store: str, values: Iterable[tuple[Any, ...]], *heads: str) -> Block:
    """A row for each value, with its score, estimate and other texts, which opens its errors."""
    title = PROPERTY_TITLES[by]
    counted = []
    for value, score, estimate, *texts in values:
        n = part.examples.totals[by].get(value, 0)
        interval = None if score is None else informative(estimate.interval)
        row = measured_row(marked(open_ended(value), estimate), score, interval, _PERCENT, (*texts, f"{n:,}"))
        opens = OpenedWords(store, by, value, f"{title}: {in_words(value)}") if n else None
        counted.append((n, row._replace(opens=opens, uncertain=score is not None and estimate.uncertain)))
    if by in BY_FREQUENCY:
        counted = sorted(counted, key=lambda pair: -pair[0])[:16]
    rows = [row for _, row in counted]
    columns = (part.measure, "95% CI", *heads)
    chart = RowChart(f"{part.measure} by {title.lower()}", title, part.measure, columns, rows, full=100)
    return Block(f"by-{by}", title, uncertain_note(rows), chart=chart)


def uncertain_note(rows: Sequence[ChartRow]) -> str:
    return f"{UNCERTAIN}." if any(row.uncertain for row in rows) else ""


def marked(label: str, estimate: BucketEstimate | None) -> str:
    """Return the label of a row, with a mark added if the row's confidence interval is uncertain."""
    return f"{label} {MARK}" if estimate is not None and estimate.uncertain else label


def informative(interval: Interval | None, *, difference: bool = False) -> Interval | None:
    """Return an interval; None if it is as wide as the range of scores or of their differences, and so says nothing."""
    return interval if interval is not None and interval[1] - interval[0] < 100 * (1 + difference) else None
