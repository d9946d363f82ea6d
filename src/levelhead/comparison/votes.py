"""Votes of systems against gold, weighted by the reliability of each system."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.scoring.matches import Matches
from levelhead.treebank import Treebank
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import StringColumn

Numbers = NDArray[np.int64]
Weights = NDArray[np.float64]
Flags = NDArray[np.bool_]

NONE = -1
"""The analysis of a word that a system lacks."""

_PRIOR = 5.0
"""The weight, in words, of a system's overall behavior relative to its behavior with a single label."""


class Ballot(NamedTuple):
    """The analyses of each gold word by gold and the systems.

    Args:
        gold: a number for gold's analysis, int64, shape (gold words,).
        systems: numbers for the analyses of the systems, `NONE` if a word is not aligned; int64, shape (systems, gold
            words).
        labels: the label of each analysis, for the weights; a number for gold, then for the systems; same shapes.
        rest: the rest of an analysis, the head, in the same form.
    """

    gold: Numbers
    systems: Numbers
    labels: tuple[Numbers, Numbers]
    rest: tuple[Numbers, Numbers]


class Vote(NamedTuple):
    """The analysis with the most evidence against gold.

    Args:
        word: the index of the gold word.
        analysis: the number of the other analysis.
        system: the first system with it.
        n_for: the number of systems with it.
        n_gold: the number of systems that agree with gold.
        weight: the log-odds of the other analysis against gold, assuming independent errors of systems.
    """

    word: int
    analysis: int
    system: int
    n_for: int
    n_gold: int
    weight: float


def attachments(outputs: Sequence[Matches]) -> Ballot:
    """Return the analyses of heads and universal relations by gold and systems."""
    gold, names = outputs[0].gold, _Names(universal)
    relations = names.of(gold.relations)
    ours = gold.heads.astype(np.int64) + 1
    theirs, their_labels = [], []
    for matches in outputs:
        system, aligned = matches.system, matches.alignment
        rows = aligned.system
        heads = system.heads[rows].astype(np.int64)
        mapped = np.where(heads < 0, 0, matches.gold_of_system[heads].astype(np.int64) + 1)
        known = (heads < 0) | (mapped > 0)
        theirs.append(_spread(gold, aligned.gold[known], mapped[known]))
        their_labels.append(_spread(gold, aligned.gold[known], names.of(system.relations)[rows][known]))
    labels = np.array(their_labels)
    size, heads_of_systems = gold.n_words + 1, np.array(theirs)
    systems = np.where(labels == NONE, NONE, labels * size + heads_of_systems)
    return Ballot(relations * size + ours, systems, (relations, labels), (ours, heads_of_systems))


def tags(outputs: Sequence[Matches]) -> Ballot:
    """Return the analyses of parts of speech by gold and systems."""
    gold, names = outputs[0].gold, _Names(str)
    ours = names.of(gold.upos)
    theirs = np.array(
        [
            _spread(gold, output.alignment.gold, names.of(output.system.upos)[output.alignment.system])
            for output in outputs
        ]
    )
    rest = np.zeros_like(ours), np.zeros_like(theirs)
    return Ballot(ours, theirs, (ours, theirs), rest)


def votes(ballot: Ballot, least: int) -> Iterator[Vote]:
    """Return the words on which systems agree on an analysis that differs from gold.

    The weight is a sum of log-likelihood ratios over systems: how much more probable the system's analysis is if the
    other analysis is correct than if gold is correct. A system that often confuses `obl` with `nmod` therefore has
    little weight when it does so again. The probabilities are estimated by comparison with gold, whose errors are too
    rare to matter. The errors of systems are assumed to be independent (Dawid and Skene 1979), so weights are only
    suitable for ranking.
    """
    given = ballot.systems != NONE
    right = given & (ballot.systems == ballot.gold)
    models = [_Confusions(ballot, i) for i in range(len(ballot.systems))]
    best = np.full(len(ballot.gold), -np.inf)
    chosen, n_for = np.zeros(len(ballot.gold), dtype=np.int64), np.zeros(len(ballot.gold), dtype=np.int64)
    for i in range(len(ballot.systems)):
        same = given & (ballot.systems == ballot.systems[i])
        count = same.sum(axis=0)
        words = np.flatnonzero(given[i] & ~right[i] & (count >= least))
        each = [model.weights(words, i, same[j], right[j]) for j, model in enumerate(models)]
        weight: Weights = np.sum(each, axis=0)
        better = weight > best[words]
        words = words[better]
        best[words], chosen[words], n_for[words] = weight[better], i, count[words]
    for word in np.flatnonzero(np.isfinite(best)).tolist():
        system = int(chosen[word])
        found = int(ballot.systems[system, word]), system, int(n_for[word]), int(right[:, word].sum())
        yield Vote(word, *found, float(best[word]))


class _Confusions:
    """The frequency of a system's labels for each gold label, with and without the correct rest of the analysis.

    Args:
        ballot: the analyses of gold and systems.
        system: the number of the system.
    """

    def __init__(self, ballot: Ballot, system: int) -> None:
        self._ballot = ballot
        gold, labels = ballot.labels[0], ballot.labels[1]
        given = ballot.systems[system] != NONE
        size = int(max(gold.max(initial=0), labels.max(initial=0))) + 1
        counts = np.zeros((size, 2 * size))
        np.add.at(counts, (gold[given], self._outcome(system)[given]), 1.0)
        overall = counts.sum(axis=0) + 1
        self._log = np.log(counts + _PRIOR * overall / overall.sum()) - np.log(
            counts.sum(axis=1, keepdims=True) + _PRIOR
        )

    def _outcome(self, system: int) -> Numbers:
        """Number the outcomes of a system: the label, and whether the rest, such as the head, equals gold."""
        ballot = self._ballot
        outcome: Numbers = 2 * ballot.labels[1][system] + (ballot.rest[1][system] == ballot.rest[0])
        return outcome

    def weights(self, words: Numbers, other: int, agrees: Flags, with_gold: Flags) -> Weights:
        """Return the log-likelihood ratio of this system's analysis if another system, not gold, is correct."""
        ballot = self._ballot
        gold, label = ballot.labels[0][words], ballot.labels[1][other, words]
        same = (ballot.rest[1][other, words] == ballot.rest[0][words]).astype(np.int64)
        for_other = self._log[label, 2 * label + 1] - self._log[gold, 2 * label + same]
        for_gold = self._log[label, 2 * gold + same] - self._log[gold, 2 * gold + 1]
        weights: Weights = np.where(agrees[words], for_other, np.where(with_gold[words], for_gold, 0.0))
        return weights


class _Names:
    """Numbers for strings of several treebanks.

    Args:
        value: the part of a string that counts.
    """

    def __init__(self, value: Callable[[str], str]) -> None:
        self._value, self._numbers = value, dict[str, int]()

    def of(self, column: StringColumn) -> Numbers:
        """Return a number for each row of a column."""
        return column.mapped(self._number, np.int64)

    def _number(self, text: str) -> int:
        return self._numbers.setdefault(self._value(text), len(self._numbers))


def _spread(gold: Treebank, rows: NDArray[np.integer], values: Numbers) -> Numbers:
    spread = np.full(gold.n_words, NONE, dtype=np.int64)
    spread[rows] = values
    return spread
