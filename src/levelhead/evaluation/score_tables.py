"""Evaluations as tables and as JSON documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any

from levelhead.errors import names_or_number
from levelhead.evaluation.provenance import joint_provenance, notes_on_reasons, plain_reason
from levelhead.scoring.measure import COMPONENTS
from levelhead.scoring.score import Score, Valued
from levelhead.tables.data import share
from levelhead.tables.table import Cell, Column, Detail, Kind, Table, formatted, interval_head

if TYPE_CHECKING:
    from levelhead.evaluation.leakage import Leakage
    from levelhead.evaluation.pair import Evaluation
    from levelhead.evaluation.score_data import PartialCoverage

_NO_CELL = ""  # the column does not apply to the measure; a dash is an undefined value
_RATIOS = ("Precision", "Recall", "F1 Score", "AligndAcc")
_COUNTS = ("Correct", "Gold", "Predicted", "Aligned")


def score_table(evaluation: Evaluation, *, counts: bool = False) -> Table:
    """Return the scores of one pair: one row per measure, with the columns of the official scorers."""
    coverage, leakage = evaluation.coverage, evaluation.leakage
    scores = {name: score for name, score in evaluation.scores.items() if not score.reason}
    strict = [evaluation.valid_trees[name] for name in scores if coverage]
    notes = [*([str(coverage)] if coverage else []), *notes_on_reasons(evaluation.reasons)]
    kind: Kind = "number" if counts else "percent"
    names, cells_of = (_COUNTS, _counts) if counts else (_RATIOS, _ratios)
    columns: list[tuple[Column, Iterable[Cell]]] = [(Column("Metric", "text", 10), scores)]
    rows = [*map(cells_of, scores.values())]
    columns += (
        (Column(name, kind, 9, rank=-1 if name == "F1 Score" else 0), [row[i] for row in rows])
        for i, name in enumerate(names)
    )
    if counts and coverage:
        columns.append((Column(VALID_TREES, "number"), [each.correct for each in strict]))
    elif not counts:
        if any(score.interval for score in scores.values()):
            column = Column(interval_head(evaluation.signature["level"]), "percent", 9, rank=-1)
            columns.insert(1 + _RATIOS.index("AligndAcc"), (column, [score.interval for score in scores.values()]))
        if any(score.perplexity for score in scores.values()):
            values = [_cell(score) if score.perplexity else _NO_CELL for score in scores.values()]
            columns.append((Column("Perplexity", "percent"), values))
        for occurrence, name in zip(leakage.occurring if leakage else (), ("words", "heads", "both")):
            columns.append((Column(f"New {name}", "percent", 9), [_cell(occurrence.rest.get(each)) for each in scores]))
        if coverage:
            columns.append((Column(VALID_TREES, "percent"), [score.value for score in strict]))
            columns += ((column, repeat(cell)) for column, cell in zip(COVERAGE, coverage_cells(coverage)))
    notes += () if leakage is None else _leakage_notes(leakage)
    heads, cells = zip(*columns)
    return Table(heads, tuple(zip(*cells)), tuple(notes)).signed(evaluation.provenance)


def _cell(score: Score | None) -> Cell:
    return None if score is None else score.value


def _leakage_notes(leakage: Leakage) -> tuple[str, str]:
    n = leakage.sentences
    words, heads, both = (
        f"{each.sentences:,} ({f'{100 * each.sentences / n:.2f}%' if n else '-'})" for each in leakage.occurring
    )
    seen = f"{words} have the same words as a training sentence, {heads} the same heads, {both} the same words or heads"
    return f"of {n:,} sentences, {seen}", Detail("New words, heads, both: the score on the remaining sentences")


def _ratios(score: Score) -> tuple[Cell, ...]:
    if score.perplexity:
        return (_NO_CELL,) * 4
    shown = (score.measure.component,) if score.measure.component else COMPONENTS
    return tuple(
        score.percentage(name)
        if name in shown and not (name == "aligned_accuracy" and score.aligned is None)
        else _NO_CELL
        for name in COMPONENTS
    )


def _counts(score: Score) -> tuple[Cell, ...]:
    aligned = score.aligned if score.aligned is not None else _NO_CELL
    return (None,) * 4 if score.reason else (score.correct, score.gold, score.system, aligned)


def scores_table(average: Evaluation, measures: Iterable[str] = ()) -> Table:
    """Return the scores on several treebanks: one row per treebank, one column per measure, and the macro-average."""
    evaluations, coverage = average.parts, average.coverage
    names = [name for name in measures if name in average] or [*average]
    columns, notes = [Column("Treebank", "text")], [] if coverage is None else [str(coverage)]
    rows: list[list[Cell]] = [[code] for code in evaluations]
    rows.append([f"Macro-average of {len(evaluations)}"])
    shown = list(zip(rows, (*evaluations.values(), average)))
    if coverage is None:
        columns += (Column(name, "percent") for name in names)
        for row, evaluation in shown:
            row.extend(_cell(evaluation[name]) for name in names)
    else:
        columns += columns_with_valid_trees(names)
        for row, evaluation in shown:
            values, strict_values = (
                [some[name].value for name in names] for some in (evaluation.scores, evaluation.valid_trees)
            )
            row.extend(cells_with_valid_trees(values, strict_values, evaluation.coverage or coverage))
    for reason in dict.fromkeys(filter(None, (average[name].reason for name in names))):
        undefined = [name for name in names if average[name].reason == reason]
        notes.append(f"no average of {names_or_number(undefined, 'measure')}: {plain_reason(reason)}")
    if average.leakage:
        heads = ("Same words", "Same heads", *(f"{name} new" for name in names))
        columns += (Column(name, "percent") for name in heads)
        notes.append(_LEAKAGE)
        for row, evaluation in shown:
            row.extend(_leakage_cells(evaluation, names))
    *shown_rows, summary = (tuple(row) for row in rows)
    summaries = [summary]
    if any(average[name].interval for name in names):
        cells = (interval_head(average.signature["level"]), *(average[name].interval for name in names))
        summaries.append((*cells, *(_NO_CELL,) * (len(columns) - len(cells))))
    empty = frozenset(str(code) for code, *cells in shown_rows if {*cells} <= {None, _NO_CELL})
    table = Table(tuple(columns), tuple(shown_rows), tuple(notes), summary=tuple(summaries), explained=empty)
    table, others = table.signed(average.provenance), {*average} - {*names}
    return table._replace(notes=tuple(note for note in table.notes if not _is_about(note, others, names)))


def _is_about(note: str, measures: Collection[str], others: Collection[str]) -> bool:
    """Return whether a note names some of these measures, and none of the others."""
    named = {*re.split("[ ,:;]+", note)}
    return bool(named.intersection(measures)) and not named.intersection(others)


def headline(evaluation: Evaluation) -> str:
    """Return the main scores, or their averages, as a sentence."""
    names = [name for name in evaluation if name in {"UAS", "LAS", "CLAS"}] or [*evaluation][:3]
    values = (f"{name} {value_text(evaluation[name], evaluation.signature)}" for name in names)
    label = f"{LABEL} " if evaluation.coverage else ""
    return f"{label}{'Macro-averages: ' if len(evaluation.parts) > 1 else ''}{', '.join(values)}.{_worst(evaluation)}"


def value_text(score: Valued, signature: Mapping[str, str]) -> str:
    """Return a value with its confidence interval, if there is one: `83.21 (95% CI 81.78-84.55)`."""
    value, column = "–" if score.value is None else f"{score:.2f}", Column("", "percent")
    interval = score.interval and formatted(score.interval, column)
    return f"{value} ({interval_head(signature['level'])} {interval})" if interval else value


def _worst(evaluation: Evaluation) -> str:
    name = "LAS" if "LAS" in evaluation else next(iter(evaluation))
    values = {code: value for code, part in evaluation.parts.items() if (value := part[name].exact) is not None}
    if len({*values.values()}) < 2:
        return ""
    extreme, worst_of = ("Highest", max) if evaluation[name].perplexity else ("Lowest", min)
    worst = worst_of(values, key=lambda code: values[code])
    return f" {extreme} {name}: {worst} ({evaluation.parts[worst][name]:.2f})."


_LEAKAGE = (
    "Same words, heads: share of sentences with the same words or heads as a training sentence; new: score on the"
    " remaining sentences"
)


def _leakage_cells(evaluation: Evaluation, measures: Iterable[str]) -> Iterator[Cell]:
    leakage = evaluation.leakage
    if leakage is not None:
        for occurrence in leakage.occurring[:2]:
            yield None if evaluation.parts else share(occurrence.sentences, leakage.sentences)
        yield from (_cell(leakage.occurring[-1].rest.get(name)) for name in measures)


def counts_table(evaluations: Mapping[str, Evaluation]) -> Table:
    """Return the counts behind the scores of several treebanks: one row per treebank and measure."""
    columns = [Column("Treebank", "text"), Column("Metric", "text"), *(Column(name, "number") for name in _COUNTS)]
    rows = [
        (code, name, *_counts(score)) for code, evaluation in evaluations.items() for name, score in evaluation.items()
    ]
    coverage = covered(evaluations)
    if coverage is not None:
        strict = [score for evaluation in evaluations.values() for score in evaluation.valid_trees.values()]
        columns.append(Column(VALID_TREES, "number"))
        rows = [(*row, None if score.reason else score.correct) for row, score in zip(rows, strict)]
    label = (str(coverage),) if coverage else ()
    provenance = joint_provenance({code: evaluation.provenance for code, evaluation in evaluations.items()})
    return Table(tuple(columns), tuple(rows), label).signed(provenance)


VALID_TREES = "Valid trees"
NOT_OFFICIAL = "Partial scores, not official"
# The first sentence of pages with partial scores.
LABEL = f"{NOT_OFFICIAL}: every gold word counts, even if texts differ or trees are broken."

VALID_TREES_NOTE = f"{VALID_TREES}: words in sentences without a valid tree count as wrong."
_PARTIAL_NOTE = f"partial scores, not official; {VALID_TREES}: words in sentences without a valid tree count as wrong"

# The columns for the shares of answered gold sentences and aligned gold words.
COVERAGE = (Column("Answered", "percent"), Column("Aligned", "percent"))


def coverage_cells(coverage: PartialCoverage) -> tuple[Cell, ...]:
    return 100 * coverage.answered / coverage.sentences, 100 * coverage.aligned / coverage.words


def covered(evaluations: Mapping[str, Evaluation]) -> PartialCoverage | None:
    """Return the coverage of the outputs on several treebanks together; None if scores are not partial."""
    return next(iter(_totals(("", evaluation.coverage) for evaluation in evaluations.values()).values()), None)


def coverage_notes(coverages: Iterable[tuple[str, PartialCoverage]]) -> list[str]:
    """Return what each system covers on all treebanks, given the system (empty if single) and each coverage."""
    return [f"{system}: {total}" if system else str(total) for system, total in _totals(coverages).items()]


def _totals(coverages: Iterable[tuple[str, PartialCoverage | None]]) -> dict[str, PartialCoverage]:
    from levelhead.evaluation.score_data import total_coverage

    by_system: dict[str, list[PartialCoverage]] = {}
    for system, coverage in coverages:
        if coverage is not None:
            by_system.setdefault(system, []).append(coverage)
    return {system: total_coverage(each) for system, each in by_system.items()}


def partial_notes(coverages: Iterable[tuple[str, PartialCoverage | None]]) -> list[str]:
    """Return the notes of a table, given the system and coverage of each output; none if scores are not partial."""
    others = {system: total.other_text_note for system, total in _totals(coverages).items()}
    label = [_PARTIAL_NOTE] if others else []
    return [*label, *(f"{system}: {note}" for system, note in others.items() if note)]


def columns_with_valid_trees(names: Iterable[str]) -> tuple[Column, ...]:
    """Return two columns for each measure, then the columns of the coverage."""
    heads = (head for name in names for head in (name, f"{name} ({VALID_TREES.lower()})"))
    return (*(Column(head, "percent") for head in heads), *COVERAGE)


def cells_with_valid_trees(values: Iterable[Any], strict: Iterable[Any], coverage: PartialCoverage) -> tuple[Cell, ...]:
    numbers = (None if value is None else float(value) for pair in zip(values, strict) for value in pair)
    return (*numbers, *coverage_cells(coverage))
