"""Where the errors sit: breakdowns by any property of words, confusion of relations, cascading errors."""

from levelhead.analysis.breakdown import Breakdown, break_down
from levelhead.analysis.buckets import BUCKETS, Bucket
from levelhead.analysis.cascading import Cascading, cascading_errors
from levelhead.analysis.confusion import Confusion, Example, confuse, error_types
from levelhead.analysis.training import Training

__all__ = [
    "BUCKETS",
    "Breakdown",
    "Bucket",
    "Cascading",
    "Confusion",
    "Example",
    "Training",
    "break_down",
    "cascading_errors",
    "confuse",
    "error_types",
]
