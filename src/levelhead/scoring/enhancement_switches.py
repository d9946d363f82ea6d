"""Switches that remove kinds of enhancements from graphs before scoring, as the current official script does.

The IWPT 2020 task compared treebanks that annotate different kinds of enhancements; enhancements that gold does not
annotate must not count as errors. The names are those of the script. Its behavior is reproduced exactly, even where it
does not match the names; the documentation of the rules lists these cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from levelhead.treebank import Treebank
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import Codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_HEAD = -2
"""The head of an edge that never matches: the script looks for the word's basic head, and roots have none."""

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
        """Return the graph with some of its edges."""
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
        """Return the edges with labels whose steps pass a test."""
        return np.array([test(label.split(">")) for label in self.labels], dtype=bool)[self.label]

    def under(self, test: Callable[[str], bool]) -> Flags:
        """Return the edges whose head is a word with a universal relation that passes a test."""
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


def _no_shared_dependents(graph: _Graph) -> _Graph:
    """Change nothing: the script compares a word with a number in a string, which are never equal."""
    return graph


def _no_control(graph: _Graph) -> _Graph:
    """Subjects of an xcomp are dropped."""
    subjects = graph.labeled(lambda steps: any(step.startswith("nsubj") for step in steps))
    return graph.keep(~(subjects & graph.under(lambda relation: relation == "xcomp")))


def _no_relative_clauses(graph: _Graph) -> _Graph:
    """A ref becomes the word's edge in the tree; edges from an acl to the word after its head are dropped.

    The script intends the head itself, but counts one word from 0 and the other from 1.
    """
    refs = graph.labeled(lambda steps: steps[0] == "ref")
    treebank = graph.treebank
    place = np.arange(treebank.n_words) - treebank.sentence_starts[treebank.sentence_of_word]
    after_head = treebank.local_heads()[graph.parent.clip(min=0)] == place[graph.child]
    external = ~refs & after_head & graph.under(lambda relation: relation.startswith("acl"))
    return graph.with_basic_edges(refs).keep(~external)


def _no_case(graph: _Graph) -> _Graph:
    """Labels of two parts lose the second part if it is a case marker or similar."""
    names = list(graph.labels)
    bare = [graph.labels.setdefault(">".join(map(_without_case, name.split(">"))), len(graph.labels)) for name in names]
    return graph._replace(label=np.array(bare, dtype=np.int32)[graph.label] if bare else graph.label)


def _without_case(step: str) -> str:
    relation, *more = step.split(":")
    return relation if relation in _CASE_RELATIONS and len(more) == 1 and more[0] not in _NO_CASE else step


_STEPS: Mapping[str, Callable[[_Graph], _Graph]] = MappingProxyType(
    {
        "no_gapping": _no_gapping,
        "no_shared_parents_in_coordination": _no_shared_parents,
        "no_shared_dependents_in_coordination": _no_shared_dependents,
        "no_control": _no_control,
        "no_external_arguments_of_relative_clauses": _no_relative_clauses,
        "no_case_info": _no_case,
    }
)

ENHANCEMENTS = tuple(_STEPS)
"""The switches by the script's names, in its order; its option --enhancements numbers them from 1."""


def switches_of(digits: str) -> frozenset[str]:
    """Return the switches that the script's option --enhancements names by their numbers."""
    return frozenset(name for number, name in enumerate(ENHANCEMENTS, 1) if str(number) in digits)


def without(
    switches: Iterable[str], treebank: Treebank, edges: Sequence[Codes], labels: dict[str, int]
) -> tuple[Codes, Codes, Codes]:
    """Return a graph without some kinds of enhancements."""
    child, parent, label = edges
    graph = _Graph(child, parent, label, treebank, labels)
    chosen = frozenset(switches)
    for name, step in _STEPS.items():
        graph = step(graph) if name in chosen and len(graph.child) else graph
    return graph.child, graph.parent.astype(np.int32), graph.label.astype(np.int32)
