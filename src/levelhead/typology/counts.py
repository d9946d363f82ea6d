"""All that is counted of a treebank for its profile; counts of several treebanks add up to those of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from levelhead.treebank.relations import universal
from levelhead.typology.entropy import count_heads
from levelhead.typology.lexical import Chunks, Lexical, count_lexical
from levelhead.typology.seen import NOT_COMPARED, SeenSentences, count_seen
from levelhead.typology.similarity import Distributions, count_trigrams
from levelhead.typology.sizes import Sizes, count_sizes
from levelhead.typology.structure import Structure, count_structure
from levelhead.typology.tally import Sums, Tally, compact, mapped

if TYPE_CHECKING:
    from levelhead.treebank import Treebank
    from levelhead.treebank.training_data import Training


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
    def distributions(self) -> Distributions:
        """The distributions by which treebanks are compared."""
        return Distributions(self.trigrams, self.words.marginal(0), self.structure.displacements)


def count_treebank(
    treebank: Treebank, chunks: Chunks | None = None, training: Training | None = None
) -> TreebankCounts:
    """Return the counts of a treebank that its profile is computed from.

    Counts of two treebanks add up to those of both together, except that chunks and windows of running text (STTR,
    MATTR) do not cross from one to the other.

    Args:
        treebank: the treebank.
        chunks: how running text is cut for type/token ratios.
        training: what was seen in training, to count how much of the treebank occurs there; or None.
    """
    relations, forms, tags = mapped(treebank.relations, universal), compact(treebank.forms), compact(treebank.upos)
    return TreebankCounts(
        count_sizes(treebank),
        Tally.of(treebank.relations),
        Tally.of(relations, forms),
        Tally.of(tags, treebank.feats),
        Tally.of(treebank.lemmas, forms),
        count_heads(treebank.heads, tags, relations, forms),
        count_trigrams(tags, treebank.sentence_starts),
        count_lexical(treebank, chunks or Chunks()),
        count_structure(treebank, tags, relations),
        NOT_COMPARED if training is None else count_seen(treebank, training),
    )
