"""The counts behind profiles, which can be added, and converted to bytes for workers."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from levelhead.immutable import immutable
from levelhead.treebank import StringColumn, Strings, Treebank, shapes_of
from levelhead.treebank.relations import universal
from levelhead.treebank.training_data import Training
from levelhead.typology.similarity import Distributions, count_trigrams
from levelhead.typology.tally import Histogram, Sums, Tally, compact, mapped, sum_of
from levelhead.typology.vocabulary import Chunks, Lexical, RunningText, count_heads


@immutable
class Sizes(Sums):
    """Sizes of a treebank."""

    tokens: int  # on the surface
    multiword_tokens: int
    empty_nodes: int  # of the enhanced graph
    sentence_lengths: Histogram  # the number of words of each sentence

    @property
    def sentences(self) -> int:
        return self.sentence_lengths.total

    @property
    def words(self) -> int:
        return self.sentence_lengths.sum


def count_sizes(treebank: Treebank) -> Sizes:
    return Sizes(
        treebank.n_tokens, len(treebank.multiword), len(treebank.empty), Histogram.of(np.diff(treebank.sentence_starts))
    )


@immutable
class Structure(Sums):
    """Counts of the trees of a treebank; arcs are between two words, without the arcs of roots."""

    nonprojective_arcs: int  # that span a word that their head does not dominate
    nonprojective_trees: int
    right_crossed_trees: int  # that Callin's program counts as non-projective
    ill_nested_trees: int  # with disjoint subtrees that interleave
    random_distance: int  # three times the expected sum of dependency distances in random order
    displacements: Histogram  # the position of the head minus that of the word, for each arc
    heights: Histogram  # arcs from the root to the deepest word, for each tree
    arities: Histogram  # the number of dependents of each word with dependents
    gap_degrees: Histogram  # the largest number of gaps of a subtree, for each tree
    head_first: Tally  # arcs whose head precedes, by (relation, UPOS, UPOS of the head)
    head_last: Tally  # arcs whose head follows, by the same keys
    distances: Tally  # the sum of dependency distances, by relation

    @property
    def n_arcs(self) -> int:
        return self.displacements.total

    @property
    def arcs_by_relation(self) -> dict[str, int]:
        return (self.head_first + self.head_last).frequencies()

    @property
    def direction_entropy(self) -> float | None:
        """The conditional entropy of the direction of an arc, given relation and both UPOS, in bits."""
        if not self.n_arcs:
            return None
        logs = sum_of((self.head_first + self.head_last).count_logs())
        logs -= sum_of(self.head_first.count_logs()) + sum_of(self.head_last.count_logs())
        return max(0.0, logs) / self.n_arcs


def count_structure(treebank: Treebank, tags: StringColumn, relations: StringColumn) -> Structure:
    shapes = shapes_of(treebank)
    words = np.flatnonzero(treebank.heads >= 0)
    heads = treebank.heads[words]
    sizes = np.diff(treebank.sentence_starts).astype(np.int64)
    starts = treebank.sentence_starts[:-1]
    n_arcs = np.add.reduceat(treebank.heads >= 0, starts, dtype=np.int64) if sizes.size else sizes

    def directed(chosen: NDArray[np.bool_]) -> Tally:
        arcs = words[chosen]
        return Tally.of(relations.take(arcs), tags.take(arcs), tags.take(treebank.heads[arcs].astype(np.intp)))

    def largest(values: NDArray[np.int32]) -> Histogram:
        return Histogram.of(np.maximum.reduceat(values, starts) if len(treebank) else values)

    return Structure(
        int(shapes.nonprojective.sum()),
        np.unique(treebank.sentence_of_word[shapes.nonprojective]).size,
        np.unique(treebank.sentence_of_word[shapes.right_crossed]).size,
        int(shapes.ill_nested.sum()),
        int((n_arcs * (sizes + 1)).sum()),
        Histogram.of(heads.astype(np.int64) - words),
        largest(shapes.depths),
        Histogram.of(np.unique(heads, return_counts=True)[1]),
        largest(shapes.gap_degrees),
        directed(heads < words),
        directed(heads > words),
        Tally.of(relations.take(words), weights=abs(heads - words)),
    )


@immutable
class TrainingOverlap(Sums):
    """The number of sentences that occur in training."""

    sentences: int  # that were compared with training treebanks; 0 without training treebanks
    words: int  # with the words of a training sentence
    heads: int  # with the heads of a training sentence, regardless of words and labels
    either: int


NOT_COMPARED = TrainingOverlap(0, 0, 0, 0)


class Vocabulary(NamedTuple):
    """The size of a treebank's vocabulary.

    Args:
        forms: the number of distinct forms of words.
        lemmas: the number of distinct lemmas.
        arcs: the number of distinct combinations of part of speech, relation, form, and form of the head.
        bytes: the memory that the counts take.
    """

    forms: int
    lemmas: int
    arcs: int
    bytes: int


@immutable
class TreebankCounts(Sums):
    """The counts from which a profile is computed.

    Args:
        sizes: the numbers of sentences, tokens, words and more.
        relations: the count of each relation as written, with subtypes.
        words: the count of each combination of universal relation and form.
        tags: the count of each combination of UPOS and FEATS.
        lemmas: the count of each combination of lemma and form.
        heads: the count of each combination of UPOS, universal relation, form, and form of the head.
        trigrams: the count of each sequence of three UPOS tags.
        lexical: the numbers behind type/token ratios.
        structure: the counts of arcs, and of properties of trees.
        training_overlap: the numbers of sentences that also occur in training treebanks.
    """

    sizes: Sizes
    relations: Tally
    words: Tally
    tags: Tally
    lemmas: Tally
    heads: Tally
    trigrams: Tally
    lexical: Lexical
    structure: Structure
    training_overlap: TrainingOverlap = NOT_COMPARED

    @property
    def vocabulary(self) -> Vocabulary:
        """The numbers of distinct forms, lemmas and arcs, and the memory that they take."""
        tallies = (self.relations, self.words, self.tags, self.lemmas, self.heads, self.trigrams)
        n_bytes = sum(tally.n_bytes for tally in tallies)
        return Vocabulary(len(self.words.axes[1]), len(self.lemmas.axes[0]), len(self.heads), n_bytes)

    @property
    def distributions(self) -> Distributions:
        """The distributions by which treebanks are compared."""
        return Distributions(self.trigrams, self.words.marginal(0), self.structure.displacements)


class CountSum:
    """A sum of many counts, which adds sums of similar numbers of treebanks or pieces first, for efficiency."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, dict[str, Any]]] = []  # the number of counts, and the sum by field

    def add(self, counts: TreebankCounts) -> None:
        n, sums = 1, dict(vars(counts))
        while self._parts and self._parts[-1][0] <= n:
            n = n + self._parts[-1][0]
            sums = self._added_to_last(sums)
        self._parts.append((n, sums))

    def total(self) -> TreebankCounts:
        """Return the sum of all added counts; call this only once, and not before adding counts."""
        _, sums = self._parts.pop()
        while self._parts:
            sums = self._added_to_last(sums)
        return TreebankCounts(**sums)

    def _added_to_last(self, sums: dict[str, Any]) -> dict[str, Any]:
        """Add by field, and drop what was added, since the counts of large files fill the memory."""
        _, last = self._parts.pop()
        return {name: last.pop(name) + sums.pop(name) for name in list(last)}


