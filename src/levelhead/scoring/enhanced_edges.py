"""Enhanced edges between words, with paths through empty nodes collapsed as in the IWPT shared tasks; empty nodes.

The IWPT 2020 task compared treebanks that annotate different kinds of enhancements; enhancements that gold does not
annotate must not count as errors. Switches remove kinds of enhancements before scoring, as the current official script
does. The names are those of the script. Its behavior is reproduced exactly, even where it does not match the names; the
documentation of the rules lists these cases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import length_hint
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from levelhead.errors import MalformedDeps
from levelhead.immutable import immutable
from levelhead.scoring.rules import Rules
from levelhead.treebank import Treebank
from levelhead.treebank.enhanced_graph import (
    Incoming,
    Node,
    Numbers,
    between_words,
    dangling,
    official_parents,
    read_graph,
)
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import Codes

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_STEPS = 300_000  # of all paths of a treebank: real treebanks have a few per sentence
_LONGEST_PATH = 50
TOO_MANY_PATHS = "paths through empty nodes are too many or too long"
RANK_OF_PATHS = 4
_Edges = list[tuple[Node, str]]


@immutable
class Edges:
    """The enhanced edges between words of a treebank."""

    child: Codes  # the dependent, int32, shape (edges,)
    parent: Codes  # the head, -1 for the root, `NO_HEAD` for a head that agrees with none; int32, shape (edges,)
    label: Codes  # the number of its label in `labels`, int32, shape (edges,)
    n_steps: int = 0  # the number of steps of all paths through empty nodes


def edges_of(treebank: Treebank, labels: dict[str, int], rules: Rules) -> Edges:
    graph = treebank.graph if rules.collapse else read_graph(treebank, strict=False)
    if rules.collapse and any(map(len, dangling(treebank, graph))):
        raise MalformedDeps("the head of an edge is not a node of its sentence", 2)
    shared = np.array([labels.setdefault(label, len(labels)) for label in graph.labels], dtype=np.int32)
    plain = between_words(graph.of_words)
    edges = np.stack([plain.child, official_parents(treebank, plain), shared[plain.label]], axis=1).astype(np.int32)
    steps = iter(range(MOST_STEPS))
    if rules.collapse and len(plain.child) < len(graph.of_words.child):  # edges replace paths through empty nodes
        empty, of_words = treebank.empty, graph.of_words
        edges_of_empty = _edges_of_rows(graph.of_empty, graph.labels, range(len(empty.sentence)))
        numbers = (empty.position - treebank.sentence_starts[empty.sentence]).tolist()
        above: dict[int, dict[Node, _Edges]] = defaultdict(dict)  # of each sentence
        for row, node in enumerate(zip(numbers, empty.minor.tolist())):
            above[int(empty.sentence[row])][node] = edges_of_empty[row]
        words = list(dict.fromkeys(of_words.child[of_words.minor > 0].tolist()))
        rows: dict[tuple[int, int, int], None] = {}
        for word, incoming in _edges_of_rows(of_words, graph.labels, words).items():
            sentence = int(treebank.sentence_of_word[word])
            start = int(treebank.sentence_starts[sentence])
            for source, path in _paths(above[sentence], [edge for edge in incoming if edge[0][1]], steps):
                if ((source, 0), path) not in incoming:
                    rows[word, start + source - 1 if source else -1, labels.setdefault(path, len(labels))] = None
        edges = np.concatenate([edges, np.array(list(rows), dtype=np.int32).reshape(-1, 3)])
    child, parent, label = (np.ascontiguousarray(column) for column in edges.T)
    enhanced = _Graph(child, parent, label, treebank, labels)
    for name, step in _STEPS.items():
        if name in rules.switches and len(enhanced.child):
            enhanced = step(enhanced)
    parent, label = (column.astype(np.int32, copy=False) for column in (enhanced.parent, enhanced.label))
    return Edges(enhanced.child, parent, label, MOST_STEPS - length_hint(steps))


def _edges_of_rows(incoming: Incoming, labels: Sequence[str], rows: Sequence[int]) -> dict[int, _Edges]:
    """Return the incoming edges of some words, or of some empty nodes."""
    firsts, lasts = (np.searchsorted(incoming.child, rows, side=side).tolist() for side in ("left", "right"))
    edges = {}
    for row, first, last in zip(rows, firsts, lasts):
        nodes = zip(incoming.number[first:last].tolist(), incoming.minor[first:last].tolist())
        edges[row] = list(zip(nodes, (labels[label] for label in incoming.label[first:last].tolist())))
    return edges


def _paths(into: dict[Node, _Edges], edges: _Edges, steps: Iterator[int]) -> Iterator[tuple[int, str]]:
    """Follow edges from empty nodes up to words or the root; no empty node twice on one path."""
    stack: list[tuple[Node, str, frozenset[Node]]] = [(node, label, frozenset([node])) for node, label in edges]
    while stack:
        node, path, passed = stack.pop()
        if next(steps, None) is None or len(passed) > _LONGEST_PATH:
            raise MalformedDeps(TOO_MANY_PATHS, RANK_OF_PATHS)
        for above, label in into[node]:
            if not above[1]:
                yield above[0], f"{label}>{path}"
            elif above not in passed:
                stack.append((above, f"{label}>{path}", passed | {above}))


NO_HEAD = -2  # the head of an edge that never matches: the script looks for the word's basic head, and roots have none

_CASE_RELATIONS = frozenset({"obl", "nmod", "conj", "advcl"})
_NO_CASE = frozenset({"pass", "relcl", "xsubj"})

Flags: TypeAlias = "NDArray[np.bool_]"


class _Graph(NamedTuple):
    """Edges between words, and the numbers of their labels; new labels are added."""

    child: Codes
    parent: Codes
    label: Codes
    treebank: Treebank
    labels: dict[str, int]

    def keep(self, which: Flags) -> _Graph:
        return self._replace(child=self.child[which], parent=self.parent[which], label=self.label[which])

    def with_basic_edges(self, which: Flags) -> _Graph:
        """Replace some edges by the word's edge in the tree."""
        heads = np.where(self.treebank.heads < 0, NO_HEAD, self.treebank.heads)[self.child]
        relations = self.treebank.relations
        basic = relations.mapped(lambda text: self.labels.setdefault(universal(text), len(self.labels)), np.int32)
        return self._replace(
            parent=np.where(which, heads, self.parent), label=np.where(which, basic[self.child], self.label)
        )

    def labeled(self, test: Callable[[Sequence[str]], bool]) -> Flags:
        """Return which edges have labels that pass a test; the test gets the parts of a label between ">"."""
        return np.array([test(label.split(">")) for label in self.labels], dtype=bool)[self.label]

    def under(self, test: Callable[[str], bool]) -> Flags:
        """Return which edges have a head whose universal relation passes a test."""
        passes = self.treebank.relations.mapped(lambda text: test(universal(text)), bool)
        under: Flags = (self.parent >= 0) & passes[self.parent.clip(min=0)]
        return under


