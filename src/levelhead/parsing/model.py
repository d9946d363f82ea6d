"""Trained parsers as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TRANSITION_SYSTEMS = ("arc-standard", "swap-eager", "swap-lazy", "arc-eager")
"""The transition systems, in the order of their numbers in the kernel."""


PARSERS = TRANSITION_SYSTEMS
"""What `levelhead train` can train without another program."""


@dataclass(frozen=True, eq=False)
class Model:
    """A trained parser: everything that is needed to parse.

    Args:
        parser: its name, as in `levelhead train`.
        relations: the relations it knows, most frequent first.
        root: which of them words have whose head is the root.
        templates: its feature templates by what they are for, as text.
        beam: how many hypotheses are kept (1: greedy).
        tables: weights by what they are for; int16, shape (rows, classes).
        training: how it was trained: the version, the seed, how many words.
    """

    parser: str
    relations: tuple[str, ...]
    root: int
    templates: Mapping[str, str]
    beam: int
    tables: Mapping[str, NDArray[np.int16]]
    training: Mapping[str, str | int | float]

    def __repr__(self) -> str:
        beam = f", beam {self.beam}" if self.beam > 1 else ""
        return f"<Model: {self.parser}{beam}, {len(self.relations)} relations>"


def rows_for(n_words: int, most: int) -> int:
    """Return how many rows a table of weights gets: a power of two near twelve for each word of training.

    Fewer rows fit the processor's caches; collisions begin to cost accuracy only below that (docs/parsers.md).
    """
    wanted = int(np.ceil(np.log2(max(n_words, 1) * 12) - 0.5))
    return 1 << min(max(wanted, 14), most)


def quantised(*averages: NDArray[np.float64]) -> list[NDArray[np.int16]]:
    """Return averaged weights as whole numbers, all on one scale, so that sums of scores are exact."""
    largest = max((float(np.abs(table).max()) for table in averages), default=0.0)
    scale = 32000 / largest if largest else 1.0
    return [np.rint(table * scale).astype(np.int16) for table in averages]
