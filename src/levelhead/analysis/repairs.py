"""Repairs: the points that a system would gain if each kind of error were repaired."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.breakdown import check_breakable
from levelhead.analysis.word_properties import PROPERTIES, PropertySettings
from levelhead.measures.registry import STANDARD, Registry
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Agree, Matches
from levelhead.scoring.measure import Measure
from levelhead.scoring.score import score_of, selection_for
from levelhead.significance.bucket_estimates import BucketEstimate, IntervalSettings, gain_estimate, mean_gain_estimate
from levelhead.significance.system_counts import ratios
from levelhead.significance.units import Units
from levelhead.treebank.schemes import NIVRE_FANG

NOT_ALIGNED = "words not aligned"
MOST_VALUES = 100
"""The maximum number of distinct relations or parts of speech; all others are joined as `OTHER`."""

OTHER = "(other)"

_WRONG = {
    Agree.HEAD: "head",
    Agree.RELATION: "relation",
    Agree.FULL_RELATION: "relation",
    Agree.UPOS: "UPOS",
    Agree.XPOS: "XPOS",
    Agree.FEATS: "features",
    Agree.ALL_FEATS: "features",
    Agree.LEMMA: "lemma",
    Agree.CHILDREN: "functional children",
}
"""The properties that can be wrong in a pair of words, in the order in which they are listed."""

_RELATIONS = Agree.HEAD | Agree.RELATION | Agree.FULL_RELATION | Agree.CHILDREN


class Repair(NamedTuple):
    """One kind of error.

    Args:
        error: the kind of error: "relation", "head", "head, relation", ... or "words not aligned".
        detail: the gold relation, and the system's relation if different: `obl -> nmod`; parts of speech for measures
            that compare neither heads nor relations.
        words: the number of words with the error.
        share: their share of all words with a listed error; 0 without any.
        value: the value of the measure after the repair.
        gain: the increase of the value.
        estimate: the gain with its confidence interval.
    """

    error: str
    detail: str
    words: int
    share: float
    value: float
    gain: float
    estimate: BucketEstimate


class TreebankRepairs(NamedTuple):
    """The gain of repairing each kind of error on one treebank.

    Args:
        kinds: the kinds of errors, the largest gain first.
        nothing: the estimate of the gain (0) of a kind of error that does not occur.
    """

    kinds: tuple[Repair, ...]
    nothing: BucketEstimate


class AverageRepair(NamedTuple):
    """The mean gain of one kind of repair over treebanks.

    Args:
        error: the kind of error.
        detail: the gold value, and the system's value if different.
        words: the number of words with the error on all treebanks.
        share: their share of all words with a listed error; 0 without any.
        gain: the mean of the gains, which are 0 if the error does not occur.
        estimate: the mean with its confidence interval.
    """

    error: str
    detail: str
    words: int
    share: float
    gain: float
    estimate: BucketEstimate


def average_repairs(treebanks: Sequence[TreebankRepairs], level: float) -> list[AverageRepair]:
    """Return the mean gain of each kind of repair, the largest first.

    Args:
        treebanks: the kinds of errors on each treebank.
        level: the confidence level.
    """
    by_kind = [{(repair.error, repair.detail): repair for repair in some.kinds} for some in treebanks]
    averages = []
    for kind in dict.fromkeys(kind for some in by_kind for kind in some):
        own = [some[kind] for some in by_kind if kind in some]
        every = [
            some[kind].estimate if kind in some else treebank.nothing
            for some, treebank in zip(by_kind, treebanks, strict=True)
        ]
        n_words, gain = sum(repair.words for repair in own), math.fsum(repair.gain for repair in own) / len(treebanks)
        averages.append(AverageRepair(*kind, n_words, 0.0, gain, mean_gain_estimate(every, level)))
    n_all = sum(repair.words for repair in averages) or 1
    return sorted((repair._replace(share=repair.words / n_all) for repair in averages), key=_largest_first)


def _largest_first(repair: Repair | AverageRepair) -> tuple[float, int, str, str]:
    return -repair.gain, -repair.words, repair.error, repair.detail


class GainParts(NamedTuple):
    """Numerators and denominators of a measure in each unit, before and after one kind of error is repaired.

    Args:
        error: the kind of error.
        detail: the gold value, and the system's value if different.
        words: the number of words with the error.
        before: float64, shape (units, 2).
        after: the same after the repair.
        affected: the units with repairs, bool, shape (units,).
    """

    error: str
    detail: str
    words: int
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    affected: NDArray[np.bool_]


class _Changes(NamedTuple):
    """The changes of counts by the repair of each error.

    Args:
        kind: the number of the kind of error, int64, shape (errors,).
        word: the gold word, or -1 for an unaligned system word, same shape.
        row: the gold sentence, same shape.
        changes: the changes of correct, gold, system and aligned words, int64, shape (errors, 4).
    """

    kind: NDArray[np.int64]
    word: NDArray[np.int64]
    row: NDArray[np.int64]
    changes: NDArray[np.int64]

    def of(self, kind: int) -> _Changes:
        """Return the errors of one kind."""
        own = self.kind == kind
        return _Changes(*(column[own] for column in self))


class WrongWords(NamedTuple):
    """The incorrect gold words.

    Args:
        kinds: each kind of error with the gold value and the system's value, as in `Repair`.
        kind: the number of the kind of each word, int64, shape (words,).
        word: the gold words, same shape.
    """

    kinds: Sequence[tuple[str, str]]
    kind: NDArray[np.int64]
    word: NDArray[np.int64]


class _Words(NamedTuple):
    """The words that a measure counts, and the correct pairs.

    Args:
        matches: the aligned words.
        needs: the properties that the measure compares.
        gold: whether each gold word counts, bool, shape (gold words,).
        system: whether each system word counts, bool, shape (system words,).
        right: whether each pair is correct, bool, shape (pairs,).
    """

    matches: Matches
    needs: Agree
    gold: NDArray[np.bool_]
    system: NDArray[np.bool_]
    right: NDArray[np.bool_]


def repairs(
    matches: Matches, measure: Measure, intervals: IntervalSettings, *, registry: Registry = STANDARD
) -> TreebankRepairs:
    """Return the cost of each kind of error: the points gained if only its words were changed to gold.

    An aligned word is repaired by correcting the properties that the measure compares. Unaligned words are repaired by
    replacing the system's words with correct gold words. The largest gains come first.

    Args:
        matches: the aligned words.
        measure: a measure of words.
        intervals: the settings of confidence intervals.
        registry: the available measures and schemes.

    Raises:
        MeasureError: the measure is weighted or does not count words.
    """
    every = list(gain_parts(matches, measure, intervals.units, registry=registry))
    n_all = sum(parts.words for parts in every) or 1
    costs = sorted((_repair(parts, parts.words / n_all, intervals.level) for parts in every), key=_largest_first)
    words = _counted_words(matches, measure, registry)
    before = _parts(intervals.units.sums(_counts(words).astype(np.float64)), measure)
    return TreebankRepairs(tuple(costs), gain_estimate(before, before, 0, intervals.level))


def wrong_words(matches: Matches, measure: Measure, *, registry: Registry = STANDARD) -> WrongWords:
    """Return the gold words that `repairs` would repair; see `repairs` for arguments and errors."""
    words = _counted_words(matches, measure, registry)
    names, kinds = _kinds(words)
    changes = _changes(words, kinds, len(names))
    known = changes.word >= 0
    return WrongWords(names, changes.kind[known], changes.word[known])


def gain_parts(
    matches: Matches, measure: Measure, units: Units, *, registry: Registry = STANDARD
) -> Iterator[GainParts]:
    """Return the kinds of errors whose repair is a gain; see `repairs` for arguments and errors."""
    words = _counted_words(matches, measure, registry)
    names, kinds = _kinds(words)
    changes, undefined = _changes(words, kinds, len(names)), matches.rules.undefined
    by_unit = units.sums(_counts(words).astype(np.float64))
    before = _value(by_unit, measure, undefined)
    for number, (error, detail) in enumerate(names):
        own = changes.of(number)
        after, of_unit = by_unit.copy(), units.of_sentence[own.row]
        np.add.at(after, of_unit, own.changes)
        value = _value(after, measure, undefined)
        if value is None or before is None or value <= before:
            continue  # as for errors of precision by recall
        affected = np.bincount(of_unit, minlength=len(after)) > 0
        n_words = len(own.row) if error != NOT_ALIGNED else int(np.count_nonzero(own.changes[:, 0]))
        yield GainParts(error, detail, n_words, _parts(by_unit, measure), _parts(after, measure), affected)


def _repair(one: GainParts, share: float, level: float) -> Repair:
    before, after = (float(ratios(parts.sum(axis=0))) for parts in (one.before, one.after))
    estimate = gain_estimate(one.before, one.after, int(np.count_nonzero(one.affected)), level)
    return Repair(one.error, one.detail, one.words, share, after, after - before, estimate)


def _counted_words(matches: Matches, measure: Measure, registry: Registry) -> _Words:
    definition = check_breakable(measure, registry)
    selection = selection_for(matches, measure, definition, registry.schemes)
    n_gold, n_system = matches.gold.n_words, matches.system.n_words
    gold, system = matches.values(selection) if selection else (np.ones(n_gold, bool), np.ones(n_system, bool))
    needs = definition.needs_for(measure.argument)
    right = matches.agree(needs) & gold[matches.alignment.gold] & system[matches.alignment.system]
    return _Words(matches, needs, gold, system, right)


def _kinds(words: _Words) -> tuple[list[tuple[str, str]], NDArray[np.int64]]:
    """The kinds of errors, and the kind of each pair of words; the last kind is for unaligned words."""
    alignment = words.matches.alignment
    missing = int(words.needs) & ~words.matches.flags.astype(np.int64)
    missing[words.gold[alignment.gold] != words.system[alignment.system]] |= int(Agree.RELATION)
    of_relations = bool(words.needs & _RELATIONS) or bool((missing & int(Agree.RELATION)).any())
    texts, gold, system = _relations(words) if of_relations else _tags(words.matches)
    ours, theirs = gold[alignment.gold], system[alignment.system]
    compared = Agree.RELATION | Agree.FULL_RELATION if of_relations else Agree.UPOS
    theirs = np.where(missing & int(compared), theirs, ours)  # differences that the measure ignores are not errors
    texts, ours, theirs = _folded(texts, ours, theirs)
    size = len(texts)
    kept, numbers = np.unique((missing * size + ours) * size + theirs, return_inverse=True)
    named = [_name(key // size // size, texts[key // size % size], texts[key % size]) for key in kept.tolist()]
    return [*named, (NOT_ALIGNED, "")], numbers.astype(np.int64)


_Values = tuple[list[str], NDArray[np.int64], NDArray[np.int64]]
"""Strings, and the number of the string of each gold word and each system word."""


def _relations(words: _Words) -> _Values:
    relation = "relation" if words.needs & Agree.FULL_RELATION else "deprel"
    buckets = PROPERTIES[relation].of(words.matches, PropertySettings(NIVRE_FANG))
    return list(buckets.names), buckets.gold, buckets.system


def _tags(matches: Matches) -> _Values:
    columns = (matches.gold.upos, matches.system.upos)
    texts = list(dict.fromkeys(text for column in columns for text in column.distinct_texts))
    number = {text: i for i, text in enumerate(texts)}
    gold, system = (column.mapped(number.__getitem__, np.int64) for column in columns)
    return texts, gold, system


def _name(flags: int, gold: str, system: str) -> tuple[str, str]:
    """The kind of error, and the values of both sides."""
    wrong = dict.fromkeys(name for flag, name in _WRONG.items() if flags & int(flag))
    return ", ".join(wrong), gold if gold == system else f"{gold} -> {system}"


def _folded(texts: list[str], ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> _Values:
    """The values with all except the most frequent joined."""
    if len(texts) <= MOST_VALUES:
        return texts, ours, theirs
    frequency = np.bincount(np.concatenate([ours, theirs]), minlength=len(texts))
    kept = np.argsort(-frequency, kind="stable")[:MOST_VALUES]
    number = np.full(len(texts), MOST_VALUES, dtype=np.int64)
    number[kept] = np.arange(MOST_VALUES)
    return [*(texts[i] for i in kept.tolist()), OTHER], number[ours], number[theirs]


def _changes(words: _Words, kinds: NDArray[np.int64], n_kinds: int) -> _Changes:
    """The changes by each repair: the word becomes correct if gold counts it, and the system counts it if gold does."""
    matches = words.matches
    ours, theirs, rows = matches.alignment.gold, matches.alignment.system, matches.gold.sentence_of_word
    in_gold, in_system = words.gold[ours].astype(np.int64), words.system[theirs].astype(np.int64)
    wrong = np.flatnonzero(~words.right & ((in_gold == 1) | (in_system == 1)))
    nothing = np.zeros(len(wrong), dtype=np.int64)
    pairs = np.stack([in_gold[wrong], nothing, (in_gold - in_system)[wrong], nothing], axis=1)
    alone = np.ones(len(words.gold), dtype=bool)
    alone[ours] = False
    missed, extra = np.flatnonzero(alone & words.gold), np.flatnonzero((matches.gold_of_system < 0) & words.system)
    added, removed = np.tile([1, 0, 1, 1], (len(missed), 1)), np.tile([0, 0, -1, 0], (len(extra), 1))
    return _Changes(
        np.concatenate([kinds[wrong], np.full(len(missed) + len(extra), n_kinds - 1)]).astype(np.int64),
        np.concatenate([ours[wrong], missed, np.full(len(extra), -1)]).astype(np.int64),
        np.concatenate([rows[ours[wrong]], rows[missed], matches.row_of_system[extra]]).astype(np.int64),
        np.concatenate([pairs, added, removed]).astype(np.int64),
    )


def _counts(words: _Words) -> NDArray[np.int64]:
    """Correct, gold, system and aligned words of each gold sentence, shape (sentences, 4)."""
    matches = words.matches
    ours, rows, n = matches.alignment.gold, matches.gold.sentence_of_word, len(matches.gold)
    aligned = ours[words.gold[ours]]
    chosen = (rows[ours[words.right]], rows[words.gold], matches.row_of_system[words.system], rows[aligned])
    return np.stack([np.bincount(values, minlength=n) for values in chosen], axis=1)


def _value(by_unit: NDArray[np.float64], measure: Measure, undefined: float | None) -> float | None:
    total = by_unit.sum(axis=0).astype(np.int64)
    return score_of(Counts(*(total[i : i + 1] for i in range(4))), measure, undefined).value


def _parts(counts: NDArray[np.float64], measure: Measure) -> NDArray[np.float64]:
    """Numerators and denominators of a measure, shape (units, 2)."""
    correct, gold, system, aligned = counts.T
    wholes = {"precision": system, "recall": gold, "aligned_accuracy": aligned}
    component = measure.component or "f1"
    if component == "f1":
        return np.stack([2 * correct, gold + system], axis=1)
    return np.stack([correct, wholes[component]], axis=1)