def _no_gapping(graph: _Graph) -> _Graph:
    """Each path becomes the word's edge in the tree; other edges that occur twice are dropped."""
    paths = graph.labeled(lambda steps: len(steps) > 1)
    graph = graph.with_basic_edges(paths)
    rows = np.stack([graph.child, graph.parent, graph.label], axis=1)
    _, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return graph.keep(paths | (first[number.ravel()] == np.arange(len(rows))))


def _no_shared_parents(graph: _Graph) -> _Graph:
    """If a word has edges that start with conj, only the last of them is kept."""
    conj = np.flatnonzero(graph.labeled(lambda steps: len(steps) == 1 and steps[0].startswith("conj")))
    last = np.full(graph.treebank.n_words, -1)
    last[graph.child[conj]] = conj  # in order, so that the last one stays
    of_child = last[graph.child]
    return graph.keep((of_child < 0) | (of_child == np.arange(len(of_child))))


def _no_control(graph: _Graph) -> _Graph:
    """Subjects of an xcomp are dropped."""
    subjects = graph.labeled(lambda steps: any(step.startswith("nsubj") for step in steps))
    return graph.keep(~(subjects & graph.under(lambda relation: relation == "xcomp")))


def _no_relative_clauses(graph: _Graph) -> _Graph:
    """A ref becomes the word's edge in the tree; edges from an acl to the word after its head are dropped."""
    refs = graph.labeled(lambda steps: steps[0] == "ref")
    treebank = graph.treebank
    place = np.arange(treebank.n_words) - treebank.sentence_starts[treebank.sentence_of_word]
    # the script intends the head itself, but counts one word from 0 and the other from 1
    after_head = treebank.local_heads()[graph.parent.clip(min=0)] == place[graph.child]
    external = ~refs & after_head & graph.under(lambda relation: relation.startswith("acl"))
    return graph.with_basic_edges(refs).keep(~external)


def _no_case(graph: _Graph) -> _Graph:
    """Labels of two parts lose the second part if it is a case marker or similar."""

    def without_case(step: str) -> str:
        relation, *more = step.split(":")
        return relation if relation in _CASE_RELATIONS and len(more) == 1 and more[0] not in _NO_CASE else step

    names = list(graph.labels)
    bare = [graph.labels.setdefault(">".join(map(without_case, name.split(">"))), len(graph.labels)) for name in names]
    return graph._replace(label=np.array(bare, dtype=np.int32)[graph.label] if bare else graph.label)


_STEPS: Mapping[str, Callable[[_Graph], _Graph]] = MappingProxyType(
    {
        "no_gapping": _no_gapping,
        "no_shared_parents_in_coordination": _no_shared_parents,
        # without effect: the script compares a word with a number in a string, which are never equal
        "no_shared_dependents_in_coordination": lambda graph: graph,
        "no_control": _no_control,
        "no_external_arguments_of_relative_clauses": _no_relative_clauses,
        "no_case_info": _no_case,
    }
)

# The switches by the script's names, in its order; its option --enhancements numbers them from 1.
ENHANCEMENTS = tuple(_STEPS)


def switches_of(digits: str) -> frozenset[str]:
    """Return the switches that the script's option --enhancements names by their numbers."""
    return frozenset(name for number, name in enumerate(ENHANCEMENTS, 1) if str(number) in digits)


_ROOT, _NO_HEAD, _UNALIGNED = -1, -2, -3  # instead of the word that is the head


def nodes_of(
    treebank: Treebank, sentence_starts: Numbers, gold_words: Codes, numbers: dict[str, int]
) -> tuple[Numbers, Codes]:
    """Return what is compared of each empty node, shape (nodes, 10), and a word of the sentence next to it."""
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
    # the head (with its number after the dot, and its sentence if it is an empty node), the place, the relation, and
    # five columns
    in_sentence = np.where((head == _ROOT) | (head == _NO_HEAD), sentence_starts[empty.sentence], 0)
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
