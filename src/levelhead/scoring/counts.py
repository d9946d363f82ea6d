"""Counts of correct, gold, system and aligned items. Counts can be added; ratios cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from levelhead.immutable import immutable
from levelhead.kernels import agreement
from levelhead.kernels.alignment import shared_spans
from levelhead.kernels.trees import bad_sentences
from levelhead.scoring.matches import Agree, Matches
from levelhead.scoring.measure import NOTHING
from levelhead.treebank.strings import Codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.scoring.selection import Selection

Numbers: TypeAlias = "NDArray[Any]"
"""Counts, int64, or weighted sums, float64."""

Weights: TypeAlias = "NDArray[Any]"
"""The weight of each item: bool, int64 or float64."""


@immutable()
class Counts:
    """Counts by row: a single row, or one row per gold sentence.

    Args:
        correct: the number of correct items; int64 (float64 for weighted measures), shape (rows,).
        gold: the number in gold, same type and shape.
        system: the number in the system's output, same type and shape.
        aligned: the number in gold that are aligned, same type and shape; None for measures of segmentation.
    """

    correct: Numbers
    gold: Numbers
    system: Numbers
    aligned: Numbers | None

    def __len__(self) -> int:
        return len(self.correct)

    def __add__(self, other: Counts) -> Counts:
        """Append the rows of other counts."""
        aligned = None
        if self.aligned is not None and other.aligned is not None:
            aligned = np.concatenate([self.aligned, other.aligned])
        return Counts(
            np.concatenate([self.correct, other.correct]),
            np.concatenate([self.gold, other.gold]),
            np.concatenate([self.system, other.system]),
            aligned,
        )

    def plus(self, other: Counts) -> Counts:
        """Add other counts row by row.

        Args:
            other: the counts of as many rows.
        """
        aligned = None if self.aligned is None or other.aligned is None else self.aligned + other.aligned
        return Counts(self.correct + other.correct, self.gold + other.gold, self.system + other.system, aligned)

    def total(self) -> Counts:
        """Sum all rows into one."""
        aligned = None if self.aligned is None else _sum(self.aligned)
        return Counts(_sum(self.correct), _sum(self.gold), _sum(self.system), aligned)


def _sum(numbers: Numbers, start: Numbers | None = None) -> Numbers:
    """Sum from left to right, as the official scripts add up weights (floating-point sums depend on the order)."""
    if start is not None:
        numbers = np.concatenate([start, numbers])
    if len(numbers) == 0:
        return np.zeros(1, dtype=numbers.dtype)
    return np.cumsum(numbers)[-1:]


@immutable()
class _Rows:
    """The rows that counts are summed into: a single row, or one per gold sentence."""

    matches: Matches
    by_sentence: bool

    def of_gold(self, weights: Weights) -> Numbers:
        """Return the sums of weights of gold words by row."""
        return self._sum(weights, self.matches.gold.sentence_of_word if self.by_sentence else None)

    def of_pairs(self, weights: Weights) -> Numbers:
        """Return the sums of weights of aligned pairs by row."""
        matches = self.matches
        rows = matches.gold.sentence_of_word[matches.alignment.gold] if self.by_sentence else None
        return self._sum(weights, rows)

    def of_system(self, weights: Weights) -> Numbers:
        """Return the sums of weights of system words by row."""
        return self._sum(weights, self.matches.row_of_system if self.by_sentence else None)

    def at(self, starts: NDArray[np.int64], weights: Weights) -> Numbers:
        """Sum items by the position in the text where they start."""
        return self._sum(weights, self.matches.rows_at(starts) if self.by_sentence else None)

    def _sum(self, weights: Weights, rows: Codes | None) -> Numbers:
        if rows is None:
            return np.array([np.count_nonzero(weights)]) if weights.dtype == bool else _sum(weights)
        sums = np.bincount(rows, weights=weights, minlength=len(self.matches.gold))
        return sums if weights.dtype == np.float64 else sums.astype(np.int64)


def count_words(
    matches: Matches,
    needs: Agree,
    selection: Selection | None = None,
    *,
    by_sentence: bool = False,
    before: Counts | None = None,
) -> Counts:
    """Count pairs of words that agree."""
    if before is not None:
        return _count_on(matches, needs, selection, before)
    if selection is None and not by_sentence:
        numbers = (matches.n_agreeing(needs), matches.gold.n_words, matches.system.n_words)
        return Counts(*(np.array([number]) for number in (*numbers, len(matches.alignment))))
    if selection is not None and not selection.weighted and not by_sentence:
        return Counts(*(np.array([number]) for number in _count_chosen(matches, needs, selection)))
    rows = _Rows(matches, by_sentence)
    correct, gold, system, of_pairs = _weighed(matches, needs, selection)
    return Counts(rows.of_pairs(correct), rows.of_gold(gold), rows.of_system(system), rows.of_pairs(of_pairs))


def _count_chosen(matches: Matches, needs: Agree, selection: Selection) -> tuple[int, int, int, int]:
    relations = matches.gold.relations, matches.system.relations
    return agreement.count_chosen(
        matches.alignment.gold,
        matches.alignment.system,
        matches.flags,
        int(needs),
        (relations[0].codes, relations[1].codes),
        (selection.of_codes(relations[0]).view(np.uint8), selection.of_codes(relations[1]).view(np.uint8)),
        selection.by_gold,
    )


def _count_on(matches: Matches, needs: Agree, selection: Selection | None, before: Counts) -> Counts:
    starts = (before.correct, before.gold, before.system, before.aligned)
    return Counts(*map(_sum, _weighed(matches, needs, selection), starts))


def _weighed(matches: Matches, needs: Agree, selection: Selection | None) -> tuple[Weights, Weights, Weights, Weights]:
    """The weight of each correct pair, each gold word, each system word and each pair."""
    gold, system = _of_words(matches, selection)
    of_pairs = gold[matches.alignment.gold]
    both = of_pairs * (system[matches.alignment.system] != 0)  # multiplied, since adding 0.0 does not change a sum
    return both * matches.agree(needs), gold, system, of_pairs


def _of_words(matches: Matches, selection: Selection | None) -> tuple[Weights, Weights]:
    if selection is not None:
        return matches.values(selection)
    return np.ones(matches.gold.n_words, dtype=bool), np.ones(matches.system.n_words, dtype=bool)


def count_exact(
    matches: Matches, needs: Agree, selection: Selection | None = None, *, by_sentence: bool = False
) -> Counts:
    """Count sentences that match exactly: the same span, all words aligned, and all selected words agree.

    Only sentences with at least one selected word count; each side has its own selection.
    """
    spans = count_sentences(matches, by_sentence=True)
    words = count_words(matches, NOTHING, by_sentence=True)
    right = count_words(matches, needs, selection, by_sentence=True)
    having = right.gold > 0
    same = having & (spans.correct == 1) & (spans.system == 1)
    for counts in (words, right):
        same &= (counts.correct == counts.gold) & (counts.correct == counts.system)
    selected = matches.system.sentence_of_word[np.flatnonzero(_of_words(matches, selection)[1])]
    starts = matches.system_spans.sentence_starts[np.unique(selected)]
    of_system = _Rows(matches, by_sentence=True).at(starts, np.ones(len(starts), dtype=np.int64))
    exact = Counts(same.astype(np.int64), having.astype(np.int64), of_system, None)
    return exact if by_sentence else exact.total()


def count_roots(matches: Matches, needs: Agree, *, by_sentence: bool = False) -> Counts:
    """Count words that are roots on both sides."""
    rows = _Rows(matches, by_sentence)
    gold, system = matches.gold.heads < 0, matches.system.heads < 0
    of_pairs = gold[matches.alignment.gold]
    correct = of_pairs & system[matches.alignment.system] & matches.agree(needs)
    return Counts(rows.of_pairs(correct), rows.of_gold(gold), rows.of_system(system), rows.of_pairs(of_pairs))


def count_trees(matches: Matches, *, by_sentence: bool = False) -> Counts:
    """Count the system's sentences whose heads form a tree with one root; the gold count is all its sentences."""
    trees = bad_sentences(matches.system.local_heads(), matches.system.sentence_starts, several_roots=False) == 0
    rows = _Rows(matches, by_sentence)
    at = matches.system_spans.sentence_starts[:-1]
    every = rows.at(at, np.ones(len(trees), dtype=bool))
    return Counts(rows.at(at, trees), every, every, None)


