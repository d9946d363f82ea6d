"""Partial scores of large files without differences, which are read piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from levelhead.errors import InputError
from levelhead.evaluation.pair import Evaluation
from levelhead.evaluation.partial import PartialCoverage
from levelhead.evaluation.pieces import pieces_of, score_pieces
from levelhead.evaluation.setup import Setup
from levelhead.progress import counter
from levelhead.scoring.matches import Matches, TreebankPair
from levelhead.treebank.blocks import PieceSizes
from levelhead.treebank.input_bytes import parts_of
from levelhead.treebank.official_reader import HeadsBack
from levelhead.treebank.pieces import Pieces


def score_without_differences(gold: str, system: str, ready: Setup, sizes: PieceSizes) -> Evaluation | None:
    """Return the partial scores of two files if all their characters agree and all trees are valid; otherwise None.

    Args:
        gold: the path of the gold file.
        system: the path of the system's output.
        ready: the settings, with the weights that measures name.
        sizes: how large pieces are.

    Raises:
        MeasureError: a measure has no weight for a relation.
    """
    ours, theirs = ((path, parts_of(path)) for path in (gold, system))
    pieces = pieces_of(ours, ready, of_gold=True), pieces_of(theirs, ready, of_gold=False)
    try:
        with counter("scoring", "words") as advance:
            return evaluation_in_pieces(*pieces, ready, sizes.piece, lambda pair: advance(pair.gold.n_words))
    except (InputError, HeadsBack):
        return None


def evaluation_in_pieces(
    gold: Pieces, system: Pieces, ready: Setup, size: int, look: Callable[[TreebankPair], None] | None = None
) -> Evaluation | None:
    """Return the partial scores of two files; None if the output has no trees.

    Args:
        gold: the gold file.
        system: the system's output.
        ready: the settings, with the weights that measures name.
        size: how many bytes of gold a piece has, about.
        look: is called with the aligned words of each piece, in order.

    Raises:
        InputError: a file is not valid, or the texts differ.
        MeasureError: a measure has no weight for a relation.
        HeadsBack: a file cannot be cut.
    """
    aligned, with_trees = 0, True

    def seen(matches: TreebankPair) -> None:
        nonlocal aligned, with_trees
        aligned += len(matches.alignment) if isinstance(matches, Matches) else 0
        with_trees &= matches.system.has_trees
        if look is not None:
            look(matches)

    found = score_pieces(gold, system, ready, size, seen)
    if not with_trees:
        return None
    n_sentences = (found.gold.sentences,) * 3
    coverage = PartialCoverage("characters", *n_sentences, aligned, aligned, found.gold.words, 0, 0)
    return replace(found, valid_trees=found.scores, coverage=coverage)
