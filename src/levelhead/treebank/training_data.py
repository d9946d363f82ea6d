"""The contents of training treebanks: forms, sentences, trees."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank.provenance import FileId, contents_hash, summary_of
from levelhead.treebank.relations import universal
from levelhead.treebank.treebank import Treebank

Tree = tuple[tuple[int, ...], tuple[str, ...]]


class Training(NamedTuple):
    """The contents of training treebanks.

    Args:
        forms: a mapping from each form to the number of syntactic words with this form.
        sentences: the distinct sentences, each as a tuple of forms.
        trees: the distinct trees, each as a pair of tuples: the heads (0 for the root), and the universal relations.
        heads: the tuples of heads in `trees`, without duplicates.
        files: the hash of each file, and the name of the file if it is in a UD release.
        key: a joint hash of all treebanks, including treebanks that were not read from files.
    """

    forms: Mapping[str, int]
    sentences: frozenset[tuple[str, ...]]
    trees: frozenset[Tree]
    heads: frozenset[tuple[int, ...]]
    files: tuple[FileId, ...]
    key: str

    @property
    def hashes(self) -> str:
        """The names of all UD files, and the first digits of the hashes of all other files, joined with "+"."""
        return "+".join(map(str, self.files))

    @classmethod
    def of(cls, treebanks: Iterable[Treebank]) -> Training:
        """Return the contents of training `treebanks`, which can be an iterator that reads one treebank at a time."""
        forms: Counter[str] = Counter()
        sentences: set[tuple[str, ...]] = set()
        trees: set[Tree] = set()
        files, contents = list[FileId](), []
        for treebank in treebanks:
            forms.update(treebank.forms.frequencies())
            sentences.update(sentences_of(treebank))
            trees.update(trees_of(treebank))
            files.append(summary_of(treebank).id)
            contents.append(contents_hash(treebank))
        heads = frozenset(tree[0] for tree in trees)
        key = hashlib.sha256("+".join(contents).encode()).hexdigest()
        return cls(forms, frozenset(sentences), frozenset(trees), heads, tuple(files), key)

    def same_words(self, treebank: Treebank) -> NDArray[np.bool_]:
        """Return for each sentence whether a training sentence has the same words; bool, shape (sentences,)."""
        return np.array([sentence in self.sentences for sentence in sentences_of(treebank)], dtype=bool)

    def same_heads(self, treebank: Treebank) -> NDArray[np.bool_]:
        """Return for each sentence whether a training sentence has the same heads; words and relations can differ."""
        return np.array([tree[0] in self.heads for tree in trees_of(treebank)], dtype=bool)


def sentences_of(treebank: Treebank) -> Iterator[tuple[str, ...]]:
    forms, starts = list(treebank.forms), treebank.sentence_starts.tolist()
    return (tuple(forms[start:end]) for start, end in pairwise(starts))


def trees_of(treebank: Treebank) -> Iterator[Tree]:
    heads, starts = treebank.local_heads().tolist(), treebank.sentence_starts.tolist()
    relations = [universal(relation) for relation in treebank.relations]
    return ((tuple(heads[start:end]), tuple(relations[start:end])) for start, end in pairwise(starts))
