"""The documents of a treebank, from its `# newdoc` comments."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank import Treebank

Rows = NDArray[np.intp]


def document_of_sentence(treebank: Treebank) -> Rows:
    """Return the document of each sentence, counted from 0; sentences before the first mark are a document.

    Args:
        treebank: the gold treebank.

    Returns:
        Shape (sentences,); all 0 where nothing is marked.
    """
    starts = [_starts_document(one.comments) for one in treebank]
    if starts:
        starts[0] = False
    return np.cumsum(starts, dtype=np.intp)


def _starts_document(comments: Iterable[str]) -> bool:
    return any(comment.split()[:2] == ["#", "newdoc"] for comment in comments)


def summed_by_document(table: NDArray[np.float64], documents: Rows) -> NDArray[np.float64]:
    """Return the counts of documents.

    Args:
        table: the counts of sentences, shape (sentences, ...).
        documents: the document of each sentence, shape (sentences,).

    Returns:
        Shape (documents, ...).
    """
    summed = np.zeros((int(documents.max(initial=-1)) + 1, *table.shape[1:]))
    np.add.at(summed, documents, table)
    return summed
