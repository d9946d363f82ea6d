"""Measure dependency parsers and treebanks on a level field."""

from typing import TYPE_CHECKING, Any

from levelhead._version import VERSION as __version__  # noqa: N811 -- the field's name for it
from levelhead.api import FUNCTIONS as _FUNCTIONS
from levelhead.tabular import Tabular as _Tabular

if TYPE_CHECKING:
    from levelhead.api.breakdowns import analyze, breakdown, confusion, sentences, trees, words
    from levelhead.api.comparing import agree, compare, diff, languages, power
    from levelhead.api.conversion import convert, derive, perplexity, recover
    from levelhead.api.correlation import correlate, judge, measurements
    from levelhead.api.parsers import crossval, parse, train
    from levelhead.api.ranking import difficulty, rank
    from levelhead.api.reports import cite, paper_table, write_report
    from levelhead.api.results import columns, load
    from levelhead.api.scoring import explain, score
    from levelhead.api.studies import reproduce
    from levelhead.api.testsets import testsets
    from levelhead.api.treebanks import profile, select, similarity, suspects
    from levelhead.api.validation import validate
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
    from levelhead.evaluation.epochs import EpochScorer
    from levelhead.evaluation.pair import Evaluation
    from levelhead.interop.treebanks import write
    from levelhead.measures.registry import parse_measure
    from levelhead.measures.user_definitions import measure, read_definitions
    from levelhead.scoring import Counts, Measure, Rules, Score
    from levelhead.scoring.word_columns import WordColumns
    from levelhead.treebank import Sentence, Treebank, build, faults_of, from_conllu, read
    from levelhead.typology import Profile

__all__ = [
    "ConlluError", "Counts", "EpochScorer", "Evaluation", "Fault", "InputError", "LevelheadError", "Measure",
    "MeasureError", "OutputError", "Profile", "Rules", "Score", "Sentence", "TextMismatch", "Treebank",
    "UnreadableFile", "WordColumns", "__version__", "agree", "analyze", "breakdown", "build", "cite", "columns",
    "compare", "confusion", "convert", "correlate", "crossval", "derive", "diff", "difficulty", "explain",
    "faults_of", "from_conllu", "judge", "languages", "load", "measure", "measurements", "paper_table", "parse",
    "parse_measure", "perplexity", "power", "profile", "rank", "read", "read_definitions", "recover", "reproduce",
    "score", "select", "sentences", "similarity", "suspects", "testsets", "train", "trees", "validate", "words",
    "write", "write_report",
]  # fmt: skip

_ROOMS = {
    **{name: f"api.{file}" for name, file in _FUNCTIONS.items()},
    **dict.fromkeys(
        (
            "ConlluError", "Fault", "InputError", "LevelheadError", "MeasureError", "OutputError", "TextMismatch",
            "UnreadableFile",
        ),
        "errors",
    ),
    "EpochScorer": "evaluation.epochs",
    "Evaluation": "evaluation.pair",
    "measure": "measures.user_definitions",
    "parse_measure": "measures.registry",
    "read_definitions": "measures.user_definitions",
    **dict.fromkeys(("Counts", "Measure", "Rules", "Score"), "scoring"),
    **dict.fromkeys(("Sentence", "Treebank", "build", "faults_of", "from_conllu", "read"), "treebank"),
    "write": "interop.treebanks",
    "WordColumns": "scoring.word_columns",
    "Profile": "typology",
}  # fmt: skip


def _charts(result: _Tabular) -> str:
    from levelhead.report.charts.result_charts import charts_html

    return charts_html(result)


_Tabular.show_in_notebooks(_charts)


if not TYPE_CHECKING:  # so that type checkers report names that do not exist

    def __getattr__(name: str) -> Any:
        """Load a public name from its room on first use, so that `levelhead --help` need not load numpy."""
        import importlib

        if name not in _ROOMS:
            raise AttributeError(f"module 'levelhead' has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(f"levelhead.{_ROOMS[name]}"), name)
        if name in _FUNCTIONS:
            from levelhead.api.parameters import documented

            value.__doc__ = documented(value)
        return value


def __dir__() -> list[str]:
    return __all__
