"""Sentences that are too long to learn from: training takes time that grows with the square of their length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError
from levelhead.parsing.model import GRAPH_PARSERS, PARSERS
from levelhead.treebank import Treebank
from levelhead.treebank.places import place_of

LONGEST_WHOLE = 500
"""Words: graph-based parsers do not learn from longer sentences, and parse them in pieces."""

LONGEST_LEARNED = 2000
"""Words: transition systems do not learn from longer sentences; they parse them whole. A tree may need as many swaps as
it has pairs of words, and after a mistake the whole stack is searched for what can still be built."""


def left_out(treebank: Treebank, parser: str) -> tuple[Fault, ...]:
    """Return a warning of the sentences that a parser does not learn from because they are too long, if there are any.

    Args:
        treebank: what to learn from.
        parser: which parser; outside parsers learn from all.
    """
    rows = np.flatnonzero(_too_long(treebank, parser))
    if not len(rows):
        return ()
    first = int(rows[0])
    start, end = treebank.sentence_starts[first : first + 2].tolist()
    message = f"the sentence has {end - start} words; {parser} does not learn from more than {_longest(parser)}"
    return (Fault("long-sentence", message, place_of(treebank, start), "warning", len(rows)),)


def learnable(treebank: Treebank, parser: str) -> Treebank:
    """Return the sentences that are not too long to learn from.

    Args:
        treebank: what to learn from.
        parser: a parser of our own.

    Raises:
        InputError: all are too long.
    """
    long = _too_long(treebank, parser)
    if not long.any():
        return treebank
    if long.all():
        message = f"all sentences have more than {_longest(parser)} words"
        raise InputError(Fault("nothing-to-train-on", message))
    return treebank.select(~long)


def _too_long(treebank: Treebank, parser: str) -> NDArray[np.bool_]:
    sizes = np.diff(treebank.sentence_starts)
    return sizes > (_longest(parser) if parser in PARSERS else len(treebank.forms))


def _longest(parser: str) -> int:
    return LONGEST_WHOLE if parser in GRAPH_PARSERS else LONGEST_LEARNED
