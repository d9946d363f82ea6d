"""Agreement of two annotations of one text, neither of which is gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.word_properties import PROPERTIES, PropertySettings
from levelhead.evaluation.pair import Evaluation, score_treebanks
from levelhead.evaluation.provenance import Provenance
from levelhead.evaluation.setup import Setup
from levelhead.measures.registry import STANDARD, parse_measure
from levelhead.scoring.matches import Matches, match
from levelhead.scoring.measure import Measure
from levelhead.scoring.score import count_by_sentence, not_annotated
from levelhead.tabular import Tabular
from levelhead.treebank import Treebank
from levelhead.treebank.schemes import NIVRE_FANG

MEASURES = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS", "LAS(full)", "CLAS", "LEM")
"""What is compared."""


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


@dataclass(frozen=True, repr=False)
class Agreement(Tabular):
    """How far two annotations agree.

    Args:
        gold: the first annotation.
        evaluation: the symmetric F1 of each measure.
        upos: agreement on parts of speech.
        relations: on universal relations.
        differing: the sentences of the first that differ in span, words, heads or universal relations, by index.
    """

    gold: Treebank
    evaluation: Evaluation
    upos: Kappa | None
    relations: Kappa | None
    differing: tuple[int, ...]

    @property
    def provenance(self) -> Provenance:
        """Where the numbers come from."""
        return self.evaluation.provenance


def agreement(matches: Matches) -> Agreement:
    """Compare two annotations as equals: F1 and kappa are the same in both directions.

    A lemma that one of the two lacks counts as any other value, and a column that either lacks altogether has no
    score, whatever the rules require of gold. One thing is not symmetric: where multiword tokens are split into other
    words, the words are aligned by a longest common subsequence, and of several of one length the one found first
    from the first annotation's side is taken.

    Args:
        matches: the aligned words of both.
    """
    rules = matches.rules._replace(missing_lemma_counts=False)
    one, other = match(matches.gold, matches.system, rules), match(matches.system, matches.gold, rules)
    measures = tuple(parse_measure(name) for name in MEASURES if rules.defines(name))
    evaluation = score_treebanks(one.gold, one.system, Setup(measures, rules))
    scores = {name: replace(score, reason=_missing(score.measure, one, other)) for name, score in evaluation.items()}
    exact = count_by_sentence(one, parse_measure("LEM"), STANDARD.measures["LEM"])
    differing = tuple(np.flatnonzero(exact.correct == 0).tolist())
    upos = None if scores["UPOS"].reason else _kappa(one, "upos")
    evaluation = replace(evaluation, scores=scores, provenance=evaluation.provenance.with_parts(lemmas="all"))
    return Agreement(one.gold, evaluation, upos, _kappa(one, "deprel"), differing)


def _missing(measure: Measure, one: Matches, other: Matches) -> str | None:
    """Return notes on columns that are annotated on one side only, or on neither."""
    definition = STANDARD.measures[measure.name]
    if not (not_annotated(one, definition) or not_annotated(other, definition)):
        return None
    return f"not annotated on both sides: {', '.join(definition.columns).upper()}"


def _kappa(matches: Matches, name: str) -> Kappa | None:
    if name == "upos":
        columns = (matches.gold.upos, matches.system.upos)
        number = {text: i for i, text in enumerate(sorted({*columns[0], *columns[1]}))}
        labels: Sequence[NDArray[np.int64]] = [np.array([number[text] for text in column]) for column in columns]
    else:
        buckets = PROPERTIES[name].of(matches, PropertySettings(NIVRE_FANG))
        labels = [buckets.gold, buckets.system]
    one, other = labels[0][matches.alignment.gold], labels[1][matches.alignment.system]
    if not len(one):
        return None
    size = int(max(one.max(), other.max())) + 1
    shares = [np.bincount(side, minlength=size) / len(side) for side in (one, other)]
    observed, expected = float((one == other).mean()), float(shares[0] @ shares[1])
    return Kappa(observed, expected, (observed - expected) / (1 - expected) if expected < 1 else None)
