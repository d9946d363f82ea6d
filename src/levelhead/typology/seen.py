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
    """How many sentences occur in training.

    Args:
        sentences: the sentences that were compared with training treebanks; 0 if there are none.
        words: those with the words of a training sentence.
        heads: those with the heads of a training sentence, whatever the words and labels.
        either: those with one of both.
    """

    sentences: int
    words: int
    heads: int
    either: int


NOT_COMPARED = SeenSentences(0, 0, 0, 0)
"""Without training treebanks."""


def count_seen(treebank: Treebank, training: Training) -> SeenSentences:
    """Count the sentences that occur in training.

    Args:
        treebank: the treebank.
        training: what was seen in training.
    """
    words, heads = training.same_words(treebank), training.same_heads(treebank)
    return SeenSentences(len(treebank), int(words.sum()), int(heads.sum()), int((words | heads).sum()))