def count_tokens(matches: Matches, *, by_sentence: bool = False) -> Counts:
    """Count surface tokens that cover the same characters."""
    gold, system = matches.gold_spans, matches.system_spans
    return _count_spans(
        matches, (gold.token_starts, gold.token_ends), (system.token_starts, system.token_ends), by_sentence=by_sentence
    )


def count_sentences(matches: Matches, *, by_sentence: bool = False) -> Counts:
    """Count sentences that cover the same characters."""
    gold, system = matches.gold_spans.sentence_starts, matches.system_spans.sentence_starts
    return _count_spans(matches, (gold[:-1], gold[1:]), (system[:-1], system[1:]), by_sentence=by_sentence)


def _count_spans(
    matches: Matches,
    gold: tuple[NDArray[np.int64], NDArray[np.int64]],
    system: tuple[NDArray[np.int64], NDArray[np.int64]],
    *,
    by_sentence: bool,
) -> Counts:
    rows = _Rows(matches, by_sentence)
    same = shared_spans(*gold, *system).view(bool)
    every_gold, every_system = np.ones(len(gold[0]), dtype=bool), np.ones(len(system[0]), dtype=bool)
    return Counts(rows.at(system[0], same), rows.at(gold[0], every_gold), rows.at(system[0], every_system), None)


