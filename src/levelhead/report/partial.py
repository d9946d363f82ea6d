"""What tables and documents show of partial scores besides the scores: valid trees, and how much of gold is covered."""

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
"""What pages say first."""

VALID_TREES_NOTE = "Valid trees: sentences without a valid tree get nothing."
COVERAGE = (Column("Answered", key="Answered sentences"), Column("Aligned", key="Aligned words"))
"""The columns of the gold sentences that are answered, and the gold words that are aligned."""


def coverage_cells(coverage: PartialCoverage) -> tuple[Cell, ...]:
    """Return the cells of `COVERAGE`.

    Args:
        coverage: how much of gold an output covers.
    """
    return coverage.answered / coverage.sentences, coverage.aligned / coverage.words


def total_coverage(coverages: Iterable[PartialCoverage]) -> PartialCoverage:
    """Return the coverage of several outputs together.

    Args:
        coverages: that of each output; at least one.
    """
    from levelhead.evaluation.partial import total_coverage as total

    return total(coverages)


def covered(evaluations: Mapping[str, Evaluation]) -> PartialCoverage | None:
    """Return the coverage of the outputs on several treebanks together; None if scores are not partial.

    Args:
        evaluations: the scores on each treebank.
    """
    each = [evaluation.coverage for evaluation in evaluations.values() if evaluation.coverage is not None]
    return total_coverage(each) if each else None


def columns_with_valid_trees(names: Iterable[str]) -> tuple[Column, ...]:
    """Return two columns for each measure, and those of the coverage.

    Args:
        names: the measures.
    """
    pairs = ((Column(name), Column(f"{name} ({VALID_TREES.lower()})")) for name in names)
    return (*(column for pair in pairs for column in pair), *COVERAGE)


def cells_with_valid_trees(values: Iterable[Any], strict: Iterable[Any], coverage: PartialCoverage) -> tuple[Cell, ...]:
    """Return the cells of `columns_with_valid_trees`.

    Args:
        values: the value of each measure.
        strict: its value where sentences without a valid tree get nothing.
        coverage: how much of gold is covered.
    """
    cells = (value_cell(value, perplexity=False) for pair in zip(values, strict) for value in pair)
    return (*cells, *coverage_cells(coverage))
