"""Measure dependency parsers and treebanks on a level field."""

from typing import TYPE_CHECKING, Any

from levelhead._version import VERSION as __version__  # noqa: N811 -- the field's name for it

if TYPE_CHECKING:
    from levelhead.errors import ConlluError, InputError, LevelheadError, MeasureError, TextMismatch, UnreadableFile
    from levelhead.evaluation import Evaluation, score
    from levelhead.measures import parse_measure
    from levelhead.scoring import Counts, Measure, Rules, Score
    from levelhead.treebank import Sentence, Treebank, build, parse, read, write

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
    "UnreadableFile",
    "__version__",
    "build",
    "parse",
    "parse_measure",
    "read",
    "score",
    "write",
]

_ROOMS = ("errors", "evaluation", "measures", "scoring", "treebank")


def __getattr__(name: str) -> Any:
    """Load a public name from its room on first use, so that `levelhead --help` need not load numpy."""
    import importlib

    if name in __all__:
        for room in _ROOMS:
            module = importlib.import_module(f"levelhead.{room}")
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module 'levelhead' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
