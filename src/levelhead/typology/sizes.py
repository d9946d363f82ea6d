"""The sizes of a treebank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from levelhead.typology.tally import Histogram, Sums

if TYPE_CHECKING:
    from levelhead.treebank import Treebank


@dataclass(frozen=True, eq=False)
class Sizes(Sums):
    """Sizes of a treebank.

    Args:
        tokens: surface tokens.
        multiword_tokens: tokens annotated as several words.
        empty_nodes: empty nodes of the enhanced graph.
        sentence_lengths: the number of words of each sentence.
    """

    tokens: int
    multiword_tokens: int
    empty_nodes: int
    sentence_lengths: Histogram

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return self.sentence_lengths.total

    @property
    def words(self) -> int:
        """The number of syntactic words."""
        return self.sentence_lengths.sum


def count_sizes(treebank: Treebank) -> Sizes:
    """Count sentences, tokens, words, multiword tokens and empty nodes."""
    lengths = Histogram.of(np.diff(treebank.sentence_starts))
    return Sizes(treebank.n_tokens, len(treebank.multiword), len(treebank.empty), lengths)
