"""The places of words, multiword tokens and empty nodes in their file, computed from the lines of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import Place

if TYPE_CHECKING:
    from levelhead.treebank.treebank import Treebank


def place_of(treebank: Treebank, word: int) -> Place:
    """Return the place of a word, computed from the lines above it in its sentence."""
    sentence = int(treebank.sentence_of_word[word])
    start = int(treebank.sentence_starts[sentence])
    name = str(word - start + 1)
    if not len(treebank.source.lines):
        return Place(treebank.source.path, None, sentence + 1, name)
    before = int(np.count_nonzero((treebank.multiword.first >= start) & (treebank.multiword.first <= word)))
    empty = treebank.empty
    before += int(np.count_nonzero((empty.sentence == sentence) & (empty.position <= word)))
    before += _n_skipped(treebank, start, word)
    line = int(treebank.source.lines[sentence]) + word - start + before
    return Place(treebank.source.path, line, sentence + 1, name)


def place_of_comment(treebank: Treebank, at: int) -> Place:
    """Return the place of a comment, computed from the lines below it.

    Args:
        treebank: the treebank.
        at: the start of the comment in the text of all comments.
    """
    comments = treebank.comments
    sentence = int(np.searchsorted(comments.starts, at, side="right")) - 1
    below = comments.text.count(b"\n", at, int(comments.starts[sentence + 1]))
    line = int(treebank.source.lines[sentence]) - below if len(treebank.source.lines) else None
    return Place(treebank.source.path, line, sentence + 1)


def place_of_range(treebank: Treebank, row: int) -> Place:
    """Return the place of a multiword token: the line above its first word."""
    multiword, empty = treebank.multiword, treebank.empty
    sentence, first = int(multiword.sentence[row]), int(multiword.first[row])
    start = int(treebank.sentence_starts[sentence])
    name = f"{first - start + 1}-{first - start + int(multiword.n_words[row])}"
    if not len(treebank.source.lines):
        return Place(treebank.source.path, None, sentence + 1, name)
    ranges = np.count_nonzero(multiword.sentence[:row] == sentence)
    empty_nodes = np.count_nonzero((empty.sentence == sentence) & (empty.position <= first))
    line = int(treebank.source.lines[sentence]) + first - start + int(ranges) + int(empty_nodes)
    line += _n_skipped(treebank, start, first)
    return Place(treebank.source.path, line, sentence + 1, name)


def place_of_empty_node(treebank: Treebank, row: int) -> Place:
    """Return the place of an empty node."""
    empty = treebank.empty
    sentence, position = int(empty.sentence[row]), int(empty.position[row])
    start = int(treebank.sentence_starts[sentence])
    name = f"{position - start}.{empty.minor[row]}"
    if not len(treebank.source.lines):
        return Place(treebank.source.path, None, sentence + 1, name)
    ranges = np.count_nonzero((treebank.multiword.first >= start) & (treebank.multiword.first < position))
    before = np.count_nonzero(empty.sentence[:row] == sentence)
    line = int(treebank.source.lines[sentence]) + position - start + int(ranges) + int(before)
    return Place(treebank.source.path, line, sentence + 1, name)


def _n_skipped(treebank: Treebank, start: int, word: int) -> int:
    """Return the number of empty nodes that were skipped between the start of a sentence and a word."""
    skipped = treebank.source.skipped
    return int(np.count_nonzero((skipped >= start) & (skipped <= word)))
