"""The page of one system: its scores, what its errors cost, where they occur, and the sentences with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from levelhead.analysis import Breakdown, averages
from levelhead.analysis.confusion import ERRORS
from levelhead.analysis.repairs import average_repairs
from levelhead.comparison.breakdowns import MARK, UNCERTAIN, Breakdowns
from levelhead.comparison.evaluations import average_scores
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.provenance import Provenance
from levelhead.evaluation.score_tables import (
    LABEL,
    VALID_TREES_NOTE,
    Average,
    covered,
    missing_scores,
    score_table,
    scores_table,
)
from levelhead.measures.registry import STANDARD, Registry
from levelhead.report.charts.page_charts import interval_ends
from levelhead.report.charts.row_charts import ChartRow, OpenedWords, RowChart
from levelhead.report.page.blocks import Block, Page, Section, names_or_number
from levelhead.report.page.error_costs import ALL, between, costs_of, costs_of_all, error_in_words, informative
from levelhead.report.page.joined_errors import STORE, JoinedErrors, joined_errors
from levelhead.report.page.stores import stored
from levelhead.report.page.terms import COMPONENTS, KINDS_OF_ERRORS, class_terms, in_words, measure_terms, open_ended
from levelhead.report.page.treebank_errors import PROPERTY_TITLES, TreebankErrors
from levelhead.scoring.score import Score
from levelhead.significance.estimates import Interval
from levelhead.significance.jackknife import BucketEstimate
from levelhead.tables.table import Column, Table, formatted, interval_cell, value_cell

_MOST_BARS = 16
_BY_ERRORS = ("deprel", "upos")
_RATIO, _DIFFERENCE = Column(""), Column("", "difference")


def score_page(
    name: str,
    evaluations: Mapping[str, Evaluation],
    parts: Mapping[str, TreebankErrors],
    average: Average | None = None,
    registry: Registry = STANDARD,
) -> Page:
    """Return the page of a system."""
    several, first = len(evaluations) > 1, next(iter(evaluations.values()))
    average = average if several else None
    choices = {"treebank": [ALL, *evaluations]} if several else {}
    shared = {k: first.signature[k] for k in ("rules", "unicode", "version")} if several else first.signature
    scheme = registry.schemes.by_name[registry.schemes.default]
    terms = {**measure_terms(first, registry), **COMPONENTS, **KINDS_OF_ERRORS, **class_terms(scheme)}
    lead, facts = _lead(evaluations, average, parts), _facts(evaluations)
    joined = joined_errors([*parts.values()]) if several else None
    sections = _sections(evaluations, parts, average, joined)
    data = stored([part.examples for part in parts.values()], joined and joined.examples)
    title = f"{name} on {names_or_number([*evaluations], 'treebank')}"
    return Page(title, lead, facts, choices, sections, (), shared, "score", data, terms)


def _lead(evaluations: Mapping[str, Evaluation], average: Average | None, parts: Mapping[str, TreebankErrors]) -> str:
    scores = next(iter(evaluations.values()))
    where = "" if average is None else "Macro-averages: "
    chosen = [measure for measure in scores if measure in {"UAS", "LAS", "CLAS"}] or [*scores][:3]
    values = []
    for measure in chosen:
        value = scores[measure].value if average is None else average[measure]
        cell = value_cell(value, perplexity=scores[measure].perplexity)
        values.append(f"{measure} {'–' if cell is None else formatted(cell, Column(measure))}")
    every = [part.repairs for part in parts.values()]
    worst = (average_repairs(every, 0.95) if len(every) > 1 else every[0].kinds)[:1]
    costs = [
        f" Costliest error: {error_in_words(repair)}, {100 * repair.gain:.2f} points of {_measure(parts)}."
        for repair in worst
    ]
    label = f"{LABEL} " if covered(evaluations) else ""
    return f"{label}{where}{', '.join(values)}.{''.join(costs)}"


def _measure(parts: Mapping[str, TreebankErrors]) -> str:
    return next(iter(parts.values())).measure


def _facts(evaluations: Mapping[str, Evaluation]) -> list[tuple[str, str]]:
    golds = [evaluation.gold for evaluation in evaluations.values()]
    facts = [("treebanks", f"{len(golds)}")] if len(golds) > 1 else []
    facts += [("gold sentences", f"{sum(gold.sentences for gold in golds):,}")]
    facts += [("gold words", f"{sum(gold.words for gold in golds):,}")]
    return [*facts, ("system words", f"{sum(evaluation.system.words for evaluation in evaluations.values()):,}")]


def _sections(
    evaluations: Mapping[str, Evaluation],
    parts: Mapping[str, TreebankErrors],
    average: Average | None,
    joined: JoinedErrors | None,
) -> list[Section]:
    measure, by_property = _measure(parts), _RECALL_LEAD if covered(evaluations) else _BREAKDOWNS_LEAD
    sections: dict[str, list[Block]] = {"scores": [], "costs": [], "kinds": [], "breakdowns": [], "confusion": []}
    if average is not None and joined is not None:
        sections["scores"] += _average_scores(evaluations, parts, average, measure)
        sections["costs"].append(
            costs_of_all([part.repairs for part in parts.values()], measure, joined.numbers["repair"])
        )
        sections["kinds"].append(_kinds(joined.kinds, STORE)._replace(when={"treebank": ALL}))
        sections["breakdowns"] += _breakdowns_of_all([part.breakdowns for part in parts.values()], measure, joined)
    for number, (treebank, part) in enumerate(parts.items(), 1):
        when = {"treebank": treebank} if average is not None else {}
        own = f"-{number}" if average is not None else ""
        for section, blocks in _blocks(evaluations[treebank], part, str(number)):
            sections[section] += [
                block._replace(name=f"{block.name}{own}", when=when, filed=block.filed or bool(own)) for block in blocks
            ]
    return [
        Section("scores", "Scores", "", sections["scores"]),
        Section("costs", "What errors cost", _COSTS_LEAD.format(measure), sections["costs"]),
        Section("kinds", "Error types", "Aligned words with a wrong head or relation.", sections["kinds"]),
        Section("breakdowns", "Where errors occur", by_property.format(measure), sections["breakdowns"], narrow=True),
        Section("confusion", "Confusion of relations", CONFUSION_LEAD, sections["confusion"]),
    ]  # fmt: skip


_COSTS_LEAD = (
    "Points of {} that the system would gain without an error if nothing else changed; the costliest error first."
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


def _blocks(evaluation: Evaluation, part: TreebankErrors, store: str) -> Iterator[tuple[str, list[Block]]]:
    yield "scores", [_scores(evaluation, part.intervals)]
    yield "costs", [costs_of(part, store)]
    yield "kinds", [_kinds(part.kinds, store)]
    yield "breakdowns", [_breakdown(part, by, store) for by in PROPERTY_TITLES]
    yield "confusion", [Block("confusion", confused=part.confused._replace(store=store))]


def _scores(evaluation: Evaluation, intervals: Mapping[str, Interval | None]) -> Block:
    rows = [_score_row(name, score, intervals.get(name)) for name, score in evaluation.items()]
    coverage, table = _coverage({"": evaluation}), score_table(evaluation)._replace(notes=())
    reasons: dict[str, list[str]] = {}
    for name, score in evaluation.items():
        if score.reason:
            reasons.setdefault(score.reason, []).append(name)
    caption = _remarks({"": evaluation}, (f"{', '.join(names)}: {reason}" for reason, names in reasons.items()))
    return Block("scores", "", caption, chart=_scores_chart("Scores", rows), table=table, filed=not coverage)


def _remarks(evaluations: Mapping[str, Evaluation], reasons: Iterable[str]) -> str:
    """The caption of scores: what partial scores cover, why scores are missing, and notes."""
    notes = dict.fromkeys(note for evaluation in evaluations.values() for note in evaluation.notes)
    texts = (f"{text[:1].upper()}{text[1:]}." for text in (*reasons, *notes))
    return " ".join(filter(None, (_coverage(evaluations), *texts)))


def _coverage(evaluations: Mapping[str, Evaluation]) -> str:
    """How much of gold partial scores cover, and what "valid trees" means; empty for other scores."""
    coverage = covered(evaluations)
    return f"P{str(coverage)[1:]}. {VALID_TREES_NOTE}" if coverage else ""


def _scores_chart(title: str, rows: Sequence[ChartRow]) -> RowChart:
    columns = ("F1 Score", "95% CI", "Precision", "Recall", "AligndAcc")
    return RowChart(title, "Measure", columns[0], columns, rows, hidden=columns[1:], full=100, explained=True)


def _score_row(name: str, score: Score, interval: Interval | None) -> ChartRow:
    if score.perplexity:
        return ChartRow(name, cells=(formatted(score.value, _RATIO), "", "", "", ""))
    ratios = (score.f1, score.precision, score.recall, score.aligned_accuracy)
    value = None if score.f1 is None else 100 * score.f1
    first, *others = ("–" if ratio is None else formatted(ratio, _RATIO) for ratio in ratios)
    between, ends = _interval(score, interval)
    return ChartRow(name, value, *(ends if score.component == "f1" else (None, None)), cells=(first, between, *others))


def _interval(score: Score, interval: Interval | None) -> tuple[str, tuple[float | None, float | None]]:
    """The interval of a score as text, and its ends in a chart."""
    shown = None if score.reason else informative(interval)
    cell = interval_cell(shown, perplexity=False)
    text = "" if cell is None else formatted(cell, _RATIO).replace("-", "\N{EN DASH}")
    return text, interval_ends(shown)


def _average_scores(
    evaluations: Mapping[str, Evaluation], parts: Mapping[str, TreebankErrors], average: Average, measure: str
) -> Iterator[Block]:
    when, first = {"treebank": ALL}, next(iter(evaluations.values()))
    shown = measure if measure in first else next(iter(first))
    rows = []
    for treebank, scores in evaluations.items():
        value = value_cell(scores[shown].value, perplexity=scores[shown].perplexity)
        if isinstance(value, float):
            text = formatted(value, Column(""))
            unit = 1 if scores[shown].perplexity else 100
            between, ends = _interval(scores[shown], parts[treebank].intervals.get(shown))
            goes = ("treebank", treebank, "scores")
            rows.append(ChartRow(treebank, unit * value, *ends, cells=(text, between), goes=goes))
    rows.sort(key=lambda row: -(row.value or 0.0))
    full = None if first[shown].perplexity else 100
    chart = RowChart(f"{shown} on each treebank", "Treebank", shown, (shown, "95% CI"), rows, full=full)
    yield Block("treebanks", f"{shown} on each treebank", when=when, chart=chart)
    valid_trees = {code: evaluation.valid_trees for code, evaluation in evaluations.items()}
    strict = average_scores(valid_trees) if covered(evaluations) else None
    caption = _remarks(evaluations, (f"{name}: {reason}" for name, reason in missing_scores(evaluations)))
    table = scores_table(evaluations, average, strict)._replace(notes=())
    yield Block("scores", "All scores", caption, when, table=table)


def _kinds(kinds: Mapping[str, int], store: str) -> Block:
    whole = sum(kinds.values())
    rows = [
        ChartRow(
            kind, float(n), cells=(f"{n:,}", f"{100 * n / whole:.1f}%"), color="s1",
            opens=OpenedWords(store, "kind", ERRORS.index(kind), f"{kind}: {KINDS_OF_ERRORS[kind]}"),
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
    breakdown, totals = part.breakdowns[by], part.examples.totals[by]
    numbers = part.values[by]
    rows = []
    for (value,), score in breakdown.rows:
        n = totals.get(numbers[value], 0)
        estimate = breakdown.estimates[value,]
        opens = OpenedWords(store, by, numbers[value], f"{PROPERTY_TITLES[by]}: {in_words(value)}") if n else None
        rows.append((n, _bucket_row(value, score.value, estimate, (f"{n:,}",), opens)))
    if by in _BY_ERRORS:
        rows = sorted(rows, key=lambda row: -row[0])[:_MOST_BARS]
    chart = _bucket_chart(part.measure, by, [row for _, row in rows], ("Errors",))
    table = Breakdowns({"": [breakdown]}, Provenance({}, {})).table()._replace(notes=())
    explained = tuple(value for (value,), _ in breakdown.rows) if by == "class" else ()
    caption = _uncertain(chart.rows)
    return Block(f"by-{by}", PROPERTY_TITLES[by], caption, chart=chart, table=table, explained=explained)


def _uncertain(rows: Sequence[ChartRow]) -> str:
    return f"{UNCERTAIN}." if any(row.uncertain for row in rows) else ""


def _bucket_row(
    value: str, ratio: float | None, estimate: BucketEstimate, cells: tuple[str, ...], opens: OpenedWords | None = None
) -> ChartRow:
    shown = open_ended(value)
    label = f"{shown} {MARK}" if estimate.uncertain else shown
    if ratio is None:
        return ChartRow(label, cells=("–", "", *cells), opens=opens)
    cells = (formatted(ratio, _RATIO), between(estimate, _RATIO), *cells)
    ends = interval_ends(informative(estimate.interval))
    return ChartRow(label, 100 * ratio, *ends, cells=cells, opens=opens, uncertain=estimate.uncertain)


def _bucket_chart(measure: str, by: str, rows: Sequence[ChartRow], more: tuple[str, ...] = ()) -> RowChart:
    title, columns = f"{measure} by {PROPERTY_TITLES[by].lower()}", (measure, "95% CI", *more)
    return RowChart(title, PROPERTY_TITLES[by], measure, columns, rows, full=100)


def _breakdowns_of_all(
    treebanks: Sequence[Mapping[str, Breakdown]], measure: str, joined: JoinedErrors
) -> Iterator[Block]:
    for by, title in PROPERTY_TITLES.items():
        every = [found[by] for found in treebanks]
        means = [average for average in averages(every) if average.estimate is not None]
        errors = {mean.values[0]: joined.n_errors(by, mean.values[0]) for mean in means}
        if by in _BY_ERRORS:
            means = sorted(means, key=lambda average: (-errors[average.values[0]], average.values))[:_MOST_BARS]
        component, rows = every[0].measure.component or "f1", []
        for mean in means:
            (value,), n = mean.values, errors[mean.values[0]]
            opens = OpenedWords(STORE, by, joined.numbers[by][value], f"{title}: {in_words(value)}") if n else None
            cells = (str(mean.n_treebanks), f"{n:,}")
            if mean.estimate is not None:
                rows.append(_bucket_row(value, _number(mean.means[component]), mean.estimate, cells, opens))
        chart = _bucket_chart(measure, by, rows, ("Treebanks", "Errors"))
        yield Block(f"by-{by}", title, _uncertain(rows), {"treebank": ALL}, chart=chart)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
