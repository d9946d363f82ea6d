"""Transition systems: configurations, legal transitions, their effects, and errors for trees that cannot be derived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import NOWHERE, Fault, InputError
from levelhead.immutable import immutable
from levelhead.kernels import oracles
from levelhead.treebank import Treebank
from levelhead.treebank.tokens import place_of_sentence

MOST_SWAPS = 50_000_000  # the maximum number of pairs of words of a sentence in the wrong projective order
TOO_LONG = 3  # the kernels' code for a sentence that would take too long
_FAULTS = {
    1: ("not-derivable", "{system} only derives projective trees, but this tree is not projective"),
    2: ("not-derivable", "the heads are not a tree"),
    TOO_LONG: ("derivation-too-long", "the sentence may need more than {limit} steps"),
}


def check_derived(
    failures: NDArray[np.uint8], system: TransitionSystem, treebank: Treebank | None = None, limit: int = MOST_SWAPS
) -> None:
    """Raise an error for the first sentence that was not derived, for each reason."""
    faults = []
    for failure in dict.fromkeys(failures[failures != 0].tolist()):
        slug, message = _FAULTS[failure]
        sentences = np.flatnonzero(failures == failure).tolist()
        place = NOWHERE if treebank is None else place_of_sentence(treebank, sentences[0])
        faults.append(Fault(slug, message.format(system=system.name, limit=limit), place, count=len(sentences)))
    if faults:
        raise InputError(*faults)


class Transition(IntEnum):
    """A step of a transition system. Its integer value is the code in `Derivations.transitions`."""

    SHIFT = 0
    LEFT_ARC = 1
    RIGHT_ARC = 2
    REDUCE = 3
    SWAP = 4

    def __str__(self) -> str:
        """Return the name as printed in papers: `LEFT-ARC`."""
        return self.name.replace("_", "-")


SHIFT, LEFT_ARC, RIGHT_ARC, REDUCE, SWAP = Transition

ARCS = (LEFT_ARC, RIGHT_ARC)


class Action(NamedTuple):
    """A labeled transition, as chosen by a labeled parser.

    Args:
        transition: the transition.
        relation: the relation of the arc that the transition adds; empty if it adds no arc.
    """

    transition: Transition
    relation: str = ""

    def __str__(self) -> str:
        """Return the name, for example `LEFT-ARC:nsubj`."""
        return f"{self.transition}:{self.relation}" if self.relation else str(self.transition)


class Configuration(NamedTuple):
    """A state of a derivation. Words are numbered from 1; 0 is the artificial root, at the bottom of the stack.

    Args:
        stack: the words on the stack; the last one is on top.
        buffer: the words that still have to be read; the first one is next.
        heads: the head of each word; -1 until the word gets a head.
        relations: the relation of each word; "" until the word gets a head.
    """

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


@immutable
class TransitionSystem:
    """A transition system with its static oracle: `ARC_EAGER`, `ARC_STANDARD`, `SWAP_EAGER` or `SWAP_LAZY`.

    Args:
        name: the name of the system in `SYSTEMS`.
        code: the number by which compiled functions know the system.
        transitions: the transitions of the system.
        source: the publication that defines the system.
    """

    name: str
    code: int
    transitions: tuple[Transition, ...]
    source: str

    def __str__(self) -> str:
        return self.name

    @property
    def is_projective(self) -> bool:
        """Whether the system only derives projective trees."""
        return SWAP not in self.transitions

    def actions(self, relations: Iterable[str]) -> tuple[Action, ...]:
        """Return all labeled transitions; a transition that adds an arc is repeated for each of the `relations`."""
        labels = tuple(relations)
        return tuple(
            Action(transition, label)
            for transition in self.transitions
            for label in (labels if transition in ARCS else ("",))
        )

    def initial(self, n_words: int) -> Configuration:
        """Return the configuration in which the derivation of a sentence of `n_words` words starts."""
        return Configuration((0,), tuple(range(1, n_words + 1)), (-1,) * n_words, ("",) * n_words)

    def is_final(self, configuration: Configuration) -> bool:
        """Whether the buffer of `configuration` is empty and, except in arc-eager, only the root is on the stack."""
        return not configuration.buffer and (REDUCE in self.transitions or len(configuration.stack) == 1)

    def legal(self, configuration: Configuration, *, single_root: bool = False) -> tuple[Transition, ...]:
        """Return the legal transitions.

        Args:
            configuration: the state of the derivation.
            single_root: whether to attach only one word to the artificial root. (Even then, an arc-eager derivation can
                end before every word has a head. The parser must attach the remaining words.)
        """
        if self.is_final(configuration):
            return ()
        stack, buffer, heads, _ = configuration
        if REDUCE in self.transitions:
            top, legal = stack[-1], [SHIFT, RIGHT_ARC]
            if top:
                legal = [SHIFT, RIGHT_ARC, REDUCE] if heads[top - 1] >= 0 else [SHIFT, LEFT_ARC, RIGHT_ARC]
            closing = top == 0 and 0 in heads  # RIGHT-ARC would attach a second word to the root
        else:
            legal = [SHIFT] if buffer else []
            if len(stack) > 1:
                second, top = stack[-2:]
                legal += [RIGHT_ARC] if second == 0 else [LEFT_ARC, RIGHT_ARC]
                legal += [SWAP] if SWAP in self.transitions and 0 < second < top else []
            closing = len(stack) == 2 and bool(buffer)  # or a word too early
        return tuple(step for step in legal if not (single_root and closing and step is RIGHT_ARC))

    def apply(self, configuration: Configuration, transition: Transition, relation: str = "_") -> Configuration:
        """Return the configuration after a transition.

        Args:
            configuration: the state of the derivation.
            transition: a legal transition.
            relation: the relation of the arc, if the transition adds one.

        Raises:
            InputError: the transition is not legal.
        """
        if transition not in self.legal(configuration):
            raise InputError(Fault("illegal-transition", f"{transition} is not legal in {configuration}"))
        stack, buffer, heads, relations = configuration
        if transition is SHIFT:
            return configuration._replace(stack=(*stack, buffer[0]), buffer=buffer[1:])
        if transition is REDUCE:
            return configuration._replace(stack=stack[:-1])
        if transition is SWAP:
            return configuration._replace(stack=(*stack[:-2], stack[-1]), buffer=(stack[-2], *buffer))
        if REDUCE in self.transitions:
            left, right = stack[-1], buffer[0]
            if transition is LEFT_ARC:
                stack = stack[:-1]
            else:
                stack, buffer = (*stack, right), buffer[1:]
        else:
            left, right = stack[-2:]
            stack = (*stack[:-2], right if transition is LEFT_ARC else left)
        head, word = (right, left) if transition is LEFT_ARC else (left, right)
        return Configuration(
            stack,
            buffer,
            (*heads[: word - 1], head, *heads[word:]),
            (*relations[: word - 1], relation, *relations[word:]),
        )

    def oracle(self, heads: Sequence[int]) -> tuple[Transition, ...]:
        """Return the transitions with which the static oracle builds a tree.

        Args:
            heads: the head of each word, 0 for the root.

        Raises:
            InputError: the system cannot derive the tree.
        """
        starts = np.array([0, len(heads)], dtype=np.int32)
        codes, _, _, failures = oracles.oracle(np.array(heads, dtype=np.int32), starts, self.code, MOST_SWAPS)
        check_derived(failures, self)
        return tuple(map(Transition, codes.tolist()))

    def costs(self, configuration: Configuration, heads: Sequence[int]) -> dict[Transition, int]:
        """Return how many gold arcs each legal transition makes unreachable (the dynamic oracle of arc-eager).

        Args:
            configuration: the state of the derivation; it may already have wrong arcs.
            heads: the gold head of each word, 0 for the root.

        Raises:
            InputError: the system is not arc-eager, which is the only system with a dynamic oracle in levelhead.
        """
        if REDUCE not in self.transitions:
            raise InputError(Fault("no-dynamic-oracle", f"{self.name} has no dynamic oracle: use arc-eager"))
        if self.is_final(configuration):
            return {}
        top, front = configuration.stack[-1], configuration.buffer[0]
        gold = (-1, *heads)
        ahead = sum(gold[word] == top for word in configuration.buffer)
        behind = sum(gold[word] == front for word in configuration.stack if word and configuration.heads[word - 1] < 0)
        costs = {
            SHIFT: (gold[front] in configuration.stack) + behind,
            LEFT_ARC: (gold[top] > front) + ahead,
            RIGHT_ARC: (gold[front] > front or gold[front] in configuration.stack[:-1]) + behind,
            REDUCE: ahead,
        }
        return {transition: costs[transition] for transition in self.legal(configuration)}


ARC_EAGER = TransitionSystem(
    "arc-eager", 0, (SHIFT, LEFT_ARC, RIGHT_ARC, REDUCE), "Nivre (2003); dynamic oracle: Goldberg and Nivre (2012)"
)
ARC_STANDARD = TransitionSystem("arc-standard", 1, (SHIFT, LEFT_ARC, RIGHT_ARC), "Nivre (2008)")
SWAP_EAGER = TransitionSystem("swap-eager", 2, (SHIFT, LEFT_ARC, RIGHT_ARC, SWAP), "Nivre (2009)")
SWAP_LAZY = TransitionSystem("swap-lazy", 3, (SHIFT, LEFT_ARC, RIGHT_ARC, SWAP), "Nivre, Kuhlmann and Hall (2009)")

SYSTEMS: Mapping[str, TransitionSystem] = MappingProxyType(
    {system.name: system for system in (ARC_EAGER, ARC_STANDARD, SWAP_EAGER, SWAP_LAZY)}
)
"""The four systems by name."""
