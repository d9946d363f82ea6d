"""A pair of files or treebanks as a stream of pieces: the one way in which they are opened for scoring."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation.fold import PairStream, fold, matched_stream
from levelhead.evaluation.pair import Evaluation, Input, InputFile, load_pair
from levelhead.evaluation.setup import Setup
from levelhead.scoring.score import match_pair
from levelhead.treebank import Treebank, input_bytes
from levelhead.treebank.input_bytes import (
    SUFFIXES,
    OnlyWhole,
    PieceSizes,
    contents_or_parts,
    is_stream,
    parts_of,
    size_of_file,
)

if TYPE_CHECKING:
    from levelhead.evaluation.pieces import GoldFacts
    from levelhead.treebank.training_data import Training


def score_files(
    gold: Input,
    system: Input,
    setup: Setup,
    sizes: PieceSizes | None = None,
    training: Training | None = None,
) -> Evaluation:
    setup = setup.for_pair()
    leakage = None
    evaluation = None
    if training is not None:
        from levelhead.evaluation.leakage import LeakageCounts

        setup.rules.check_words()
        leakage = LeakageCounts(training, setup)
    visitors = [] if leakage is None else [leakage]
    try:
        with open_pair(gold, system, setup, sizes or input_bytes.SIZES) as stream:
            evaluation = fold(stream, setup, visitors)
    except OnlyWhole as cause:
        paths = (os.fsdecode(source) for source in (gold, system) if not isinstance(source, Treebank))
        if pipe := next(filter(is_stream, paths), None):
            fault = Fault("file-too-large", f"{cause}: give this input as a file, not as a pipe", Place(pipe))
            raise InputError(fault) from None
    if evaluation is None:
        evaluation = fold(whole_pair(gold, system, setup), setup, visitors)
    return evaluation if leakage is None else leakage.leakage().added_to(evaluation)


@contextmanager
def open_pair(gold: Input, system: Input, setup: Setup, sizes: PieceSizes) -> Iterator[PairStream]:
    """Yield two files or treebanks as a stream, which is one piece unless a file is large and the files can be cut."""
    if isinstance(gold, Treebank) or isinstance(system, Treebank) or _are_whole((gold, system), setup, sizes):
        yield whole_pair(gold, system, setup)
        return
    from levelhead.evaluation.pieces import paths_in_pieces
    from levelhead.progress import counter

    ours, theirs = (InputFile(path, partial(parts_of, path)) for path in map(os.fsdecode, (gold, system)))
    opened = (
        open_files(ours, theirs, setup, sizes.piece) if setup.partial else paths_in_pieces(ours, theirs, setup, sizes)
    )
    with counter("scoring", "words") as advance, opened as stream:
        yield stream._replace(advance=advance)


def open_files(
    gold: InputFile, system: InputFile, setup: Setup, size: int, facts: GoldFacts | None = None
) -> AbstractContextManager[PairStream]:
    """Open two large files as a stream of pieces; a gold file that is a pair with several outputs has `facts`."""
    from levelhead.evaluation.partial import partial_pair_in_pieces
    from levelhead.evaluation.pieces import GoldFacts, files_in_pieces

    opened = partial_pair_in_pieces if setup.partial else files_in_pieces
    return opened(gold, system, setup, size, facts or GoldFacts())


def whole_pair(gold: Input, system: Input | bytes, setup: Setup) -> PairStream:
    """Return two files or treebanks as a stream of one piece; for partial scores, also the contents of an output."""
    if not (setup.partial or isinstance(system, bytes)):
        return matched_stream(match_pair(*load_pair(gold, system, setup), setup.rules))
    from levelhead.evaluation.partial import whole_partial_pair

    return whole_partial_pair(gold, system, setup)


def _are_whole(paths: tuple[str | os.PathLike[str], ...], setup: Setup, sizes: PieceSizes) -> bool:
    """Return whether two files are read whole: small files, and pipes that would have to be read twice."""
    if not can_score_in_pieces(setup):
        return True
    large = [
        path for path in paths if os.fsdecode(path).endswith(SUFFIXES) or not 0 < size_of_file(path) <= sizes.large
    ]
    if not large or not setup.partial:
        return not large or (is_stream(paths[0]) and setup.needs_punctuation)
    if any(map(is_stream, paths)):
        return True
    for path in large:  # some of them may only be compressed
        with contents_or_parts(path, sizes.large) as contents:
            if not isinstance(contents, bytes):
                return False
    return True


def can_score_in_pieces(setup: Setup) -> bool:
    """Return whether all results can be computed from pieces of files."""
    formats = {setup.format, setup.format_of_gold}
    return formats == {"conllu"} or not (setup.rules.content or setup.rules.reading is not None)
