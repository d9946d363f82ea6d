"""Files that are too large for memory: read in pieces of gold and of a system's output, aligned and counted.

Pieces are cut at characters where both files end a sentence, or at paired sentences. No token, multiword token or head
crosses a cut at characters. The alignment could cross it only if one side has words left before it and the other starts
a multiword token after it; files are not cut there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import ConlluError, Fault, InputError, Place, TextMismatch, UnreadableFile
from levelhead.evaluation.fold import PairStream, matched_stream
from levelhead.evaluation.pair import InputFile, as_gold, official_reading_of, parse_as
from levelhead.evaluation.setup import Setup
from levelhead.scoring.form_alignment import SentencePairs
from levelhead.scoring.matches import (
    MOST_SHOWN,
    Bytes,
    Spans,
    Surroundings,
    compare_aligned,
    first_difference,
    first_spans,
    spans_of,
    surroundings,
    text_mismatch,
)
from levelhead.scoring.morphosyntactic_matches import check_same_sentences
from levelhead.scoring.rules import Rules
from levelhead.scoring.score import match_pair
from levelhead.scoring.selection import callin_punctuation
from levelhead.treebank.faults import EMPTY
from levelhead.treebank.input_bytes import PieceSizes, contents_or_parts, in_two_threads
from levelhead.treebank.official_reader import OfficialPieces
from levelhead.treebank.pieces import Pieces
from levelhead.treebank.provenance import FileSummary
from levelhead.treebank.scanner import ReaderSettings
from levelhead.treebank.treebank import Treebank
from levelhead.treebank.ud_reader import CheckedPieces

_NOTHING: Bytes = np.zeros(0, dtype=np.uint8)


class PiecePair(NamedTuple):
    """A piece of gold and a piece of the system's output with the same text."""

    gold: Treebank  # the gold sentences
    system: Treebank  # the system's sentences
    gold_spans: Spans  # the characters that gold words cover
    system_spans: Spans  # the characters that system words cover


class _Side:
    """One file: its buffer, and the context for a message about different texts."""

    def __init__(self, pieces: Pieces, rules: Rules) -> None:
        self.pieces, self._rules = pieces, rules
        self.treebank: Treebank | None = None
        self.spans: Spans | None = None
        self.n_characters = 0
        self.rate = 1.0  # bytes of the file for each byte of text
        self.n_left = 0  # bytes of text in the buffer after a cut
        self._taken: tuple[Treebank, Spans, int, int] | None = None
        self._text_taken = b""  # its last bytes

    @property
    def text(self) -> Bytes:
        return _NOTHING if self.spans is None else self.spans.text

    def read(self, size: int) -> None:
        """Read `size` bytes of the file, and find the sentences in the buffer and the characters that they cover."""
        self.pieces.read(size)
        self.parse()

    def parse(self) -> None:
        """Find the sentences in the buffer, and the characters that they cover."""
        self.pieces.parse()
        self.treebank = self.pieces.treebank
        unicode_spaces = self._rules.unicode_spaces
        self.spans = None if self.treebank is None else spans_of(self.treebank, unicode_spaces=unicode_spaces)
        self.n_left = len(self.text)
        if self.n_left:
            self.rate = self.pieces.n_bytes / self.n_left

    def take(self, n_sentences: int, cut: int) -> tuple[Treebank, Spans]:
        """Take the first `n_sentences` out of the buffer, with the characters that they cover: the text up to `cut`."""
        if self.treebank is None or self.spans is None:
            raise IndexError("no sentences wait")
        self._taken = self.treebank, self.spans, cut - 1, self.pieces.n_sentences
        self._text_taken = self._before(cut)
        self.n_characters += int(np.count_nonzero(self.text[:cut].view(np.int8) >= -64))  # bytes that begin a character
        self.n_left -= cut
        piece = self.pieces.take(n_sentences)
        spans = first_spans(self.spans, piece, cut)
        self.treebank = self.spans = None
        return piece, spans

    def around(self, at: int) -> Surroundings:
        """Return the context of a byte of the text in the buffer, or of the end of the sentences that were taken."""
        if self.treebank is not None and self.spans is not None:
            start = at
            while start and start < len(self.text) and self.text[start] & 0xC0 == 0x80:
                start -= 1
            where = self.treebank, self.spans, at, self.pieces.n_sentences
            changes: dict[str, Any] = {"before": self._before(start)}
        elif self._taken is not None:
            where = self._taken
            changes = {"before": self._text_taken, "after": b""}
        else:
            return Surroundings(self.pieces.name, b"", b"", None, Place(self.pieces.name))
        context = surroundings(*where[:3])
        sentence = (context.place.sentence or 0) + where[3]  # in the file
        return replace(context, place=context.place._replace(sentence=sentence), **changes)

    def _before(self, at: int) -> bytes:
        return (self._text_taken + self.text[max(0, at - MOST_SHOWN) : at].tobytes())[-MOST_SHOWN:]


