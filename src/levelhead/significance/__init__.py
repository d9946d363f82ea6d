"""Is a difference real: intervals and tests from counts of sentences, nothing scored twice."""

from levelhead.significance.corrections import holm, sign_test, signed_rank_test
from levelhead.significance.counted import Counted, Run, counted
from levelhead.significance.differences import (
    STANDARD,
    Result,
    Settings,
    bootstrap_p,
    differences,
    interval,
    permutation_p,
    seeded,
    signature_of,
)
from levelhead.significance.equivalence import Equivalence, check_margin, equivalence
from levelhead.significance.pairwise import pairwise_randomization_p, significant_shares
from levelhead.significance.resampling import resampled, resampled_rows, spawned, swapped
from levelhead.significance.runs import draw_run_errors, enough_runs
from levelhead.significance.wins import Wins, better_on_at_least, count_wins, mean_votes

__all__ = [
    "STANDARD",
    "Counted",
    "Equivalence",
    "Result",
    "Run",
    "Settings",
    "Wins",
    "better_on_at_least",
    "bootstrap_p",
    "check_margin",
    "count_wins",
    "counted",
    "differences",
    "draw_run_errors",
    "enough_runs",
    "equivalence",
    "holm",
    "interval",
    "mean_votes",
    "pairwise_randomization_p",
    "permutation_p",
    "resampled",
    "resampled_rows",
    "seeded",
    "sign_test",
    "signature_of",
    "signed_rank_test",
    "significant_shares",
    "spawned",
    "swapped",
]
