"""Entropies of words, by Callin and by Kohita et al.; as weights, and in samples of treebanks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from levelhead.errors import Fault, InputError, quoted
from levelhead.scoring.weights import ABSENT_ENTROPY, Weights, weights_of
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.relations import UD1, UD2, ud_version_of, universal
from levelhead.treebank.strings import Codes
from levelhead.typology.tally import Tally, compact, mapped


def word_dependency_entropy(words: Tally) -> dict[str, float]:
    """Return the word dependency entropy of each relation of a treebank, from 0 to 1.

    WDE(r, t) = H(p(w | r, t)) / log n_w, where n_w is the number of distinct words of the treebank (Callin, section
    4.2); 0 if there is only one. The relations are in alphabetical order.

    Args:
        words: counts of (relation, form).
    """
    totals = dict(sorted(words.by(0).items()))
    n_types = len(words.axes[1])
    if n_types < 2:
        return dict.fromkeys(totals, 0.0)
    logs = words.by(0, words.count_logs())
    entropies = {relation: np.log2(n) - logs[relation] / n for relation, n in totals.items()}
    return {relation: float(np.clip(bits / np.log2(n_types), 0, 1)) for relation, bits in entropies.items()}


def averaged_entropy(
    entropies: Sequence[Mapping[str, float]], relations: Sequence[str] | frozenset[str] = ()
) -> dict[str, float]:
    """Return the word dependency entropy of each relation averaged over treebanks; 0.5 if a treebank lacks it.

    Averaged WDE(r, T) = sum of WDE(r, t) over all t in T / n_T (Callin, section 4.2). The result is sorted by value.

    Args:
        entropies: the word dependency entropies of each treebank; at least one.
        relations: relations to list even if no treebank has them.

    Raises:
        ValueError: no treebanks were given.
    """
    if not entropies:
        raise ValueError("there are no treebanks to average over")
    names = sorted({*relations, *(relation for entropy in entropies for relation in entropy)})
    means = {
        name: math.fsum(entropy.get(name, ABSENT_ENTROPY) for entropy in entropies) / len(entropies) for name in names
    }
    return dict(sorted(means.items(), key=lambda item: item[1]))


class HeadEntropy(NamedTuple):
    """The head-word vocabulary entropy of a treebank.

    Args:
        bits: the entropy over all arcs that count, in bits; None without any.
        by_relation: the entropy for each relation, in bits.
        arcs: the number of arcs that count.
        all_arcs: the number of all arcs.
    """

    bits: float | None
    by_relation: Mapping[str, float]
    arcs: int
    all_arcs: int


def count_heads(heads: Codes, tags: StringColumn, relations: StringColumn, forms: StringColumn) -> Tally:
    """Count (UPOS, relation, form, form of the head) over all words except roots."""
    words = np.flatnonzero(heads >= 0)
    return Tally.of(
        tags.take(words), relations.take(words), forms.take(words), forms.take(heads[words].astype(np.intp))
    )


def head_entropy(heads: Tally, least: int = 5) -> HeadEntropy:
    """Return the entropy of the head word, given a word with its part of speech and relation.

    H_l = sum over (p, w) of P(p, w | l) H(head | p, l, w), over tuples (p, l, w) that occur at least five times
    (Kohita et al. 2017, section 3.2); over all, the same with P(p, l, w). Roots have no head word.

    Args:
        heads: counts of (UPOS, relation, form, form of the head).
        least: the minimum frequency of tuples (p, l, w) that count.
    """
    frequent = heads.where(heads.totals_of(0, 1, 2) >= least)
    tuples = frequent.marginal(0, 1, 2)
    totals, of_tuples, of_heads = tuples.by(1), tuples.by(1, tuples.count_logs()), frequent.by(1, frequent.count_logs())
    bits = {name: max(0.0, of_tuples[name] - of_heads[name]) for name in sorted(totals)}
    by_relation = {name: value / totals[name] for name, value in bits.items()}
    overall = math.fsum(bits.values()) / frequent.total if len(frequent) else None
    return HeadEntropy(overall, by_relation, frequent.total, heads.total)


def head_entropy_of(treebank: Treebank, least: int = 5) -> HeadEntropy:
    """Return the head-word entropy of a treebank, by universal relation and over all."""
    relations, forms, tags = mapped(treebank.relations, universal), compact(treebank.forms), compact(treebank.upos)
    return head_entropy(count_heads(treebank.heads, tags, relations, forms), least)


def entropy_weights(treebanks: Iterable[Treebank]) -> Weights:
    """Return averaged word dependency entropies as the weights of WLAS(WDE) (Callin, section 5).

    Args:
        treebanks: training treebanks, at least one; each is counted and dropped before the next is read.

    Raises:
        ValueError: no treebanks were given.
    """
    tallies = (Tally.of(mapped(treebank.relations, universal), compact(treebank.forms)) for treebank in treebanks)
    return weights_of(averaged_entropy([word_dependency_entropy(words) for words in tallies]))


def weights_text(entropies: Sequence[Mapping[str, float]]) -> str:
    """Return the averaged word dependency entropies of treebanks as a file of weights for WLAS.

    All relations of the treebanks' version of UD are listed; missing relations have the weight 0.5.
    """
    used = {relation for entropy in entropies for relation in entropy}
    invalid = sorted(name for name in used if name.split() != [name] or "," in name or name.startswith("#"))
    if invalid:
        raise InputError(Fault("cannot-hold", f"a file of weights cannot contain the relation {quoted(invalid[0])}"))
    listed = {1: UD1, 2: UD2, None: UD1 | UD2}[ud_version_of(used)]
    means = averaged_entropy(entropies, listed)
    heading = (
        f"# word dependency entropy averaged over {len(entropies)} treebanks; 0.5 if a treebank lacks the relation"
    )
    return "\n".join([heading, *(f"{relation}\t{value!r}" for relation, value in means.items()), ""])


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
        if not 0 < size <= treebank.n_words:
            continue
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
