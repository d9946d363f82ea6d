"""The places of words, multiword tokens and empty nodes in their file, computed from the lines of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from levelhead.errors import Place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank.treebank import Treebank

    Rows = NDArray[np.integer[Any]]


def place_of(treebank: Treebank, word: int) -> Place:
    """Return the place of a word."""
    return next(places_of(treebank, np.array([word])))


def place_of_comment(treebank: Treebank, at: int) -> Place:
    """Return the place of a comment, computed from the lines below it."""
    comments = treebank.comments
    sentence = int(np.searchsorted(comments.starts, at, side="right")) - 1
    below = comments.text.count(b"\n", at, int(comments.starts[sentence + 1]))
    line = int(treebank.source.lines[sentence]) - below if len(treebank.source.lines) else None
    return Place(treebank.source.path, line, sentence + 1)


def places_of(treebank: Treebank, words: Rows) -> Iterator[Place]:
    """Yield the place of each of some words, computed from the lines above it in its sentence."""
    sentences = treebank.sentence_of_word[words]
    numbers = words - treebank.sentence_starts[sentences] + 1
    ranges = _n_from(treebank.multiword.first, words - numbers + 1, words)
    return _places(treebank, sentences, words, ranges + _n_empty_nodes(treebank, sentences, words), map(str, numbers))


def places_of_ranges(treebank: Treebank, rows: Rows) -> Iterator[Place]:
    """Yield the place of each of some multiword tokens: the line above its first word."""
    multiword = treebank.multiword
    sentences, words = multiword.sentence[rows], multiword.first[rows]
    ranges = rows - np.searchsorted(multiword.sentence, sentences)
    first = words - treebank.sentence_starts[sentences] + 1
    names = (f"{number}-{last}" for number, last in zip(first, first + multiword.n_words[rows] - 1))
    return _places(treebank, sentences, words, ranges + _n_empty_nodes(treebank, sentences, words), names)


def places_of_empty_nodes(treebank: Treebank, rows: Rows) -> Iterator[Place]:
    """Yield the place of each of some empty nodes."""
    empty = treebank.empty
    sentences, positions = empty.sentence[rows], empty.position[rows]
    starts = treebank.sentence_starts[sentences]
    nodes = rows - np.searchsorted(empty.sentence, sentences)
    ranges = _n_from(treebank.multiword.first, starts, positions - 1)
    names = (f"{number}.{minor}" for number, minor in zip(positions - starts, empty.minor[rows]))
    return _places(treebank, sentences, positions, nodes + ranges, names)


def _places(treebank: Treebank, sentences: Rows, words: Rows, others: Rows, names: Iterator[str]) -> Iterator[Place]:
    """Yield places above some words, with so many other lines of their sentences before them."""
    path, lines = treebank.source.path, treebank.source.lines
    numbers = lines[sentences] + words - treebank.sentence_starts[sentences] + others if len(lines) else None
    found = [None] * len(sentences) if numbers is None else numbers.tolist()
    for line, sentence, name in zip(found, sentences.tolist(), names, strict=True):
        yield Place(path, line, sentence + 1, name)


def _n_from(rows: Rows, first: Rows, last: Rows) -> Rows:
    """Return how many of some ascending rows are from each first to each last."""
    return np.searchsorted(rows, last, side="right") - np.searchsorted(rows, first)


def _n_empty_nodes(treebank: Treebank, sentences: Rows, words: Rows) -> Rows:
    """Return how many empty nodes of the sentence are above each word, including those that were skipped."""
    empty, skipped = treebank.empty, treebank.source.skipped
    start, end = (np.searchsorted(empty.sentence, sentences, side=side) for side in ("left", "right"))
    above = np.searchsorted(empty.position, words, side="right").clip(start, end) - start
    return above + _n_from(skipped, treebank.sentence_starts[sentences], words)
