"""Counts of correct, gold, system and aligned items. Counts can be added; ratios cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from levelhead.immutable import immutable
from levelhead.kernels import agreement
from levelhead.kernels.alignment import shared_spans
from levelhead.kernels.trees import bad_sentences
from levelhead.scoring.matches import Agree, Matches, Offsets
from levelhead.scoring.measure import NOTHING
from levelhead.treebank.relations import universal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.scoring.selection import Selection

Numbers: TypeAlias = "NDArray[Any]"  # counts, int64, or weighted sums, float64

Weights: TypeAlias = "NDArray[Any]"  # the weight of each item: bool, int64 or float64


@immutable
class Counts:
    """The counts of a measure, in total or for each gold sentence.

    Args:
        correct: the number of correct items; int64 (float64 for weighted measures), shape (rows,).
        gold: the number of items in gold, with the same type and shape.
        system: the number of items in the system's output, with the same type and shape.
        aligned: the number of aligned gold items, with the same type and shape. None for measures of segmentation.
    """

    correct: Numbers
    gold: Numbers
    system: Numbers
    aligned: Numbers | None

    def __len__(self) -> int:
        return len(self.correct)

    def __repr__(self) -> str:
        columns = ((name, getattr(self, name)) for name in ("correct", "gold", "system", "aligned"))
        sums = ", ".join(f"{name} {sum(column.tolist()):g}" for name, column in columns if column is not None)
        return f"<Counts: {sums}{f' in {len(self)} rows' if len(self) != 1 else ''}>"

    def __add__(self, other: Counts) -> Counts:
        """Append the rows of other counts."""
        return self._of_columns(lambda *rows: np.concatenate(rows), other)

    def plus(self, other: Counts) -> Counts:
        """Return the counts plus `other`, row by row; `other` must have the same number of rows."""
        return self._of_columns(np.add, other)

    def total(self) -> Counts:
        """Return the sum of all rows, as counts with a single row."""
        return self._of_columns(_sum)

    def _of_columns(self, function: Callable[..., Numbers], *others: Counts) -> Counts:
        columns = zip(*((counts.correct, counts.gold, counts.system, counts.aligned) for counts in (self, *others)))
        return Counts(*(None if any(part is None for part in column) else function(*column) for column in columns))  # type: ignore[arg-type]


def with_missing_words(counts: Counts, lacking: NDArray[np.bool_]) -> Counts:
    """Return counts in which sentences that lack words have at least as many system words as gold words."""
    return replace(counts, system=np.where(lacking, np.maximum(counts.gold, counts.system), counts.system))


def _sum(numbers: Numbers, start: Numbers | None = None) -> Numbers:
    """Sum from left to right, as the official scripts add up weights (floating-point sums depend on the order)."""
    if start is not None:
        numbers = np.concatenate([start, numbers])
    if numbers.dtype == bool:
        return np.array([np.count_nonzero(numbers)])
    return np.cumsum(numbers)[-1:] if len(numbers) else np.zeros(1, dtype=numbers.dtype)


# The weight of each correct pair, each gold word, each system word and each pair.
_Weighed: TypeAlias = "tuple[Weights, Weights, Weights, Weights]"


def _count_weighed(matches: Matches, weighed: _Weighed, *, by_sentence: bool) -> Counts:
    if not by_sentence:
        return Counts(*map(_sum, weighed))
    of_gold = matches.gold.sentence_of_word
    of_pairs = of_gold[matches.alignment.gold]
    sums = []
    for weights, rows in zip(weighed, (of_pairs, of_gold, matches.row_of_system, of_pairs)):
        by_row = np.bincount(rows, weights=weights, minlength=len(matches.gold))
        sums.append(by_row if weights.dtype == np.float64 else by_row.astype(np.int64))
    return Counts(*sums)


def _count_items(
    matches: Matches, correct: tuple[Offsets, Weights], gold: Offsets, system: Offsets, *, by_sentence: bool
) -> Counts:
    """Count items by the positions in the text where they start; `correct` also has how many are correct at each."""
    if not by_sentence:
        return Counts(np.array([int(correct[1].sum())]), np.array([len(gold)]), np.array([len(system)]), None)
    n_correct = np.bincount(matches.rows_at(correct[0]), weights=correct[1], minlength=len(matches.gold))
    of_gold, of_system = (np.bincount(matches.rows_at(at), minlength=len(matches.gold)) for at in (gold, system))
    return Counts(n_correct.astype(np.int64), of_gold, of_system, None)


def count_words(
    matches: Matches,
    needs: Agree,
    selection: Selection | None = None,
    *,
    by_sentence: bool = False,
    before: Counts | None = None,
    right: Weights | None = None,
) -> Counts:
    """Count pairs of words that agree, or the pairs that are right."""
    gold, system, alignment = matches.gold, matches.system, matches.alignment
    if by_sentence or right is not None or (selection is not None and (selection.weighted or selection.words)):
        of_gold, of_system = matches.values(selection)
        of_pairs = of_gold[alignment.gold]
        both = np.minimum(of_pairs, of_system[alignment.system])  # so that precision and recall are at most 100
        weighed = both * (matches.agree(needs) if right is None else right), of_gold, of_system, of_pairs
        if before is None:
            return _count_weighed(matches, weighed, by_sentence=by_sentence)
        return Counts(*map(_sum, weighed, (before.correct, before.gold, before.system, before.aligned)))
    if selection is None:
        agreeing = np.arange(len(matches.n_with_flags)) & int(needs) == int(needs)
        numbers = (int(matches.n_with_flags[agreeing].sum()), gold.n_words, system.n_words, len(alignment.gold))
    else:
        numbers = agreement.count_chosen(
            alignment.gold,
            alignment.system,
            matches.flags,
            int(needs),
            (gold.relations.codes, system.relations.codes),
            (selection.of_codes(gold.relations).view(np.uint8), selection.of_codes(system.relations).view(np.uint8)),
            selection.by_gold,
        )
    return Counts(*(np.array([number]) for number in numbers))


def count_exact(
    matches: Matches,
    needs: Agree,
    selection: Selection | None = None,
    *,
    by_sentence: bool = False,
    same_text: NDArray[np.bool_] | None = None,
) -> Counts:
    """Count sentences that match exactly: the same span (or text), all words aligned, and all selected words agree."""
    if same_text is None:
        spans = count_spans(matches, "sentences", by_sentence=True)
        same_text = (spans.correct == 1) & (spans.system == 1)
    words = count_words(matches, NOTHING, by_sentence=True)
    right = count_words(matches, needs, selection, by_sentence=True)
    having = right.gold > 0  # sentences without a selected word do not count
    same = having & same_text
    for counts in (words, right):
        same &= (counts.correct == counts.gold) & (counts.correct == counts.system)
    selected = matches.system.sentence_of_word[np.flatnonzero(matches.values(selection)[1])]
    rows = matches.rows_at(matches.system_spans.sentence_starts[np.unique(selected)])
    of_system = np.bincount(rows, minlength=len(matches.gold))
    exact = Counts(same.astype(np.int64), having.astype(np.int64), of_system, None)
    return exact if by_sentence else exact.total()


def count_roots(matches: Matches, needs: Agree, *, by_sentence: bool = False) -> Counts:
    gold, system = matches.gold.heads < 0, matches.system.heads < 0
    of_pairs = gold[matches.alignment.gold]
    correct = of_pairs & system[matches.alignment.system] & matches.agree(needs)
    return _count_weighed(matches, (correct, gold, system, of_pairs), by_sentence=by_sentence)


def count_trees(matches: Matches, *, by_sentence: bool = False) -> Counts:
    """Count the system's sentences whose heads form a tree with one root; the gold count is all its sentences."""
    trees = bad_sentences(matches.system.local_heads(), matches.system.sentence_starts, several_roots=False) == 0
    every = matches.system_spans.sentence_starts[:-1]
    return _count_items(matches, (every, trees), every, every, by_sentence=by_sentence)


