"""Evaluations as tables and as JSON documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from levelhead.errors import listed
from levelhead.evaluation.provenance import joint_signature
from levelhead.scoring import Score
from levelhead.scoring.measure import COMPONENTS
from levelhead.tables.documents import header, notes_of, path_text, points, signature_line
from levelhead.tables.table import Cell, Column, Table, value_cell
from levelhead.treebank.provenance import FileSummary

if TYPE_CHECKING:
    from fractions import Fraction

    from levelhead.evaluation.coverage import PartialCoverage
    from levelhead.evaluation.leakage import Leakage
    from levelhead.evaluation.pair import Evaluation
    from levelhead.significance import Units

Average = Mapping[str, "Fraction | None"]
"""The macro-average of each measure."""

_NO_CELL = ""  # the column does not apply to the measure; a dash is an undefined value
_RATIOS = ("Precision", "Recall", "F1 Score", "AligndAcc")
_COUNTS = ("Correct", "Gold", "Predicted", "Aligned")


def score_table(evaluation: Evaluation, *, counts: bool = False) -> Table:
    """Return the scores of one pair: one row per measure, with the columns of the official scorers."""
    kind, names = ("number", _COUNTS) if counts else ("ratio", _RATIOS)
    surprising = not counts and any(score.perplexity for score in evaluation.values())
    columns = (Column("Metric", "text", 10), *(Column(name, kind, 9) for name in names))  # type: ignore[arg-type]
    rows = tuple((name, *(_counts(score) if counts else _ratios(score))) for name, score in evaluation.items())
    if surprising:
        columns = (*columns, Column("Perplexity", "ratio"))
        scores = evaluation.values()
        rows = tuple(
            (*row, value_cell(score.value, perplexity=True) if score.perplexity else _NO_CELL)
            for row, score in zip(rows, scores)
        )
    if evaluation.leakage and not counts:
        columns = (*columns, *(Column(f"New {name}", "ratio", 9) for name in ("words", "heads", "both")))
        rows = tuple((*row, *_on_rest(evaluation.leakage, name)) for row, name in zip(rows, evaluation))
    reasons = tuple(f"{name}: {score.reason}" for name, score in evaluation.items() if score.reason)
    if evaluation.coverage is not None:
        columns, rows = _with_valid_trees(evaluation, evaluation.coverage, columns, rows, counts=counts)
    label = (str(evaluation.coverage),) if evaluation.coverage else ()
    return Table(
        columns, rows, (*label, *reasons, *_leakage_notes(evaluation.leakage), signature_line(evaluation.signature))
    )


def _on_rest(leakage: Leakage, measure: str) -> Iterator[Cell]:
    """The value of a measure on the sentences that do not occur in training: by words, by heads, by both."""
    for occurrence in leakage.occurring:
        score = occurrence.rest.get(measure)
        yield None if score is None else value_cell(score.value, perplexity=score.perplexity)


def _leakage_notes(leakage: Leakage | None) -> tuple[str, ...]:
    if leakage is None:
        return ()
    n = leakage.sentences
    words, heads, both = (
        f"{occurrence.sentences:,} ({_percent(occurrence.sentences, n)})" for occurrence in leakage.occurring
    )
    seen = f"{words} have the same words as a training sentence, {heads} the same heads, {both} either"
    return f"of {n:,} sentences, {seen}", "New words, heads, both: the score on the remaining sentences"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "-"


def _with_valid_trees(
    evaluation: Evaluation,
    coverage: PartialCoverage,
    columns: tuple[Column, ...],
    rows: tuple[tuple[Cell, ...], ...],
    *,
    counts: bool,
) -> tuple[tuple[Column, ...], tuple[tuple[Cell, ...], ...]]:
    """Add the columns of partial scores: the score of valid trees only, and the coverage."""
    strict = evaluation.valid_trees.values()
    if counts:
        correct = (None if score.reason else score.correct for score in strict)
        return (*columns, Column(VALID_TREES, "number")), tuple((*row, cell) for row, cell in zip(rows, correct))
    cells = coverage_cells(coverage)
    return (*columns, Column(VALID_TREES), *COVERAGE), tuple(
        (*row, score.value, *cells) for row, score in zip(rows, strict)
    )


def _ratios(score: Score) -> tuple[Cell, ...]:
    if score.perplexity:
        return (_NO_CELL,) * 4
    if score.reason:
        return (None,) * 4
    shown = (score.measure.component,) if score.measure.component else COMPONENTS
    without = {"aligned_accuracy"} if score.aligned is None else set()
    return tuple(score.ratio(name) if name in shown and name not in without else _NO_CELL for name in COMPONENTS)


def _counts(score: Score) -> tuple[Cell, ...]:
    aligned = score.aligned if score.aligned is not None else _NO_CELL
    return (None,) * 4 if score.reason else (score.correct, score.gold, score.system, aligned)


def scores_table(evaluations: Mapping[str, Evaluation], average: Average, strict: Average | None = None) -> Table:
    """Return the scores of several treebanks: one row per treebank, one column per measure, and the macro-average."""
    signature = joint_signature(evaluation.signature for evaluation in evaluations.values())
    coverage = covered(evaluations)
    if coverage is not None:
        return _partial_scores_table(evaluations, average, strict or {}, coverage)
    leaked = all(evaluation.leakage for evaluation in evaluations.values())
    columns = (
        Column("Treebank", "text"),
        *(Column(name) for name in average),
        *(_leakage_columns(average) if leaked else ()),
    )
    rows = [
        (
            name,
            *(value_cell(score.value, perplexity=score.perplexity) for score in evaluation.values()),
            *(_leakage_cells(evaluation) if leaked else ()),
        )
        for name, evaluation in evaluations.items()
    ]
    scores = next(iter(evaluations.values()))
    means = (value_cell(value, perplexity=scores[name].perplexity) for name, value in average.items())
    new = _average_leakage_cells(evaluations) if leaked else ()
    summary = ((f"Macro-average of {len(evaluations)}", *means, *new),)
    notes = (*_missing_averages(evaluations), *([_LEAKAGE] if leaked else []), signature_line(signature))
    return Table(columns, tuple(rows), notes, summary=summary)


def missing_scores(evaluations: Mapping[str, Evaluation]) -> Iterator[tuple[str, str]]:
    """Yield each measure that has no score on some treebanks, and so no average, with the reason and the treebanks."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in next(iter(evaluations.values())):
        for code, evaluation in evaluations.items():
            if reason := evaluation[name].reason:
                found.setdefault((name, reason), []).append(code)
    for (name, reason), codes in found.items():
        yield name, f"{reason} ({listed(codes)})"


