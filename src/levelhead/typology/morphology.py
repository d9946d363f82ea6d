"""Features and lemmas."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from levelhead.kernels import pools
from levelhead.treebank import Strings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.typology.tally import Tally

NOTHING = "_"
"""An empty column of CoNLL-U."""


def are_annotated(tally: Tally, place: int) -> bool:
    """Return whether any word has a value at a position of tuples."""
    return len(tally.axes[place]) > _without_value(tally.axes[place]).size


def features_of(feats: str) -> list[str]:
    """Return the pairs Name=Value of a FEATS column."""
    return [] if feats == NOTHING else feats.split("|")


def features_per_word(tags: Tally) -> float | None:
    """Return the mean number of features per word; None if the treebank has no features."""
    return _n_features(tags) / tags.total if are_annotated(tags, 1) else None


def features_by_upos(tags: Tally) -> dict[str, float]:
    """Return the mean number of features by part of speech; empty if the treebank has no features."""
    if not (are_annotated(tags, 0) and are_annotated(tags, 1)):
        return {}
    numbers = np.array([len(features_of(feats)) for feats in tags.axes[1].texts])
    features, words = tags.by(0, tags.counts * numbers[tags.keys[1]]), tags.by(0)
    return {upos: features[upos] / words[upos] for upos in sorted(words)}


def feature_counts(tags: Tally) -> dict[str, int]:
    """Count the words with each feature Name=Value, most frequent first, then by alphabet."""
    counts: Counter[str] = Counter()
    for feats, n in tags.frequencies(1).items():
        counts.update(dict.fromkeys(features_of(feats), n))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def forms_per_lemma(lemmas: Tally) -> float | None:
    """Return distinct forms / distinct lemmas of the words with a lemma; None without lemmas."""
    n_lemmas, n_forms = _distinct_with_lemma(lemmas)
    return n_forms / n_lemmas if n_lemmas else None


def n_lemmas(lemmas: Tally) -> int | None:
    """Return the number of distinct lemmas; None without lemmas."""
    return _distinct_with_lemma(lemmas)[0] or None


def _distinct_with_lemma(lemmas: Tally) -> tuple[int, int]:
    given = ~np.isin(lemmas.keys[0], _without_value(lemmas.axes[0]))
    return np.unique(lemmas.keys[0, given]).size, np.unique(lemmas.keys[1, given]).size


def _without_value(strings: Strings) -> NDArray[np.intp]:
    """Return the code of "_" in a pool, or None, without decoding all strings."""
    nothing = Strings.of([NOTHING])
    return np.flatnonzero(pools.translate(nothing.pool, nothing.offsets, strings.pool, strings.offsets) == 0)


def _n_features(tags: Tally) -> int:
    return sum(n * len(features_of(feats)) for feats, n in tags.frequencies(1).items())
