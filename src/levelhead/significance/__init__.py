"""Confidence intervals and significance tests, computed from counts."""

from levelhead.significance.corrections import holm, sign_test, signed_rank_test
from levelhead.significance.differences import SystemResult, differences, permutation_p
from levelhead.significance.equivalence import Equivalence, check_margin, equivalence
from levelhead.significance.estimates import Estimate
from levelhead.significance.pairwise import pairwise_randomization_p, separated_shares, significant_shares
from levelhead.significance.resampling import resampled, resampled_rows, spawned, swapped
from levelhead.significance.runs import enough_runs, run_errors
from levelhead.significance.settings import STANDARD, InferenceSettings, check_settings, seeded
from levelhead.significance.system_counts import Run, SystemCounts, system_counts
from levelhead.significance.units import ENOUGH_UNITS, FEWEST_UNITS, Units, unit_line, unit_notes, units_of
from levelhead.significance.wins import Wins, better_on_at_least, count_wins, mean_votes

__all__ = [
    "ENOUGH_UNITS",
    "FEWEST_UNITS",
    "STANDARD",
    "Equivalence",
    "Estimate",
    "InferenceSettings",
    "Run",
    "SystemCounts",
    "SystemResult",
    "Units",
    "Wins",
    "better_on_at_least",
    "check_margin",
    "check_settings",
    "count_wins",
    "differences",
    "enough_runs",
    "equivalence",
    "holm",
    "mean_votes",
    "pairwise_randomization_p",
    "permutation_p",
    "resampled",
    "resampled_rows",
    "run_errors",
    "seeded",
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
