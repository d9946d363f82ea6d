"""Sentences that occur in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from levelhead.typology.tally import Sums

if TYPE_CHECKING:
    from levelhead.treebank import Treebank
    from levelhead.treebank.training_data import Training


@dataclass(frozen=True, eq=False)
class SeenSentences(Sums):
    """The number of sentences that occur in training.

    Args:
        sentences: the number of sentences that were compared with training treebanks; 0 without training treebanks.
        words: the number with the words of a training sentence.
        heads: the number with the heads of a training sentence, regardless of words and labels.
        either: the number with either.
    """

    sentences: int
    words: int
    heads: int
    either: int


NOT_COMPARED = SeenSentences(0, 0, 0, 0)
"""Without training treebanks."""


def count_seen(treebank: Treebank, training: Training) -> SeenSentences:
    """Return the number of sentences that occur in training."""
    words, heads = training.same_words(treebank), training.same_heads(treebank)
    return SeenSentences(len(treebank), int(words.sum()), int(heads.sum()), int((words | heads).sum()))
