"""The gold treebank of a job, whole or in pieces: read once by a worker, and scored against itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from levelhead.campaign.job_files import File, LargeFile, parts_of_file, unchanged, whole_contents
from levelhead.campaign.records import GOLD
from levelhead.errors import InputError
from levelhead.evaluation.files import can_score_in_pieces
from levelhead.evaluation.fold import score_treebanks
from levelhead.evaluation.pair import Evaluation, as_gold, parse_as
from levelhead.evaluation.setup import Setup
from levelhead.scoring import Score
from levelhead.treebank import Treebank, blocks
from levelhead.treebank.contents import FileSummary, contents_hash

if TYPE_CHECKING:
    from levelhead.evaluation.fold import Visitor
    from levelhead.treebank.pieces import Pieces

_GOLDS_AT_ONCE = 2  # jobs are ordered by test set, so that a worker reads each gold file once

Source = File | Treebank
"""Gold or an output: a file, or a treebank in memory."""

GoldView = Callable[[Iterable[Treebank]], Any]
"""An additional function of a gold treebank, or of its pieces in order, that returns plain JSON, such as sentence ids.

It must be a function at the top level of a module.
"""

ScoreOfGold = Callable[[Any, Setup, int], Mapping[str, Score]]
"""A function that scores gold against itself, whole or in pieces of a given size."""


def hash_of(source: Source | None) -> str | None:
    """Return the hash of a file or of the contents of a treebank in memory; None without a source."""
    if isinstance(source, Treebank):
        return contents_hash(source)
    return None if source is None else source.sha256


def view_gold(gold: Source, setup: Setup, view: GoldView) -> bytes:
    """Return the result of a function of a gold treebank as JSON; null if it is invalid, which its counts report."""
    return json.dumps(_view(gold, setup, view)).encode()


def _view(gold: Source, setup: Setup, view: GoldView) -> Any:
    try:
        return _view_whole(gold, setup, view, blocks.SIZES.large)  # as for counts, so that a worker reads it once
    except LargeFile:
        if not (isinstance(gold, File) and can_score_in_pieces(setup)):
            return _view_whole(gold, setup, view)
    from levelhead.treebank.official_reader import NegativeHead

    try:
        with unchanged(gold), gold_pieces(gold, setup) as pieces:
            return view(pieces.each(blocks.SIZES.piece))
    except NegativeHead:
        return _view_whole(gold, setup, view)
    except InputError:
        return None


def _view_whole(gold: Source, setup: Setup, view: GoldView, most: int = sys.maxsize) -> Any:
    treebank = gold_of(gold, setup, most)
    return view([treebank]) if isinstance(treebank, Treebank) else None


def gold_of(source: Source, setup: Setup, most: int = sys.maxsize) -> Treebank | InputError:
    """Return the gold treebank of a job, or the reason why it cannot be read."""
    return as_gold(source, setup) if isinstance(source, Treebank) else _gold(source, setup.with_measures(()), most)


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _gold(file: File, setup: Setup, most: int) -> Treebank | InputError:
    try:
        treebank = parse_as(whole_contents(file, most), GOLD, setup.rules, setup.format_of_gold)
    except InputError as error:
        return error
    return as_gold(treebank, setup)


def undefined_measures(
    gold: Source, setup: Setup, valueless: Iterable[str], size: int, score_gold: ScoreOfGold
) -> list[str]:
    """Return the measures that gold does not annotate: gold scored against itself has no value either."""
    measures = tuple(valueless)
    return list(_undefined(gold, setup, measures, size, score_gold)) if measures else []


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _undefined(
    gold: Source, setup: Setup, measures: tuple[str, ...], size: int, score_gold: ScoreOfGold
) -> tuple[str, ...]:
    scores = score_gold(gold, without_files(setup, measures), size)  # always with a value
    return tuple(name for name, score in scores.items() if score.value is None)


def score_whole_gold(gold: Source, setup: Setup, most: int) -> Mapping[str, Score]:
    """Score gold against itself; invalid gold has no scores."""
    treebank = gold_of(gold, setup, most)
    return score_treebanks(treebank, treebank, setup) if isinstance(treebank, Treebank) else {}


def score_pieces_of_gold(gold: File, setup: Setup, size: int, visitors: Sequence[Visitor] = ()) -> Evaluation:
    """Score gold against itself, in pieces."""
    from levelhead.evaluation.pieces import score_pieces

    punctuation = punctuation_of(gold, setup, size)
    with gold_pieces(gold, setup) as one, gold_pieces(gold, setup) as again:
        return score_pieces(one, again, setup, size, visitors, punctuation=punctuation)


def without_files(setup: Setup, measures: Sequence[str]) -> Setup:
    """Return the settings with some of their measures, without measures that need a file, which always have a value."""
    chosen = [
        measure for measure, definition in setup.defined if str(measure) in measures and not definition.needs_file
    ]
    return setup.with_measures(chosen)


@contextmanager
def gold_pieces(file: File, setup: Setup) -> Iterator[Pieces]:
    """Yield gold for reading in pieces, and close it."""
    from levelhead.evaluation.pieces import pieces_of

    with parts_of_file(file) as parts:
        yield pieces_of((GOLD, parts), setup, of_gold=True, known=facts_of(file, setup).contents)


class _GoldFacts:
    """Facts about a gold file that the jobs of a worker share, so that they are found only once."""

    def __init__(self) -> None:
        self.contents: FileSummary | None = None
        self.punctuation: frozenset[str] | None = None


def facts_of(gold: File, setup: Setup) -> _GoldFacts:
    """Return the facts about a gold file that earlier jobs found."""
    return _shared_facts(gold, setup.with_measures(()))


@lru_cache(maxsize=_GOLDS_AT_ONCE)
def _shared_facts(_gold: File, _setup: Setup) -> _GoldFacts:
    return _GoldFacts()


def punctuation_of(gold: File, setup: Setup, size: int) -> frozenset[str] | None:
    """Return the result of `read_punctuation` for gold; None if no measure needs it."""
    from levelhead.evaluation.pieces import read_punctuation

    if not setup.needs_punctuation:
        return None
    facts = facts_of(gold, setup)
    if facts.punctuation is None:
        with gold_pieces(gold, setup) as pieces:
            facts.punctuation = read_punctuation(pieces, size)
    return facts.punctuation
