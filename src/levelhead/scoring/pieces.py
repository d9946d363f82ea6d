"""Gold and a system's output in pieces, cut at characters where both end a sentence, or at paired sentences.

No token, multiword token or head crosses a cut at characters. The alignment could cross it only if one side has words
left before it and the other starts a multiword token after it; files are not cut there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import ConlluError, Place, TextMismatch
from levelhead.scoring.form_alignment import SentencePairs
from levelhead.scoring.rules import Rules
from levelhead.scoring.spans import (
    MOST_SHOWN,
    Bytes,
    Spans,
    Surroundings,
    first_difference,
    first_spans,
    spans_of,
    surroundings,
    text_mismatch,
)
from levelhead.treebank import Treebank
from levelhead.treebank.faults import EMPTY
from levelhead.treebank.pieces import Pieces
from levelhead.treebank.strings import Codes
from levelhead.treebank.two_files import in_two_threads

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
        self.pieces = pieces
        self._rules = rules
        self.treebank: Treebank | None = None
        self.spans: Spans | None = None
        self.n_characters = 0
        self._taken: tuple[Treebank, Spans, int, int] | None = None
        self._text_taken = b""  # its last bytes
        self._rate = 1.0  # bytes of the file for each byte of text
        self._left = 0  # bytes of text in the buffer after a cut

    @property
    def text(self) -> Bytes:
        """The text in the buffer."""
        return _NOTHING if self.spans is None else self.spans.text

    def parse(self) -> None:
        """Find the sentences in the buffer, and the characters that they cover."""
        self.pieces.parse()
        self.treebank = self.pieces.treebank
        unicode_spaces = self._rules.unicode_spaces
        self.spans = None if self.treebank is None else spans_of(self.treebank, unicode_spaces=unicode_spaces)
        self._left = len(self.text)
        if self._left:
            self._rate = self.pieces.n_bytes / self._left

    def text_after(self, size: int) -> int:
        """Return the approximate number of bytes of text in the buffer after this many bytes of the file are read."""
        return self._left + int(size / self._rate)

    def size_up_to(self, text: int) -> int:
        """Return the approximate number of bytes to read from the file to get this many bytes of text."""
        return max(int((text - self._left) * self._rate), 0)

    def take(self, n_sentences: int, cut: int) -> tuple[Treebank, Spans]:
        """Take the first sentences out of the buffer, up to a byte of the text, with the characters they cover."""
        if self.treebank is None or self.spans is None:
            raise IndexError("no sentences wait")
        text = self.text[:cut]
        self._taken = self.treebank, self.spans, cut - 1, self.pieces.n_sentences
        self._text_taken = self._before(cut)
        self.n_characters += int(np.count_nonzero(text.view(np.int8) >= -64))  # bytes that begin a character
        self._left -= cut
        piece = self.pieces.take(n_sentences)
        spans = first_spans(self.spans, piece, cut)
        self.treebank = self.spans = None
        return piece, spans

    def around(self, at: int) -> Surroundings:
        """Return the context of a byte of the text in the buffer."""
        if self.treebank is None or self.spans is None:
            return self._end_of_taken()
        start = at
        while start and start < len(self.text) and self.text[start] & 0xC0 == 0x80:
            start -= 1
        found = _surroundings(self.treebank, self.spans, at, self.pieces.n_sentences)
        return replace(found, before=self._before(start))

    def _end_of_taken(self) -> Surroundings:
        """The context of the end of the sentences that were taken."""
        if self._taken is None:
            return Surroundings(self.pieces.name, b"", b"", None, Place(self.pieces.name))
        return replace(_surroundings(*self._taken), before=self._text_taken, after=b"")

    def _before(self, at: int) -> bytes:
        return (self._text_taken + self.text[max(0, at - MOST_SHOWN) : at].tobytes())[-MOST_SHOWN:]


def _surroundings(treebank: Treebank, spans: Spans, at: int, n_sentences: int) -> Surroundings:
    """The context of a byte of a text, with the sentence number in the file."""
    found = surroundings(treebank, spans, at)
    return replace(found, place=found.place._replace(sentence=(found.place.sentence or 0) + n_sentences))


def paired_pieces(
    gold: Pieces, system: Pieces, rules: Rules, size: int, *, together: bool = True
) -> Iterator[PiecePair]:
    """Yield the pieces of gold with the pieces of the system's output that have the same text."""
    ours, theirs = _Side(gold, rules), _Side(system, rules)
    wanted, least = size, max(size >> 4, 1)
    while True:
        of_gold = max(wanted - gold.n_bytes, 0)
        of_system = max(theirs.size_up_to(ours.text_after(of_gold)), least if gold.ended or wanted > size else 0)
        _read_both(ours, theirs, of_gold, of_system, together=together)
        if gold.failed or system.failed:
            raise_errors(gold, system)
        mismatch = _mismatch(ours, theirs)
        if mismatch:
            raise_errors(gold, system)
            raise mismatch
        if gold.ended and system.ended and len(ours.text) == len(theirs.text):
            if ours.treebank is not None and theirs.treebank is not None:
                yield _taken(ours, theirs, _Cut(len(ours.text), len(ours.treebank), len(theirs.treebank)))
            raise_errors(gold, system)
            return
        cut = _cut(ours, theirs)
        if cut is not None:
            yield _taken(ours, theirs, cut)
        wanted = size if cut is not None else 2 * max(wanted, gold.n_bytes)


