"""The counts behind profiles, which can be added, and converted to bytes for workers."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from levelhead.treebank import Strings
from levelhead.treebank.relations import universal
from levelhead.typology.entropy import count_heads
from levelhead.typology.similarity import Distributions, count_trigrams
from levelhead.typology.structure import Sizes, Structure, count_sizes, count_structure
from levelhead.typology.tally import Histogram, Sums, Tally, compact, mapped
from levelhead.typology.vocabulary import Chunks, Lexical, RunningText, count_lexical

if TYPE_CHECKING:
    from levelhead.treebank import Treebank
    from levelhead.treebank.training_data import Training


@dataclass(frozen=True, eq=False)
class TrainingOverlap(Sums):
    """The number of sentences that occur in training.

    Args:
        sentences: the number of sentences that were compared with training treebanks; 0 without training treebanks.
        words: the number with the words of a training sentence.
        heads: the number with the heads of a training sentence, regardless of words and labels.
        either: the number with either.
    """

    sentences: int
    words: int
    heads: int
    either: int


NOT_COMPARED = TrainingOverlap(0, 0, 0, 0)
"""Without training treebanks."""


def count_training_overlap(treebank: Treebank, training: Training) -> TrainingOverlap:
    """Return the number of sentences that occur in training."""
    words, heads = training.same_words(treebank), training.same_heads(treebank)
    return TrainingOverlap(len(treebank), int(words.sum()), int(heads.sum()), int((words | heads).sum()))


class Vocabulary(NamedTuple):
    """The size of the counts that grow with the number of distinct words.

    Args:
        forms: distinct forms of words.
        lemmas: distinct LEMMA.
        arcs: distinct combinations of UPOS, relation, form, and form of the head.
        bytes: the memory that the counts take.
    """

    forms: int
    lemmas: int
    arcs: int
    bytes: int


@dataclass(frozen=True, eq=False)
class TreebankCounts(Sums):
    """The counts behind a profile.

    Args:
        sizes: sentences, tokens, words ...
        relations: counts of relations as written, with subtypes.
        words: counts of (universal relation, form).
        tags: counts of (UPOS, FEATS).
        lemmas: counts of (lemma, form).
        heads: counts of (UPOS, universal relation, form, form of the head).
        trigrams: counts of three UPOS in sequence.
        lexical: type/token ratios.
        structure: counts of the trees.
        training_overlap: sentences that occur in training.
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
        """The size of the counts that grow with the number of distinct words."""
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
        """Add the counts of a treebank or a piece."""
        n, sums = 1, dict(vars(counts))
        while self._parts and self._parts[-1][0] <= n:
            before, others = self._parts.pop()
            n, sums = before + n, _added(others, sums)
        self._parts.append((n, sums))

    def total(self) -> TreebankCounts:
        """Return the sum; call this once, after adding at least one."""
        _, sums = self._parts.pop()
        while self._parts:
            sums = _added(self._parts.pop()[1], sums)
        return TreebankCounts(**sums)


def _added(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Add by field, and drop what was added, since the counts of large files fill the memory."""
    return {name: first.pop(name) + second.pop(name) for name in list(first)}


class RunningCounts:
    """The counts of a treebank given in pieces, in order; they equal the counts of the whole.

    Args:
        chunks: how running text is cut for type/token ratios.
        training: the contents of training treebanks, to count seen sentences, or None.
    """

    def __init__(self, chunks: Chunks, training: Training | None = None) -> None:
        self._text, self._nothing = RunningText(chunks), RunningText(chunks).lexical()
        self._sum, self._training = CountSum(), training

    def add(self, piece: Treebank) -> None:
        """Count the next sentences."""
        self._text.add(piece)
        self._sum.add(_count(piece, self._nothing, self._training))

    def total(self) -> TreebankCounts:
        """Return the counts; call this once, after adding at least one piece."""
        return replace(self._sum.total(), lexical=self._text.lexical())


def count_treebank(
    treebank: Treebank, chunks: Chunks | None = None, training: Training | None = None
) -> TreebankCounts:
    """Return the counts from which the profile of a treebank is computed.

    The counts of two treebanks can be added, except that chunks and windows of running text (STTR, MATTR) do not cross
    from one to the other.

    Args:
        treebank: the treebank.
        chunks: how running text is cut for type/token ratios.
        training: the contents of training treebanks, to count seen sentences, or None.
    """
    return _count(treebank, count_lexical(treebank, chunks or Chunks()), training)


def _count(treebank: Treebank, lexical: Lexical, training: Training | None = None) -> TreebankCounts:
    relations, forms, tags = mapped(treebank.relations, universal), compact(treebank.forms), compact(treebank.upos)
    return TreebankCounts(
        count_sizes(treebank),
        Tally.of(treebank.relations),
        Tally.of(relations, forms),
        Tally.of(tags, treebank.feats),
        Tally.of(treebank.lemmas, forms),
        count_heads(treebank.heads, tags, relations, forms),
        count_trigrams(tags, treebank.sentence_starts),
        lexical,
        count_structure(treebank, tags, relations),
        NOT_COMPARED if training is None else count_training_overlap(treebank, training),
    )


Array = NDArray[Any]


def counts_to_bytes(counts: TreebankCounts) -> bytes:
    """Return counts as bytes: a sequence of arrays in numpy's format; equal counts have equal bytes."""
    file = io.BytesIO()
    for array in _arrays(counts):
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def counts_from_bytes(data: bytes) -> TreebankCounts:
    """Return the counts in bytes from `counts_to_bytes`."""
    file = io.BytesIO(data)
    counts: TreebankCounts = _read(TreebankCounts, lambda: np.load(file, allow_pickle=False))
    return counts


def _arrays(value: Any) -> Iterator[Array]:
    """Yield the arrays of a record, by field."""
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


class _Reader(Protocol):
    def __call__(self) -> Array: ...


def _read(kind: type[Any], array: _Reader) -> Any:
    """Read a record by the types of its fields."""
    return kind(*(_READERS[str(part.type)](array) for part in fields(kind)))


def _tally(array: _Reader) -> Tally:
    axes = tuple(Strings(array().tobytes(), array()) for _ in range(int(array())))
    return Tally(axes, array(), array())


def _chunks(array: _Reader) -> Chunks:
    size, partial, window = array().tolist()
    return Chunks(size, bool(partial), window)


_RECORDS: Mapping[str, type[Any]] = MappingProxyType(
    {kind.__name__: kind for kind in (TreebankCounts, Histogram, Lexical, TrainingOverlap, Sizes, Structure)}
)


def _reader_of(kind: type[Any]) -> Callable[[_Reader], Any]:
    return lambda array: _read(kind, array)


_READERS: Mapping[str, Callable[[_Reader], Any]] = MappingProxyType(
    {
        **{name: _reader_of(kind) for name, kind in _RECORDS.items()},
        "Tally": _tally,
        "Chunks": _chunks,
        "int": lambda array: int(array()),
        "float": lambda array: float(array()),
        "NDArray[np.int64]": lambda array: array(),
        "Counts": lambda array: array(),
    }
)
"""The function that reads a field, by its type as written in the class."""
