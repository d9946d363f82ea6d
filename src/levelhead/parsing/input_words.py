"""Reading words whose trees are missing or broken: what a parser is given."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import ConlluError
from levelhead.treebank import from_conllu
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.reader import from_conllu_without_trees

if TYPE_CHECKING:
    from levelhead.treebank import Treebank

_OF_TREES = {"invalid-head", "head-outside-sentence", "no-root", "several-roots", "cycle", "empty-relation"}


def read_words(path: str | os.PathLike[str]) -> Treebank:
    """Read a CoNLL-U file to be parsed: heads and relations may be anything, `_` for example.

    Args:
        path: the file, compressed or not; "-" is standard input.

    Raises:
        InputError: it cannot be read, or something other than its trees is not valid.
    """
    data, name = read_bytes(path), os.fsdecode(path)
    try:
        treebank = from_conllu(data, name=name)
    except ConlluError as error:
        if not any(fault.slug in _OF_TREES for fault in error.faults):
            raise
        treebank = from_conllu_without_trees(data, name)
    return treebank if treebank.has_trees else _with_some_trees(treebank)


def _with_some_trees(treebank: Treebank) -> Treebank:
    """Return a treebank in which the first word of each sentence is the root of all others."""
    first = treebank.sentence_starts[treebank.sentence_of_word]
    roots = np.arange(treebank.n_words) == first
    relations = np.where(roots, "root", "dep").tolist()
    return treebank.replace(
        heads=np.where(roots, -1, first).tolist(), relations=relations, deps=["_"] * treebank.n_words
    )
