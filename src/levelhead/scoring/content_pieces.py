"""Gold and output of morphosyntactic parsing in pieces with the same number of sentences."""

from __future__ import annotations

from collections.abc import Iterator

from levelhead.errors import ConlluError
from levelhead.scoring.morphosyntactic_matches import check_same_sentences
from levelhead.scoring.pieces import raise_errors
from levelhead.treebank import Treebank
from levelhead.treebank.faults import EMPTY
from levelhead.treebank.pieces import Pieces


def paired_sentences(gold: Pieces, system: Pieces, size: int) -> Iterator[tuple[Treebank, Treebank]]:
    """Yield pieces of gold with the pieces of the system's output that have the same sentences."""
    while True:
        for side in (gold, system):
            side.read(max(size - side.n_bytes, 0))
            side.parse()
        n_sentences = min(map(_n_waiting, (gold, system)))
        if not n_sentences or gold.failed or system.failed:
            break
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


def _n_waiting(side: Pieces) -> int:
    return 0 if side.treebank is None else len(side.treebank)
