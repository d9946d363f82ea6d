"""Parses a treebank in chunks of sentences, to show progress."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from levelhead.parsing.word_features import Columns, Integers, columns_between

WORDS_A_CHUNK = 5000
"""The approximate number of words in a chunk."""

Progress = Callable[[int], None]
"""Called after each chunk, with its number of sentences."""


def in_chunks(
    columns: Columns,
    starts: Integers,
    parse: Callable[[Columns, Integers], tuple[Integers, Integers]],
    progress: Progress | None,
) -> tuple[Integers, Integers]:
    """Return the heads and labels of all words; the result does not depend on the chunks.

    Without `progress`, there is a single chunk, since each chunk requires some setup.
    """
    if progress is None:
        return parse(columns, starts)
    bounds = _bounds(starts)
    parsed: list[tuple[Integers, Integers]] = []
    for first, last in pairwise(bounds):
        words = columns_between(columns, int(starts[first]), int(starts[last]))
        parsed.append(parse(words, starts[first : last + 1] - starts[first]))
        progress(last - first)
    return np.concatenate([heads for heads, _ in parsed]), np.concatenate([labels for _, labels in parsed])


def _bounds(starts: Integers) -> list[int]:
    """The first sentence of each chunk, then the number of sentences."""
    wanted = np.arange(0, int(starts[-1]), WORDS_A_CHUNK)
    firsts = np.searchsorted(starts[:-1], wanted)
    bounds: list[int] = np.unique(np.append(firsts, len(starts) - 1)).tolist()
    return bounds
