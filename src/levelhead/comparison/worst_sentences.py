"""The sentences with the largest losses of systems compared with the first, on the mean of their runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from levelhead.campaign.outputs import Output
from levelhead.evaluation.by_sentence import counts_of
from levelhead.evaluation.setup import Setup

_EQUAL = 1e-9
"""Sums of weights with a smaller difference are equal."""

_MOST = 10


class WorseSentence(NamedTuple):
    """A sentence in which a system is worse than the first.

    Args:
        treebank: the code of the test set.
        system: the system.
        sentence: the number of the gold sentence, from 1.
        sent_id: its id, or None.
        baseline: the number of correct words of the baseline (the mean of its runs), or the sum of their weights.
        right: the same for the system.
        words: the number of gold words, or the sum of their weights.
        text: the words of the sentence.
    """

    treebank: str
    system: str
    sentence: int
    sent_id: str | None
    baseline: float
    right: float
    words: float
    text: str


def worst_sentences(treebank: str, outputs: Sequence[Output], *, setup: Setup) -> list[WorseSentence]:
    """Return the ten sentences in which each system loses most compared with the first; called by the engine."""
    ((measure, _),) = setup.defined
    counts: dict[str, list[Any]] = {}
    for output in outputs:
        counts.setdefault(output.system, []).append(counts_of(output.matches, setup)[str(measure)][0])
    right = {name: np.mean([run.correct for run in own], axis=0) for name, own in counts.items()}
    baseline, *others = right
    gold, words = outputs[0].matches.gold, counts[baseline][0].gold
    sentences = []
    for system in others:
        change = right[system] - right[baseline]
        for i in np.argsort(change, kind="stable")[:_MOST].tolist():
            if change[i] < -_EQUAL:
                numbers = (right[baseline][i].item(), right[system][i].item(), words[i].item())
                text = " ".join(gold[i].forms)
                sentences.append(WorseSentence(treebank, system, i + 1, gold[i].id, *numbers, text))
    return sentences
