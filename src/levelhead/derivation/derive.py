"""Derivations of whole treebanks: transitions, and words in the order of the string or in which they are attached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead._version import VERSION
from levelhead.derivation.transition_systems import (
    ARCS,
    MOST_SWAPS,
    SYSTEMS,
    TOO_LONG,
    Action,
    Transition,
    TransitionSystem,
    check_derived,
)
from levelhead.errors import Fault, InputError, unknown
from levelhead.immutable import immutable
from levelhead.kernels import oracles, trees
from levelhead.tables.data import Layout
from levelhead.tables.table import Column, Table
from levelhead.tabular import Tabular
from levelhead.treebank import StringColumn, Strings, Treebank, nonprojective_arcs
from levelhead.treebank.provenance import TREEBANK, Provenance, summary_of
from levelhead.treebank.strings import Codes

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
        swaps: the number of swap transitions.
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
    """The derivations of a treebank's sentences by the static oracle.

    Args:
        system: the transition system.
        transitions: the codes of all transitions, sentence by sentence; uint8.
        offsets: the index in `transitions` at which each sentence starts; the last element is the number of all
            transitions; int64, shape (sentences + 1,).
        order: the words of each sentence in the order in which they get heads. Each word is given as its index in the
            treebank; int32, shape (words,).
        heads: the head of each word after lifting, as a word number in the sentence (0 for the root); int32.
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
        """The settings and files behind the derivations."""
        file = summary_of(self.treebank).id
        signature = {"system": self.system.name, "treebank": str(file), "version": VERSION}
        return Provenance(signature, {TREEBANK: {"gold": file}}, tuple(self.treebank.warnings))

    @property
    def swaps(self) -> NDArray[np.int64]:
        """The number of SWAP transitions of each sentence, int64, shape (sentences,)."""
        before = np.concatenate([[0], np.cumsum(self.transitions == Transition.SWAP)])
        return np.diff(before[self.offsets]).astype(np.int64)

    def actions(self, sentence: int) -> tuple[Action, ...]:
        """Return the labeled transitions of the sentence with the index `sentence`."""
        begin, end = self.offsets[sentence : sentence + 2].tolist()
        words = iter(self.order[slice(*self.treebank.sentence_starts[sentence : sentence + 2].tolist())].tolist())
        steps, relations = map(Transition, self.transitions[begin:end].tolist()), self.treebank.relations
        return tuple(Action(step, relations[next(words)] if step in ARCS else "") for step in steps)

    def transition_names(self, *, labeled: bool = False) -> Iterator[list[str]]:
        """Yield the names of the transitions of each sentence, with relations if `labeled` is true."""
        for sentence in range(len(self)):
            yield [str(action if labeled else action.transition) for action in self.actions(sentence)]

    def words_as_attached(self) -> Iterator[list[str]]:
        """Yield each sentence's words in the order in which they get heads; underscores replace spaces in words."""
        forms = [form.replace(" ", "_") for form in self.treebank.forms]
        order = self.order.tolist()
        for begin, end in pairwise(self.treebank.sentence_starts.tolist()):
            yield [forms[word] for word in order[begin:end]]

    def table(self, *, labeled: bool = False) -> Table:
        """Return a table with a row per sentence; if `labeled` is true, transitions have relations."""
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
    """Return each tree's derivation by the static oracle of a transition system.

    Args:
        treebank: the trees.
        system: the transition system.
        lift: whether to make trees projective if the system only derives projective trees. As long as a tree has
            non-projective arcs, the dependent of the shortest of these arcs is attached to the head of its head (Nivre
            & Nilsson 2005). Relations do not change.

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
        starts: the index of each sentence's first word in `words`. The last element is the number of all words; int32,
            shape (sentences + 1,).
        order: the name of the order, one of `ORDERS`.
        swaps: the number of swaps in each sentence's derivation, int64, shape (sentences,).
        sha256: the hash of the treebank's file; None if the words were not read from a file.
    """

    words: StringColumn
    starts: NDArray[np.int32]
    order: str
    swaps: NDArray[np.int64]
    sha256: str | None = None


def sequences_of(treebank: Treebank, order: str = "string", *, lift: bool = False) -> Sequences:
    """Return the syntactic words of a treebank in string or derivation order, without the artificial root.

    Args:
        treebank: the trees.
        order: "string" for the order in the sentence, or the name of a transition system. With a transition system,
            words are in the order in which they get heads in the derivation by its static oracle (Søgaard & Haulrich
            2010, section 3).
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
