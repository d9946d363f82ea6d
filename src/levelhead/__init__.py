"""Measure dependency parsers and treebanks on a level field."""

from typing import TYPE_CHECKING, Any

from levelhead._version import VERSION as __version__  # noqa: N811 -- the field's name for it

if TYPE_CHECKING:
    from levelhead.errors import (
        ConlluError,
        Fault,
        InputError,
        LevelheadError,
        MeasureError,
        OutputError,
        TextMismatch,
        UnreadableFile,
    )
    from levelhead.evaluation import Evaluation, score
    from levelhead.measures import parse_measure
    from levelhead.scoring import Counts, Measure, Rules, Score
    from levelhead.treebank import Sentence, Treebank, build, faults_of, from_conllu, read, write
    from levelhead.typology import Profile, profile

__all__ = [
    "ConlluError",
    "Counts",
    "Evaluation",
    "Fault",
    "InputError",
    "LevelheadError",
    "Measure",
    "MeasureError",
    "OutputError",
    "Profile",
    "Rules",
    "Score",
    "Sentence",
    "TextMismatch",
    "Treebank",
    "UnreadableFile",
    "__version__",
    "build",
    "faults_of",
    "from_conllu",
    "parse_measure",
    "profile",
    "read",
    "score",
    "write",
]

_ROOMS = {
    "errors": (
        "ConlluError", "Fault", "InputError", "LevelheadError", "MeasureError", "OutputError", "TextMismatch",
        "UnreadableFile",
    ),
    "evaluation": ("Evaluation", "score"),
    "measures": ("parse_measure",),
    "scoring": ("Counts", "Measure", "Rules", "Score"),
    "treebank": ("Sentence", "Treebank", "build", "faults_of", "from_conllu", "read", "write"),
    "typology": ("Profile", "profile"),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a public name from its room on first use, so that `levelhead --help` need not load numpy."""
    import importlib

    for room, names in _ROOMS.items():
        if name in names:
            globals()[name] = getattr(importlib.import_module(f"levelhead.{room}"), name)
            return globals()[name]
    raise AttributeError(f"module 'levelhead' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
