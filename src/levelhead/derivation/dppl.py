"""Derivation perplexity as a measure: the perplexity of derivations of a system's trees, given training trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.derivation.estimate import estimate
from levelhead.derivation.ngram_model import NgramModel
from levelhead.derivation.perplexity import sentence_sums
from levelhead.derivation.sequences import ORDERS, sequences_of
from levelhead.errors import MeasureError, unknown
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
    """Return the model for the argument of DPPL.

    Args:
        argument: the path of a training treebank; `,order=NAME` may follow.

    Raises:
        InputError: the treebank cannot be read, or has a tree that the transition system cannot derive.
        MeasureError: the order is unknown.
    """
    path, marker, order = argument.rpartition(",order=")
    if not marker:
        path, order = argument, _DEFAULT_ORDER
    if order not in ORDERS:
        raise MeasureError(unknown("order", order, ORDERS), "unknown-order")
    return estimated_model(read(path), order)


def estimated_model(treebank: Treebank, order: str = _DEFAULT_ORDER) -> Resource:
    """Return the model of a training treebank for DPPL.

    Args:
        treebank: the training treebank.
        order: the name of a transition system.

    Raises:
        InputError: the transition system cannot derive a tree.
    """
    model = estimate(sequences_of(treebank, order))
    path = treebank.source.path
    warnings = (*map(str, treebank.warnings), *(f"{path}, {order} order: {text}" for text in model.fallback_warnings))
    return Resource(Trained(model, order), contents_hash(treebank), warnings)


def count_surprise(matches: Matches, trained: Trained, *, by_sentence: bool = False) -> Counts:
    """Return the surprisal of the system's trees: minus log10 of the probability, and the number of events.

    Unknown words are left out, and ends of sentences are events, as in language-model tools.

    Args:
        matches: the system's words; gold gives the rows only.
        trained: the model and its order.
        by_sentence: one row for each gold sentence.
    """
    sums = sentence_sums(trained.model, sequences_of(matches.system, trained.order))
    logs, events = sums.sums(oov=False)
    rows = matches.rows_at(matches.system_spans.sentence_starts[:-1]) if by_sentence else None
    surprise, total = (_by_row(values, rows, len(matches.gold)) for values in (-logs, events.astype(np.float64)))
    return Counts(surprise, total, total, None)


def _by_row(values: NDArray[np.float64], rows: NDArray[np.int32] | None, n_rows: int) -> NDArray[np.float64]:
    if rows is None:
        return np.array([values.sum()])
    summed: NDArray[np.float64] = np.bincount(rows, weights=values, minlength=n_rows).astype(np.float64)
    return summed
