"""Words: type/token ratios of running text, features, lemmas, and the entropies of Callin and of Kohita et al."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import Fault, InputError, quoted
from levelhead.immutable import immutable
from levelhead.kernels import pools
from levelhead.scoring.selection import ABSENT_ENTROPY, Weights, weights_of
from levelhead.treebank import StringColumn, Strings, Treebank
from levelhead.treebank.relations import UD1, UD2, ud_version_of, universal
from levelhead.treebank.strings import Codes
from levelhead.typology.tally import Histogram, Sums, Tally, compact, joined, mapped


class Chunks(NamedTuple):
    """How running text is cut for type/token ratios."""

    size: int = 1000  # the tokens of a chunk
    partial: bool = False  # whether a shorter last chunk counts
    window: int = 500  # the tokens of a moving window

    def __add__(self, other: Chunks) -> Chunks:  # type: ignore[override]
        """Return the sum; counts with different chunks cannot be added."""
        if self != other:
            raise ValueError(f"type/token ratios of {self} and {other} cannot be added")
        return self


CALLIN_CHUNKS = Chunks(size=1001, partial=True)
"""The chunks of Callin's program: 1001 tokens, including a shorter last chunk."""


@immutable
class Lexical(Sums):
    """Type/token ratios; chunks and windows do not cross the borders of the treebanks that are added."""

    chunks: Chunks  # how the text was cut
    chunk_types: Histogram  # the number of types of each whole chunk
    n_partial: int  # shorter chunks that count
    partial_ratios: float  # the sum of their type/token ratios
    partial_squares: float  # the sum of the squares of these
    n_windows: int
    types: int  # the sum of the windows' numbers of types

    @property
    def n_chunks(self) -> int:
        return self.chunk_types.total + self.n_partial

    @property
    def sttr(self) -> float | None:
        ratios = self.chunk_types.sum / self.chunks.size + self.partial_ratios
        return ratios / self.n_chunks if self.n_chunks else None

    @property
    def sttr_deviation(self) -> float | None:
        """The standard deviation of the ratio of chunks (n - 1 in the denominator); None for fewer than two."""
        if self.sttr is None or self.n_chunks < 2:
            return None
        types = zip(self.chunk_types.values.tolist(), self.chunk_types.counts.tolist())
        squares = sum(n * value**2 for value, n in types) / self.chunks.size**2 + self.partial_squares
        return math.sqrt(max(0.0, squares - self.n_chunks * self.sttr**2) / (self.n_chunks - 1))

    @property
    def mattr(self) -> float | None:
        return self.types / (self.n_windows * self.chunks.window) if self.n_windows else None


