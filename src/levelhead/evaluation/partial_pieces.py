"""Partial scores of large files, which are read twice: to decide how sentences are paired, and in pieces to count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import InputError, MeasureError, UnreadableFile
from levelhead.evaluation.coverage import PartialCoverage, total_coverage
from levelhead.evaluation.leakage import LeakageCounts, with_leakage
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.partial import coverage_of
from levelhead.evaluation.partial_survey import (
    FirstReading,
    Rereadable,
    output_pieces,
    places_by_id,
    survey_gold,
    survey_output,
)
from levelhead.evaluation.pieces import PieceCounts, changed_file, read_punctuation
from levelhead.evaluation.setup import Setup
from levelhead.scoring.partial_matches import (
    Flags,
    PartialMatches,
    ShiftedAnswers,
    count_partially,
    match_partially,
)
from levelhead.scoring.pieces import paired_pieces
from levelhead.scoring.placed_pieces import Places, placed_pieces
from levelhead.scoring.sentence_pairing import SentencePairs, sentence_ids
from levelhead.treebank import Treebank
from levelhead.treebank.contents import Contents
from levelhead.treebank.lenient_reader import LenientTreebank, of_treebank
from levelhead.treebank.pieces import Pieces
from levelhead.treebank.two_files import in_two_threads, one_ahead

if TYPE_CHECKING:
    from levelhead.treebank.training_data import Training

_Piece = tuple[Treebank, LenientTreebank, SentencePairs | None]
"""Gold sentences, the system's sentences, and how they are paired (None if by their characters)."""


class _OtherIds(Exception):
    """Two sentence ids have the same hash."""


def partial_scores_in_pieces(
    gold: Rereadable,
    system: Rereadable,
    ready: Setup,
    size: int,
    look: Callable[[PartialMatches], None] | None = None,
    known: Contents | None = None,
    training: Training | None = None,
) -> Evaluation | None:
    """Return the partial scores of two files; None if they must be read whole.

    This is the case if sentences are paired by their texts or by ids in another order than in gold, if a weight is
    missing, or if a file has no sentences.
    """
    of_gold, of_system = in_two_threads(
        lambda: survey_gold(gold, ready, size, known), lambda: survey_output(system, ready, size)
    )
    if not (of_gold.contents.sentences and of_system.contents.sentences):
        return None
    places = None if of_gold.text == of_system.text else places_by_id(of_gold, of_system)
    if places is None and of_gold.text != of_system.text:
        return None
    punctuation = None
    if ready.needs_punctuation:
        with gold.pieces(ready, of_gold=True, known=of_gold.contents) as ours:
            punctuation = read_punctuation(ours, size)
    tally = _Tally(ready, look, training, punctuation)
    try:
        with (
            gold.pieces(ready, of_gold=True, known=of_gold.contents) as ours,
            output_pieces(system, ready, of_system) as theirs,
        ):
            pieces = _pieces(ours, theirs, of_system.is_tree, places, ready, size)
            one_ahead(_as_first_read(pieces, gold, system), tally.add)
        read = ((gold, ours, of_gold), (system, theirs, of_system))
        changed = [file.name for file, pieces, first in read if pieces.sha256 != first.contents.sha256]
        if changed:
            raise changed_file(*changed)
        return tally.evaluation(of_gold.contents, of_system, places)
    except (_OtherIds, MeasureError):
        return None


def _as_first_read(pieces: Iterator[_Piece], gold: Rereadable, system: Rereadable) -> Iterator[_Piece]:
    """Yield pieces; if a file is invalid now, it has changed, since the first reading found no error."""
    try:
        yield from pieces
    except UnreadableFile:
        raise
    except InputError as error:
        raise changed_file(gold.name, system.name) from error


def _pieces(
    gold: Pieces, system: Pieces, is_tree: Flags, places: Places | None, ready: Setup, size: int
) -> Iterator[_Piece]:
    """Yield the pieces of both files, cut at the same characters or, if places are known, at the same sentences."""
    if places is None:
        before = 0
        for pair in paired_pieces(gold, system, ready.rules, size):
            end = before + len(pair.system)
            yield pair.gold, of_treebank(pair.system, is_tree[before:end]), None
            before = end
        return
    for ours, theirs, pairs, before in placed_pieces(gold, system, places, size):
        rows = np.flatnonzero(pairs.system >= 0)
        ids, others = sentence_ids(ours), sentence_ids(theirs)
        if any(ids[row] != others[answer] for row, answer in zip(rows.tolist(), pairs.system[rows].tolist())):
            raise _OtherIds
        yield ours, of_treebank(theirs, is_tree[before : before + len(theirs)]), pairs


class _Tally:
    """The counts and the coverage of all pieces.

    Args:
        ready: the settings, with the weights that measures name.
        look: called with the aligned words of each piece, or None.
        training: the contents of the training treebanks, to report leakage, or None.
        punctuation: the result of `read_punctuation` for gold; None if no measure needs it.
    """

    def __init__(
        self,
        ready: Setup,
        look: Callable[[PartialMatches], None] | None,
        training: Training | None,
        punctuation: frozenset[str] | None,
    ) -> None:
        self._rules, self._look, self._punctuation = ready.rules, look, punctuation
        self._counts = PieceCounts(ready)
        self._coverages: list[PartialCoverage] = []
        self._shifted = ShiftedAnswers()
        self._leakage = None if training is None else LeakageCounts(training)

    def add(self, piece: _Piece) -> None:
        """Align and count a piece."""
        gold, output, pairs = piece
        matched = match_partially(gold, output, self._rules, pairs)
        matched = matched._replace(matches=replace(matched.matches, punctuation=self._punctuation))
        counts = self._counts.add(matched.matches, partial(count_partially, matched))
        self._coverages.append(coverage_of(matched, self._shifted))
        if self._leakage is not None:
            self._leakage.add(gold, {name: one.sentences for name, one in counts.items()})
        if self._look is not None:
            self._look(matched)

    def evaluation(self, gold: Contents, output: FirstReading, places: Places | None) -> Evaluation:
        """Return the scores; call it once, at the end."""
        n_extra = 0 if places is None else int(np.count_nonzero(places < 0))
        coverage = total_coverage(self._coverages)._replace(extra=n_extra, unreadable=output.unreadable)
        evaluation = self._counts.evaluation(gold, output.contents, coverage)
        return evaluation if self._leakage is None else with_leakage(evaluation, self._leakage.leakage(evaluation))
