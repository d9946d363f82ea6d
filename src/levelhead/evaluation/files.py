"""The scores of two files of any size."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from levelhead.evaluation.fold import score_treebanks
from levelhead.evaluation.pair import Evaluation, Input, as_gold, load_pair, parse_as
from levelhead.evaluation.setup import Setup
from levelhead.treebank import Treebank, blocks
from levelhead.treebank.blocks import PieceSizes, contents_or_parts
from levelhead.treebank.input_bytes import SUFFIXES, is_stream, parts_of, size_of_file
from levelhead.treebank.reader import check_format

if TYPE_CHECKING:
    from levelhead.evaluation.fold import Visitor
    from levelhead.treebank.training_data import Training


def score_files(
    gold: Input,
    system: Input,
    setup: Setup,
    sizes: PieceSizes | None = None,
    training: Training | None = None,
    look: Visitor | None = None,
) -> Evaluation:
    """Score a system's output against gold; large files are read in pieces."""
    setup, sizes = setup.for_pair(), sizes or blocks.SIZES
    visitors = [] if look is None else [look]
    if training is None:
        return _score(gold, system, setup, sizes, visitors)
    from levelhead.evaluation.leakage import LeakageCounts, with_leakage

    setup.rules.check_words()
    leakage = LeakageCounts(training, setup)
    evaluation = _score(gold, system, setup, sizes, [leakage, *visitors])
    return with_leakage(evaluation, leakage.leakage())


def _score(gold: Input, system: Input, setup: Setup, sizes: PieceSizes, visitors: Sequence[Visitor]) -> Evaluation:
    if setup.partial:
        return _score_partially(gold, system, setup, sizes, visitors)
    if not isinstance(gold, Treebank) and not isinstance(system, Treebank):
        small = _is_small(gold, sizes) and _is_small(system, sizes)
        once = setup.needs_punctuation and is_stream(gold)  # which would have to be read twice
        if can_score_in_pieces(setup) and not small and not once:
            return _score_paths(os.fsdecode(gold), os.fsdecode(system), setup, sizes, visitors)
    return score_treebanks(*load_pair(gold, system, setup), setup, visitors)


def _score_partially(
    gold: Input, system: Input, setup: Setup, sizes: PieceSizes, visitors: Sequence[Visitor]
) -> Evaluation:
    """Score files that may have different text; large files are read in pieces if possible."""
    from levelhead.evaluation.partial import score_partially

    paths = [os.fsdecode(source) for source in (gold, system) if not isinstance(source, Treebank)]
    rereadable = len(paths) == 2 and not any(map(is_stream, paths))
    if rereadable and can_score_in_pieces(setup) and _any_large(paths, sizes):
        from levelhead.evaluation.partial_pieces import partial_scores_in_pieces
        from levelhead.evaluation.partial_survey import Rereadable
        from levelhead.evaluation.pieces import Progress
        from levelhead.progress import counter
        from levelhead.treebank.official_reader import NegativeHead

        with contextlib.suppress(NegativeHead), counter("scoring", "words") as advance:
            of_gold, of_system = (Rereadable(path, partial(parts_of, path)) for path in paths)
            evaluation = partial_scores_in_pieces(
                of_gold, of_system, setup, sizes.piece, (Progress(advance), *visitors)
            )
            if evaluation is not None:
                return evaluation
    return score_partially(gold, system, setup, visitors)


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


def can_score_in_pieces(setup: Setup) -> bool:
    """Return whether all results can be computed from pieces of files."""
    official = setup.rules.content or setup.rules.reading is not None
    formats = (setup.format, setup.format_of_gold)
    for name in formats:
        check_format(name)
    return not official or set(formats) == {"conllu"}


def _score_paths(gold: str, system: str, setup: Setup, sizes: PieceSizes, visitors: Sequence[Visitor]) -> Evaluation:
    with contents_or_parts(gold, sizes.large) as of_gold:
        if not isinstance(of_gold, bytes):
            from levelhead.evaluation.pieces import score_parts_of_gold

            return score_parts_of_gold((gold, of_gold), system, setup, sizes.piece, visitors)
        reference = parse_as(of_gold, gold, setup.rules, setup.format_of_gold)
        with contents_or_parts(system, sizes.large) as of_system:
            if not isinstance(of_system, bytes):
                from levelhead.evaluation.pieces import score_parts

                return score_parts((gold, iter([of_gold])), (system, of_system), setup, sizes.piece, visitors)
            output = parse_as(of_system, system, setup.rules, setup.format)
    return score_treebanks(as_gold(reference, setup), output, setup, visitors)
