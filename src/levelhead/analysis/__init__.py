"""Error analysis: breakdowns by properties of words, confusion of relations, cascading errors."""

from levelhead.analysis.breakdown import Average, Breakdown, averages, break_down, leave_out
from levelhead.analysis.confusion import (
    Cascading,
    ConfusedWords,
    Confusion,
    Example,
    cascading_errors,
    count_confusions,
    error_types,
)
from levelhead.analysis.word_properties import PROPERTIES, WordProperty
from levelhead.treebank.training_data import Training

__all__ = [
    "PROPERTIES",
    "Average",
    "Breakdown",
    "Cascading",
    "ConfusedWords",
    "Confusion",
    "Example",
    "Training",
    "WordProperty",
    "averages",
    "break_down",
    "cascading_errors",
    "count_confusions",
    "error_types",
    "leave_out",
]
