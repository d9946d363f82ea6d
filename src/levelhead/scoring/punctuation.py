"""The relations that count as punctuation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from levelhead.treebank.relations import universal

if TYPE_CHECKING:
    from levelhead.treebank import Treebank

PUNCT = frozenset({"punct"})


def callin_punctuation(pieces: Iterable[Treebank]) -> frozenset[str]:
    """Return the universal relations that Callin's program leaves out with punctuation.

    They are `punct` and every relation whose last word in the treebank consists of ASCII punctuation (`dep` in Spanish
    of UD 1.2).
    """
    by_relation: dict[str, bool] = {}
    for piece in pieces:
        by_relation |= _last_words_are_punctuation(piece)
    return PUNCT | {relation for relation, is_punctuation in by_relation.items() if is_punctuation}


def _last_words_are_punctuation(gold: Treebank) -> dict[str, bool]:
    """Whether the last word of each universal relation consists of ASCII punctuation."""
    import string

    codes = gold.relations.codes
    last = np.full(len(gold.relations.strings), -1, dtype=np.int64)
    np.maximum.at(last, codes, np.arange(len(codes)))
    newest: dict[str, int] = {}
    for code in gold.relations.distinct.tolist():
        label = universal(gold.relations.strings[code])
        newest[label] = max(newest.get(label, -1), int(last[code]))
    return {label: set(gold.forms[word]) <= set(string.punctuation) for label, word in newest.items()}
