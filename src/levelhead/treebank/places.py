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


def places_of(treebank: Treebank, words: Rows) -> Iterator[Place]:
    """Yield the place of each of some words, computed from the lines above it in its sentence."""
    sentences = treebank.sentence_of_word[words]
    starts = treebank.sentence_starts[sentences]
    first = treebank.multiword.first
    before = _n_between(first, starts, words) + _n_skipped(treebank, starts, words)
    before += _n_empty_nodes(treebank, sentences, words)
    names = (str(number) for number in (words - starts + 1).tolist())
    return _places(treebank, sentences, words - starts + before, names)


def place_of_comment(treebank: Treebank, at: int) -> Place:
    """Return the place of a comment, computed from the lines below it."""
    comments = treebank.comments
    sentence = int(np.searchsorted(comments.starts, at, side="right")) - 1
    below = comments.text.count(b"\n", at, int(comments.starts[sentence + 1]))
    line = int(treebank.source.lines[sentence]) - below if len(treebank.source.lines) else None
    return Place(treebank.source.path, line, sentence + 1)


def places_of_ranges(treebank: Treebank, rows: Rows) -> Iterator[Place]:
    """Yield the place of each of some multiword tokens: the line above its first word."""
    multiword = treebank.multiword
    sentences, words = multiword.sentence[rows], multiword.first[rows]
    starts = treebank.sentence_starts[sentences]
    before = rows - np.searchsorted(multiword.sentence, sentences) + _n_skipped(treebank, starts, words)
    before += _n_empty_nodes(treebank, sentences, words)
    first = words - starts + 1
    last = first + multiword.n_words[rows] - 1
    names = (f"{one}-{other}" for one, other in zip(first.tolist(), last.tolist(), strict=True))
    return _places(treebank, sentences, words - starts + before, names)


def places_of_empty_nodes(treebank: Treebank, rows: Rows) -> Iterator[Place]:
    """Yield the place of each of some empty nodes."""
    empty = treebank.empty
    sentences, positions = empty.sentence[rows], empty.position[rows]
    starts = treebank.sentence_starts[sentences]
    before = rows - np.searchsorted(empty.sentence, sentences)
    before += _n_between(treebank.multiword.first, starts, positions - 1)
    names = (f"{n}.{k}" for n, k in zip((positions - starts).tolist(), empty.minor[rows].tolist(), strict=True))
    return _places(treebank, sentences, positions - starts + before, names)


def _places(treebank: Treebank, sentences: Rows, below: Rows, names: Iterator[str]) -> Iterator[Place]:
    """Yield places so many lines below the first line of their sentences."""
    path, lines = treebank.source.path, treebank.source.lines
    found = (lines[sentences] + below).tolist() if len(lines) else [None] * len(sentences)
    for line, sentence, name in zip(found, sentences.tolist(), names, strict=True):
        yield Place(path, line, sentence + 1, name)


def _n_between(rows: Rows, first: Rows, last: Rows) -> Rows:
    """Return how many of some ascending rows are from each first to each last."""
    return np.searchsorted(rows, last, side="right") - np.searchsorted(rows, first)


def _n_empty_nodes(treebank: Treebank, sentences: Rows, words: Rows) -> Rows:
    """Return how many empty nodes of the sentence are above each word."""
    empty = treebank.empty
    start, end = (np.searchsorted(empty.sentence, sentences, side=side) for side in ("left", "right"))
    return np.searchsorted(empty.position, words, side="right").clip(start, end) - start


def _n_skipped(treebank: Treebank, starts: Rows, words: Rows) -> Rows:
    """Return how many empty nodes were skipped between the start of the sentence and each word."""
    return _n_between(treebank.source.skipped, starts, words)