def paired_pieces(
    gold: Pieces, system: Pieces, rules: Rules, size: int, *, together: bool = True
) -> Iterator[PiecePair]:
    """Yield the pieces of gold with the pieces of the system's output that have the same text."""
    gold_side, system_side = _Side(gold, rules), _Side(system, rules)
    wanted, least = size, max(size >> 4, 1)

    def taken(at: int, n_gold: int, n_system: int) -> PiecePair:
        (piece, spans), (answer, answer_spans) = gold_side.take(n_gold, at), system_side.take(n_system, at)
        return PiecePair(piece, answer, spans, answer_spans)

    while True:
        of_gold = max(wanted - gold.n_bytes, 0)
        text = gold_side.n_left + int(of_gold / gold_side.rate)  # about so many bytes of text will be in the buffer
        enough = max(int((text - system_side.n_left) * system_side.rate), 0)
        of_system = max(enough, least if gold.ended or wanted > size else 0)
        if together:
            in_two_threads(partial(gold_side.read, of_gold), partial(system_side.read, of_system))
        else:
            gold.read(of_gold)
            system.read(of_system)
            in_two_threads(gold_side.parse, system_side.parse)
        if gold.failed or system.failed:
            raise_errors(gold, system)
        mismatch = _mismatch(gold_side, system_side)
        if mismatch:
            raise_errors(gold, system)
            raise mismatch
        if gold.ended and system.ended and len(gold_side.text) == len(system_side.text):
            if gold_side.treebank is not None and system_side.treebank is not None:
                yield taken(len(gold_side.text), len(gold_side.treebank), len(system_side.treebank))
            raise_errors(gold, system)
            return
        cut = _cut(gold_side, system_side)
        if cut is not None:
            yield taken(*cut)
        wanted = size if cut is not None else 2 * max(wanted, gold.n_bytes)


def raise_errors(gold: Pieces, system: Pieces) -> None:
    """Read both files to the end, and raise the errors of gold, or otherwise those of the system's output."""
    for pieces in (gold, system):
        error = pieces.error()
        if error is not None:
            raise error


def _mismatch(gold: _Side, system: _Side) -> TextMismatch | None:
    """Return the error for different texts, if the buffers show it."""
    at = first_difference(gold.text, system.text)
    sides = (gold, system)
    shorter, longer = sorted(sides, key=lambda side: len(side.text))
    if at == len(shorter.text) and not (shorter.pieces.ended and at < len(longer.text)):
        return None
    for side in sides:
        step = MOST_SHOWN
        while len(side.text) < at + MOST_SHOWN and not (side.pieces.ended or side.pieces.failed):
            side.read(step)
            step *= 2
    before = len(gold.text[:at].tobytes().decode("utf-8", "ignore"))
    return text_mismatch(gold.around(at), system.around(at), gold.n_characters + before)


