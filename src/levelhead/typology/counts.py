"""The counts behind profiles; counts of several treebanks can be added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from levelhead.treebank.relations import universal
from levelhead.typology.entropy import count_heads
from levelhead.typology.lexical import Chunks, Lexical, RunningText, count_lexical
from levelhead.typology.seen import NOT_COMPARED, SeenSentences, count_seen
from levelhead.typology.similarity import Distributions, count_trigrams
from levelhead.typology.sizes import Sizes, count_sizes
from levelhead.typology.structure import Structure, count_structure
from levelhead.typology.tally import Sums, Tally, compact, mapped

if TYPE_CHECKING:
    from levelhead.treebank import Treebank
    from levelhead.treebank.training_data import Training


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
        seen: sentences that occur in training.
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
    seen: SeenSentences = NOT_COMPARED

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
        NOT_COMPARED if training is None else count_seen(treebank, training),
    )
