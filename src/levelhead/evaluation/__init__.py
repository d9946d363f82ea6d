"""The evaluation of one output: settings, scores, and their provenance."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    """Load a name on first use, so that a command's options can be read without numpy."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("levelhead.evaluation.pair"), name)
