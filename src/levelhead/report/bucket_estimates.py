"""Confidence intervals of parts of a score in tables and JSON, with a mark for uncertain ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from levelhead.report.documents import points
from levelhead.report.table import Cell, Column, Kind, interval_cell, interval_head
from levelhead.significance.bucket_estimates import BucketEstimate
from levelhead.significance.units import ENOUGH_UNITS, FEWEST_UNITS

MARK = "?"
UNCERTAIN = f"{MARK}: uncertain, based on fewer than {ENOUGH_UNITS} documents or sentences, or on very uneven ones"
ALL_UNCERTAIN = f"no intervals, since each row is based on fewer than {FEWEST_UNITS} documents or sentences"


def estimate_columns(
    level: str, estimates: Iterable[BucketEstimate], *, difference: bool = False
) -> tuple[Column, Column]:
    """Return the columns of `estimate_cells`; only TSV has them if no row has an interval."""
    tidy_only = all(estimate.interval is None for estimate in estimates)
    kind: Kind = "difference" if difference else "ratio"
    ends = ("diff_low", "diff_high") if difference else ("low", "high")
    return (
        Column(interval_head(level), kind, ends=ends, tidy_only=tidy_only),
        Column("", "text", key="Uncertain", tidy_only=tidy_only),
    )


def estimate_notes(estimates: Iterable[BucketEstimate]) -> list[str]:
    """Return a note if some rows are uncertain."""
    every = list(estimates)
    if every and all(estimate.interval is None for estimate in every):
        return [ALL_UNCERTAIN]
    return [UNCERTAIN] if any(estimate.uncertain for estimate in every) else []


def estimate_cells(estimate: BucketEstimate | None) -> tuple[Cell, Cell]:
    """Return the interval, and a mark if it is uncertain."""
    if estimate is None:
        return None, ""
    return interval_cell(estimate.interval, perplexity=False), MARK if estimate.uncertain else ""


def estimate_document(estimate: BucketEstimate | None) -> dict[str, Any]:
    """Return an estimate for JSON, in points; an empty document for None."""
    if estimate is None:
        return {}
    interval = None if estimate.interval is None else [points(end) for end in estimate.interval]
    return {"interval": interval, "n_units": estimate.n_units, "uncertain": estimate.uncertain}