def _missing_averages(evaluations: Mapping[str, Evaluation]) -> Iterator[str]:
    return (f"no average of {name}: {reason}" for name, reason in missing_scores(evaluations))


def _partial_scores_table(
    evaluations: Mapping[str, Evaluation], average: Average, strict: Average, coverage: PartialCoverage
) -> Table:
    leaked = all(evaluation.leakage for evaluation in evaluations.values())
    columns = (
        Column("Treebank", "text"),
        *columns_with_valid_trees(average),
        *(_leakage_columns(average) if leaked else ()),
    )
    rows = tuple(
        (code, *_partial_cells(evaluation), *_leakage_cells(evaluation)) for code, evaluation in evaluations.items()
    )
    means = cells_with_valid_trees(average.values(), strict.values(), coverage)
    signature = joint_signature(evaluation.signature for evaluation in evaluations.values())
    new = _average_leakage_cells(evaluations) if leaked else ()
    summary = ((f"Macro-average of {len(evaluations)}", *means, *new),)
    missing = _missing_averages(evaluations)
    notes = (str(coverage), *missing, *([_LEAKAGE] if leaked else []), signature_line(signature))
    return Table(columns, rows, notes, summary=summary)


_LEAKAGE = (
    "Same words, heads: share of sentences with the same words or heads as a training sentence; new: score on the"
    " remaining sentences"
)


def _leakage_columns(measures: Iterable[str]) -> tuple[Column, ...]:
    return (Column("Same words"), Column("Same heads"), *(Column(f"{name} new") for name in measures))


def _leakage_cells(evaluation: Evaluation) -> Iterator[Cell]:
    leakage = evaluation.leakage
    if leakage is None:
        return
    for occurrence in leakage.occurring[:2]:
        yield occurrence.sentences / leakage.sentences if leakage.sentences else None
    for name in evaluation:
        score = leakage.occurring[-1].rest.get(name)
        yield None if score is None else value_cell(score.value, perplexity=score.perplexity)