def count_aligned(matches: Matches, *, by_sentence: bool = False) -> Counts:
    """Count aligned words."""
    words = count_words(matches, NOTHING, by_sentence=by_sentence)
    return Counts(words.correct, words.gold, words.system, None)


def count_edges(matches: Matches, needs: Agree, *, by_sentence: bool = False) -> Counts:
    """Count enhanced edges between aligned words with the same label."""
    gold, system, labels = matches.edges
    from levelhead.scoring.enhanced_edges import universal_labels

    numbers = np.arange(len(labels)) if needs & Agree.FULL_RELATION else universal_labels(labels)
    child = matches.gold_of_system[system.child]
    parent = np.where(system.parent < 0, -1, matches.gold_of_system[system.parent.clip(min=0)])
    reachable = (child >= 0) & ((parent >= 0) | (system.parent == -1))  # NO_HEAD agrees with no head
    keys = _keys(
        (gold.child, gold.parent, numbers[gold.label]),
        (child[reachable], parent[reachable], numbers[system.label][reachable]),
    )
    n_correct = _partners(*keys, one_to_one=matches.rules.edges_one_to_one)
    rows = _Rows(matches, by_sentence)
    gold_at, system_at = matches.gold_spans.starts[gold.child], matches.system_spans.starts[system.child]
    return Counts(
        rows.at(gold_at, n_correct),
        rows.at(gold_at, np.ones(len(gold), dtype=bool)),
        rows.at(system_at, np.ones(len(system), dtype=bool)),
        None,
    )


def _keys(*sides: tuple[Codes, Codes, NDArray[Any]]) -> list[NDArray[np.int64]]:
    """Number the triples, equally on both sides, int64."""
    child, parent, label = (np.concatenate(columns).astype(np.int64) for columns in zip(*sides, strict=True))
    heads = np.unique(child * (1 << 31) + parent + 1, return_inverse=True)[1]
    keys = heads * (int(label.max(initial=0)) + 1) + label
    n_first = len(sides[0][0])
    return [keys[:n_first], keys[n_first:]]


def _partners(gold: NDArray[np.int64], system: NDArray[np.int64], *, one_to_one: bool) -> NDArray[np.int64]:
    """Count the system edges equal to each gold edge, int64; with `one_to_one`, each system edge counts once."""
    distinct, n_system = np.unique(system, return_counts=True)
    if not len(distinct):
        return np.zeros(len(gold), dtype=np.int64)
    at = np.searchsorted(distinct, gold).clip(max=len(distinct) - 1)
    found = np.where(distinct[at] == gold, n_system[at], 0)
    if not one_to_one:
        return found
    order = np.argsort(gold, kind="stable")
    position = np.arange(len(gold))
    first = np.searchsorted(gold[order], gold[order], side="left")
    rank = np.empty(len(gold), dtype=np.int64)
    rank[order] = position - first
    return (rank < found).astype(np.int64)
