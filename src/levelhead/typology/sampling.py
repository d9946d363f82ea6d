"""Word dependency entropy as a function of the size of a treebank."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from levelhead.treebank.relations import universal
from levelhead.typology.entropy import word_dependency_entropy
from levelhead.typology.tally import Tally, mapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.treebank import StringColumn, Treebank


class Rarefied(NamedTuple):
    """The word dependency entropy of a relation in samples of a treebank.

    Args:
        relation: the relation.
        words: the size of the samples.
        mean: the mean over the samples that have the relation.
        deviation: their standard deviation (n - 1 in the denominator); None for fewer than two.
        samples: the number of samples with the relation.
    """

    relation: str
    words: int
    mean: float
    deviation: float | None
    samples: int


def rarefied_entropy(treebank: Treebank, sizes: Iterable[int], *, samples: int = 20, seed: int = 0) -> list[Rarefied]:
    """Return the word dependency entropy of each relation in random samples of several sizes.

    A sample has sentences drawn without replacement up to the number of words; the last sentence is cut.

    Args:
        treebank: the treebank.
        sizes: the numbers of words; those larger than the treebank are left out.
        samples: the number of samples per size.
        seed: the random seed.
    """
    relations, draw = mapped(treebank.relations, universal), np.random.default_rng(seed)
    rows = []
    for size in sizes:
        if 0 < size <= treebank.n_words:
            drawn = [_drawn_entropy(treebank, relations, size, draw) for _ in range(samples)]
            rows += _summaries(drawn, size)
    return rows


def _drawn_entropy(
    treebank: Treebank, relations: StringColumn, size: int, draw: np.random.Generator
) -> dict[str, float]:
    words = _drawn_words(treebank, draw)[:size]
    return word_dependency_entropy(Tally.of(relations.take(words), treebank.forms.take(words)))


def _drawn_words(treebank: Treebank, draw: np.random.Generator) -> NDArray[np.intp]:
    """Return the words of all sentences, with the sentences in random order."""
    order = draw.permutation(len(treebank))
    sizes = np.diff(treebank.sentence_starts)[order]
    begins = np.cumsum(sizes) - sizes
    words: NDArray[np.intp] = np.arange(treebank.n_words) + np.repeat(treebank.sentence_starts[order] - begins, sizes)
    return words


def _summaries(drawn: list[dict[str, float]], size: int) -> list[Rarefied]:
    rows = []
    for relation in sorted({name for sample in drawn for name in sample}):
        values = [sample[relation] for sample in drawn if relation in sample]
        deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
        rows.append(Rarefied(relation, size, float(np.mean(values)), deviation, len(values)))
    return rows
