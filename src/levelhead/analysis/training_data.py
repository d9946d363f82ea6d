"""What was seen in training: forms, sentences, trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from levelhead.treebank import Treebank
from levelhead.treebank.relations import universal

Tree = tuple[tuple[int, ...], tuple[str, ...]]


class Training(NamedTuple):
    """What training treebanks hold.

    Args:
        forms: how often each form occurs as a syntactic word.
        sentences: the sentences, as their forms.
        trees: the trees, as their heads (0 for the root) and universal relations.
    """

    forms: Mapping[str, int]
    sentences: frozenset[tuple[str, ...]]
    trees: frozenset[Tree]

    @classmethod
    def of(cls, treebanks: Iterable[Treebank]) -> Training:
        """Gather what training treebanks hold.

        Args:
            treebanks: the treebanks, read one after the other.
        """
        forms: Counter[str] = Counter()
        sentences: set[tuple[str, ...]] = set()
        trees: set[Tree] = set()
        for treebank in treebanks:
            forms.update(treebank.forms.frequencies())
            sentences.update(sentences_of(treebank))
            trees.update(trees_of(treebank))
        return cls(forms, frozenset(sentences), frozenset(trees))


def sentences_of(treebank: Treebank) -> Iterator[tuple[str, ...]]:
    """Give the forms of each sentence.

    Args:
        treebank: any treebank.
    """
    forms, starts = list(treebank.forms), treebank.sentence_starts.tolist()
    return (tuple(forms[start:end]) for start, end in pairwise(starts))


def trees_of(treebank: Treebank) -> Iterator[Tree]:
    """Give the heads and universal relations of each sentence.

    Args:
        treebank: any treebank.
    """
    heads, starts = treebank.local_heads().tolist(), treebank.sentence_starts.tolist()
    relations = [universal(relation) for relation in treebank.relations]
    return ((tuple(heads[start:end]), tuple(relations[start:end])) for start, end in pairwise(starts))
