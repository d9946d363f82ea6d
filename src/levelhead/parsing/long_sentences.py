"""Limits on the length of sentences, since time can grow with the square of the length; and warnings about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, Place
from levelhead.parsing.model import ENSEMBLE, GRAPH_PARSERS, PARSERS
from levelhead.treebank import Treebank
from levelhead.treebank.places import place_of

_BY_PIECES = (*GRAPH_PARSERS, ENSEMBLE)
_LEARNERS = (*PARSERS, ENSEMBLE)

LONGEST_WHOLE = 500
"""Words: graph-based parsers and ensembles do not learn from longer sentences, and parse them in pieces of this
length."""

LONGEST_IN_LONG_PIECES = 2000
"""Words: graph-based parsers parse even longer sentences in short pieces, since the time per word grows with the length
of the piece: 100,000 words take seconds instead of a minute."""

SHORT_PIECE = 50
"""Words: the length of short pieces."""

LONGEST_SEARCHED = 5000
"""Words: transition systems parse longer sentences greedily, since a wide beam would take minutes and much memory."""

MOST_SEARCHED = 200_000
"""Words times beam width: beyond this, sentences are parsed greedily. Otherwise the beam width in a model file could
make parsing take any amount of memory."""

LONGEST_LEARNED = 2000
"""Words: transition systems do not learn from longer sentences, but parse them whole. A tree can need as many swaps as
it has pairs of words, and after a mistake, training searches the whole stack for arcs that can still be built."""


def long_training_warnings(treebank: Treebank, parser: str) -> tuple[Fault, ...]:
    """Return a warning about sentences that are too long for a parser to learn from, if there are any."""
    rows = np.flatnonzero(_too_long(treebank, parser))
    if not len(rows):
        return ()
    first = int(rows[0])
    start, end = treebank.sentence_starts[first : first + 2].tolist()
    message = f"the sentence has {end - start} words; {parser} does not learn from more than {_longest(parser)}"
    return (Fault("long-sentence", message, place_of(treebank, start), "warning", len(rows)),)


def long_parsing_warnings(treebank: Treebank, parser: str, beam: int) -> tuple[Fault, ...]:
    """Return a warning about sentences that are too long for the usual search, if there are any.

    Args:
        treebank: the treebank to parse.
        parser: the parser; external parsers get no warning.
        beam: the beam width, if it is a transition system.
    """
    by_pieces = parser in _BY_PIECES
    if parser not in _LEARNERS or not (by_pieces or beam > 1):
        return ()
    longest = LONGEST_WHOLE if by_pieces else longest_with_beam(beam)
    rows = np.flatnonzero(np.diff(treebank.sentence_starts) > longest)
    if not len(rows):
        return ()
    start, end = treebank.sentence_starts[int(rows[0]) : int(rows[0]) + 2].tolist()
    how = f"in pieces of {piece_length(end - start)}" if by_pieces else "greedily, without its beam"
    message = f"the sentence has {end - start} words, more than {longest}; {parser} parses it {how}"
    return (Fault("long-sentence", message, place_of(treebank, start), "warning", len(rows)),)


def longest_with_beam(beam: int) -> int:
    """Return the length of the longest sentence that transition systems parse with a beam of this width."""
    return min(LONGEST_SEARCHED, MOST_SEARCHED // beam)


def piece_length(size: int) -> int:
    """Return the length of the pieces in which graph-based parsers and ensembles parse a sentence of this length."""
    return LONGEST_WHOLE if size <= LONGEST_IN_LONG_PIECES else SHORT_PIECE


def learnable(treebank: Treebank, parser: str) -> Treebank:
    """Return the sentences that are not too long to learn from."""
    long = _too_long(treebank, parser)
    if not long.any():
        return treebank
    if long.all():
        message = f"all sentences have more than {_longest(parser)} words: split them"
        raise InputError(Fault("nothing-to-train-on", message, Place(treebank.source.path)))
    return treebank.select(~long)


def _too_long(treebank: Treebank, parser: str) -> NDArray[np.bool_]:
    sizes = np.diff(treebank.sentence_starts)
    return sizes > (_longest(parser) if parser in _LEARNERS else len(treebank.forms))


def _longest(parser: str) -> int:
    return LONGEST_WHOLE if parser in _BY_PIECES else LONGEST_LEARNED
