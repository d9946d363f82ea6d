"""Scores of two treebanks: rules, spans, alignment, matches, counts, measures."""

from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Agree, Matches, match
from levelhead.scoring.measure import CustomMeasure, Measure
from levelhead.scoring.rules import RULES, Rules
from levelhead.scoring.score import Score

__all__ = ["RULES", "Agree", "Counts", "CustomMeasure", "Matches", "Measure", "Rules", "Score", "match"]
