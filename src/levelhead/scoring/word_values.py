"""What the tables and functions of words call columns: values of the words of one treebank, and of aligned words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from levelhead.scoring.matches import Agree
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.relations import Scheme, universal
from levelhead.treebank.strings import Strings

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_VALUE = -1  # of numbers


def _positions(treebank: Treebank) -> NDArray[Any]:
    return np.arange(treebank.n_words) - treebank.sentence_starts[treebank.sentence_of_word] + 1


def has_head(treebank: Treebank) -> NDArray[np.bool_]:
    """Return which words have a HEAD, also 0: all, or none without trees; partial scores can lack some."""
    if not treebank.has_trees:
        return np.zeros(treebank.n_words, dtype=bool)
    return np.not_equal(treebank.heads, np.arange(treebank.n_words))


def _written_heads(treebank: Treebank) -> NDArray[Any]:
    rows = np.arange(treebank.n_words)
    heads = np.where(treebank.heads < 0, 0, _positions(treebank) + treebank.heads - rows)
    return np.where(has_head(treebank), heads, NO_VALUE)


def _distances(treebank: Treebank) -> NDArray[Any]:
    distances = np.where(treebank.heads < 0, 0, abs(treebank.heads - np.arange(treebank.n_words)))
    return np.where(has_head(treebank), distances, NO_VALUE)


def _depths(treebank: Treebank) -> NDArray[Any]:
    n = treebank.n_words
    above = np.append(np.where(treebank.heads < 0, n, treebank.heads), n)
    depths = (above < n).astype(np.int32)
    for _ in range(int(np.diff(treebank.sentence_starts).max(initial=0)).bit_length()):  # twice as far each time
        depths, above = depths + depths[above], above[above]
    return np.where(has_head(treebank) & (above[:-1] == n), depths[:-1], NO_VALUE)


NUMBERS: Mapping[str, Callable[[Treebank], NDArray[Any]]] = MappingProxyType(
    {
        "word": _positions,  # from 1 in each sentence
        "head": _written_heads,  # 0 for roots
        "distance": _distances,  # from the word to its head, 0 for roots
        "depth": _depths,  # arcs to the root, 0 for roots; no value in cycles, which partial scores can have
    }
)
"""The columns of numbers of a treebank; `NO_VALUE` for words without a head."""

TEXTS: Mapping[str, tuple[str, Callable[[str, Scheme], str] | None]] = MappingProxyType(
    {
        "form": ("forms", None),
        "lemma": ("lemmas", None),
        "upos": ("upos", None),
        "xpos": ("xpos", None),
        "feats": ("feats", None),
        "deprel": ("relations", None),
        "relation": ("relations", lambda relation, _: universal(relation)),
        "class": ("relations", lambda relation, scheme: scheme.class_of(relation)),
    }
)
"""The columns of texts of a treebank: the column that they come from, and what a text and a scheme make of it."""

AGREEMENT: Mapping[str, Agree] = MappingProxyType(
    {
        "head_correct": Agree.HEAD,
        "deprel_correct": Agree.RELATION,
        "upos_correct": Agree.UPOS,
        "feats_correct": Agree.FEATS,
        "lemma_correct": Agree.LEMMA,
    }
)
"""The columns of what agrees in aligned words: what UAS, LS, UPOS, UFeats and Lemmas count."""

OF_TREES = frozenset({"head_correct", "deprel_correct"})  # the columns that need trees on both sides


def texts_of(treebank: Treebank, name: str, scheme: Scheme) -> StringColumn:
    """Return one of the columns of `TEXTS`."""
    source, function = TEXTS[name]
    column: StringColumn = getattr(treebank, source)
    if function is None:
        return column
    numbers: dict[str, int] = {}
    values = [numbers.setdefault(function(text, scheme), len(numbers)) for text in column.distinct_texts]
    of_code = np.zeros(len(column.strings), dtype=np.int32)
    of_code[column.distinct] = values
    return StringColumn(of_code[column.codes], Strings.of(numbers))
