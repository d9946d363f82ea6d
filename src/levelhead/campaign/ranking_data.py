"""Rankings as tables of data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from levelhead.campaign.adjusted import AdjustedSystem
from levelhead.campaign.ranking import LeftOut, Standing, SystemPair, number, valid_trees_value
from levelhead.campaign.results import Results, State
from levelhead.evaluation.coverage import PartialCoverage
from levelhead.evaluation.score_data import ScoreNumbers, score_numbers
from levelhead.measures.registry import lower_is_better
from levelhead.significance.scopes import INFLUENCE, influence_rows
from levelhead.significance.units import UnitRow, unit_rows
from levelhead.tables.data import MEASURE_COLUMN, SYSTEM_COLUMN, TREEBANK_COLUMN, DataColumn, Layout

if TYPE_CHECKING:
    from levelhead.campaign.ranked_systems import RankedSystems

_Unit = Literal["percent", "perplexity"]


class OutputValues(NamedTuple):
    """The state of an output, and its score on other data; the value of a missing or invalid output is 0.

    Args:
        state: whether there is an output, and whether it is valid.
        value_of_valid_sentences: the value on the valid sentences of an invalid output. It does not affect ranks.
        value_of_valid_trees: for partial scores, the value in which invalid trees count as wrong.
        reason: why there is no value, or why it is 0: the first reason; null otherwise.
    """

    state: State
    value_of_valid_sentences: float | None
    value_of_valid_trees: float | None
    reason: str | None


class OutputRow(NamedTuple):
    """An output of a system on a treebank; the counts of sentences are those of an invalid output.

    Args:
        system: the system.
        treebank: the treebank.
        state: whether there is an output, and whether it is valid.
        status: the status in the words of the official evaluators.
        n_compared: the number of valid sentences with the text of a gold sentence; null unless the output is invalid.
        n_sentences: the number of its sentences; null unless it is invalid.
        n_invalid: the number of its sentences that are not valid CoNLL-U; null unless it is invalid.
    """

    system: str
    treebank: str
    state: State
    status: str
    n_compared: int | None
    n_sentences: int | None
    n_invalid: int | None


class TreebankRow(NamedTuple):
    """A test set.

    Args:
        treebank: its code.
        language: its language; empty if unknown.
        family: the family of the language; empty if unknown.
        genus: the genus of the language; empty if unknown.
        sha256: the SHA-256 of gold after decompression; null for a treebank in memory, or if only scores are known.
        sentences: the number of gold sentences; null if only scores are known.
        words: the number of gold words; null if only scores are known.
    """

    treebank: str
    language: str
    family: str
    genus: str
    sha256: str | None
    sentences: int | None
    words: int | None


_SYSTEM, _TREEBANK, _MEASURE = SYSTEM_COLUMN, TREEBANK_COLUMN, MEASURE_COLUMN
_GROUP = DataColumn("group", "text", "The group of treebanks")

LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "standings": (
            _GROUP,
            _MEASURE,
            Standing,
            DataColumn("unit", "text", "The unit of the value", choices=("percent", "perplexity")),
            DataColumn(
                "line_below", "boolean", "Whether it differs significantly from the next system; null without tests",
                optional=True,
            ),
        ),
        "scores": (_SYSTEM, _TREEBANK, _MEASURE, ScoreNumbers, OutputValues),
        "systems": (_GROUP, _MEASURE, AdjustedSystem),
        "outputs": (OutputRow,),
        "reasons": (_SYSTEM, _TREEBANK, DataColumn("reason", "text", "Why the output scores 0")),
        "pairs": (_GROUP, _MEASURE, SystemPair),
        "influence": (_GROUP, _MEASURE, _SYSTEM, DataColumn("other", "text", "The other system"), *INFLUENCE),
        "groups": (_GROUP, _TREEBANK, DataColumn("included", "boolean", "Whether the treebank was ranked")),
        "undefined": (_GROUP, _MEASURE, DataColumn("treebank", "text", "A treebank without a value, so no average")),
        "treebanks": (TreebankRow,),
        "units": (UnitRow,),
        "coverage": (_SYSTEM, _TREEBANK, PartialCoverage),
        "left_out": (LeftOut,),
    }
)  # fmt: skip
"""The tables of rankings: pairs and units only with tests, coverage only of partial scores, left_out only in a task,
systems only if missing scores are predicted."""


def rows_of(name: str, ranked: RankedSystems) -> Iterator[Any]:
    """Return the rows of a table of a ranking."""
    return _ROWS[name](ranked)


def _standings(ranked: RankedSystems) -> Iterator[Any]:
    for ranking in ranked.rankings:
        lines, last = ranking.lines, len(ranking.standings)
        for place, standing in enumerate(ranking.standings, 1):
            below = None if lines is None or place == last else place in lines
            yield ranking.group.name, ranking.measure, standing, _unit(ranking.measure), below


def _unit(measure: str) -> _Unit:
    return "perplexity" if lower_is_better(measure) else "percent"


def _scores(ranked: RankedSystems) -> Iterator[tuple[str, str, str, ScoreNumbers, OutputValues]]:
    for system, code, result in _outputs(ranked.results):
        covered = ranked.results.covered(system, code)
        for name, value in result.values.items():
            score, valid = result.scores.get(name), result.secondary.get(name)
            numbers = ScoreNumbers(number(value), _unit(name))
            others = OutputValues(
                result.state,
                None if valid is None else valid.value,
                None if covered is None or value is None else float(valid_trees_value(result, name)),
                next(filter(None, (score and score.reason, *result.reasons)), None),
            )
            if score is not None:
                numbers = score_numbers(score)._replace(value=numbers.value)
            yield system, code, name, numbers, others


def _output_rows(ranked: RankedSystems) -> Iterator[OutputRow]:
    for system, code, result in _outputs(ranked.results):
        counts = result.coverage and (result.coverage.scored, result.coverage.system, result.coverage.invalid)
        yield OutputRow(system, code, result.state, result.status, *(counts or (None, None, None)))


def _outputs(results: Results) -> Iterator[Any]:
    for system in results.systems:
        for test_set in results.test_sets:
            yield system, test_set.code, results.results[system, test_set.code]


def _coverage(ranked: RankedSystems) -> Iterator[tuple[str, str, PartialCoverage]]:
    for system, code, _ in _outputs(ranked.results):
        if covered := ranked.results.covered(system, code):
            yield system, code, covered


def _influence(ranked: RankedSystems) -> Iterator[Any]:
    for ranking in ranked.rankings:
        for pair, influenced in ranking.influences:
            for row in influence_rows(influenced, ranking.group.codes):
                yield ranking.group.name, ranking.measure, *pair, *row


def _groups(ranked: RankedSystems) -> Iterator[tuple[str, str, bool]]:
    for group in dict.fromkeys(ranking.group for ranking in ranked.rankings):
        yield from ((group.name, code, True) for code in group.codes)
        yield from ((group.name, code, False) for code in group.lacks)


def _treebanks(ranked: RankedSystems) -> Iterator[TreebankRow]:
    for test_set in ranked.results.test_sets:
        gold, language = ranked.results.gold.get(test_set.code), test_set.language
        sizes = (None, None, None) if gold is None else (gold.sha256, gold.sentences, gold.words)
        yield TreebankRow(test_set.code, language.name, language.family, language.genus, *sizes)


_ROWS: Mapping[str, Callable[[RankedSystems], Iterator[Any]]] = MappingProxyType(
    {
        "standings": _standings,
        "scores": _scores,
        "systems": lambda ranked: (
            (ranking.group.name, ranking.measure, row) for ranking in ranked.rankings for row in ranking.adjusted
        ),
        "outputs": _output_rows,
        "reasons": lambda ranked: (
            (system, code, reason) for system, code, result in _outputs(ranked.results) for reason in result.reasons
        ),
        "pairs": lambda ranked: (
            (ranking.group.name, ranking.measure, pair) for ranking in ranked.rankings for pair in ranking.pairs
        ),
        "influence": _influence,
        "groups": _groups,
        "undefined": lambda ranked: (
            (ranking.group.name, ranking.measure, code) for ranking in ranked.rankings for code in ranking.undefined
        ),
        "treebanks": _treebanks,
        "units": lambda ranked: iter(unit_rows(ranked.results.units)),
        "coverage": _coverage,
        "left_out": lambda ranked: iter(ranked.left_out),
    }
)
