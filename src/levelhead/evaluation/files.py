"""The scores of two files of any size."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING

from levelhead.evaluation.pair import (
    Evaluation,
    Input,
    load_pair,
    parse_as,
    score_treebanks,
    splits_tokens,
)
from levelhead.evaluation.setup import Setup
from levelhead.treebank import Treebank, blocks
from levelhead.treebank.blocks import PieceSizes, contents_or_parts
from levelhead.treebank.input_bytes import SUFFIXES, is_stream, parts_of, size_of_file
from levelhead.treebank.reader import check_format

if TYPE_CHECKING:
    from levelhead.evaluation.pair import Looking
    from levelhead.scoring.partial_matches import PartialMatches
    from levelhead.treebank.training_data import Training


def score_files(
    gold: Input,
    system: Input,
    setup: Setup,
    sizes: PieceSizes | None = None,
    training: Training | None = None,
    look: Looking | None = None,
) -> Evaluation:
    """Score a system's output against gold; large files are read in pieces."""
    ready, sizes = setup.single(), sizes or blocks.SIZES
    if training is not None:
        ready.rules.check_words()
    if ready.partial:
        return _score_partially(gold, system, ready, sizes, training, look)
    if not isinstance(gold, Treebank) and not isinstance(system, Treebank):
        small = _is_small(gold, sizes) and _is_small(system, sizes)
        once = ready.needs_punctuation and is_stream(gold)  # which would have to be read twice
        if adds_up(ready) and not small and not once:
            return _score_paths(os.fsdecode(gold), os.fsdecode(system), ready, sizes, training, look)
    return score_treebanks(*load_pair(gold, system, ready), ready, training, look)


def _score_partially(
    gold: Input, system: Input, ready: Setup, sizes: PieceSizes, training: Training | None, look: Looking | None
) -> Evaluation:
    """Score files that may have different text; large files are read in pieces if possible."""
    from levelhead.evaluation.partial import score_partially

    paths = [os.fsdecode(source) for source in (gold, system) if not isinstance(source, Treebank)]
    rereadable = len(paths) == 2 and not any(map(is_stream, paths))
    if rereadable and adds_up(ready) and _any_large(paths, sizes):
        from levelhead.evaluation.partial_pieces import partial_scores_in_pieces
        from levelhead.evaluation.partial_survey import Rereadable
        from levelhead.progress import counter
        from levelhead.treebank.official_reader import HeadsBack

        with contextlib.suppress(HeadsBack), counter("scoring", "words") as advance:
            ours, theirs = (Rereadable(path, partial(parts_of, path)) for path in paths)

            def add(piece: PartialMatches) -> None:
                advance(piece.matches.gold.n_words)
                if look is not None:
                    look.add(piece.matches)

            evaluation = partial_scores_in_pieces(ours, theirs, ready, sizes.piece, add, training=training)
            if evaluation is not None:
                return evaluation
    return score_partially(gold, system, ready, training, look)


def _any_large(paths: list[str], sizes: PieceSizes) -> bool:
    for path in paths:
        if not _is_small(path, sizes):
            with contents_or_parts(path, sizes.large) as contents:
                if not isinstance(contents, bytes):
                    return True
    return False


def _is_small(path: str | os.PathLike[str], sizes: PieceSizes) -> bool:
    """Return whether a path is a file that is not large, and not compressed according to its name."""
    return not os.fsdecode(path).endswith(SUFFIXES) and 0 < size_of_file(path) <= sizes.large


def adds_up(setup: Setup) -> bool:
    """Return whether all results can be computed from pieces of files."""
    official = setup.rules.content or setup.rules.reading is not None
    formats = (setup.format, setup.format_of_gold)
    for name in formats:
        check_format(name)
    return not official or set(formats) == {"conllu"}


def _score_paths(
    gold: str, system: str, setup: Setup, sizes: PieceSizes, training: Training | None, look: Looking | None
) -> Evaluation:
    with contents_or_parts(gold, sizes.large) as ours:
        if not isinstance(ours, bytes):
            from levelhead.evaluation.pieces import score_parts_of_gold

            return score_parts_of_gold((gold, ours), system, setup, sizes.piece, training, look)
        reference = parse_as(ours, gold, setup.rules, setup.format_of_gold)
        with contents_or_parts(system, sizes.large) as theirs:
            if not isinstance(theirs, bytes):
                from levelhead.evaluation.pieces import score_parts

                return score_parts((gold, iter([ours])), (system, theirs), setup, sizes.piece, training, look)
            output = parse_as(theirs, system, setup.rules, setup.format)
    reference = reference.without_multiword_tokens() if splits_tokens(setup) else reference
    return score_treebanks(reference, output, setup, training, look)
