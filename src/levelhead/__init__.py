"""Measure dependency parsers and treebanks on a level field."""

from levelhead._version import VERSION as __version__  # noqa: N811 -- the field's name for it
from levelhead.errors import ConlluError, InputError, LevelheadError, MeasureError, TextMismatch
from levelhead.evaluation import Evaluation, score
from levelhead.measures import parse as measure
from levelhead.scoring import Counts, Measure, Rules, Score
from levelhead.treebank import Sentence, Treebank, parse, read, write

__all__ = [
    "ConlluError",
    "Counts",
    "Evaluation",
    "InputError",
    "LevelheadError",
    "Measure",
    "MeasureError",
    "Rules",
    "Score",
    "Sentence",
    "TextMismatch",
    "Treebank",
    "__version__",
    "measure",
    "parse",
    "read",
    "score",
    "write",
]