def count_paired(correct: NDArray[np.bool_]) -> Counts:
    """Count each gold sentence with its pair, also if it has none: whether it is correct as a whole."""
    every = np.ones(len(correct), dtype=np.int64)
    return Counts(correct.astype(np.int64), every, every, None)


def count_spans(matches: Matches, unit: Literal["tokens", "sentences"], *, by_sentence: bool = False) -> Counts:
    """Count surface tokens or sentences that cover the same characters."""
    (gold, gold_ends), (system, system_ends) = (
        (side.token_starts, side.token_ends)
        if unit == "tokens"
        else (side.sentence_starts[:-1], side.sentence_starts[1:])
        for side in (matches.gold_spans, matches.system_spans)
    )
    same = shared_spans(gold, gold_ends, system, system_ends).view(bool)
    return _count_items(matches, (system, same), gold, system, by_sentence=by_sentence)


def count_edges(matches: Matches, needs: Agree, *, by_sentence: bool = False) -> Counts:
    """Count enhanced edges between aligned words with the same label."""
    gold, system, labels = matches.edges
    numbers = np.arange(len(labels))
    if not needs & Agree.FULL_RELATION:  # the universal form of each step along a path
        of_form: dict[str, int] = {}
        forms = (">".join(map(universal, label.split(">"))) for label in labels)
        numbers = np.array([of_form.setdefault(form, len(of_form)) for form in forms], dtype=np.int64)
    child = matches.gold_of_system[system.child]
    parent = np.where(system.parent < 0, -1, matches.gold_of_system[system.parent.clip(min=0)])
    reachable = (child >= 0) & ((parent >= 0) | (system.parent == -1))  # NO_HEAD agrees with no head
    edges = (
        np.concatenate([gold.child, child[reachable]]).astype(np.int64),
        np.concatenate([gold.parent, parent[reachable]]).astype(np.int64),
        np.concatenate([numbers[gold.label], numbers[system.label][reachable]]).astype(np.int64),
    )
    heads = np.unique(edges[0] * (1 << 31) + edges[1] + 1, return_inverse=True)[1]
    keys = heads * (int(edges[2].max(initial=0)) + 1) + edges[2]  # equal for equal edges
    n_equal = _n_equal(*np.split(keys, [len(gold.child)]), one_to_one=matches.rules.edges_one_to_one)
    starts = matches.gold_spans.starts[gold.child]
    system_starts = matches.system_spans.starts[system.child]
    return _count_items(matches, (starts, n_equal), starts, system_starts, by_sentence=by_sentence)


