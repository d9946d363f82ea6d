"""Repairs: the points that a system would gain if each kind of error were repaired."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.breakdown import check_breakable, ratio_parts
from levelhead.analysis.word_properties import PROPERTIES, PropertySettings
from levelhead.measures.registry import STANDARD, Registry
from levelhead.scoring.counts import Counts
from levelhead.scoring.matches import Agree, Matches
from levelhead.scoring.measure import Measure
from levelhead.scoring.score import score_of
from levelhead.scoring.selection import selection_for
from levelhead.significance.jackknife import BucketEstimate, IntervalSettings, gain_estimate, mean_gain_estimate, ratios
from levelhead.significance.units import Cells, UnitHistogram, histogram_of, summed
from levelhead.treebank.schemes import NIVRE_FANG

NOT_ALIGNED = "words not aligned"
MOST_VALUES = 100
"""The maximum number of distinct relations or parts of speech of errors; all further ones are joined as `OTHER`."""

OTHER = "(other)"

WHOLE = -1
"""The number of all words of a unit, among kinds of errors."""

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
    """Return the mean gain of each kind of repair, the largest first."""
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


class ErrorKinds:
    """Numbers the kinds of errors of files of any size."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, str], int] = {(NOT_ALIGNED, ""): 0}
        """The number of each kind: the error and its detail, as in `Repair`."""
        self._values: dict[str, int] = {}

    def folded(self, texts: Sequence[str], found: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
        """Return values and their numbers, with all values after the first `MOST_VALUES` joined."""
        occurring, first = np.unique(found, return_index=True)
        of_text = np.full(len(texts), MOST_VALUES, dtype=np.int64)
        for value in occurring[np.argsort(first)].tolist():
            number = self._values.get(texts[value], len(self._values))
            if number < MOST_VALUES:
                of_text[value] = self._values.setdefault(texts[value], number)
        return [*self._values, *[OTHER] * (MOST_VALUES + 1 - len(self._values))], of_text[found]


class Errors(NamedTuple):
    """The errors of an output, or of a piece of one.

    Args:
        kind: the number of the kind of each error in `ErrorKinds`, int64, shape (errors,).
        word: the gold word, or -1 for an unaligned system word, same shape.
        cells: the numbers of each gold sentence by kind: the changes of correct, gold, system and aligned words by the
            repair, and the number of wrong words. The cells of `WHOLE` have the words of the sentence.
    """

    kind: NDArray[np.int64]
    word: NDArray[np.int64]
    cells: Cells


class _Words(NamedTuple):
    """The words that a measure counts, and the correct pairs.

    Args:
        matches: the aligned words.
        needs: the properties that the measure compares.
        gold: whether each gold word counts, bool, shape (gold words,).
        system: whether each system word counts, bool, shape (system words,).
        right: whether each pair is correct, bool, shape (pairs,).
        by_relation: whether errors are named by relations; otherwise by parts of speech.
    """

    matches: Matches
    needs: Agree
    gold: NDArray[np.bool_]
    system: NDArray[np.bool_]
    right: NDArray[np.bool_]
    by_relation: bool


def repairs(
    matches: Matches, measure: Measure, intervals: IntervalSettings, *, registry: Registry = STANDARD
) -> TreebankRepairs:
    """Return the cost of each kind of error: the points gained if only its words were changed to gold.

    An aligned word is repaired by correcting the properties that the measure compares. Unaligned words are repaired by
    replacing the system's words with correct gold words. The largest gains come first.
    """
    kinds = ErrorKinds()
    cells = errors_in(matches, measure, kinds, registry=registry).cells
    of_units = cells.joined(intervals.units.of_sentence)
    found = histogram_of(of_units, lambda some: gain_parts(some, measure))
    return repairs_of(found, [*kinds.numbers], measure, matches.rules.undefined, intervals.level)


def repairs_of(
    found: UnitHistogram, kinds: Sequence[tuple[str, str]], measure: Measure, undefined: float | None, level: float
) -> TreebankRepairs:
    """Return the cost of each kind of error."""
    units = _UnitsBefore(found, measure, undefined)
    gains = [gain for number, kind in enumerate(kinds) if (gain := units.repair(number, kind, level)) is not None]
    n_all = sum(gain.words for gain in gains) or 1
    costs = sorted((gain._replace(share=gain.words / n_all) for gain in gains), key=_largest_first)
    nothing = gain_estimate(units.before, units.before, units.n_units, 0, level)
    return TreebankRepairs(tuple(costs), nothing)


class _UnitsBefore:
    """The counts of units before any repair.

    Args:
        found: the histogram of errors.
        measure: a measure of words.
        undefined: the value of a ratio with nothing to count.
    """

    def __init__(self, found: UnitHistogram, measure: Measure, undefined: float | None) -> None:
        self._found, self._measure, self._undefined = found, measure, undefined
        parts, self.n_units = found.of_group(WHOLE)
        self.before = parts[:, :2]
        self._keys = _keys(self.before)
        self._totals = dict(zip(found.totals.groups.tolist(), found.totals.counts, strict=True))

    def repair(self, number: int, kind: tuple[str, str], level: float) -> Repair | None:
        """Return the gain of a repair, with a share of 0; None without a gain, as for errors of precision by recall."""
        if number not in self._totals:
            return None
        whole = self._totals[WHOLE][:4], self._totals[WHOLE][:4] + self._totals[number][:4]
        before, after = map(self._value, whole)
        if before is None or after is None or after <= before:
            return None
        parts, n_units = self._found.of_group(number)
        others = self.n_units.copy()
        np.subtract.at(others, np.searchsorted(self._keys, _keys(parts)), n_units)
        both = np.concatenate([self.before, parts[:, :2]]), np.concatenate([self.before, parts[:, 2:]])
        affected, every = int(n_units.sum()), np.concatenate([others, n_units])
        estimate = gain_estimate(*both, every, affected, level)
        ends = [float(ratios(ratio_parts(counts, self._measure))) for counts in whole]
        return Repair(*kind, int(self._totals[number][4]), 0.0, ends[1], ends[1] - ends[0], estimate)

    def _value(self, counts: NDArray[np.int64]) -> float | None:
        return score_of(Counts(*counts.reshape(4, 1)), self._measure, self._undefined).value


def _keys(parts: NDArray[np.float64]) -> NDArray[np.int64]:
    """A number for each numerator and denominator before a repair, in their order."""
    return parts[:, 0].astype(np.int64) << 32 | parts[:, 1].astype(np.int64)


def gain_parts(cells: Cells, measure: Measure) -> NDArray[np.float64]:
    """Return numerators and denominators of a measure in the unit of each cell, before and after the repair."""
    is_whole = cells.groups == WHOLE  # first of its unit
    wholes = cells.counts[np.maximum.accumulate(np.where(is_whole, np.arange(len(is_whole)), 0)), :4]
    repaired = wholes + np.where(is_whole[:, None], 0, cells.counts[:, :4])
    return np.concatenate([ratio_parts(wholes, measure), ratio_parts(repaired, measure)], axis=1)


def wrong_words(matches: Matches, measure: Measure, *, registry: Registry = STANDARD) -> NDArray[np.int64]:
    """Return the gold words that `repairs` would repair, int64; see `repairs` for arguments and errors."""
    words = errors_in(matches, measure, ErrorKinds(), registry=registry).word
    return words[words >= 0]


def errors_in(matches: Matches, measure: Measure, kinds: ErrorKinds, *, registry: Registry = STANDARD) -> Errors:
    """Return the errors that `repairs` would repair, first those of aligned words in the order of the file.

    A repaired word becomes correct if gold counts it, and the system counts it if gold does.
    """
    words = _counted_words(matches, measure, registry)
    ours, theirs, rows = matches.alignment.gold, matches.alignment.system, matches.gold.sentence_of_word
    in_gold, in_system = words.gold[ours].astype(np.int64), words.system[theirs].astype(np.int64)
    wrong = np.flatnonzero(~words.right & ((in_gold == 1) | (in_system == 1)))
    nothing, one = np.zeros(len(wrong), dtype=np.int64), np.ones(len(wrong), dtype=np.int64)
    pairs = np.stack([in_gold[wrong], nothing, (in_gold - in_system)[wrong], nothing, one], axis=1)
    alone = np.ones(len(words.gold), dtype=bool)
    alone[ours] = False
    missed, extra = np.flatnonzero(alone & words.gold), np.flatnonzero((matches.gold_of_system < 0) & words.system)
    added, removed = np.tile([1, 0, 1, 1, 1], (len(missed), 1)), np.tile([0, 0, -1, 0, 0], (len(extra), 1))
    not_aligned = np.full(len(missed) + len(extra), kinds.numbers[NOT_ALIGNED, ""])
    kind = np.concatenate([_kinds(words, wrong, kinds), not_aligned]).astype(np.int64)
    of_errors = Cells(
        np.concatenate([rows[ours[wrong]], rows[missed], matches.row_of_system[extra]]).astype(np.int64),
        kind,
        np.concatenate([pairs, added, removed]).astype(np.int64),
    )
    word = np.concatenate([ours[wrong], missed, np.full(len(extra), -1)]).astype(np.int64)
    return Errors(kind, word, summed([_whole_sentences(words), of_errors]))


def _counted_words(matches: Matches, measure: Measure, registry: Registry) -> _Words:
    definition = check_breakable(measure, registry)
    selection = selection_for(matches, measure, definition, registry.schemes)
    n_gold, n_system = matches.gold.n_words, matches.system.n_words
    gold, system = matches.values(selection) if selection else (np.ones(n_gold, bool), np.ones(n_system, bool))
    needs = definition.needs_for(measure.argument)
    right = matches.agree(needs) & gold[matches.alignment.gold] & system[matches.alignment.system]
    own_relations = selection is not None and not selection.by_gold  # a pair can differ in whether it counts
    return _Words(matches, needs, gold, system, right, bool(needs & _RELATIONS) or own_relations)


def _kinds(words: _Words, pairs: NDArray[np.int64], kinds: ErrorKinds) -> NDArray[np.int64]:
    """The number of the kind of error of each wrong pair of words."""
    gold, system = words.matches.alignment.gold[pairs], words.matches.alignment.system[pairs]
    missing = int(words.needs) & ~words.matches.flags[pairs].astype(np.int64)
    missing[words.gold[gold] != words.system[system]] |= int(Agree.RELATION)
    texts, of_gold, of_system = _relations(words) if words.by_relation else _tags(words.matches)
    ours, theirs = of_gold[gold], of_system[system]
    compared = Agree.RELATION | Agree.FULL_RELATION if words.by_relation else Agree.UPOS
    theirs = np.where(missing & int(compared), theirs, ours)  # differences that the measure ignores are not errors
    texts, values = kinds.folded(texts, np.stack([ours, theirs], axis=1).ravel())
    size = len(texts)
    found, numbers = np.unique((missing * size + values[::2]) * size + values[1::2], return_inverse=True)
    named = [_name(key // size // size, texts[key // size % size], texts[key % size]) for key in found.tolist()]
    of_key = [kinds.numbers.setdefault(name, len(kinds.numbers)) for name in named]
    return np.array(of_key, dtype=np.int64)[numbers]


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


def _whole_sentences(words: _Words) -> Cells:
    """Correct, gold, system and aligned words of each gold sentence, and no wrong words."""
    matches = words.matches
    ours, rows, n = matches.alignment.gold, matches.gold.sentence_of_word, len(matches.gold)
    aligned = ours[words.gold[ours]]
    chosen = (rows[ours[words.right]], rows[words.gold], matches.row_of_system[words.system], rows[aligned])
    counts = [np.bincount(values, minlength=n) for values in chosen]
    return Cells(np.arange(n), np.full(n, WHOLE), np.stack([*counts, np.zeros(n, dtype=np.int64)], axis=1))
