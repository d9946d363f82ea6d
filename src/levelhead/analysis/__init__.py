"""Error analysis: breakdowns by properties of words, confusion of relations, cascading errors."""

from levelhead.analysis.breakdown import Average, Breakdown
from levelhead.analysis.confusion import Cascading, ConfusedWords, Confusion, Example
from levelhead.analysis.word_properties import WordProperty
from levelhead.treebank.training_data import Training

__all__ = [
    "Average",
    "Breakdown",
    "Cascading",
    "ConfusedWords",
    "Confusion",
    "Example",
    "Training",
    "WordProperty",
]
