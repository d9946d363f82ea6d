"""Enhanced edges: the graphs of DEPS, with paths through empty nodes collapsed as in the IWPT shared tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank import Treebank
from levelhead.treebank.columns import DEPS
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import Codes

_MOST_PATHS = 10_000
_LARGEST = 2**31
Node = tuple[int, int]
"""A node of the enhanced graph: its number before and after the dot (0 for words); (0, 0) is the root."""

_NOWHERE: Node = (0, -1)
"""A head with a dot that is no empty node's number."""


class MalformedDeps(ValueError):
    """DEPS that are no list of heads and relations, or that point nowhere."""


@dataclass(frozen=True, eq=False)
class Edges:
    """The enhanced edges between words of a treebank.

    Args:
        child: the word below, int32, shape (edges,).
        parent: the word above, -1 for the root, likewise.
        label: the number of its label, as `labels` has it, likewise.
    """

    child: Codes
    parent: Codes
    label: Codes

    def __len__(self) -> int:
        return len(self.child)


def edges_of(treebank: Treebank, labels: dict[str, int], *, collapse: bool) -> Edges:
    """Read the enhanced edges of a treebank.

    Args:
        treebank: the treebank.
        labels: the number of each label; new ones are added, so that two treebanks can share them.
        collapse: whether a path through empty nodes becomes one edge with a joined label; else edges from empty
            nodes are dropped.

    Raises:
        MalformedDeps: DEPS cannot be read, or an edge points outside its sentence.
    """
    child, number, minor, label = _expand(treebank, labels)
    sentence = treebank.sentence_of_word[child]
    starts, ends = treebank.sentence_starts[sentence], treebank.sentence_starts[sentence + 1]
    between_words = minor == 0
    parent = np.where(number == 0, -1, _counted_back(starts + number - 1, ends))
    if collapse and bool((between_words & ((number < 0) | (number > ends - starts))).any()):
        raise MalformedDeps("an edge points outside its sentence")
    edges = np.stack([child, parent, label], axis=1)[between_words].astype(np.int32)
    if collapse and bool((minor != 0).any()):
        edges = np.concatenate([edges, _collapsed(treebank, labels)])
    return Edges(*(np.ascontiguousarray(column) for column in edges.T))


def universal_labels(labels: dict[str, int]) -> Codes:
    """Map each label's number to that of its universal form, step by step along a path (EULAS); int32."""
    numbers: dict[str, int] = {}
    forms = (">".join(map(universal, label.split(">"))) for label in labels)
    return np.fromiter((numbers.setdefault(form, len(numbers)) for form in forms), dtype=np.int32, count=len(labels))


def _counted_back(index: NDArray[np.int64], ends: Codes) -> NDArray[np.int64]:
    """Negative positions count back from the end of the sentence, as in the lists of the official script."""
    return np.where(index < 0, index + ends, index)


def _expand(treebank: Treebank, labels: dict[str, int]) -> tuple[NDArray[np.int64], ...]:
    """Parse each distinct DEPS once, then lay out the edges of all words: child, head number, minor, label."""
    strings = treebank.strings
    begin = np.zeros(len(strings), dtype=np.int64)
    size = np.zeros(len(strings), dtype=np.int64)
    rows: list[tuple[int, int, int]] = []
    for code in treebank.deps.distinct.tolist():
        begin[code] = len(rows)
        rows += [(*node, labels.setdefault(label, len(labels))) for node, label in parse_deps(strings[code])]
        size[code] = len(rows) - begin[code]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    sizes = size[treebank.deps.codes]
    child = np.repeat(np.arange(treebank.n_words), sizes)
    within = np.arange(len(child)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    number, minor, label = table[begin[treebank.deps.codes[child]] + within].T
    return child, number, minor, label


def parse_deps(text: str) -> list[tuple[Node, str]]:
    """Return the edges of one DEPS value as (head, label) pairs.

    Raises:
        MalformedDeps: an edge has no colon, or its head is no number.
    """
    if text in {"", "_"}:
        return []
    edges = [edge.partition(":") for edge in text.split("|")]
    if not all(colon for _, colon, _ in edges):
        raise MalformedDeps(f"{text!r} has an edge without a colon")
    return [(_node(head), label) for head, _, label in edges]


@lru_cache(maxsize=10_000)
def _node(head: str) -> Node:
    """Read the head of an edge; one with a dot that is no empty node's number is nowhere."""
    number, dot, minor = head.partition(".")
    try:
        node = int(number), int(minor) if dot else 0
    except ValueError as error:
        if dot:
            return _NOWHERE
        raise MalformedDeps(f"{head!r} is no head of an edge") from error
    if abs(node[0]) > _LARGEST:
        raise MalformedDeps(f"{head!r} is no head of an edge")
    return node if not dot or 0 < node[1] <= _LARGEST else _NOWHERE


def _collapsed(treebank: Treebank, labels: dict[str, int]) -> Codes:
    """The edges that stand for paths through empty nodes."""
    rows: dict[tuple[int, int, int], None] = {}
    for sentence in np.unique(treebank.empty.sentence).tolist():
        start, end = treebank.sentence_starts[sentence : sentence + 2].tolist()
        into = _edges_into_empty_nodes(treebank, sentence, start)
        n_before = len(rows)
        for word in range(start, end):
            for node, label in parse_deps(treebank.deps[word]):
                for source, path in _paths(into, node, label) if node[1] else ():
                    if len(rows) - n_before > _MOST_PATHS or not 0 <= source <= end - start:
                        raise MalformedDeps(f"the graph of sentence {sentence + 1} has too many paths or no ends")
                    parent = start + source - 1 if source else -1
                    rows[word, parent, labels.setdefault(path, len(labels))] = None
    return np.array(list(rows), dtype=np.int32).reshape(-1, 3)


def _edges_into_empty_nodes(treebank: Treebank, sentence: int, start: int) -> dict[Node, list[tuple[Node, str]]]:
    into: dict[Node, list[tuple[Node, str]]] = defaultdict(list)
    for row in np.flatnonzero(treebank.empty.sentence == sentence).tolist():
        node = int(treebank.empty.position[row]) - start, int(treebank.empty.minor[row])
        into[node] += parse_deps(treebank.strings[int(treebank.empty.cells[row, DEPS])])
    return into


def _paths(into: dict[Node, list[tuple[Node, str]]], empty: Node, label: str) -> Iterator[tuple[int, str]]:
    """Follow edges up from an empty node to words or the root; no empty node twice on one path."""
    stack: list[tuple[Node, str, frozenset[Node]]] = [(empty, label, frozenset())]
    steps = 0
    while stack:
        node, path, passed = stack.pop()
        steps += 1
        if steps > _MOST_PATHS:
            raise MalformedDeps("too many paths through empty nodes")
        for (number, minor), above in into.get(node, ()):
            longer = f"{above}>{path}"
            if not minor:
                yield number, longer
            elif (number, minor) not in passed | {node}:
                stack.append(((number, minor), longer, passed | {node}))
