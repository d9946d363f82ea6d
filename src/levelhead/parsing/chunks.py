"""Parsing a treebank in chunks of sentences, so that progress can be shown."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from levelhead.parsing.word_features import Columns, Integers, columns_between

WORDS_A_CHUNK = 5000
"""About so many words are parsed between two reports."""

Progress = Callable[[int], None]
"""Called with the number of sentences in each chunk that is done."""


def in_chunks(
    columns: Columns,
    starts: Integers,
    parse: Callable[[Columns, Integers], tuple[Integers, Integers]],
    progress: Progress | None,
) -> tuple[Integers, Integers]:
    """Return the heads and labels of all words; the result does not depend on the chunks.

    Without `progress` there is a single chunk, since a parser has to be set up for each.

    Args:
        columns: the words.
        starts: the first word of each sentence, then the number of words.
        parse: from such columns and starts to heads and labels; sentences are independent of each other.
        progress: what is called after each chunk.
    """
    if progress is None:
        return parse(columns, starts)
    bounds = _bounds(starts)
    found: list[tuple[Integers, Integers]] = []
    for first, last in pairwise(bounds):
        words = columns_between(columns, int(starts[first]), int(starts[last]))
        found.append(parse(words, starts[first : last + 1] - starts[first]))
        progress(last - first)
    return np.concatenate([heads for heads, _ in found]), np.concatenate([labels for _, labels in found])


def _bounds(starts: Integers) -> list[int]:
    """The first sentence of each chunk, then the number of sentences."""
    wanted = np.arange(0, int(starts[-1]), WORDS_A_CHUNK)
    firsts = np.searchsorted(starts[:-1], wanted)
    bounds: list[int] = np.unique(np.append(firsts, len(starts) - 1)).tolist()
    return bounds
