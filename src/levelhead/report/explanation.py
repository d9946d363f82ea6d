"""Explanations as tables, text and JSON."""

from __future__ import annotations

from typing import Any

from levelhead.analysis.rule_differences import Difference, Explanation
from levelhead.errors import InputError, printable
from levelhead.evaluation.pair import Evaluation
from levelhead.tables.documents import header, points
from levelhead.tables.table import Cell, Column, Table


def explanation_table(explanation: Explanation) -> Table:
    """Return F1 scores by measure and rules, with a note on each decision that makes them differ."""
    names = list(explanation.evaluations)
    valid = {
        name: evaluation for name, evaluation in explanation.evaluations.items() if isinstance(evaluation, Evaluation)
    }
    measures = list(dict.fromkeys(measure for evaluation in valid.values() for measure in evaluation))
    rows = tuple((measure, *(_f1(explanation.evaluations[name], measure) for name in names)) for measure in measures)
    notes = [note for name in names for note in _refusal(name, explanation.evaluations[name])]
    notes += [note for difference in explanation.differences for note in _difference_lines(difference)]
    return Table(
        (Column("Metric", "text", 10), *(Column(name) for name in names)), rows, tuple(notes or ["No differences."])
    )


def _f1(evaluation: Evaluation | InputError, measure: str) -> Cell:
    if isinstance(evaluation, InputError) or measure not in evaluation:
        return ""
    return evaluation[measure].f1


def _refusal(name: str, evaluation: Evaluation | InputError) -> list[str]:
    return [f"rejected by {name}: {evaluation.faults[0]}"] if isinstance(evaluation, InputError) else []


def _difference_lines(difference: Difference) -> list[str]:
    lines = ["", f"{difference.decision[0].upper()}{difference.decision[1:]}:"]
    lines += [f"  {names}: {choice}" for names, choice in difference.choices.items()]
    lines += [
        f"  {measure}: {_score_text(value)} with the decision of ud, {_score_text(other)} with the other"
        for measure, (value, other) in difference.changes.items()
    ]
    lines += [f"  {place}: {printable(form)}" for place, form in difference.words]
    more = difference.n_words - len(difference.words)
    return lines + ([f"  and {more} more words"] if more > 0 else [])


def _score_text(value: float | None) -> str:
    return "no value" if value is None else f"{100 * value:.2f}"


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation for JSON."""
    return {
        **header("explanation", explanation.provenance.signature),
        "f1": {name: _scores(evaluation) for name, evaluation in explanation.evaluations.items()},
        "differences": [_difference(difference) for difference in explanation.differences],
    }


def _scores(evaluation: Evaluation | InputError) -> dict[str, Any]:
    if isinstance(evaluation, InputError):
        return {"refused": [str(fault) for fault in evaluation.faults]}
    return {name: points(score.f1) for name, score in evaluation.items()}


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "decision": difference.decision,
        "verdicts": dict(difference.choices),
        "changes": {
            name: {"ud": points(value), "otherwise": points(other)}
            for name, (value, other) in difference.changes.items()
        },
        "words": [{"file": p.file, "line": p.line, "form": form} for p, form in difference.words],
        "n_words": difference.n_words,
    }