class RunningText:
    """The type/token ratios of a text that is given in parts: of its surface tokens, case-sensitive, in order."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._waiting: list[StringColumn] = []
        self._start = self._n_waiting = 0  # the position of the first pending token, and the number of pending tokens
        self._chunk_types = Histogram.of(np.zeros(0))
        self._n_windows = self._types = 0

    def add(self, treebank: Treebank) -> None:
        self._waiting.append(compact(StringColumn(treebank.tokens.forms, treebank.strings)))
        self._n_waiting += treebank.n_tokens
        if self._n_waiting >= 2 * max(self._chunks.size, self._chunks.window):  # so that few tokens are counted again
            self._count()

    def lexical(self) -> Lexical:
        rest = self._count()
        n_partial = int(self._chunks.partial and len(rest) > 0)
        ratio = n_partial * rest.distinct.size / max(1, len(rest))
        return Lexical(self._chunks, self._chunk_types, n_partial, ratio, ratio**2, self._n_windows, self._types)

    def _count(self) -> StringColumn:
        """Count pending tokens, keep the tokens that start the next chunk or window, and return the types of chunks."""
        text, chunks = joined(self._waiting), self._chunks
        order = np.argsort(text.codes, kind="stable")
        again = np.flatnonzero(text.codes[order[1:]] == text.codes[order[:-1]]) + 1
        before = np.full(len(text), -1, dtype=np.int64)  # the last earlier position of each token's form, or -1
        before[order[again]] = order[again - 1]
        # a token is a new type of a chunk if its form last occurred before it
        at = self._chunk_types.total * chunks.size - self._start
        of_chunks = np.maximum(before[at:] - at, -1)
        whole = of_chunks[: of_chunks.size // chunks.size * chunks.size]
        chunk = np.arange(whole.size) // chunks.size
        self._chunk_types += Histogram.of(np.bincount(chunk[whole < chunk * chunks.size]))
        at = self._n_windows - self._start
        before = np.maximum(before[at:] - at, -1)
        # each token is a new type of the windows that begin after its form last occurred
        n_windows = max(0, before.size - chunks.window + 1)
        places = np.arange(before.size)
        first = np.maximum(before + 1, places - chunks.window + 1)
        last = np.minimum(places, n_windows - 1)
        self._types += int(np.maximum(0, last - first + 1).sum())
        self._n_windows += n_windows
        of_chunk = self._chunk_types.total * chunks.size
        start = min(of_chunk, self._n_windows)
        rest = compact(text[start - self._start :])
        self._start, self._waiting, self._n_waiting = start, [rest], len(rest)
        return rest[of_chunk - start :]


NOTHING = "_"


def are_annotated(tally: Tally, place: int) -> bool:
    return len(tally.axes[place]) > _without_value(tally.axes[place]).size


def features_of(feats: str) -> list[str]:
    return [] if feats == NOTHING else feats.split("|")


def features_per_word(tags: Tally) -> float | None:
    """Return the mean number of features per word; None if the treebank has no features."""
    n_features = sum(n * len(features_of(feats)) for feats, n in tags.frequencies(1).items())
    return n_features / tags.total if are_annotated(tags, 1) else None


def features_by_upos(tags: Tally) -> dict[str, float]:
    """Return the mean number of features by part of speech; empty if the treebank has no features."""
    if not (are_annotated(tags, 0) and are_annotated(tags, 1)):
        return {}
    numbers = np.array([len(features_of(feats)) for feats in tags.axes[1].texts])
    features, words = tags.by(0, tags.counts * numbers[tags.keys[1]]), tags.by(0)
    return {upos: features[upos] / words[upos] for upos in sorted(words)}


def feature_counts(tags: Tally) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for feats, n in tags.frequencies(1).items():
        counts.update(dict.fromkeys(features_of(feats), n))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def forms_and_lemmas(lemmas: Tally) -> tuple[int, int]:
    given = ~np.isin(lemmas.keys[0], _without_value(lemmas.axes[0]))
    return np.unique(lemmas.keys[1, given]).size, np.unique(lemmas.keys[0, given]).size


def _without_value(strings: Strings) -> NDArray[np.intp]:
    """Return the code of "_" in a pool, or None, without decoding all strings."""
    nothing = Strings.of([NOTHING])
    return np.flatnonzero(pools.translate(nothing.pool, nothing.offsets, strings.pool, strings.offsets) == 0)


def word_dependency_entropy(words: Tally) -> dict[str, float]:
    """Return the word dependency entropy of each relation, in alphabetical order, from counts of (relation, form).

    WDE(r, t) = H(p(w | r, t)) / log n_w, where n_w is the number of distinct words of the treebank (Callin, section
    4.2); 0 if there is only one.
    """
    totals = dict(sorted(words.by(0).items()))
    if (n_types := len(words.axes[1])) < 2:
        return dict.fromkeys(totals, 0.0)
    logs = words.by(0, words.count_logs())
    entropies = {relation: np.log2(n) - logs[relation] / n for relation, n in totals.items()}
    return {relation: float(np.clip(bits / np.log2(n_types), 0, 1)) for relation, bits in entropies.items()}


def averaged_entropy(
    entropies: Sequence[Mapping[str, float]], relations: Sequence[str] | frozenset[str] = ()
) -> dict[str, float]:
    """Return the mean entropy of each relation over treebanks (Callin, section 4.2), sorted by value."""
    if not entropies:
        raise ValueError("there are no treebanks to average over")
    names = sorted({*relations, *(relation for entropy in entropies for relation in entropy)})
    n = len(entropies)
    means = {name: math.fsum(entropy.get(name, ABSENT_ENTROPY) for entropy in entropies) / n for name in names}
    return dict(sorted(means.items(), key=lambda item: item[1]))


class HeadEntropy(NamedTuple):
    """The head-word vocabulary entropy of a treebank.

    Args:
        bits: the entropy over all counted arcs, in bits; None if no arc is counted.
        by_relation: the entropy for each relation, in bits.
        arcs: the number of counted arcs. An arc is counted if its word is frequent enough.
        all_arcs: the number of all arcs.
    """

    bits: float | None
    by_relation: Mapping[str, float]
    arcs: int
    all_arcs: int


def count_heads(heads: Codes, tags: StringColumn, relations: StringColumn, forms: StringColumn) -> Tally:
    words = np.flatnonzero(heads >= 0)
    head_forms = forms.take(heads[words].astype(np.intp))
    return Tally.of(tags.take(words), relations.take(words), forms.take(words), head_forms)


def head_entropy(heads: Tally, least: int = 5) -> HeadEntropy:
    """Return the entropy of the head word, given a word with its tag and relation, from counts of these and heads.

    H_l = sum over (p, w) of P(p, w | l) H(head | p, l, w), over tuples (p, l, w) that occur at least five times
    (Kohita et al. 2017, section 3.2); over all, the same with P(p, l, w). Roots have no head word.
    """
    frequent = heads.where(heads.totals_of(0, 1, 2) >= least)
    tuples = frequent.marginal(0, 1, 2)
    totals, of_tuples, of_heads = tuples.by(1), tuples.by(1, tuples.count_logs()), frequent.by(1, frequent.count_logs())
    bits = {name: max(0.0, of_tuples[name] - of_heads[name]) for name in sorted(totals)}
    by_relation = {name: value / totals[name] for name, value in bits.items()}
    overall = math.fsum(bits.values()) / frequent.total if len(frequent) else None
    return HeadEntropy(overall, by_relation, frequent.total, heads.total)


def head_entropy_of(treebank: Treebank) -> HeadEntropy:
    relations, forms, tags = mapped(treebank.relations, universal), compact(treebank.forms), compact(treebank.upos)
    return head_entropy(count_heads(treebank.heads, tags, relations, forms))


def entropy_weights(treebanks: Iterable[Treebank]) -> Weights:
    """Return averaged word dependency entropies as the weights of WLAS(WDE) (Callin, section 5)."""
    tallies = (Tally.of(mapped(treebank.relations, universal), compact(treebank.forms)) for treebank in treebanks)
    return weights_of(averaged_entropy([word_dependency_entropy(words) for words in tallies]))


def weights_text(entropies: Sequence[Mapping[str, float]]) -> str:
    """Return the averaged word dependency entropies of treebanks as a file of weights for WLAS."""
    used = {relation for entropy in entropies for relation in entropy}
    if invalid := sorted(name for name in used if name.split() != [name] or "," in name or name.startswith("#")):
        raise InputError(Fault("cannot-hold", f"a file of weights cannot contain the relation {quoted(invalid[0])}"))
    means = averaged_entropy(entropies, {1: UD1, 2: UD2, None: UD1 | UD2}[ud_version_of(used)])
    averaged = f"averaged over {len(entropies)} treebanks; 0.5 if a treebank lacks the relation"
    rows = (f"{relation}\t{value!r}\n" for relation, value in means.items())
    return f"# word dependency entropy {averaged}\n{''.join(rows)}"


class Rarefied(NamedTuple):
    """The word dependency entropy of a relation in random samples of sentences.

    Args:
        relation: the relation.
        words: the number of words per sample.
        mean: the mean entropy over samples with the relation.
        deviation: the standard deviation over these samples (n - 1 in the denominator); None for fewer than two.
        samples: the number of samples with the relation.
    """

    relation: str
    words: int
    mean: float
    deviation: float | None
    samples: int


def rarefied_entropy(treebank: Treebank, sizes: Iterable[int], *, samples: int = 20, seed: int = 0) -> list[Rarefied]:
    """Return the word dependency entropy of each relation in random samples of sentences, the last of which is cut."""
    relations, draw = mapped(treebank.relations, universal), np.random.default_rng(seed)
    rows = []
    for size in (size for size in sizes if 0 < size <= treebank.n_words):
        drawn = []
        for _ in range(samples):
            order = draw.permutation(len(treebank))
            lengths = np.diff(treebank.sentence_starts)[order]
            moves = treebank.sentence_starts[order] - (np.cumsum(lengths) - lengths)
            words = (np.arange(treebank.n_words) + np.repeat(moves, lengths))[:size]
            drawn.append(word_dependency_entropy(Tally.of(relations.take(words), treebank.forms.take(words))))
        for relation in sorted({name for sample in drawn for name in sample}):
            values = [sample[relation] for sample in drawn if relation in sample]
            deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
            rows.append(Rarefied(relation, size, float(np.mean(values)), deviation, len(values)))
    return rows
