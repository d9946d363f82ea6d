"""Agreement of two annotations of one text, neither of which is gold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.buckets import BUCKETS, Settings
from levelhead.evaluation import Evaluation, score_treebanks
from levelhead.measures import parse_measure
from levelhead.scoring.matches import Matches
from levelhead.treebank.schemes import NIVRE_FANG

MEASURES = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "LAS(full)", "CLAS", "LEM")
"""What is compared: their F1 is the same in both directions."""


class Kappa(NamedTuple):
    """Agreement on labels beyond chance, over aligned words (Cohen 1960).

    Args:
        observed: the share of aligned words on which both agree.
        expected: the share on which they would by chance, given how often each uses each label.
        kappa: (observed - expected) / (1 - expected); None where chance explains everything.
    """

    observed: float
    expected: float
    kappa: float | None


class Agreement(NamedTuple):
    """How far two annotations agree.

    Args:
        evaluation: the symmetric F1 of each measure.
        upos: agreement on parts of speech.
        relations: on universal relations.
        differing: the sentences of the first that differ in span, words, heads or relations, by index.
    """

    evaluation: Evaluation
    upos: Kappa | None
    relations: Kappa | None
    differing: tuple[int, ...]


def agreement(matches: Matches) -> Agreement:
    """Compare two annotations as equals.

    Args:
        matches: the aligned words of both.
    """
    measures = [parse_measure(name) for name in MEASURES if name not in matches.rules.lacks]
    evaluation = score_treebanks(matches.gold, matches.system, measures, matches.rules)
    from levelhead.sentences import count_sentences

    exact = count_sentences(matches.gold, matches.system, measures=["LEM"], rules=matches.rules).counts["LEM"]
    differing = tuple(np.flatnonzero(exact.correct == 0).tolist())
    return Agreement(evaluation, _kappa(matches, "upos"), _kappa(matches, "deprel"), differing)


def _kappa(matches: Matches, name: str) -> Kappa | None:
    if name == "upos":
        columns = (matches.gold.upos, matches.system.upos)
        number = {text: i for i, text in enumerate({text for column in columns for text in column})}
        labels: Sequence[NDArray[np.int64]] = [np.array([number[text] for text in column]) for column in columns]
    else:
        buckets = BUCKETS[name].of(matches, Settings(NIVRE_FANG))
        labels = [buckets.gold, buckets.system]
    one, other = labels[0][matches.alignment.gold], labels[1][matches.alignment.system]
    if not len(one):
        return None
    size = int(max(one.max(), other.max())) + 1
    shares = [np.bincount(side, minlength=size) / len(side) for side in (one, other)]
    observed, expected = float((one == other).mean()), float(shares[0] @ shares[1])
    return Kappa(observed, expected, (observed - expected) / (1 - expected) if expected < 1 else None)