def _read_both(gold: _Side, system: _Side, of_gold: int, of_system: int, *, together: bool) -> None:
    """Read this many bytes of both files, and find their sentences, in two threads."""
    if not together:
        gold.pieces.read(of_gold)
        system.pieces.read(of_system)
        in_two_threads(gold.parse, system.parse)
        return

    def read_gold() -> None:
        gold.pieces.read(of_gold)
        gold.parse()

    def read_system() -> None:
        system.pieces.read(of_system)
        system.parse()

    in_two_threads(read_gold, read_system)


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
            side.pieces.read(step)
            side.parse()
            step *= 2
    before = len(gold.text[:at].tobytes().decode("utf-8", "ignore"))
    return text_mismatch(gold.around(at), system.around(at), gold.n_characters + before)


class _Cut(NamedTuple):
    at: int  # byte of the text
    gold: int  # sentences before
    system: int


def _taken(gold: _Side, system: _Side, cut: _Cut) -> PiecePair:
    (ours, gold_spans), (theirs, system_spans) = gold.take(cut.gold, cut.at), system.take(cut.system, cut.at)
    return PiecePair(ours, theirs, gold_spans, system_spans)


def _cut(gold: _Side, system: _Side) -> _Cut | None:
    """Find the last place at which both sides can be cut."""
    if gold.treebank is None or gold.spans is None or system.treebank is None or system.spans is None:
        return None
    ends, others = gold.spans.sentence_starts[1:], system.spans.sentence_starts[1:]
    at = np.searchsorted(others, ends)
    of_gold = np.flatnonzero(others[at.clip(max=len(others) - 1)] == ends)
    of_system = at[of_gold]
    words = gold.treebank.sentence_starts[of_gold + 1], system.treebank.sentence_starts[of_system + 1]
    plain = _plain(gold.spans, words[0]) & _plain(system.spans, words[1])
    rows = np.flatnonzero(plain | _same_last_words(gold.spans, system.spans, *words))
    if not len(rows):
        return None
    last = rows[-1]
    return _Cut(int(ends[of_gold[last]]), int(of_gold[last]) + 1, int(of_system[last]) + 1)


def _same_last_words(gold: Spans, system: Spans, of_gold: Codes, of_system: Codes) -> NDArray[np.bool_]:
    """Return for each cut whether the last words before it stand alone and cover the same characters."""
    one, other = of_gold - 1, of_system - 1
    plain = (gold.inside[one] == 0) & (system.inside[other] == 0)
    same: NDArray[np.bool_] = (
        plain & (gold.starts[one] == system.starts[other]) & (gold.ends[one] == system.ends[other])
    )
    return same


def _plain(spans: Spans, words: Codes) -> NDArray[np.bool_]:
    """Return for each cut whether the word after it is known and not part of a multiword token."""
    n_words = len(spans.inside)
    if not n_words:
        return np.zeros(len(words), dtype=bool)
    plain: NDArray[np.bool_] = (words < n_words) & (spans.inside[words.clip(max=n_words - 1)] == 0)
    return plain


Places = NDArray[np.int64]
"""The gold sentence of each of the system's sentences, ascending; -1 for a repeated answer."""


class SentencePiece(NamedTuple):
    """Some gold sentences, and the system's sentences paired with them."""

    gold: Treebank  # the gold sentences
    system: Treebank  # the system's sentences, in the same order; can be empty
    pairs: SentencePairs  # the paired sentences
    before: int  # the number of earlier sentences of the system


def pieces_by_sentence(gold: Pieces, system: Pieces, places: Places, size: int) -> Iterator[SentencePiece]:
    """Yield the pieces of gold with the system's sentences paired with them."""
    ends = np.maximum.accumulate(places) + 1  # so many gold sentences are reached
    while not (gold.failed or system.failed):
        n_gold, n_system = _read_sentences(gold, system, size)
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
    while (n_sentences := min(_read_sentences(gold, system, size))) and not (gold.failed or system.failed):
        yield gold.take(n_sentences), system.take(n_sentences)
    check_rest(gold, system)


def check_rest(gold: Pieces, system: Pieces) -> None:
    """Read both files to the end, and raise the errors that take precedence over comparison."""
    from levelhead.scoring.morphosyntactic_matches import check_same_sentences

    raise_errors(gold, system)
    sides = [(side.name, side.n_sentences + _n_waiting(side)) for side in (gold, system)]
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
        return _n_waiting(pieces)

    return in_two_threads(lambda: read(gold), lambda: read(system))


def _n_waiting(pieces: Pieces) -> int:
    return 0 if pieces.treebank is None else len(pieces.treebank)


def _pairs(places: Places, n_gold: int) -> SentencePairs:
    pairs = np.full(n_gold, -1, dtype=np.int32)
    answers = np.flatnonzero(places >= 0)
    pairs[places[answers]] = answers
    return SentencePairs("sent_id", pairs)
