"""Derivation perplexity as a measure: the perplexity of derivations of a system's trees, given training trees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from levelhead.derivation.estimate import estimate
from levelhead.derivation.ngram_model import NgramModel
from levelhead.derivation.perplexity import sentence_sums
from levelhead.derivation.sequences import ORDERS, sequences_of
from levelhead.errors import MeasureError, unknown
from levelhead.immutable import immutable
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Matches
from levelhead.scoring.measure import Resource
from levelhead.treebank import Treebank, read
from levelhead.treebank.contents import contents_hash

_DEFAULT_ORDER = "swap-lazy"


class Trained(NamedTuple):
    """The model of derivation perplexity.

    Args:
        model: the trigram model of the training treebank's words in derivation order.
        order: the order, the name of a transition system.
    """

    model: NgramModel
    order: str


def load_model(argument: str) -> Resource:
    """Return the model for the argument of DPPL."""
    path, marker, order = argument.rpartition(",order=")
    if not marker:
        path, order = argument, _DEFAULT_ORDER
    if order not in ORDERS:
        raise MeasureError(unknown("order", order, ORDERS), "unknown-order")
    return estimated_model(read(path), order)


def estimated_model(treebank: Treebank, order: str = _DEFAULT_ORDER) -> Resource:
    """Return the model of a training treebank for DPPL."""
    model = estimate(sequences_of(treebank, order))
    path = treebank.source.path
    warnings = (*map(str, treebank.warnings), *(f"{path}, {order} order: {text}" for text in model.fallback_warnings))
    return Resource(Trained(model, order), contents_hash(treebank), warnings)


@immutable()
class SurpriseTotal(Counts):
    """One row of counts, whose surprisal is correctly rounded, also if sentences are added to it.

    Args:
        parts: numbers whose exact sum is the surprisal; the first is the rounded sum.
    """

    parts: Sequence[float]


def count_surprise(
    matches: Matches, trained: Trained, *, by_sentence: bool = False, before: SurpriseTotal | None = None
) -> Counts:
    """Return the surprisal of the system's trees: minus log10 of the probability, and the number of events.

    Unknown words are left out, and ends of sentences are events, as in language-model tools.
    """
    sums = sentence_sums(trained.model, sequences_of(matches.system, trained.order))
    logs, events = sums.sums(oov=False)
    if by_sentence:
        rows = matches.rows_at(matches.system_spans.sentence_starts[:-1])
        surprise, total = (np.bincount(rows, values, len(matches.gold)) for values in (-logs, events))
        return Counts(surprise, total, total, None)
    earlier = ((), 0) if before is None else (before.parts, before.gold[0])
    parts = _parts_of_sum([*(-logs).tolist(), *earlier[0]])
    total = np.array([events.sum() + earlier[1]], dtype=np.float64)
    return SurpriseTotal(np.array(parts[:1]), total, total, None, parts)


def _parts_of_sum(numbers: Sequence[float]) -> list[float]:
    """Return at least one number, with the same exact sum as these; the first is the rounded sum."""
    parts = [math.fsum(numbers)]
    while rest := math.fsum([*numbers, *(-part for part in parts)]):
        parts.append(rest)
    return parts
