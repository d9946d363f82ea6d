"""The evaluation of one output: what decides the numbers, the scores, and where they come from."""

from levelhead.evaluation.pair import (
    Evaluation,
    Input,
    load,
    load_pair,
    parse_as,
    score,
    score_matches,
    score_treebanks,
)

__all__ = ["Evaluation", "Input", "load", "load_pair", "parse_as", "score", "score_matches", "score_treebanks"]
