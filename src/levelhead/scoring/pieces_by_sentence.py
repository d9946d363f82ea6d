"""Gold and a system's output in pieces, cut at paired sentences: by id, or by number in morphosyntactic parsing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import ConlluError
from levelhead.scoring.morphosyntactic_matches import check_same_sentences
from levelhead.scoring.pieces import raise_errors
from levelhead.scoring.sentence_pairing import SentencePairs
from levelhead.treebank import Treebank
from levelhead.treebank.faults import EMPTY
from levelhead.treebank.pieces import Pieces
from levelhead.treebank.two_files import in_two_threads

Places = NDArray[np.int64]
"""The gold sentence of each of the system's sentences, ascending; -1 for a repeated answer."""


class SentencePiece(NamedTuple):
    """Some gold sentences, and the system's sentences paired with them.

    Args:
        gold: the gold sentences.
        system: the system's sentences, in the same order; can be empty.
        pairs: the paired sentences.
        before: the number of earlier sentences of the system.
    """

    gold: Treebank
    system: Treebank
    pairs: SentencePairs
    before: int


def pieces_by_sentence(gold: Pieces, system: Pieces, places: Places, size: int) -> Iterator[SentencePiece]:
    """Yield the pieces of gold with the system's sentences paired with them."""
    ends = np.maximum.accumulate(places) + 1  # so many gold sentences are reached
    while not (gold.failed or system.failed):
        n_gold, n_system = _read_both(gold, system, size)
        before = gold.n_sentences, system.n_sentences
        n_placed = int(np.searchsorted(ends, before[0] + n_gold, side="right")) - before[1]
        if n_placed > n_system:  # the output must be read on first
            n_placed = n_system
            n_gold = int(ends[before[1] + n_system - 1]) - before[0] if n_system else 0
        if n_gold > 0:
            found = places[before[1] : before[1] + n_placed] - before[0]
            piece = gold.take(n_gold)
            answers = system.take(n_placed) if n_placed else piece.select([])
            yield SentencePiece(piece, answers, _pairs(found, n_gold), before[1])
        elif n_placed:
            system.take(n_placed)  # answers to sentences before, repeated
        else:
            break
    raise_errors(gold, system)


def paired_sentences(gold: Pieces, system: Pieces, size: int) -> Iterator[tuple[Treebank, Treebank]]:
    """Yield pieces of gold with the pieces of the system's output that have the same number of sentences."""
    while (n_sentences := min(_read_both(gold, system, size))) and not (gold.failed or system.failed):
        yield gold.take(n_sentences), system.take(n_sentences)
    check_rest(gold, system)


def check_rest(gold: Pieces, system: Pieces) -> None:
    """Read both files to the end, and raise the errors that take precedence over comparison."""
    raise_errors(gold, system)
    sides = [(side.name, side.n_sentences + _n_waiting(side)) for side in (gold, system)]
    for name, n_sentences in sides:
        if not n_sentences:
            raise ConlluError(EMPTY.in_file(name))
    check_same_sentences(*sides)


def _read_both(gold: Pieces, system: Pieces, size: int) -> tuple[int, int]:
    """Read both files up to the next sentences, and return the numbers of sentences that wait."""

    def read(pieces: Pieces) -> int:
        pieces.read(max(size - pieces.n_bytes, 0))
        pieces.parse()
        while pieces.treebank is None and not (pieces.failed or pieces.ended):
            pieces.read(size)
            pieces.parse()
        return _n_waiting(pieces)

    return in_two_threads(lambda: read(gold), lambda: read(system))


def _n_waiting(pieces: Pieces) -> int:
    return 0 if pieces.treebank is None else len(pieces.treebank)


def _pairs(places: Places, n_gold: int) -> SentencePairs:
    pairs = np.full(n_gold, -1, dtype=np.int32)
    answers = np.flatnonzero(places >= 0)
    pairs[places[answers]] = answers
    return SentencePairs("sent_id", pairs)
