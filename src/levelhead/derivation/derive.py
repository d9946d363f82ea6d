"""Transition systems, and derivations of whole treebanks: transitions, and words in the order of their attachment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.errors import NOWHERE, Fault, InputError, unknown
from levelhead.immutable import immutable
from levelhead.kernels import oracles, trees
from levelhead.tables.data import Layout, Tabular
from levelhead.tables.table import Column, Table
from levelhead.treebank import StringColumn, Strings, Treebank, nonprojective_arcs
from levelhead.treebank.parts import Codes, place_of_sentence
from levelhead.treebank.provenance import TREEBANK, Provenance, summary_of

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
    """A step of a transition system; its value is its code in `Derivations.transitions`."""

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
        relation: the relation of the arc that it adds; empty without an arc.
    """

    transition: Transition
    relation: str = ""

    def __str__(self) -> str:
        """Return the name, for example `LEFT-ARC:nsubj`."""
        return f"{self.transition}:{self.relation}" if self.relation else str(self.transition)


class Configuration(NamedTuple):
    """A state of a derivation. Words are numbered from 1; 0 is the artificial root, at the bottom of the stack.

    Args:
        stack: words, the top last.
        buffer: words still to be read, the next word first.
        heads: the head of each word, -1 for none yet.
        relations: the relation of each word, "" for none yet.
    """

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


