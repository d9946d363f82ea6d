"""Enhanced edges between words, with paths through empty nodes collapsed as in the IWPT shared tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import length_hint

import numpy as np

from levelhead.errors import MalformedDeps
from levelhead.immutable import immutable
from levelhead.scoring.enhancement_switches import without
from levelhead.treebank import Treebank
from levelhead.treebank.enhanced_graph import (
    Graph,
    Incoming,
    Node,
    between_words,
    dangling,
    official_parents,
    read_graph,
)
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import Codes

_MOST_STEPS = 300_000  # of all paths of a treebank: real treebanks have a few per sentence
_LONGEST_PATH = 50
_Edges = list[tuple[Node, str]]


@immutable(repr=False)
class Edges:
    """The enhanced edges between words of a treebank.

    Args:
        child: the dependent, int32, shape (edges,).
        parent: the head, -1 for the root, `NO_HEAD` for a head that agrees with none; int32, shape (edges,).
        label: the number of its label in `labels`, int32, shape (edges,).
        n_steps: the number of steps of all paths through empty nodes.
    """

    child: Codes
    parent: Codes
    label: Codes
    n_steps: int = 0

    def __len__(self) -> int:
        return len(self.child)


def edges_of(
    treebank: Treebank, labels: dict[str, int], *, collapse: bool, switches: frozenset[str] = frozenset()
) -> Edges:
    """Read the enhanced edges of a treebank."""
    graph = treebank.graph if collapse else read_graph(treebank, strict=False)
    if collapse and any(map(len, dangling(treebank, graph))):
        raise MalformedDeps("the head of an edge is not a node of its sentence", 2)
    shared = np.array([labels.setdefault(label, len(labels)) for label in graph.labels], dtype=np.int32)
    plain = between_words(graph.of_words)
    parent = official_parents(treebank, plain)
    edges = np.stack([plain.child, parent, shared[plain.label]], axis=1).astype(np.int32)
    steps = iter(range(_MOST_STEPS))
    if collapse and len(plain.child) < len(graph.of_words.child):
        edges = np.concatenate([edges, _collapsed(treebank, graph, labels, steps)])
    columns = [np.ascontiguousarray(column) for column in edges.T]
    n_steps = _MOST_STEPS - length_hint(steps)
    children, heads, numbers = without(switches, treebank, columns, labels) if switches else columns
    return Edges(children, heads, numbers, n_steps)


def universal_labels(labels: dict[str, int]) -> Codes:
    """Map each label's number to that of its universal form, step by step along a path (EULAS); int32."""
    numbers: dict[str, int] = {}
    forms = (">".join(map(universal, label.split(">"))) for label in labels)
    return np.fromiter((numbers.setdefault(form, len(numbers)) for form in forms), dtype=np.int32, count=len(labels))


def check_steps(n_steps: int) -> None:
    """Refuse a treebank whose paths through empty nodes have too many steps."""
    if n_steps > _MOST_STEPS:
        raise _too_many_paths()


def _too_many_paths() -> MalformedDeps:
    return MalformedDeps("paths through empty nodes are too many or too long", 4)


def _collapsed(treebank: Treebank, graph: Graph, labels: dict[str, int], steps: Iterator[int]) -> Codes:
    """The edges that replace paths through empty nodes."""
    into = _edges_by_node(graph.of_empty, graph.labels)
    names = _names_of_empty_nodes(treebank)
    rows: dict[tuple[int, int, int], None] = {}
    for word in dict.fromkeys(graph.of_words.child[graph.of_words.minor > 0].tolist()):
        sentence = int(treebank.sentence_of_word[word])
        start = int(treebank.sentence_starts[sentence])
        above = {name: into[row] for name, row in names[sentence].items()}
        first, last = np.searchsorted(graph.of_words.child, [word, word + 1])
        edges = _edges_in(graph.of_words, first, last, graph.labels)
        for source, path in _paths(above, [edge for edge in edges if edge[0][1]], steps):
            if ((source, 0), path) not in edges:
                rows[word, start + source - 1 if source else -1, labels.setdefault(path, len(labels))] = None
    return np.array(list(rows), dtype=np.int32).reshape(-1, 3)


def _edges_in(incoming: Incoming, first: int, last: int, labels: Sequence[str]) -> _Edges:
    parts = zip(incoming.number[first:last].tolist(), incoming.minor[first:last].tolist())
    return list(zip(parts, (labels[label] for label in incoming.label[first:last].tolist())))


def _edges_by_node(incoming: Incoming, labels: Sequence[str]) -> dict[int, _Edges]:
    into: dict[int, _Edges] = defaultdict(list)
    for child, edge in zip(incoming.child.tolist(), _edges_in(incoming, 0, len(incoming.child), labels)):
        into[child].append(edge)
    return into


def _names_of_empty_nodes(treebank: Treebank) -> dict[int, dict[Node, int]]:
    """The empty nodes of each sentence that has any, by their numbers before and after the dot."""
    empty = treebank.empty
    numbers = empty.position - treebank.sentence_starts[empty.sentence]
    names: dict[int, dict[Node, int]] = defaultdict(dict)
    for row, (sentence, number, minor) in enumerate(
        zip(empty.sentence.tolist(), numbers.tolist(), empty.minor.tolist())
    ):
        names[sentence][number, minor] = row
    return names


def _paths(into: dict[Node, _Edges], edges: _Edges, steps: Iterator[int]) -> Iterator[tuple[int, str]]:
    """Follow edges from empty nodes up to words or the root; no empty node twice on one path."""
    stack: list[tuple[Node, str, frozenset[Node]]] = [(node, label, frozenset([node])) for node, label in edges]
    while stack:
        node, path, passed = stack.pop()
        if next(steps, None) is None or len(passed) > _LONGEST_PATH:
            raise _too_many_paths()
        for above, label in into[node]:
            if not above[1]:
                yield above[0], f"{label}>{path}"
            elif above not in passed:
                stack.append((above, f"{label}>{path}", passed | {above}))
