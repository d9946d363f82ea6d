"""Comparisons as tables and JSON documents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from levelhead.comparison.verdicts import gates_document, verdict_text
from levelhead.errors import number_of
from levelhead.evaluation.coverage import total_coverage
from levelhead.evaluation.score_tables import COVERAGE, VALID_TREES, coverage_cells, partial_notes, units_document
from levelhead.significance import SystemResult, Wins, unit_line
from levelhead.tables.documents import header, points, signature_line
from levelhead.tables.table import Cell, Column, Table, interval_cell, interval_head, level_text, p_text, value_cell
from levelhead.treebank.provenance import sources_document

if TYPE_CHECKING:
    from levelhead.comparison.systems import Comparison

_LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def comparison_table(comparison: Comparison, *, each: bool = False) -> Table:
    """Return one row per measure and system: its score, its difference from the baseline, intervals and p-values."""
    averages = [result for result in comparison.results if result.average]
    own = [result for result in comparison.results if not result.average]
    results = [*own, *averages] if each or not averages else averages
    layout = _Layout(
        treebank=(_TREEBANK if each else _AVERAGE) if averages else None,
        spread=any(result.spread is not None for result in results),
        runs=any(result.test == "runs" for result in results),
        margin=comparison.provenance.signature.get("margin"),
        level=comparison.provenance.signature["level"],
        partial=_partial_cells(comparison),
    )
    rows = tuple(layout.row(result, plain=result.measure in comparison.perplexities) for result in results)
    parts = [(result.average, result.treebank, result.measure) for result in results]
    rules = frozenset(i for i in range(1, len(parts)) if parts[i] != parts[i - 1])
    n_rows = len(own) if each and averages else len(rows)
    notes = _comparison_notes(comparison, layout.margin)
    return Table(layout.columns, rows[:n_rows], notes, rules, rows[n_rows:])


_Key = tuple[str | None, str, str, str]


def _key(result: SystemResult) -> _Key:
    return result.average, result.treebank, result.measure, result.system


def _partial_cells(comparison: Comparison) -> dict[_Key, tuple[Cell, ...]]:
    """The value with only valid trees and the coverage of each partial score; empty for other scores."""
    cells: dict[_Key, tuple[Cell, ...]] = {}
    for tree in comparison.valid_trees:
        codes = list(comparison.coverage) if tree.average else [tree.treebank]
        coverage = total_coverage(comparison.coverage[code][tree.system] for code in codes)
        cells[_key(tree)] = (tree.value, *coverage_cells(coverage))
    return cells


class _Layout(NamedTuple):
    """The columns of the table of a comparison.

    Args:
        treebank: the column of treebanks or averages; None for a single treebank.
        spread: whether a system has several runs.
        runs: whether p-values come from different tests.
        margin: the margin of equivalence, or None.
        level: the confidence level.
        partial: the additional cells of partial scores.
    """

    treebank: Column | None
    spread: bool
    runs: bool
    margin: str | None
    level: str
    partial: Mapping[_Key, tuple[Cell, ...]]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of `row`."""
        interval = Column(interval_head(self.level))
        columns = [self.treebank] if self.treebank else []
        columns += [Column("Measure", "text"), Column("System", "text"), Column("Score")]
        columns += [Column(VALID_TREES), *COVERAGE] if self.partial else []
        columns += [interval._replace(ends=("low", "high")), *([Column("SD")] if self.spread else [])]
        columns += [DIFFERENCE, interval._replace(kind="difference", ends=("diff_low", "diff_high"))]
        columns += [Column("p", "probability", tidy_only=True), HOLM, STARS]
        columns += [Column("Test", "text", tidy_only=True)] if self.runs else []
        tost = Column("p (TOST)", "probability", tidy_only=True)
        return (*columns, *((Column("Equiv.", "text", key="Equivalent"), tost) if self.margin else ()))

    def row(self, result: SystemResult, *, plain: bool) -> tuple[Cell, ...]:
        """Return the cells of a result."""
        value, interval = partial(value_cell, perplexity=plain), partial(interval_cell, perplexity=plain)
        change: tuple[Cell, ...] = (
            value(result.difference),
            interval(result.difference_interval),
            result.p,
            result.p_holm,
        )
        return (
            *((result.average if self.treebank == _AVERAGE else result.treebank,) if self.treebank else ()),
            *(result.measure, result.system, value(result.value)),
            *(self.partial[_key(result)] if self.partial else ()),
            interval(result.interval),
            *((value(result.spread),) if self.spread else ()),
            *(("",) * len(change) if result.difference is None else change),
            mark(result.p_holm) if result.enough_runs else "",
            *((result.test or "",) if self.runs else ()),
            *(_equivalent(result) if self.margin else ()),
        )


