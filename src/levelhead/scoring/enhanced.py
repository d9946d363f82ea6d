"""Enhanced edges: the graphs of DEPS, with paths through empty nodes collapsed as in the IWPT shared tasks."""

from __future__ import annotations

import re
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
_HEAD = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.([1-9][0-9]{0,8}))?")
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
        collapse: whether a path through empty nodes becomes one edge with a joined label, and malformed DEPS are an
            error; else edges from empty nodes are dropped, and heads are read as the official script reads them.

    Raises:
        MalformedDeps: DEPS cannot be read, or an edge points to no node of its sentence.
    """
    child, number, minor, label = _expand(treebank, labels, strict=collapse)
    sentence = treebank.sentence_of_word[child]
    starts, ends = treebank.sentence_starts[sentence], treebank.sentence_starts[sentence + 1]
    index = starts + number - 1
    index = np.where(index < 0, index + ends, index)  # counted back, as in the lists of the official script
    if collapse and bool((number > ends - starts).any()):
        raise MalformedDeps("an edge points outside its sentence")
    parent = np.where(number == 0, -1, index)
    edges = np.stack([child, parent, label], axis=1)[minor == 0].astype(np.int32)
    if collapse and (len(treebank.empty) or bool((minor != 0).any())):
        edges = np.concatenate([edges, _collapsed(treebank, labels, np.unique(sentence[minor != 0]))])
    return Edges(*(np.ascontiguousarray(column) for column in edges.T))


def universal_labels(labels: dict[str, int]) -> Codes:
    """Map each label's number to that of its universal form, step by step along a path (EULAS); int32."""
    numbers: dict[str, int] = {}
    forms = (">".join(map(universal, label.split(">"))) for label in labels)
    return np.fromiter((numbers.setdefault(form, len(numbers)) for form in forms), dtype=np.int32, count=len(labels))


def _expand(treebank: Treebank, labels: dict[str, int], *, strict: bool) -> tuple[NDArray[np.int64], ...]:
    """Parse each distinct DEPS once, then lay out the edges of all words: child, head number, minor, label."""
    strings = treebank.strings
    begin = np.zeros(len(strings), dtype=np.int64)
    size = np.zeros(len(strings), dtype=np.int64)
    rows: list[tuple[int, int, int]] = []
    for code in treebank.deps.distinct.tolist():
        begin[code] = len(rows)
        rows += [
            (*node, labels.setdefault(label, len(labels))) for node, label in parse_deps(strings[code], strict=strict)
        ]
        size[code] = len(rows) - begin[code]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    sizes = size[treebank.deps.codes]
    child = np.repeat(np.arange(treebank.n_words), sizes)
    within = np.arange(len(child)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    number, minor, label = table[begin[treebank.deps.codes[child]] + within].T
    return child, number, minor, label


def parse_deps(text: str, *, strict: bool) -> list[tuple[Node, str]]:
    """Return the edges of one DEPS value as (head, label) pairs.

    Args:
        text: the value.
        strict: whether heads must be plain numbers and labels not empty; else whatever Python's int reads is a head,
            and any other head with a dot is nowhere.

    Raises:
        MalformedDeps: an edge has no colon, or its head is no number.
    """
    if text in {"", "_"}:
        return []
    edges = [edge.partition(":") for edge in text.split("|")]
    if not all(colon and (label or not strict) for _, colon, label in edges):
        raise MalformedDeps(f"{text!r} is no list of heads and relations")
    node = _strict_node if strict else _lax_node
    return [(node(head), label) for head, _, label in edges]


@lru_cache(maxsize=10_000)
def _strict_node(head: str) -> Node:
    match = _HEAD.fullmatch(head)
    if not match:
        raise MalformedDeps(f"{head!r} is no head of an edge")
    return int(match[1]), int(match[2] or 0)


@lru_cache(maxsize=10_000)
def _lax_node(head: str) -> Node:
    if "." in head:
        return _NOWHERE
    try:
        number = int(head)
    except ValueError as error:
        raise MalformedDeps(f"{head!r} is no head of an edge") from error
    if abs(number) > _LARGEST:
        raise MalformedDeps(f"{head!r} is no head of an edge")
    return number, 0


def _collapsed(treebank: Treebank, labels: dict[str, int], sentences: NDArray[np.int64]) -> Codes:
    """The edges that stand for paths through empty nodes."""
    rows: dict[tuple[int, int, int], None] = {}
    for sentence in np.union1d(treebank.empty.sentence, sentences).tolist():
        start, end = treebank.sentence_starts[sentence : sentence + 2].tolist()
        into = _edges_into_empty_nodes(treebank, sentence, start)
        if any(not minor and number > end - start for edges in into.values() for (number, minor), _ in edges):
            raise MalformedDeps("an edge points outside its sentence")
        for word in range(start, end):
            edges = parse_deps(treebank.deps[word], strict=True)
            for source, path in _paths(into, [edge for edge in edges if edge[0][1]]):
                if ((source, 0), path) not in edges:
                    parent = start + source - 1 if source else -1
                    rows[word, parent, labels.setdefault(path, len(labels))] = None
    return np.array(list(rows), dtype=np.int32).reshape(-1, 3)


def _edges_into_empty_nodes(treebank: Treebank, sentence: int, start: int) -> dict[Node, list[tuple[Node, str]]]:
    into: dict[Node, list[tuple[Node, str]]] = {}
    for row in np.flatnonzero(treebank.empty.sentence == sentence).tolist():
        node = int(treebank.empty.position[row]) - start, int(treebank.empty.minor[row])
        into[node] = parse_deps(treebank.strings[int(treebank.empty.cells[row, DEPS])], strict=True)
    if any(minor and (number, minor) not in into for edges in into.values() for (number, minor), _ in edges):
        raise MalformedDeps("an edge comes from an empty node that is not there")
    return into


def _paths(into: dict[Node, list[tuple[Node, str]]], edges: list[tuple[Node, str]]) -> Iterator[tuple[int, str]]:
    """Follow edges from empty nodes up to words or the root; no empty node twice on one path."""
    stack: list[tuple[Node, str, frozenset[Node]]] = [(node, label, frozenset([node])) for node, label in edges]
    steps = 0
    while stack:
        node, path, passed = stack.pop()
        if node not in into:
            raise MalformedDeps("an edge comes from an empty node that is not there")
        steps += 1
        if steps > _MOST_PATHS:
            raise MalformedDeps("too many paths through empty nodes")
        for above, label in into[node]:
            if not above[1]:
                yield above[0], f"{label}>{path}"
            elif above not in passed:
                stack.append((above, f"{label}>{path}", passed | {above}))
