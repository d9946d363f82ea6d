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
from levelhead.significance.pairwise import pairwise_randomization_p, separated_shares, significant_shares
from levelhead.significance.resampling import resampled, resampled_rows, spawned, swapped

__all__ = [
    "STANDARD",
    "Counted",
    "Result",
    "Run",
    "Settings",
    "bootstrap_p",
    "counted",
    "differences",
    "holm",
    "interval",
    "pairwise_randomization_p",
    "permutation_p",
    "resampled",
    "resampled_rows",
    "seeded",
    "separated_shares",
    "sign_test",
    "signature_of",
    "signed_rank_test",
    "significant_shares",
    "spawned",
    "swapped",
]
