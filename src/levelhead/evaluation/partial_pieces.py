"""Partial scores of large files, which are read twice: to decide how sentences are paired, and in pieces to count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import InputError, MeasureError, UnreadableFile
from levelhead.evaluation.coverage import PartialCoverage, total_coverage
from levelhead.evaluation.fold import Fold
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.partial import coverage_of
from levelhead.evaluation.partial_survey import (
    Rereadable,
    output_pieces,
    places_by_id,
    survey_gold,
    survey_output,
)
from levelhead.evaluation.pieces import changed_file, read_punctuation
from levelhead.evaluation.setup import Setup
from levelhead.scoring.partial_matches import Flags, ShiftedAnswers, match_partially
from levelhead.scoring.pieces import paired_pieces
from levelhead.scoring.pieces_by_sentence import Places, pieces_by_sentence
from levelhead.scoring.sentence_pairing import SentencePairs, sentence_ids
from levelhead.treebank import Treebank
from levelhead.treebank.contents import FileSummary
from levelhead.treebank.lenient_reader import LenientTreebank, of_treebank
from levelhead.treebank.pieces import Pieces
from levelhead.treebank.two_files import in_two_threads, pipelined

if TYPE_CHECKING:
    from levelhead.evaluation.fold import Visitor

_Piece = tuple[Treebank, LenientTreebank, SentencePairs | None]
"""Gold sentences, the system's sentences, and how they are paired (None if by their characters)."""


class _OtherIds(Exception):
    """Two sentence ids have the same hash."""


def partial_scores_in_pieces(
    gold: Rereadable,
    system: Rereadable,
    setup: Setup,
    size: int,
    visitors: Sequence[Visitor] = (),
    known: FileSummary | None = None,
) -> Evaluation | None:
    """Return the partial scores of two files; None if they must be read whole.

    This is the case if sentences are paired by their texts or by ids in another order than in gold, if a weight is
    missing, or if a file has no sentences.
    """
    of_gold, of_system = in_two_threads(
        lambda: survey_gold(gold, setup, size, known), lambda: survey_output(system, setup, size)
    )
    if not (of_gold.contents.sentences and of_system.contents.sentences):
        return None
    places = None if of_gold.text == of_system.text else places_by_id(of_gold, of_system)
    if places is None and of_gold.text != of_system.text:
        return None
    punctuation = None
    if setup.needs_punctuation:
        with gold.pieces(setup, of_gold=True, known=of_gold.contents) as ours:
            punctuation = read_punctuation(ours, size)
    fold, coverages, shifted = Fold(setup, visitors), list[PartialCoverage](), ShiftedAnswers()

    def match_and_add(piece: _Piece) -> None:
        reference, output, pairs = piece
        partial = match_partially(reference, output, setup.rules, pairs)
        fold.add(partial._replace(matches=replace(partial.matches, punctuation=punctuation)))
        coverages.append(coverage_of(partial, shifted))

    try:
        with (
            gold.pieces(setup, of_gold=True, known=of_gold.contents) as ours,
            output_pieces(system, setup, of_system) as theirs,
        ):
            pieces = _pieces(ours, theirs, of_system.is_tree, places, setup, size)
            pipelined(_as_first_read(pieces, gold, system), match_and_add)
        read = ((gold, ours, of_gold), (system, theirs, of_system))
        changed = [file.name for file, pieces, first in read if pieces.sha256 != first.contents.sha256]
        if changed:
            raise changed_file(*changed)
        n_extra = 0 if places is None else int(np.count_nonzero(places < 0))
        coverage = total_coverage(coverages)._replace(extra=n_extra, unreadable=of_system.unreadable)
        return fold.evaluation(of_gold.contents, of_system.contents, coverage)
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
    gold: Pieces, system: Pieces, is_tree: Flags, places: Places | None, setup: Setup, size: int
) -> Iterator[_Piece]:
    """Yield the pieces of both files, cut at the same characters or, if places are known, at the same sentences."""
    if places is None:
        before = 0
        for pair in paired_pieces(gold, system, setup.rules, size):
            end = before + len(pair.system)
            yield pair.gold, of_treebank(pair.system, is_tree[before:end]), None
            before = end
        return
    for ours, theirs, pairs, before in pieces_by_sentence(gold, system, places, size):
        rows = np.flatnonzero(pairs.system >= 0)
        ids, others = sentence_ids(ours), sentence_ids(theirs)
        if any(ids[row] != others[answer] for row, answer in zip(rows.tolist(), pairs.system[rows].tolist())):
            raise _OtherIds
        yield ours, of_treebank(theirs, is_tree[before : before + len(theirs)]), pairs