def _average_leakage_cells(evaluations: Mapping[str, Evaluation]) -> Iterator[Cell]:
    first = next(iter(evaluations.values()))
    yield from (None, None)
    for name, value in average_new_scores(evaluations).items():
        yield value_cell(value, perplexity=first[name].perplexity)


def _partial_cells(evaluation: Evaluation) -> tuple[Cell, ...]:
    if evaluation.coverage is None:
        raise ValueError("the scores are not partial")
    values, strict = ([score.value for score in some.values()] for some in (evaluation.scores, evaluation.valid_trees))
    return cells_with_valid_trees(values, strict, evaluation.coverage)


def counts_table(evaluations: Mapping[str, Evaluation]) -> Table:
    """Return the counts behind the scores of several treebanks: one row per treebank and measure."""
    columns = (Column("Treebank", "text"), Column("Metric", "text"), *(Column(name, "number") for name in _COUNTS))
    rows = [
        (code, name, *_counts(score)) for code, evaluation in evaluations.items() for name, score in evaluation.items()
    ]
    coverage = covered(evaluations)
    if coverage is not None:
        strict = [score for evaluation in evaluations.values() for score in evaluation.valid_trees.values()]
        columns = (*columns, Column(VALID_TREES, "number"))
        rows = [(*row, None if score.reason else score.correct) for row, score in zip(rows, strict)]
    label = (str(coverage),) if coverage else ()
    signature = joint_signature(evaluation.signature for evaluation in evaluations.values())
    return Table(columns, tuple(rows), (*label, signature_line(signature)))


def score_document(evaluation: Evaluation) -> dict[str, Any]:
    """Return the scores of one pair for JSON: ratios as percentages at full precision, counts as integers."""
    coverage = evaluation.coverage
    strict = {name: score_numbers(score) for name, score in evaluation.valid_trees.items()}
    return {
        **header("score" if coverage is None else "partial-score"),
        **({} if coverage is None else {"coverage": coverage._asdict()}),
        "signature": dict(evaluation.signature),
        "gold": _file(evaluation.gold),
        "system": _file(evaluation.system),
        "scores": {name: score_numbers(score) for name, score in evaluation.items()},
        **({} if evaluation.leakage is None else {"leakage": leakage_document(evaluation.leakage)}),
        **({} if coverage is None else {"scores_valid_trees": strict}),
        **notes_of(evaluation.notes),
    }


def leakage_document(leakage: Leakage) -> dict[str, Any]:
    """Return the overlap of a test set with training for JSON, with the scores on the remaining sentences."""
    occurring = [
        {
            "same": occurrence.same,
            "sentences": occurrence.sentences,
            "words": occurrence.words,
            "share_of_sentences": points(occurrence.sentences / leakage.sentences) if leakage.sentences else None,
            "share_of_words": points(occurrence.words / leakage.words) if leakage.words else None,
            "rest": {name: score_numbers(score) for name, score in occurrence.rest.items()},
        }
        for occurrence in leakage.occurring
    ]
    return {"train": leakage.train, "sentences": leakage.sentences, "words": leakage.words, "occurring": occurring}


def scores_document(
    evaluations: Mapping[str, Evaluation], average: Average, strict: Average | None = None
) -> dict[str, Any]:
    """Return the scores of several treebanks for JSON."""
    first = next(iter(evaluations.values()))
    signature = joint_signature(evaluation.signature for evaluation in evaluations.values())
    averages = {"macro_average": average, **({"macro_average_valid_trees": strict} if strict else {})}
    return {
        **header("scores" if first.coverage is None else "partial-scores", signature),
        "treebanks": {name: score_document(evaluation) for name, evaluation in evaluations.items()},
        **{key: {name: _average(value, first[name]) for name, value in one.items()} for key, one in averages.items()},
        **_new_average(evaluations),
    }


def _new_average(evaluations: Mapping[str, Evaluation]) -> dict[str, Any]:
    """The macro-average on the sentences that do not occur in training, if training treebanks are given."""
    if not all(evaluation.leakage for evaluation in evaluations.values()):
        return {}
    first = next(iter(evaluations.values()))
    average = average_new_scores(evaluations)
    return {"macro_average_new": {name: _average(value, first[name]) for name, value in average.items()}}


def _average(value: Fraction | None, score: Score) -> float | None:
    return None if value is None else float(value) if score.perplexity else points(value)


