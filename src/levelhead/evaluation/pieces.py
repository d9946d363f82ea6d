"""The scores of files that are too large for memory: read, aligned and counted in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from levelhead.errors import Fault, InputError, Place, UnreadableFile
from levelhead.evaluation.fold import Fold, score_treebanks
from levelhead.evaluation.pair import Evaluation, load_pair, parse_as, splits_tokens
from levelhead.evaluation.setup import Setup
from levelhead.progress import counter
from levelhead.scoring.matches import compare_aligned
from levelhead.scoring.pieces import PiecePair, paired_pieces
from levelhead.scoring.score import match_pair
from levelhead.scoring.selection import callin_punctuation
from levelhead.treebank import Treebank
from levelhead.treebank.blocks import begun
from levelhead.treebank.checked_pieces import CheckedPieces
from levelhead.treebank.contents import Contents
from levelhead.treebank.input_bytes import is_stream, parts_of
from levelhead.treebank.official_reader import HeadsBack, official_reading
from levelhead.treebank.pieces import OfficialPieces, Pieces
from levelhead.treebank.scanner import ReaderSettings
from levelhead.treebank.two_files import are_files, one_ahead

if TYPE_CHECKING:
    from levelhead.evaluation.fold import CountedPiece, Visitor

Parts = tuple[str, Iterator[bytes]]
"""The path of a file, and its contents in parts."""


def score_parts_of_gold(
    gold: Parts,
    system: str,
    setup: Setup,
    size: int,
    visitors: Sequence[Visitor] = (),
) -> Evaluation:
    """Score a system's output against gold; errors of the output are only reported if gold is valid."""
    with parts_of(system) as parts:
        try:
            output = begun(parts)
        except UnreadableFile as error:
            raise (pieces_of(gold, setup, of_gold=True).error() or error) from error
        return score_parts(gold, (system, output), setup, size, visitors)


def score_parts(
    gold: Parts,
    system: Parts,
    setup: Setup,
    size: int,
    visitors: Sequence[Visitor] = (),
) -> Evaluation:
    """Score a system's output against gold, in pieces."""
    setup = setup.single()
    together = are_files(gold[0], system[0])
    try:
        with counter("scoring", "words") as advance:
            punctuation, first = _first_reading(gold[0], setup, size)
            reference = pieces_of(gold, setup, of_gold=True, known=first)
            output = pieces_of(system, setup, of_gold=False)
            every = (Progress(advance), *visitors)
            evaluation = score_pieces(reference, output, setup, size, every, together=together, punctuation=punctuation)
            if first is not None and first.sha256 != reference.sha256:
                raise changed_file(gold[0])
    except HeadsBack:
        return _score_whole(gold[0], system[0], setup, visitors)
    return evaluation


class Progress:
    """The visitor that reports how many words are scored."""

    def __init__(self, advance: Callable[[int], None]) -> None:
        self._advance = advance

    def start(self) -> None:
        """Do nothing: files are read from the beginning without progress."""

    def add(self, piece: CountedPiece) -> None:
        """Report the words of a piece."""
        self._advance(piece.matches.gold.n_words)


def _first_reading(gold: str, setup: Setup, size: int) -> tuple[frozenset[str] | None, Contents | None]:
    """The result of `read_punctuation`, and the sizes of gold and warnings about it; both None without a reading."""
    if not setup.needs_punctuation:
        return None, None
    with parts_of(gold) as parts:
        first = pieces_of((gold, parts), setup, of_gold=True)
        return read_punctuation(first, size), first.contents()


def score_pieces(
    gold: Pieces,
    system: Pieces,
    setup: Setup,
    size: int,
    visitors: Sequence[Visitor] = (),
    *,
    together: bool = True,
    punctuation: frozenset[str] | None = None,
) -> Evaluation:
    """Score a system's output against gold, both read in pieces."""
    fold = Fold(setup, visitors)

    def match_and_add(pair: PiecePair) -> None:
        matches = compare_aligned(pair.gold, pair.system, setup.rules, *pair[2:])
        fold.add(replace(matches, punctuation=punctuation))

    if setup.rules.content:
        _add_sentences(gold, system, size, lambda pair: fold.add(match_pair(*pair, setup.rules)))
    else:
        one_ahead(paired_pieces(gold, system, setup.rules, size, together=together), match_and_add)
    if not gold.n_sentences:  # official scorers accept empty files
        nothing = parse_as(b"", None, setup.rules)
        fold.add(match_pair(nothing, nothing, setup.rules))
    return fold.evaluation(gold.contents(), system.contents())


def _add_sentences(gold: Pieces, system: Pieces, size: int, add: Callable[[tuple[Treebank, Treebank]], None]) -> None:
    """Add the pieces of files of morphosyntactic parsing; errors of a file precede errors of comparison."""
    from levelhead.scoring.content_pieces import check_rest, paired_sentences

    for pair in paired_sentences(gold, system, size):
        try:
            add(pair)
        except InputError:
            check_rest(gold, system)
            raise


def read_punctuation(gold: Pieces, size: int) -> frozenset[str]:
    """Return the relations that `(nopunct=callin)` leaves out, for which gold is read."""
    return callin_punctuation(gold.each(size))


def changed_file(*names: str | None) -> UnreadableFile:
    """Return the error for files that differ when they are read for a second time."""
    message = "the file was changed while it was read"
    return UnreadableFile(*(Fault("changing-file", message, Place(name)) for name in names))


def _score_whole(gold: str, system: str, setup: Setup, visitors: Sequence[Visitor]) -> Evaluation:
    """Score files that cannot be cut, as is found while reading."""
    for path in (gold, system):
        if is_stream(path):
            message = "it cannot be read in pieces under these rules: give this input as a file, not as a pipe"
            raise InputError(Fault("file-too-large", message, Place(path)))
    return score_treebanks(*load_pair(gold, system, setup), setup, visitors)


def pieces_of(
    file: tuple[str | None, Iterator[bytes]], setup: Setup, *, of_gold: bool, known: Contents | None = None
) -> Pieces:
    """Return a file that is read in pieces under the rules."""
    name, parts = file
    if setup.rules.content:
        from levelhead.treebank.morphosyntactic_reader import READING

        return OfficialPieces(parts, name, READING)
    if setup.rules.reading is not None:
        official = official_reading(setup.rules.reading, several_roots=setup.rules.several_roots)
        return OfficialPieces(parts, name, official)
    conllx = (setup.format_of_gold if of_gold else setup.format) == "conllx"
    reading = ReaderSettings(conllx, setup.rules.several_roots)
    return CheckedPieces(parts, name, reading, splits_tokens=of_gold and splits_tokens(setup), known=known)
