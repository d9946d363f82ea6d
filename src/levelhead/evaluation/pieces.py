"""Files that are too large for memory: read, aligned and counted in pieces."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from levelhead.errors import Fault, InputError, Place, UnreadableFile
from levelhead.evaluation.fold import InputFile, PairStream, as_gold, matched_stream, official_reading_of, parse_as
from levelhead.evaluation.setup import Setup
from levelhead.scoring.matches import compare_aligned, spans_of
from levelhead.scoring.pieces import PiecePair, check_rest, paired_pieces, paired_sentences
from levelhead.scoring.score import match_pair
from levelhead.scoring.selection import callin_punctuation
from levelhead.treebank.input_bytes import PieceSizes, contents_or_parts
from levelhead.treebank.official_reader import OfficialPieces
from levelhead.treebank.own_reader import CheckedPieces
from levelhead.treebank.pieces import Pieces
from levelhead.treebank.provenance import FileSummary
from levelhead.treebank.scanner import ReaderSettings


@dataclass
class GoldFacts:
    """Facts about a gold file that are found once, when it is first read."""

    summary: FileSummary | None = None  # its sizes and the warnings about it
    punctuation: frozenset[str] | None = None  # the relations that `(nopunct=callin)` leaves out

    def find_punctuation(self, gold: InputFile, setup: Setup, size: int) -> None:
        """Read gold for the relations that `(nopunct=callin)` leaves out, if a measure needs them."""
        if setup.needs_punctuation and self.punctuation is None:
            with open_pieces(gold, setup, of_gold=True, known=self.summary) as pieces:
                self.punctuation = callin_punctuation(pieces.each(size))
                self.summary = pieces.contents()


@contextmanager
def paths_in_pieces(gold: InputFile, system: InputFile, setup: Setup, sizes: PieceSizes) -> Iterator[PairStream]:
    """Yield two files, one of which may be a pipe, in pieces; errors of the output only matter if gold is valid."""
    paths = gold.name or "", system.name or ""
    with ExitStack() as stack:
        contents = stack.enter_context(contents_or_parts(paths[0], sizes.large))
        reference = (
            parse_as(contents, gold.name, setup.rules, setup.format_of_gold) if isinstance(contents, bytes) else None
        )
        try:
            output = stack.enter_context(contents_or_parts(paths[1], 0 if reference is None else sizes.large))
        except UnreadableFile as error:
            if isinstance(contents, bytes):
                raise
            raise (pieces_of((gold.name, contents), setup, of_gold=True).error() or error) from error
        if reference is not None and isinstance(output, bytes):
            whole = parse_as(output, system.name, setup.rules, setup.format)
            yield matched_stream(match_pair(as_gold(reference, setup), whole, setup.rules))
            return
        facts = GoldFacts()
        facts.find_punctuation(gold, setup, sizes.piece)
        parts = (iter([side]) if isinstance(side, bytes) else side for side in (contents, output))
        cut = (
            pieces_of((gold.name, next(parts)), setup, of_gold=True, known=facts.summary),
            pieces_of((system.name, next(parts)), setup, of_gold=False),
        )
        together = all(map(os.path.isfile, paths))  # pipes could block their reader
        yield stack.enter_context(_cut_at_characters(*cut, setup, sizes.piece, facts, together=together))


@contextmanager
def files_in_pieces(
    gold: InputFile, system: InputFile, setup: Setup, size: int, facts: GoldFacts
) -> Iterator[PairStream]:
    """Yield two files in pieces; gold can also be the output."""
    facts.find_punctuation(gold, setup, size)
    with (
        open_pieces(gold, setup, of_gold=True, known=facts.summary) as reference,
        open_pieces(system, setup, of_gold=system is gold, known=facts.summary if system is gold else None) as output,
        _cut_at_characters(reference, output, setup, size, facts) as stream,
    ):
        yield stream


@contextmanager
def _cut_at_characters(
    gold: Pieces, system: Pieces, setup: Setup, size: int, facts: GoldFacts, *, together: bool = True
) -> Iterator[PairStream]:
    def matched(pair: PiecePair) -> Any:
        matches = compare_aligned(pair.gold, pair.system, setup.rules, *pair[2:])
        return replace(matches, punctuation=facts.punctuation)

    def summaries() -> tuple[FileSummary, FileSummary, None]:
        if facts.summary is not None and facts.summary.sha256 != gold.sha256:
            raise changed_file(gold.name)
        facts.summary = gold.contents()
        return facts.summary, system.contents(), None

    def pairs() -> Iterator[PiecePair]:
        yield from paired_pieces(gold, system, setup.rules, size, together=together)
        if not gold.n_sentences:  # official scorers accept empty files: one empty piece
            nothing = parse_as(b"", None, setup.rules)
            spans = spans_of(nothing, unicode_spaces=setup.rules.unicode_spaces)
            yield PiecePair(nothing, nothing, spans, spans)

    if not setup.rules.content:
        yield PairStream(pairs(), matched, summaries)
        return
    try:
        sentences = paired_sentences(gold, system, size)
        yield PairStream(sentences, lambda pair: match_pair(pair[0], pair[1], setup.rules), summaries)
    except InputError:  # the errors of a file precede errors of comparison
        check_rest(gold, system)
        raise


def changed_file(*names: str | None) -> UnreadableFile:
    """Return the error for files that differ when they are read for a second time."""
    message = "the file was changed while it was read"
    return UnreadableFile(*(Fault("changing-file", message, Place(name)) for name in names))


@contextmanager
def open_pieces(file: InputFile, setup: Setup, *, of_gold: bool, known: FileSummary | None = None) -> Iterator[Pieces]:
    with file.parts() as parts:
        yield pieces_of((file.name, parts), setup, of_gold=of_gold, known=known)


def pieces_of(
    file: tuple[str | None, Iterator[bytes]], setup: Setup, *, of_gold: bool, known: FileSummary | None = None
) -> Pieces:
    name, parts = file
    official = official_reading_of(setup.rules)
    if official is not None:
        return OfficialPieces(parts, name, official)
    conllx = (setup.format_of_gold if of_gold else setup.format) == "conllx"
    splits_tokens = setup.format == "conllx" and not conllx  # of gold, since the output has none
    reading = ReaderSettings(conllx, setup.rules.several_roots)
    return CheckedPieces(parts, name, reading, splits_tokens=splits_tokens, known=known)
