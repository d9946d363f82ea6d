"""Confidence intervals and significance tests, computed from counts."""

from levelhead.significance.corrections import (
    Wins,
    better_on_at_least,
    corrected,
    count_wins,
    level_of_each,
    sign_test,
    signed_rank_test,
)
from levelhead.significance.differences import ComparedScore, check_margin, differences
from levelhead.significance.estimates import Estimate, enough_runs
from levelhead.significance.jackknife import Run, SystemCounts, system_counts
from levelhead.significance.resampling import STANDARD, InferenceSettings, resampled, resampled_rows, spawned
from levelhead.significance.units import (
    ENOUGH_UNITS,
    FEWEST_UNITS,
    Units,
    unit_line,
    unit_notes,
    units_of,
    with_p_values,
)

__all__ = [
    "ENOUGH_UNITS",
    "FEWEST_UNITS",
    "STANDARD",
    "ComparedScore",
    "Estimate",
    "InferenceSettings",
    "Run",
    "SystemCounts",
    "Units",
    "Wins",
    "better_on_at_least",
    "check_margin",
    "corrected",
    "count_wins",
    "differences",
    "enough_runs",
    "level_of_each",
    "resampled",
    "resampled_rows",
    "sign_test",
    "signed_rank_test",
    "spawned",
    "system_counts",
    "unit_line",
    "unit_notes",
    "units_of",
    "with_p_values",
]
