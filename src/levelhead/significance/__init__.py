"""Confidence intervals and significance tests, computed from counts."""

from levelhead.significance.corrections import (
    Wins,
    better_on_at_least,
    corrected,
    count_wins,
    holm,
    level_of_each,
    mean_votes,
    sign_test,
    signed_rank_test,
)
from levelhead.significance.differences import (
    ComparedScore,
    check_margin,
    differences,
    permutation_p,
)
from levelhead.significance.estimates import Equivalence, Estimate, enough_runs, equivalence, run_errors
from levelhead.significance.jackknife import Run, SystemCounts, system_counts
from levelhead.significance.power import pairwise_randomization_p, separated_shares, significant_shares
from levelhead.significance.resampling import (
    STANDARD,
    InferenceSettings,
    check_settings,
    resampled,
    resampled_rows,
    spawned,
    swapped,
)
from levelhead.significance.units import ENOUGH_UNITS, FEWEST_UNITS, Units, unit_line, unit_notes, units_of

__all__ = [
    "ENOUGH_UNITS",
    "FEWEST_UNITS",
    "STANDARD",
    "ComparedScore",
    "Equivalence",
    "Estimate",
    "InferenceSettings",
    "Run",
    "SystemCounts",
    "Units",
    "Wins",
    "better_on_at_least",
    "check_margin",
    "check_settings",
    "corrected",
    "count_wins",
    "differences",
    "enough_runs",
    "equivalence",
    "holm",
    "level_of_each",
    "mean_votes",
    "pairwise_randomization_p",
    "permutation_p",
    "resampled",
    "resampled_rows",
    "run_errors",
    "separated_shares",
    "sign_test",
    "signed_rank_test",
    "significant_shares",
    "spawned",
    "swapped",
    "system_counts",
    "unit_line",
    "unit_notes",
    "units_of",
]