def _file(contents: FileSummary) -> dict[str, Any]:
    path = contents.path
    return {
        "path": None if path is None else path_text(path),
        "sha256": contents.sha256,
        "sentences": contents.sentences,
        "tokens": contents.tokens,
        "words": contents.words,
        "warnings": [
            {"slug": fault.slug, "line": fault.place.line, "count": fault.count} for fault in contents.warnings
        ],
    }


def score_numbers(score: Score) -> dict[str, Any]:
    """Return one score for JSON: ratios as percentages, counts as integers."""
    ratios = {name: getattr(score, name) for name in ("precision", "recall", "f1", "aligned_accuracy")}
    document: dict[str, Any] = {name: points(value) for name, value in ratios.items()}
    document |= {name: getattr(score, name) for name in ("correct", "gold", "system", "aligned")}
    document["value"] = score.value if score.perplexity else document[score.component]
    return document | ({"reason": score.reason} if score.reason else {})


def units_document(units: Mapping[str, Units]) -> dict[str, Any]:
    """Return the kind and number of units on each treebank for JSON."""
    return {code: {"unit": unit.kind, "n": unit.n_units} for code, unit in units.items()}


VALID_TREES = "Valid trees"
NOT_OFFICIAL = "Partial scores, not official"
LABEL = f"{NOT_OFFICIAL}: every gold word counts, even if texts differ or trees are broken."
"""The first sentence of pages with partial scores."""

VALID_TREES_NOTE = f"{VALID_TREES}: words in sentences without a valid tree count as wrong."
_PARTIAL_NOTE = f"partial scores, not official; {VALID_TREES}: words in sentences without a valid tree count as wrong"

COVERAGE = (Column("Answered", key="Answered sentences"), Column("Aligned", key="Aligned words"))
"""The columns for the shares of answered gold sentences and aligned gold words."""


def coverage_cells(coverage: PartialCoverage) -> tuple[Cell, ...]:
    """Return the cells of `COVERAGE`."""
    return coverage.answered / coverage.sentences, coverage.aligned / coverage.words


def covered(evaluations: Mapping[str, Evaluation]) -> PartialCoverage | None:
    """Return the coverage of the outputs on several treebanks together; None if scores are not partial."""
    from levelhead.evaluation.coverage import total_coverage

    each = [evaluation.coverage for evaluation in evaluations.values() if evaluation.coverage is not None]
    return total_coverage(each) if each else None


def partial_notes(coverages: Iterable[tuple[str, PartialCoverage | None]]) -> list[str]:
    """Return the notes of a table, given the system and coverage of each output; none if scores are not partial."""
    from levelhead.evaluation.coverage import total_coverage

    by_system: dict[str, list[PartialCoverage]] = {}
    for system, coverage in coverages:
        if coverage is not None:
            by_system.setdefault(system, []).append(coverage)
    others = {system: total_coverage(each).other_text_note for system, each in by_system.items()}
    label = [_PARTIAL_NOTE] if by_system else []
    return [*label, *(f"{system}: {note}" for system, note in others.items() if note)]


def columns_with_valid_trees(names: Iterable[str]) -> tuple[Column, ...]:
    """Return two columns for each measure, then the columns of the coverage."""
    pairs = ((Column(name), Column(f"{name} ({VALID_TREES.lower()})")) for name in names)
    return (*(column for pair in pairs for column in pair), *COVERAGE)


def cells_with_valid_trees(values: Iterable[Any], strict: Iterable[Any], coverage: PartialCoverage) -> tuple[Cell, ...]:
    """Return the cells of `columns_with_valid_trees`."""
    cells = (value_cell(value, perplexity=False) for pair in zip(values, strict) for value in pair)
    return (*cells, *coverage_cells(coverage))


def average_new_scores(evaluations: Mapping[str, Evaluation]) -> dict[str, Fraction | None]:
    """Return the average scores on the sentences that share neither words nor heads with a training sentence."""
    rest = [
        evaluation.leakage.occurring[-1].rest for evaluation in evaluations.values() if evaluation.leakage is not None
    ]
    return {
        name: mean_or_none([scores[name].exact if name in scores else None for scores in rest])
        for name in next(iter(evaluations.values()))
    }


def mean_or_none(values: Sequence[Fraction | None]) -> Fraction | None:
    """Return the exact mean; None without values or if any is missing."""
    from fractions import Fraction

    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) / len(values) if values and len(known) == len(values) else None