_TREEBANK = Column("Treebank", "text")
_AVERAGE = Column("Avg.", "text", key="Average")
DIFFERENCE = Column("Diff.", "difference", key="Diff")
HOLM = Column("p", "probability", key="p (Holm)")
STARS = Column("", "text", key="Stars")
_RUNS = "p: Student's t with several runs per system, otherwise the larger of Student's t and randomization"
MARKS = "* p < .05, ** p < .01, *** p < .001"


def _equivalent(result: SystemResult) -> tuple[Cell, Cell]:
    return ("", "") if result.equivalent is None else (result.equivalent, result.p_equivalent)


def _comparison_notes(comparison: Comparison, margin: str | None) -> tuple[str, ...]:
    return (
        f"differences from {comparison.systems[0]}; p corrected across systems (Holm): {MARKS}",
        *([_RUNS] if any(result.test == "runs" for result in comparison.results) else []),
        *(f"{measure}: lower is better" for measure in comparison.perplexities),
        *([_margin_note(margin, ratio=bool(comparison.perplexities))] if margin else []),
        *(wins_text(win, comparison) for win in comparison.wins),
        *(verdict_text(gate, comparison) for gate in comparison.gates),
        *([unit_line(comparison.units)] if comparison.units else []),
        *partial_notes(pair for some in comparison.coverage.values() for pair in some.items()),
        signature_line(comparison.provenance.signature),
    )


def _margin_note(margin: str, *, ratio: bool) -> str:
    within = f"a ratio between 1/{margin} and {margin}" if ratio else f"between -{margin} and {margin} points"
    return f"Equivalent: whether the difference is {within} (two one-sided tests at 5%)"


def mark(p: float | None) -> str:
    """Return asterisks for a p-value."""
    return "" if p is None else next((stars for level, stars in _LEVELS if p < level), "")


def wins_text(wins: Wins, comparison: Comparison) -> str:
    """Return a sentence on how many treebanks a system is better or worse than the baseline on."""
    n_treebanks = wins.won + wins.tied + wins.lost
    n_equal = n_treebanks - wins.better - wins.worse
    counts = [
        (
            f"better than {comparison.systems[0]} on {wins.better} of {number_of(n_treebanks, 'treebank')}"
            f" ({wins.won} significant)"
        ),
        f"worse on {wins.worse} ({wins.lost} significant)",
        *([f"equal on {n_equal}"] if n_equal else []),
    ]
    level = level_text(comparison.provenance.signature["level"])
    bounds = {"better": wins.better_on_at_least, "worse": wins.worse_on_at_least}
    shown = " and ".join(f"{how} on at least {bound}" for how, bound in bounds.items() if bound)
    parts = [
        f"{wins.measure}: {wins.system} is {', '.join(counts)}",
        *([f"{shown} ({level} confidence)"] if shown else []),
    ]
    return "; ".join([*parts, *_votes_text(wins, comparison.voter)])


def _votes_text(wins: Wins, voter: str) -> list[str]:
    if wins.sign_p is None:
        return []
    tests = [f"sign test p {p_text(wins.sign_p)}"]
    tests += [] if wins.wilcoxon_p is None else [f"Wilcoxon p {p_text(wins.wilcoxon_p)}"]
    return [f"{', '.join(tests)} ({wins.votes} votes, one per {voter})"]


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison for JSON: ratios as percentages, differences in points, at full precision."""
    return {
        **header("comparison", comparison.provenance.signature),
        "baseline": comparison.systems[0],
        "results": [
            _document(result, plain=result.measure in comparison.perplexities) for result in comparison.results
        ],
        **_partial_document(comparison),
        "wins": [win._asdict() for win in comparison.wins],
        "gates": gates_document(comparison),
        "units": units_document(comparison.units),
        **sources_document(comparison.provenance),
    }


def _partial_document(comparison: Comparison) -> dict[str, Any]:
    if not comparison.coverage:
        return {}
    coverage = {
        code: {system: one._asdict() for system, one in some.items()} for code, some in comparison.coverage.items()
    }
    strict = [_document(tree, plain=tree.measure in comparison.perplexities) for tree in comparison.valid_trees]
    return {"results_valid_trees": strict, "coverage": coverage}


def _document(result: SystemResult, *, plain: bool) -> dict[str, Any]:
    document = result._asdict()
    if plain:
        return document
    for name in ("value", "spread", "difference", "detectable"):
        document[name] = points(document[name])
    for name in ("interval", "difference_interval"):
        document[name] = None if document[name] is None else [points(end) for end in document[name]]
    return document