@immutable
class TransitionSystem:
    """A transition system with its static oracle: `ARC_EAGER`, `ARC_STANDARD`, `SWAP_EAGER` or `SWAP_LAZY`.

    Args:
        name: its name in `SYSTEMS`.
        code: its number in compiled code.
        transitions: its transitions.
        source: the publication that defines it.
    """

    name: str
    code: int
    transitions: tuple[Transition, ...]
    source: str

    def __str__(self) -> str:
        return self.name

    @property
    def is_projective(self) -> bool:
        """Whether it only derives projective trees."""
        return SWAP not in self.transitions

    def actions(self, relations: Iterable[str]) -> tuple[Action, ...]:
        """Return all labeled transitions; those that add an arc occur once for each of `relations`."""
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
        """Whether the derivation is complete: an empty buffer and, except in arc-eager, only the root on the stack."""
        return not configuration.buffer and (REDUCE in self.transitions or len(configuration.stack) == 1)

    def legal(self, configuration: Configuration, *, single_root: bool = False) -> tuple[Transition, ...]:
        """Return the legal transitions.

        Args:
            configuration: the state of the derivation.
            single_root: whether only one word can be attached to the artificial root. (Arc-eager can still end with
                words without a head, which the parser must handle.)
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
        """Return the transitions by which the static oracle builds a tree.

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
        """Return how many gold arcs each legal transition makes unreachable: the dynamic oracle of arc-eager.

        Args:
            configuration: the state of the derivation; it may already have wrong arcs.
            heads: the gold head of each word, 0 for the root.

        Raises:
            InputError: the system is not arc-eager; other systems have no dynamic oracle.
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

_MOST_STEPS = 2_000_000_000
# the maximum number of renumberings of words while lifting the arcs of a sentence: several seconds
_MOST_NUMBERED = 200_000_000


class DerivedSentence(NamedTuple):
    """The derivation of a sentence.

    Args:
        sentence: the number of the sentence, from 1.
        sent_id: its sent_id.
        transitions: the transitions, separated by spaces.
        labeled_transitions: the transitions, with the relations of those that add an arc.
        n_transitions: the number of transitions.
        swaps: the number of swaps.
    """

    sentence: int
    sent_id: str | None
    transitions: str
    labeled_transitions: str
    n_transitions: int
    swaps: int


class AttachedWord(NamedTuple):
    """A word, in the order of attachment.

    Args:
        sentence: the number of the sentence, from 1.
        position: the position in the order in which words get their heads, from 1.
        word: the number of the word in the sentence, from 1.
        form: its form.
    """

    sentence: int
    position: int
    word: int
    form: str


@immutable
class Derivations(Tabular):
    """The canonical derivation of every sentence of a treebank.

    Args:
        system: the transition system.
        transitions: the codes of all transitions, sentence by sentence; uint8.
        offsets: where each sentence's transitions start, and finally their total number; int64, shape (sentences + 1,).
        order: the indices of all words, sentence by sentence, in the order in which words get their
            heads; int32, shape (words,).
        heads: the heads after lifting, counted from 1 in the sentence, 0 for the root; int32.
        treebank: the treebank that was derived.
        n_lifted: the number of words whose arc was lifted.
    """

    KIND: ClassVar[str] = "derive"
    LAYOUTS: ClassVar[Mapping[str, Layout]] = {"sentences": (DerivedSentence,), "words": (AttachedWord,)}

    system: TransitionSystem
    transitions: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    order: Codes
    heads: Codes
    treebank: Treebank
    n_lifted: int = 0

    def __len__(self) -> int:
        """Count the sentences."""
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Derivations: {len(self)} sentences, {self.system.name}>"

    @property
    def provenance(self) -> Provenance:
        """The provenance of the derivations."""
        file = summary_of(self.treebank).id
        signature = {"system": self.system.name, "treebank": str(file), "version": VERSION}
        return Provenance(signature, {TREEBANK: {"gold": file}}, tuple(self.treebank.warnings))

    @property
    def swaps(self) -> NDArray[np.int64]:
        """The number of swaps of each sentence, int64, shape (sentences,)."""
        before = np.concatenate([[0], np.cumsum(self.transitions == Transition.SWAP)])
        return np.diff(before[self.offsets]).astype(np.int64)

    def actions(self, sentence: int) -> tuple[Action, ...]:
        """Return the labeled transitions of the sentence with the index `sentence`."""
        begin, end = self.offsets[sentence : sentence + 2].tolist()
        words = iter(self.order[slice(*self.treebank.sentence_starts[sentence : sentence + 2].tolist())].tolist())
        steps, relations = map(Transition, self.transitions[begin:end].tolist()), self.treebank.relations
        return tuple(Action(step, relations[next(words)] if step in ARCS else "") for step in steps)

    def transition_names(self, *, labeled: bool = False) -> Iterator[list[str]]:
        """Yield the names of the transitions of each sentence, with relations if `labeled`."""
        for sentence in range(len(self)):
            yield [str(action if labeled else action.transition) for action in self.actions(sentence)]

    def words_as_attached(self) -> Iterator[list[str]]:
        """Yield each sentence's words in the order in which they get their heads; spaces become underscores."""
        forms = [form.replace(" ", "_") for form in self.treebank.forms]
        order = self.order.tolist()
        for begin, end in pairwise(self.treebank.sentence_starts.tolist()):
            yield [forms[word] for word in order[begin:end]]

    def table(self, *, labeled: bool = False) -> Table:
        """Return the result as a table; transitions have relations if `labeled`."""
        texts = (Column(name, "text") for name in ("Transitions", "Words as attached"))
        names = map(" ".join, self.transition_names(labeled=labeled))
        words = map(" ".join, self.words_as_attached())
        columns = (Column("Sentence", "position"), *texts, Column("Swaps", "number"))
        return Table(columns, tuple(zip(range(1, len(self) + 1), names, words, self.swaps.tolist())))

    def _sentences_rows(self) -> Iterator[DerivedSentence]:
        swaps = self.swaps.tolist()
        for number, actions in enumerate(map(self.actions, range(len(self)))):
            steps, labeled = " ".join(str(each.transition) for each in actions), " ".join(map(str, actions))
            sent_id = self.treebank[number].id
            yield DerivedSentence(number + 1, sent_id, steps, labeled, len(actions), swaps[number])

    def _words_rows(self) -> Iterator[AttachedWord]:
        forms, order = self.treebank.forms, self.order.tolist()
        for number, (begin, end) in enumerate(pairwise(self.treebank.sentence_starts.tolist()), 1):
            for position, word in enumerate(order[begin:end], 1):
                yield AttachedWord(number, position, word - begin + 1, forms[word])


