"""Verdicts of regression gates in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from levelhead.comparison.regression import GateResult
from levelhead.errors import number_of
from levelhead.significance.power import MOST_RUNS
from levelhead.significance.runs import FEWEST_RUNS
from levelhead.significance.units import FEWEST_UNITS
from levelhead.tables.documents import points
from levelhead.tables.table import Column, formatted, interval_cell, interval_head, value_cell

if TYPE_CHECKING:
    from levelhead.comparison.systems import Comparison

_DIFFERENCE = Column("Diff.", "difference")


def verdict_text(verdict: GateResult, comparison: Comparison) -> str:
    """Return a verdict as a sentence: the difference, the reason, and how many runs would decide it."""
    return f"{_outcome(verdict)}: {_finding(verdict, comparison)}"


def _outcome(verdict: GateResult) -> str:
    where = "" if verdict.treebank != "macro-average" else " (macro-average)"
    return f"gate {verdict.verdict}: {verdict.measure} of {verdict.system}{where}"


def _finding(verdict: GateResult, comparison: Comparison) -> str:
    if verdict.reason == "invalid":
        errors = comparison.invalid[verdict.system]
        return f"{number_of(len(errors), 'error')} in the output: {errors[0].message}"
    plain = verdict.measure in comparison.perplexities
    change = formatted(value_cell(verdict.difference, perplexity=plain), _DIFFERENCE)
    margin = comparison.provenance.signature.get("margin")
    level = interval_head(comparison.provenance.signature["level"])
    ratio = plain and margin is not None
    interval = interval_cell(verdict.interval, perplexity=plain)
    between = formatted(interval, Column("", "number" if ratio else "difference")) if verdict.interval else "none"
    numbers = f"{change} ({level} {'of the ratio ' if ratio else ''}{between})"
    return f"{numbers}, {_reason(verdict, comparison.systems[0], margin, ratio=ratio)}{_runs(verdict, comparison)}"


def _reason(verdict: GateResult, baseline: str, margin: str | None, *, ratio: bool) -> str:
    if verdict.reason == "too few units":
        return f"too few units for a test (fewer than {FEWEST_UNITS})"
    if verdict.reason == "too few runs":
        return f"too few runs for a test: give {FEWEST_RUNS} or more runs of each system, or one output of each"
    if margin is None:
        outcome = "worse" if verdict.reason == "worse" else "better" if verdict.decided else "not significantly worse"
        return f"{'significantly ' if verdict.decided else ''}{outcome} than {baseline}"
    side = f"the upper end is {'below' if verdict.verdict == 'met' else 'not below'} {margin}"
    return side if ratio else f"the lower end is {'above' if verdict.verdict == 'met' else 'not above'} -{margin}"


def _runs(verdict: GateResult, comparison: Comparison) -> str:
    result = next(
        r
        for r in comparison.results
        if (r.system, r.measure, r.treebank) == (verdict.system, verdict.measure, verdict.treebank)
    )
    if verdict.decided or min(result.runs) < 2:
        return ""
    if verdict.runs_needed is None:
        return f"; even {MOST_RUNS:,} runs of each would not suffice: use a larger test set"
    return (
        f"; {verdict.runs_needed} runs of each would suffice, with 80% power if the true difference equals the observed"
        " one"
    )


def gates_document(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the verdicts for JSON: differences in points, and the errors of invalid outputs."""
    return [_document(gate, comparison) for gate in comparison.gates]


def _document(verdict: GateResult, comparison: Comparison) -> dict[str, Any]:
    document = verdict._asdict()
    if verdict.measure not in comparison.perplexities:
        document["difference"] = points(verdict.difference)
        document["interval"] = None if verdict.interval is None else [points(end) for end in verdict.interval]
    document["errors"] = [str(fault) for fault in comparison.invalid.get(verdict.system, ())]
    return document


def failing(comparison: Comparison) -> Iterator[str]:
    """Give a line for each gate that is undecided or not met."""
    yield from (_outcome(gate) for gate in comparison.gates if gate.verdict != "met")
