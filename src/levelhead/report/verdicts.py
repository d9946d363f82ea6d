"""Verdicts of regression gates in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from levelhead.comparison.regression import Verdict
from levelhead.comparison.systems import Comparison
from levelhead.errors import number_of
from levelhead.report.documents import points
from levelhead.report.table import Column, formatted, interval_cell, value_cell
from levelhead.significance.power import MOST_RUNS
from levelhead.significance.runs import FEWEST_RUNS
from levelhead.significance.units import FEWEST_UNITS

_DIFFERENCE = Column("Diff.", "difference")


def verdict_text(one: Verdict, comparison: Comparison) -> str:
    """Return a sentence on a verdict: what was found, and how many runs would decide if it is not decided.

    Args:
        one: the verdict.
        comparison: the comparison that it is from.
    """
    return f"{_outcome(one)}: {_finding(one, comparison)}"


def _outcome(one: Verdict) -> str:
    where = "" if one.treebank != "macro-average" else " (macro-average)"
    return f"gate {one.verdict}: {one.measure} of {one.system}{where}"


def _finding(one: Verdict, comparison: Comparison) -> str:
    if one.reason == "invalid":
        return number_of(len(comparison.invalid[one.system]), "error") + " in the output"
    plain = one.measure in comparison.perplexities
    change = formatted(value_cell(one.difference, perplexity=plain), _DIFFERENCE)
    margin = comparison.provenance.signature.get("margin")
    level = f"{100 * float(comparison.provenance.signature['level']):g}% CI"
    ratio = plain and margin is not None
    interval = interval_cell(one.interval, perplexity=plain)
    between = formatted(interval, Column("", "number" if ratio else "difference")) if one.interval else "none"
    numbers = f"{change} ({level} {'of the ratio ' if ratio else ''}{between})"
    return f"{numbers}, {_reason(one, comparison.systems[0], margin, ratio=ratio)}{_runs(one, comparison)}"


def _reason(one: Verdict, baseline: str, margin: str | None, *, ratio: bool) -> str:
    if one.reason == "too few units":
        return f"fewer than {FEWEST_UNITS} units, so differences cannot be tested"
    if one.reason == "too few runs":
        return f"give {FEWEST_RUNS} or more runs of each system, or one output of each"
    if margin is None:
        found = "worse" if one.reason == "worse" else "better" if one.decided else "not significantly worse"
        return f"{'significantly ' if one.decided else ''}{found} than {baseline}"
    side = f"the upper end is {'below' if one.verdict == 'met' else 'not below'} {margin}"
    return side if ratio else f"the lower end is {'above' if one.verdict == 'met' else 'not above'} -{margin}"


def _runs(one: Verdict, comparison: Comparison) -> str:
    result = next(
        r for r in comparison.results if (r.system, r.measure, r.treebank) == (one.system, one.measure, one.treebank)
    )
    if one.decided or min(result.runs) < 2:
        return ""
    if one.runs_needed is None:
        return f"; even {MOST_RUNS:,} runs of each would not decide: use a larger test set"
    return (
        f"; {one.runs_needed} runs of each would decide, with a power of 80% if the true difference is the observed one"
    )


def gates_document(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the verdicts for JSON: differences in points, and the errors of invalid outputs.

    Args:
        comparison: the comparison.
    """
    return [_document(one, comparison) for one in comparison.gates]


def _document(one: Verdict, comparison: Comparison) -> dict[str, Any]:
    document = one._asdict()
    if one.measure not in comparison.perplexities:
        document["difference"] = points(one.difference)
        document["interval"] = None if one.interval is None else [points(end) for end in one.interval]
    document["errors"] = [str(fault) for fault in comparison.invalid.get(one.system, ())]
    return document


def failing(comparison: Comparison) -> Iterator[str]:
    """Give a line for each gate that is not met or undecided.

    Args:
        comparison: the comparison.
    """
    yield from (_outcome(one) for one in comparison.gates if one.verdict != "met")