class RunningCounts:
    """The counts of a treebank given in pieces, in order; they equal the counts of the whole."""

    def __init__(self, chunks: Chunks, training: Training | None = None) -> None:
        self._text, self._nothing = RunningText(chunks), RunningText(chunks).lexical()
        self._sum, self._training = CountSum(), training

    def add(self, piece: Treebank) -> None:
        self._text.add(piece)
        relations, forms, tags = mapped(piece.relations, universal), compact(piece.forms), compact(piece.upos)
        overlap = NOT_COMPARED
        if self._training is not None:
            words, heads = self._training.same_words(piece), self._training.same_heads(piece)
            overlap = TrainingOverlap(len(piece), int(words.sum()), int(heads.sum()), int((words | heads).sum()))
        counts = TreebankCounts(
            count_sizes(piece),
            Tally.of(piece.relations),
            Tally.of(relations, forms),
            Tally.of(tags, piece.feats),
            Tally.of(piece.lemmas, forms),
            count_heads(piece.heads, tags, relations, forms),
            count_trigrams(tags, piece.sentence_starts),
            self._nothing,
            count_structure(piece, tags, relations),
            overlap,
        )
        self._sum.add(counts)

    def total(self) -> TreebankCounts:
        """Return the counts of all added pieces; call this only once, and not before adding a piece."""
        return replace(self._sum.total(), lexical=self._text.lexical())


def count_treebank(
    treebank: Treebank, chunks: Chunks | None = None, training: Training | None = None
) -> TreebankCounts:
    """Return the counts from which the profile of a treebank is computed.

    Counts of several treebanks can be added with `+`. Chunks and windows of running text (STTR, MATTR) do not cross the
    borders of treebanks.

    Args:
        treebank: the treebank.
        chunks: how running text is cut for type/token ratios; by default, `Chunks()`.
        training: the training treebanks, to count the sentences that also occur in training; None to skip this.
    """
    counts = RunningCounts(chunks or Chunks(), training)
    counts.add(treebank)
    return counts.total()


def counts_to_bytes(counts: TreebankCounts) -> bytes:
    """Return counts as bytes: a sequence of arrays in numpy's format; equal counts have equal bytes."""
    file = io.BytesIO()
    for array in _arrays(counts):
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def counts_from_bytes(data: bytes) -> TreebankCounts:
    file = io.BytesIO(data)
    return cast("TreebankCounts", _read("TreebankCounts", lambda: np.load(file, allow_pickle=False)))


def _arrays(value: Any) -> Iterator[NDArray[Any]]:
    if isinstance(value, Tally):
        yield np.array(len(value.axes))
        for axis in value.axes:
            yield from (np.frombuffer(axis.pool, dtype=np.uint8), axis.offsets)
        yield from (value.keys, value.counts)
    elif type(value) in _RECORDS.values():
        for part in fields(value):
            yield from _arrays(getattr(value, part.name))
    else:
        yield np.array(value)


def _read(kind: str, array: Callable[[], NDArray[Any]]) -> Any:
    if kind in _RECORDS:
        return _RECORDS[kind](*(_read(str(part.type), array) for part in fields(_RECORDS[kind])))
    if kind == "Tally":
        axes = tuple(Strings(array().tobytes(), array()) for _ in range(int(array())))
        return Tally(axes, array(), array())
    if kind == "Chunks":
        size, partial, window = array().tolist()
        return Chunks(size, bool(partial), window)
    return array().item() if kind in {"int", "float"} else array()


_RECORDS: Mapping[str, type[Any]] = MappingProxyType(
    {kind.__name__: kind for kind in (TreebankCounts, Histogram, Lexical, TrainingOverlap, Sizes, Structure)}
)
