"""Empty nodes as the CRAC 2026 shared task compares them: all measures require the head of the first edge in DEPS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import MalformedDeps
from levelhead.scoring.spans import Spans
from levelhead.treebank import Treebank
from levelhead.treebank.enhanced_graph import Numbers, dangling
from levelhead.treebank.strings import Codes

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROOT, _NO_HEAD, _UNALIGNED = -1, -2, -3  # instead of the word that is the head


def nodes_of(treebank: Treebank, spans: Spans, gold_words: Codes, numbers: dict[str, int]) -> tuple[Numbers, Codes]:
    """Return what is compared of each empty node, shape (nodes, 10), and a word of the sentence next to it.

    The columns are head, its number after the dot, and the start of its sentence, which only matters if the head is not
    a word; then the place, the relation, FORM, LEMMA, UPOS, XPOS and FEATS. `gold_words` has the gold word of each
    word, -1 if it is not aligned; equal texts have equal `numbers`.
    """
    empty, graph = treebank.empty, treebank.graph
    if len(dangling(treebank, graph)[1]):
        raise MalformedDeps("the head of an edge is not a node of its sentence", 2)
    starts = treebank.sentence_starts[empty.sentence]
    edges, nodes = graph.of_empty, np.arange(len(empty))
    first = np.searchsorted(edges.child, nodes)
    has_head = np.append(edges.child, -1)[first] == nodes
    number, minor, label = (np.append(part, 0)[first] for part in edges[1:])
    position = starts + number  # of the word that follows the head
    of_head = gold_words[(position - 1).clip(min=0)]
    head = np.where(of_head < 0, _UNALIGNED, of_head)
    head = np.where(minor > 0, _places(position, starts, gold_words), head)
    head = np.where((number == 0) & (minor == 0), _ROOT, head)
    head = np.where(has_head, head, _NO_HEAD)
    in_sentence = np.where((head == _ROOT) | (head == _NO_HEAD), spans.sentence_starts[empty.sentence], 0)
    texts: list[Sequence[str]] = [
        [graph.labels[i] if has else "" for i, has in zip(label.tolist(), has_head.tolist())],
        *(treebank.strings.texts_of(codes) for codes in empty.cells[:, :5].T),
    ]
    columns = [[numbers.setdefault(text, len(numbers)) for text in column] for column in texts]
    place = _places(empty.position, starts, gold_words)
    rows = np.array([head, minor * has_head, in_sentence, place, *columns], dtype=np.int64).T
    return rows, np.maximum(empty.position - 1, starts)


def _places(position: Codes, starts: Codes, gold_words: Codes) -> Numbers:
    """Number the places after a word, or before the first word of a sentence, by gold words."""
    after = position > starts
    words = gold_words[np.maximum(position - 1, starts)].astype(np.int64)
    places: Numbers = np.where(words < 0, _UNALIGNED, 2 * words + after)
    return places
