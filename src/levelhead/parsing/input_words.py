"""Reads the input of a parser, whose trees can be missing or invalid."""

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

_TREE_FAULTS = {"invalid-head", "head-outside-sentence", "no-root", "several-roots", "cycle", "empty-relation"}


def read_words(path: str | os.PathLike[str]) -> Treebank:
    """Return the words of a CoNLL-U file; its heads and relations can be anything, such as `_`.

    Args:
        path: the file, compressed or not; "-" is standard input.

    Raises:
        InputError: the file cannot be read, or is invalid in something other than its trees.
    """
    data, name = read_bytes(path), os.fsdecode(path)
    try:
        treebank = from_conllu(data, name=name)
    except ConlluError as error:
        if not any(fault.slug in _TREE_FAULTS for fault in error.faults):
            raise
        treebank = from_conllu_without_trees(data, name)
    return treebank if treebank.has_trees else _with_dummy_trees(treebank)


def _with_dummy_trees(treebank: Treebank) -> Treebank:
    """A treebank in which all other words of a sentence depend on the first word."""
    first = treebank.sentence_starts[treebank.sentence_of_word]
    roots = np.arange(treebank.n_words) == first
    relations = np.where(roots, "root", "dep").tolist()
    return treebank.replace(
        heads=np.where(roots, -1, first).tolist(), relations=relations, deps=["_"] * treebank.n_words
    )