def _n_equal(of_gold: Numbers, of_system: Numbers, *, one_to_one: bool) -> Numbers:
    """Count the system items equal to each gold item; if one to one, each system item counts once."""
    distinct, n_system = np.unique(of_system, return_counts=True)
    n_equal = np.zeros(len(of_gold), dtype=np.int64)
    if len(distinct):
        at = np.searchsorted(distinct, of_gold).clip(max=len(distinct) - 1)
        n_equal = np.where(distinct[at] == of_gold, n_system[at], 0)
    if one_to_one:
        order = np.argsort(of_gold, kind="stable")
        first = np.searchsorted(of_gold[order], of_gold[order], side="left")
        rank = np.empty(len(of_gold), dtype=np.int64)
        rank[order] = np.arange(len(of_gold)) - first
        n_equal = (rank < n_equal).astype(np.int64)
    return n_equal


# The columns of `Matches.empty_nodes` that are compared if something must agree.
_OF_NODES = (
    (Agree.HEAD, (0, 1, 2)), (Agree.PLACE, (3,)), (Agree.FULL_RELATION, (4,)), (Agree.FORM, (5,)), (Agree.LEMMA, (6,)),
    (Agree.UPOS, (7,)), (Agree.XPOS, (8,)), (Agree.ALL_FEATS, (9,)),
)  # fmt: skip


def count_empty_nodes(matches: Matches, needs: Agree, *, by_sentence: bool = False) -> Counts:
    """Count the empty nodes that agree, one to one."""
    none = np.zeros(0, dtype=np.int64)
    if not (len(matches.gold.empty) or len(matches.system.empty)):
        return _count_items(matches, (none, none), none, none, by_sentence=by_sentence)
    (gold, gold_words), (system, system_words) = matches.empty_nodes
    columns = [column for agree, columns in _OF_NODES if agree & needs for column in columns]
    rows = np.concatenate([gold, system])[:, columns]
    keys = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    n_equal = _n_equal(*np.split(keys, [len(gold)]), one_to_one=True)
    starts, system_starts = matches.gold_spans.starts[gold_words], matches.system_spans.starts[system_words]
    return _count_items(matches, (starts, n_equal), starts, system_starts, by_sentence=by_sentence)