def derive(treebank: Treebank, system: TransitionSystem, *, lift: bool = False) -> Derivations:
    """Return the derivations of all trees by the static oracle of a transition system.

    Args:
        treebank: the trees.
        system: the transition system.
        lift: whether to make trees projective for a projective system: the shortest non-projective arc is lifted to its
            head's head until none is left (Nivre & Nilsson 2005). Relations do not change.

    Raises:
        InputError: the system cannot derive a tree, or the derivation would be too long.
    """
    original, starts = treebank.local_heads(), treebank.sentence_starts
    heads = original
    if lift and system.is_projective:
        # Every non-projective arc has to be lifted at least once, since lifting other arcs puts no word below its head,
        # and each time all words of the sentence are renumbered.
        arcs = np.concatenate([[0], np.cumsum(nonprojective_arcs(treebank))])
        too_long = np.diff(arcs[starts]) * np.diff(starts).astype(np.int64) > _MOST_NUMBERED
        check_derived(np.where(too_long, TOO_LONG, 0).astype(np.uint8), system, treebank, _MOST_NUMBERED)
        heads, failures = trees.lift(original, starts, _MOST_STEPS)
        check_derived(failures, system, treebank, _MOST_STEPS)
    transitions, offsets, order, failures = oracles.oracle(heads, starts, system.code, MOST_SWAPS)
    check_derived(failures, system, treebank)
    return Derivations(system, transitions, offsets, order, heads, treebank, int(np.count_nonzero(heads != original)))


ORDERS = ("string", *SYSTEMS)
"""The orders of words: the order of the string, or the order in which a transition system attaches them."""


class Sequences(NamedTuple):
    """The words of sentences, in string or derivation order.

    Args:
        words: the words of all sentences, with underscores for spaces.
        starts: where each sentence starts, and finally the number of words; int32, shape (sentences + 1,).
        order: the name of the order, one of `ORDERS`.
        swaps: the number of swaps in each sentence's derivation, int64, shape (sentences,).
        sha256: the hash of the file; None without a file.
    """

    words: StringColumn
    starts: NDArray[np.int32]
    order: str
    swaps: NDArray[np.int64]
    sha256: str | None = None


def sequences_of(treebank: Treebank, order: str = "string", *, lift: bool = False) -> Sequences:
    """Return the syntactic words of a treebank in an order, without the artificial root.

    Args:
        treebank: the trees.
        order: "string", or the name of a transition system: the order in which words get their heads in its canonical
            derivation (Søgaard & Haulrich, section 3).
        lift: whether to lift non-projective arcs if the system only derives projective trees.

    Raises:
        InputError: the order is unknown, or the transition system cannot derive a tree.
    """
    if order not in ORDERS:
        raise InputError(Fault("unknown-order", unknown("order", order, ORDERS)))
    words, sha256 = treebank.forms, treebank.source.sha256
    spaced = np.intersect1d(words.strings.codes_with((0x20, 0x20)), words.distinct)
    if len(spaced):  # language models separate words by spaces
        strings, new = words.strings.with_texts(words.strings[int(code)].replace(" ", "_") for code in spaced)
        codes = np.arange(len(words.strings), dtype=np.int32)
        codes[spaced] = new
        words = StringColumn(codes[words.codes], strings)
    if order == "string":
        return Sequences(words, treebank.sentence_starts, order, np.zeros(len(treebank), dtype=np.int64), sha256)
    derivations = derive(treebank, SYSTEMS[order], lift=lift)
    words = words.take(derivations.order.astype(np.intp))
    return Sequences(words, treebank.sentence_starts, order, derivations.swaps, sha256)


def sequences_from(sentences: Iterable[Sequence[str]]) -> Sequences:
    """Return sequences for lists of words, one for each sentence."""
    rows = [list(sentence) for sentence in sentences]
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    strings, codes = Strings.of([]).with_texts(word.replace(" ", "_") for row in rows for word in row)
    return Sequences(StringColumn(codes, strings), starts, "string", np.zeros(len(rows), dtype=np.int64))