def _cut(gold: _Side, system: _Side) -> tuple[int, int, int] | None:
    """Find the last place at which both sides can be cut: a byte of the text, and the sentences before it."""
    if gold.treebank is None or gold.spans is None or system.treebank is None or system.spans is None:
        return None
    ends, others = gold.spans.sentence_starts[1:], system.spans.sentence_starts[1:]
    at = np.searchsorted(others, ends)
    of_gold = np.flatnonzero(others[at.clip(max=len(others) - 1)] == ends)
    of_system = at[of_gold]
    after = last = np.ones(len(of_gold), dtype=bool)
    words = gold.treebank.sentence_starts[of_gold + 1], system.treebank.sentence_starts[of_system + 1]
    for spans, word in zip((gold.spans, system.spans), words):
        n_words = len(spans.inside)
        after = after & (word < n_words) & (spans.inside[word.clip(max=n_words - 1)] == 0)
        last = last & (spans.inside[word - 1] == 0)
    for name in ("starts", "ends"):
        last = last & (getattr(gold.spans, name)[words[0] - 1] == getattr(system.spans, name)[words[1] - 1])
    # the word after it is known and not in a multiword token, or the last words stand alone for the same characters
    rows = np.flatnonzero(after | last)
    if not len(rows):
        return None
    row = rows[-1]
    return int(ends[of_gold[row]]), int(of_gold[row]) + 1, int(of_system[row]) + 1


Places = NDArray[np.int64]  # the gold sentence of each of the system's sentences, ascending; -1 for a repeated answer


def pieces_by_sentence(
    gold: Pieces, system: Pieces, places: Places, size: int
) -> Iterator[tuple[Treebank, Treebank, SentencePairs, int]]:
    """Yield gold sentences, the system's sentences paired with them, the pairs, and how many of the system preceded."""
    ends = np.maximum.accumulate(places) + 1  # so many gold sentences are reached
    while not (gold.failed or system.failed):
        n_gold, n_system = _read_sentences(gold, system, size)
        n_gold_before, n_before = gold.n_sentences, system.n_sentences
        n_placed = int(np.searchsorted(ends, n_gold_before + n_gold, side="right")) - n_before
        if n_placed > n_system:  # the output must be read on first
            n_placed = n_system
            n_gold = int(ends[n_before + n_system - 1]) - n_gold_before if n_system else 0
        if n_gold > 0:
            piece = gold.take(n_gold)
            answers = system.take(n_placed) if n_placed else piece.select([])
            places_in_piece = places[n_before : n_before + n_placed] - n_gold_before
            answered = np.flatnonzero(places_in_piece >= 0)
            pairs = np.full(n_gold, -1, dtype=np.int32)
            pairs[places_in_piece[answered]] = answered
            yield piece, answers, SentencePairs("sent_id", pairs), n_before
        elif n_placed:
            system.take(n_placed)  # answers to sentences before, repeated
        else:
            break
    raise_errors(gold, system)


def paired_sentences(gold: Pieces, system: Pieces, size: int) -> Iterator[tuple[Treebank, Treebank]]:
    """Yield pieces of gold with the pieces of the system's output that have the same number of sentences."""
    while (n_sentences := min(_read_sentences(gold, system, size))) and not (gold.failed or system.failed):
        yield gold.take(n_sentences), system.take(n_sentences)
    check_rest(gold, system)


def check_rest(gold: Pieces, system: Pieces) -> None:
    """Read both files to the end, and raise the errors that take precedence over comparison."""
    raise_errors(gold, system)
    sides = [(side.name, side.n_sentences + len(side.treebank or ())) for side in (gold, system)]
    for name, n_sentences in sides:
        if not n_sentences:
            raise ConlluError(EMPTY.in_file(name))
    check_same_sentences(*sides)


def _read_sentences(gold: Pieces, system: Pieces, size: int) -> tuple[int, int]:
    """Read both files up to the next sentences, and return the numbers of sentences that wait."""

    def read(pieces: Pieces) -> int:
        pieces.read(max(size - pieces.n_bytes, 0))
        pieces.parse()
        while pieces.treebank is None and not (pieces.failed or pieces.ended):
            pieces.read(size)
            pieces.parse()
        return len(pieces.treebank or ())

    return in_two_threads(partial(read, gold), partial(read, system))


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
