"""The relations that count as punctuation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from levelhead.treebank.relations import universal

if TYPE_CHECKING:
    from levelhead.scoring.measure import Punctuation
    from levelhead.treebank import Treebank

PUNCT = frozenset({"punct"})


def punctuation_of(gold: Treebank, rule: Punctuation) -> frozenset[str]:
    """Return the universal relations that are left out with punctuation.

    Args:
        gold: the gold treebank.
        rule: "relation": `punct`. "callin": also every relation whose last word in the treebank consists of ASCII
            punctuation, as in Callin's program (which drops `dep` in Spanish of UD 1.2).
    """
    return PUNCT if rule == "relation" else PUNCT | _last_words_are_punctuation(gold)


def _last_words_are_punctuation(gold: Treebank) -> frozenset[str]:
    import string

    codes = gold.relations.codes
    last = np.full(len(gold.relations.strings), -1, dtype=np.int64)
    np.maximum.at(last, codes, np.arange(len(codes)))
    newest: dict[str, int] = {}
    for code in gold.relations.distinct.tolist():
        label = universal(gold.relations.strings[code])
        newest[label] = max(newest.get(label, -1), int(last[code]))
    return frozenset(label for label, word in newest.items() if set(gold.forms[word]) <= set(string.punctuation))
