"""The enhanced graph: the edges in DEPS of words and empty nodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from levelhead.errors import MalformedDeps, quoted
from levelhead.kernels import pools
from levelhead.treebank.strings import Codes, StringColumn, Strings
from levelhead.treebank.tokens import DEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank.treebank import Treebank

_EDGE = r"(?:0|[1-9][0-9]{0,8})(?:\.[1-9][0-9]{0,8})?:[^|\n]+"
BAD_DEPS = rf"(?m)^(?!(_?|{_EDGE}(\|{_EDGE})*)$).*"
"""A pattern that finds, among values on separate lines, a value that is not a list of heads and relations."""

Node = tuple[int, int]
"""A node of the enhanced graph: its number before and after the dot (0 for words); (0, 0) is the root."""

Numbers: TypeAlias = "NDArray[np.int64]"


class Incoming(NamedTuple):
    """The incoming edges of words, or of empty nodes: columns of the shape (edges,)."""

    child: Numbers  # the word, or the index of the empty node, ascending
    number: Numbers  # the number of the head before the dot; 0 is the root
    minor: Numbers  # its number after the dot; 0 for words
    label: Numbers  # the number of the label


class Graph(NamedTuple):
    """The enhanced graph of a treebank, as written, with its labels by number."""

    of_words: Incoming
    of_empty: Incoming
    labels: Sequence[str]


def read_graph(treebank: Treebank, *, strict: bool = True) -> Graph:
    labels: dict[str, int] = {}
    cells = treebank.empty.cells[:, DEPS]
    of_words = _incoming(treebank.deps.codes, treebank.strings, labels, strict=strict)
    of_empty = _incoming(cells if strict else cells[:0], treebank.strings, labels, strict=strict, rank=1)
    return Graph(of_words, of_empty, list(labels))


def dangling(treebank: Treebank, graph: Graph) -> tuple[Numbers, Numbers]:
    """Return the nodes with an edge whose head is not a node of their sentence."""
    empty = treebank.empty
    numbers = empty.position - treebank.sentence_starts[empty.sentence]
    before = treebank.sentence_starts.astype(np.int64) + np.arange(len(treebank) + 1)  # nodes, with a root per sentence
    nodes = np.sort((before[empty.sentence] + numbers << 30) + empty.minor)
    sizes = np.diff(treebank.sentence_starts)
    wrong_rows = []
    for edges, sentences in ((graph.of_words, treebank.sentence_of_word), (graph.of_empty, empty.sentence)):
        sentence = sentences[edges.child]
        wrong = edges.number > sizes[sentence]
        empty_heads = np.flatnonzero(edges.minor)
        keys = (before[sentence[empty_heads]] + edges.number[empty_heads] << 30) + edges.minor[empty_heads]
        # `np.isin` would load numpy's masked arrays, which takes 20 ms
        wrong[empty_heads] |= np.append(nodes, -1)[np.searchsorted(nodes, keys)] != keys
        wrong_rows.append(edges.child[wrong])
    return wrong_rows[0], wrong_rows[1]


def official_parents(treebank: Treebank, edges: Incoming) -> Numbers:
    """Return the words that are heads of edges, as the official script finds them; -1 for the root, int64."""
    sentence = treebank.sentence_of_word[edges.child]
    ends = treebank.sentence_starts[sentence + 1]
    index = treebank.sentence_starts[sentence] + edges.number - 1
    index = np.where(index < 0, index + ends, index)  # as in Python's lists
    if bool(((edges.number != 0) & ((index < 0) | (index >= ends))).any()):
        raise MalformedDeps("the head of an edge is not a word of its sentence", 3)
    return np.where(edges.number == 0, -1, index)


def between_words(edges: Incoming) -> Incoming:
    """Return the edges whose heads are words or the root."""
    return Incoming(*(part[edges.minor == 0] for part in edges))


def _incoming(codes: Codes, strings: Strings, labels: dict[str, int], *, strict: bool, rank: int = 0) -> Incoming:
    """Parse each distinct DEPS once, then lay out the edges of all rows."""
    used = StringColumn(codes, strings).distinct
    try:
        parsed = pools.parse_edges(strings.pool, strings.offsets, used) if strict else _parse_laxly(strings, used)
    except MalformedDeps:
        for code in dict.fromkeys(codes.tolist()):  # the message names the first in the file
            _parse_laxly(strings, np.array([code], dtype=np.int32))
        raise
    if parsed is None:
        malformed = (strings[code] for code in dict.fromkeys(codes.tolist()) if re.search(BAD_DEPS, strings[code]))
        raise MalformedDeps(f"{quoted(next(malformed))} is not a list of heads and relations", rank)
    n_edges_of, *edges, names = parsed
    numbers = np.array([labels.setdefault(name, len(labels)) for name in names], dtype=np.int64)
    sizes = np.zeros(len(strings), dtype=np.int64)
    sizes[used] = n_edges_of
    n_edges = sizes[codes]
    child = np.repeat(np.arange(len(codes)), n_edges)
    rows = np.arange(len(child)) + np.repeat((np.cumsum(sizes) - sizes)[codes] - np.cumsum(n_edges) + n_edges, n_edges)
    number, minor, label = (column[rows] for column in edges)
    return Incoming(child, number, minor, numbers[label])


def _parse_laxly(strings: Strings, codes: Codes) -> tuple[Numbers, Numbers, Numbers, Numbers, list[str]]:
    """Return the number of edges of each string, the three numbers of each edge, and the labels."""
    texts = strings.texts_of(codes)
    edges = [edge.partition(":") for text in texts if text not in {"", "_"} for edge in text.split("|")]
    if not all(colon for _, colon, _ in edges):
        raise MalformedDeps("an edge has no colon")
    sizes = np.array([0 if text in {"", "_"} else text.count("|") + 1 for text in texts], dtype=np.int64)
    labels: dict[str, int] = {}
    rows = [(*_lax_node(head), labels.setdefault(label, len(labels))) for head, _, label in edges]
    return sizes, *np.array(rows, dtype=np.int64).reshape(-1, 3).T, list(labels)


@lru_cache(maxsize=10_000)
def _lax_node(head: str) -> Node:
    if "." in head:
        return 0, -1  # the scorer drops all these heads
    with suppress(ValueError):
        if abs(number := int(head)) <= 2**31:
            return number, 0
    raise MalformedDeps(f"{quoted(head)} is not a valid head of an edge")
