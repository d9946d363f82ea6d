"""Confidence intervals of the parts of a score in tables and JSON, with marks where they are uncertain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from levelhead.report.documents import points
from levelhead.report.table import Cell, Column, Kind, interval_cell, interval_head
from levelhead.significance.bucket_estimates import BucketEstimate
from levelhead.significance.units import ENOUGH_UNITS, FEWEST_UNITS

MARK = "?"
UNCERTAIN = f"{MARK}: uncertain, from fewer than {ENOUGH_UNITS} documents or sentences, or too uneven ones"
ALL_UNCERTAIN = f"all rows are uncertain, from fewer than {FEWEST_UNITS} documents or sentences each"


def certainty_columns(
    level: str, every: Iterable[BucketEstimate], *, difference: bool = False
) -> tuple[Column, Column]:
    """Return the columns of `certainty_cells`; only TSV has them if no row has an interval.

    Args:
        level: the confidence level.
        every: the certainty of each row.
        difference: whether the values are differences.
    """
    tidy_only = all(one.interval is None for one in every)
    kind: Kind = "difference" if difference else "ratio"
    ends = ("diff_low", "diff_high") if difference else ("low", "high")
    return (
        Column(interval_head(level), kind, ends=ends, tidy_only=tidy_only),
        Column("", "text", key="Uncertain", tidy_only=tidy_only),
    )


def certainty_notes(every: Iterable[BucketEstimate]) -> list[str]:
    """Return a note on the rows that are uncertain, if there are any.

    Args:
        every: the certainty of each row.
    """
    some = list(every)
    if some and all(one.interval is None for one in some):
        return [ALL_UNCERTAIN]
    return [UNCERTAIN] if any(one.uncertain for one in some) else []


def certainty_cells(one: BucketEstimate) -> tuple[Cell, Cell]:
    """Return the interval, and a mark if it is uncertain.

    Args:
        one: the certainty of a value.
    """
    return interval_cell(one.interval, perplexity=False), MARK if one.uncertain else ""


def certainty_document(one: BucketEstimate | None) -> dict[str, Any]:
    """Return the same for JSON, in points; nothing without intervals.

    Args:
        one: the certainty of a value, or None.
    """
    if one is None:
        return {}
    between = None if one.interval is None else [points(end) for end in one.interval]
    return {"interval": between, "n_units": one.n_units, "uncertain": one.uncertain}
