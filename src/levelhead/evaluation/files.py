"""A pair of files or treebanks as a stream of pieces: the one way in which they are opened for scoring."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from levelhead.errors import Fault, InputError, Place
from levelhead.evaluation.fold import OnlyWhole, PairStream, fold, matched_stream
from levelhead.evaluation.pair import Evaluation, Input, InputFile, load_pair
from levelhead.evaluation.setup import Setup
from levelhead.scoring.score import match_pair
from levelhead.treebank import Treebank, blocks
from levelhead.treebank.blocks import PieceSizes, contents_or_parts
from levelhead.treebank.input_bytes import SUFFIXES, is_stream, parts_of, size_of_file
from levelhead.treebank.reader import check_format

if TYPE_CHECKING:
    from levelhead.evaluation.fold import Visitor
    from levelhead.evaluation.pieces import GoldFacts
    from levelhead.treebank.training_data import Training


_Path = str | os.PathLike[str]


def score_files(
    gold: Input,
    system: Input,
    setup: Setup,
    sizes: PieceSizes | None = None,
    training: Training | None = None,
    look: Visitor | None = None,
) -> Evaluation:
    """Score a system's output against gold; large files are read in pieces."""
    setup, visitors = setup.for_pair(), [] if look is None else [look]
    if training is None:
        return _score(gold, system, setup, sizes or blocks.SIZES, visitors)
    from levelhead.evaluation.leakage import LeakageCounts, with_leakage

    setup.rules.check_words()
    leakage = LeakageCounts(training, setup)
    evaluation = _score(gold, system, setup, sizes or blocks.SIZES, [leakage, *visitors])
    return with_leakage(evaluation, leakage.leakage())


def _score(gold: Input, system: Input, setup: Setup, sizes: PieceSizes, visitors: Sequence[Visitor]) -> Evaluation:
    try:
        with open_pair(gold, system, setup, sizes) as stream:
            return fold(stream, setup, visitors)
    except OnlyWhole:
        for source in (gold, system):
            if not isinstance(source, Treebank) and is_stream(source):
                message = "it cannot be read in pieces under these rules: give this input as a file, not as a pipe"
                raise InputError(Fault("file-too-large", message, Place(os.fsdecode(source)))) from None
    return fold(whole_pair(gold, system, setup), setup, visitors)


@contextmanager
def open_pair(
    gold: Input | InputFile,
    system: Input | InputFile,
    setup: Setup,
    sizes: PieceSizes,
    facts: GoldFacts | None = None,
) -> Iterator[PairStream]:
    """Yield two files or treebanks as a stream, which is one piece unless a file is large and the files can be cut.

    Files of the type `InputFile` are large.
    """
    if isinstance(gold, InputFile) or isinstance(system, InputFile):
        if not (isinstance(gold, InputFile) and isinstance(system, InputFile)):
            raise TypeError("give two files of the type InputFile, or none")
        with _files_in_pieces(gold, system, setup, sizes.piece, facts) as stream:
            yield stream
        return
    if isinstance(gold, Treebank) or isinstance(system, Treebank) or _are_whole(gold, system, setup, sizes):
        yield whole_pair(gold, system, setup)
        return
    from levelhead.evaluation.pieces import Progress, paths_in_pieces
    from levelhead.progress import counter

    of_gold, of_system = (InputFile(path, partial(parts_of, path)) for path in map(os.fsdecode, (gold, system)))
    in_pieces = _files_in_pieces(of_gold, of_system, setup, sizes.piece, facts) if setup.partial else None
    with (
        counter("scoring", "words") as advance,
        in_pieces or paths_in_pieces(of_gold, of_system, setup, sizes) as stream,
    ):
        yield stream._replace(visitors=(Progress(advance),))


@contextmanager
def _files_in_pieces(
    gold: InputFile, system: InputFile, setup: Setup, size: int, facts: GoldFacts | None
) -> Iterator[PairStream]:
    from levelhead.evaluation.pieces import GoldFacts, files_in_pieces, whole_if_heads_are_negative

    opened = files_in_pieces
    if setup.partial:
        from levelhead.evaluation.partial import partial_pair_in_pieces

        opened = partial_pair_in_pieces
    with whole_if_heads_are_negative(), opened(gold, system, setup, size, facts or GoldFacts()) as stream:
        yield stream


def whole_pair(gold: Input, system: Input | bytes, setup: Setup) -> PairStream:
    """Return two files or treebanks as a stream of one piece; for partial scores, also the contents of an output."""
    if not (setup.partial or isinstance(system, bytes)):
        return matched_stream(match_pair(*load_pair(gold, system, setup), setup.rules))
    from levelhead.evaluation.partial import whole_partial_pair

    return whole_partial_pair(gold, system, setup)


def _are_whole(gold: _Path, system: _Path, setup: Setup, sizes: PieceSizes) -> bool:
    """Return whether two files are read whole: small files, and pipes that would have to be read twice."""
    if not can_score_in_pieces(setup) or (_is_small(gold, sizes) and _is_small(system, sizes)):
        return True
    if not setup.partial:
        return setup.needs_punctuation and is_stream(gold)
    return is_stream(gold) or is_stream(system) or not any(_is_large(path, sizes) for path in (gold, system))


def _is_large(path: _Path, sizes: PieceSizes) -> bool:
    if _is_small(path, sizes):
        return False
    with contents_or_parts(path, sizes.large) as contents:
        return not isinstance(contents, bytes)


def _is_small(path: _Path, sizes: PieceSizes) -> bool:
    """Return whether a path is a file that is not large, and not compressed according to its name."""
    return not os.fsdecode(path).endswith(SUFFIXES) and 0 < size_of_file(path) <= sizes.large


def can_score_in_pieces(setup: Setup) -> bool:
    """Return whether all results can be computed from pieces of files."""
    official = setup.rules.content or setup.rules.reading is not None
    formats = (setup.format, setup.format_of_gold)
    for name in formats:
        check_format(name)
    return not official or set(formats) == {"conllu"}
