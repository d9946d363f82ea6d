"""Confidence intervals and significance tests, computed from counts."""

from levelhead.significance.corrections import (
    Wins,
    better_on_at_least,
    corrected,
    count_wins,
    sign_test,
    signed_rank_test,
)
from levelhead.significance.differences import ComparedScore, differences
from levelhead.significance.estimates import Estimate, InferenceSettings
from levelhead.significance.jackknife import Run, SystemCounts, system_counts
from levelhead.significance.resampling import resampled
from levelhead.significance.units import Units, units_of

__all__ = [
    "ComparedScore",
    "Estimate",
    "InferenceSettings",
    "Run",
    "SystemCounts",
    "Units",
    "Wins",
    "better_on_at_least",
    "corrected",
    "count_wins",
    "differences",
    "resampled",
    "sign_test",
    "signed_rank_test",
    "system_counts",
    "units_of",
]
