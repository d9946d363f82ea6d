"""Additional columns of partial scores: scores of valid trees only, and coverage of the gold treebank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from levelhead.evaluation.pair import Evaluation
from levelhead.report.table import Cell, Column, value_cell

if TYPE_CHECKING:
    from levelhead.evaluation.partial import PartialCoverage

VALID_TREES = "Valid trees"
NOT_OFFICIAL = "Partial scores, not official"
LABEL = f"{NOT_OFFICIAL}: every gold word counts, even if texts differ or trees are broken."
"""The first sentence of pages with partial scores."""

VALID_TREES_NOTE = f"{VALID_TREES}: words in sentences without a valid tree count as wrong."
PARTIAL_NOTE = f"partial scores, not official; {VALID_TREES}: words in sentences without a valid tree count as wrong"
"""The note of tables with partial scores."""

COVERAGE = (Column("Answered", key="Answered sentences"), Column("Aligned", key="Aligned words"))
"""The columns for the shares of answered gold sentences and aligned gold words."""


def coverage_cells(coverage: PartialCoverage) -> tuple[Cell, ...]:
    """Return the cells of `COVERAGE`."""
    return coverage.answered / coverage.sentences, coverage.aligned / coverage.words


def total_coverage(coverages: Iterable[PartialCoverage]) -> PartialCoverage:
    """Return the coverage of several outputs together."""
    from levelhead.evaluation.partial import total_coverage as total

    return total(coverages)


def covered(evaluations: Mapping[str, Evaluation]) -> PartialCoverage | None:
    """Return the coverage of the outputs on several treebanks together; None if scores are not partial."""
    each = [evaluation.coverage for evaluation in evaluations.values() if evaluation.coverage is not None]
    return total_coverage(each) if each else None


def columns_with_valid_trees(names: Iterable[str]) -> tuple[Column, ...]:
    """Return two columns for each measure, then the columns of the coverage."""
    pairs = ((Column(name), Column(f"{name} ({VALID_TREES.lower()})")) for name in names)
    return (*(column for pair in pairs for column in pair), *COVERAGE)


def cells_with_valid_trees(values: Iterable[Any], strict: Iterable[Any], coverage: PartialCoverage) -> tuple[Cell, ...]:
    """Return the cells of `columns_with_valid_trees`."""
    cells = (value_cell(value, perplexity=False) for pair in zip(values, strict) for value in pair)
    return (*cells, *coverage_cells(coverage))
