"""Repairs: the points that a system would gain if each kind of error were repaired."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.analysis.breakdown import averaged_by, check_breakable, counted_words, missing_words, ratio_parts
from levelhead.analysis.confusion import OTHER
from levelhead.analysis.word_properties import Values, buckets_by
from levelhead.errors import MeasureError, number_of
from levelhead.measures.registry import STANDARD, Registry
from levelhead.scoring import Agree, Counts, Matches, Measure
from levelhead.scoring.score import score_of
from levelhead.significance.histograms import Cells, UnitHistogram, histogram_of, summed
from levelhead.significance.jackknife import BucketEstimate, IntervalSettings, gain_estimate, mean_gain_estimate
from levelhead.significance.units import Units
from levelhead.tables.data import NOT_A_COLUMN, Percent, Points
from levelhead.treebank.relations import universal

NOT_ALIGNED = "words not aligned"
MOST_VALUES = 100  # distinct relations or parts of speech of errors; all further ones are joined as `OTHER`
WHOLE = -1  # the number of all words of a unit, among kinds of errors

# the properties that can be wrong in a pair of words, in the order in which they are listed
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
_RELATIONS = Agree.HEAD | Agree.RELATION | Agree.FULL_RELATION | Agree.CHILDREN


Kind = tuple[str, str | None, str | None]
"""A kind of error: the first fields of `Repair`."""


class Repair(NamedTuple):
    """One kind of error.

    Args:
        error: what is wrong: "relation", "head", "head, relation" ... or "words not aligned".
        gold_value: the gold relation (the gold UPOS for measures of tags or lemmas); null for unaligned words.
        system_value: the system's relation or UPOS; equals `gold_value` if correct or not compared.
        words: the number of words with this error.
        causes: the number of these words that are roots or whose gold head is attached correctly; null for measures
            that do not compare heads.
        share: `words` / all words with an error; 0 without errors.
        value: the value of the measure after the repair; null for the average of several treebanks.
        gain: the points gained by correcting these words; treebanks without the error add 0 to an average.
        estimate: the gain with its confidence interval.
    """

    error: str
    gold_value: str | None
    system_value: str | None
    words: int
    causes: int | None
    share: Percent
    value: Percent | None
    gain: Points
    estimate: Annotated[BucketEstimate, NOT_A_COLUMN]

    @property
    def kind(self) -> Kind:
        """The kind of error."""
        return self[:3]

    @property
    def detail(self) -> str:
        """Both values, such as `obl -> nmod`; a single one if they are equal."""
        values = dict.fromkeys((self.gold_value, self.system_value))
        return " -> ".join(value for value in values if value is not None)

    @property
    def wrong(self) -> str:
        """What is wrong in addition to the relation or UPOS, such as `head`; empty if nothing else is wrong."""
        shown = {"relation", "UPOS"} if self.gold_value != self.system_value else set()
        return " and ".join(column for column in self.error.split(", ") if column not in shown)

    def in_words(self, named: Callable[[str], str] = str) -> str:
        """Return the kind of error, such as `obl mistaken for nmod with the wrong head`, with named values."""
        if self.error == NOT_ALIGNED:
            return "words that the system segments differently"
        return " mistaken for ".join(map(named, self.detail.split(" -> "))) + f" with the wrong {self.wrong}" * bool(
            self.wrong
        )


class TreebankRepairs(NamedTuple):
    """The gain of repairing each kind of error on one treebank, the largest first."""

    kinds: tuple[Repair, ...]
    nothing: BucketEstimate  # the estimate of the gain (0) of a kind of error that does not occur

    def averaged_by(self, documents: TreebankRepairs) -> TreebankRepairs:
        """Return the repairs of a test set with few documents: its own intervals, with the errors of `documents`."""
        both = zip(self.kinds, documents.kinds, strict=True)
        kinds = (repair._replace(estimate=averaged_by(repair.estimate, few.estimate)) for repair, few in both)
        return TreebankRepairs(tuple(kinds), averaged_by(self.nothing, documents.nothing))


def average_repairs(treebanks: Sequence[TreebankRepairs], level: float) -> list[Repair]:
    """Return the mean gain of each kind of repair, the largest first."""
    by_kind = [{repair.kind: repair for repair in some.kinds} for some in treebanks]
    averages = []
    for kind in dict.fromkeys(kind for some in by_kind for kind in some):
        own = [some[kind] for some in by_kind if kind in some]
        every = [
            some[kind].estimate if kind in some else treebank.nothing
            for some, treebank in zip(by_kind, treebanks, strict=True)
        ]
        n_words = sum(repair.words for repair in own)
        n_causes = None if own[0].causes is None else sum(repair.causes or 0 for repair in own)
        gain = math.fsum(repair.gain for repair in own) / len(treebanks)
        averages.append(Repair(*kind, n_words, n_causes, 0.0, None, gain, mean_gain_estimate(every, level)))
    return _with_shares(averages)


def costliest_error(repairs: Sequence[Repair], measure: str, *, several: bool) -> str:
    """Return the error whose repair gains most, on average over several treebanks, as sentences."""
    if not repairs:
        return f"No repair would gain points of {measure}."
    repair = repairs[0]
    gain = f"{repair.gain:.2f} points of {measure}{' on average' * several}"
    aligned = repair.error != NOT_ALIGNED
    follow = repair.words - repair.causes if repair.causes is not None and aligned else 0
    rest = f"; {follow:,} of them can follow from another wrong head" if follow else ""
    words = f"its {number_of(repair.words, 'word')}" if aligned else f"these {repair.words:,}"
    return f"Costliest error: {repair.in_words()}. Correcting {words} would gain {gain}{rest}."


def _with_shares(repairs: Sequence[Repair]) -> list[Repair]:
    """Repairs with their shares of all words, the largest gain first."""
    n_all = sum(repair.words for repair in repairs) or 1
    with_shares = (repair._replace(share=100 * repair.words / n_all) for repair in repairs)
    return sorted(with_shares, key=lambda repair: (-repair.gain, -repair.words, repair.error, repair.detail))


class ErrorKinds:
    """Numbers the kinds of errors of files of any size."""

    def __init__(self) -> None:
        self.numbers: dict[Kind, int] = {(NOT_ALIGNED, None, None): 0}
        self.compare_heads = True  # whether the measure does
        self._values: dict[str, int] = {}

    def folded(self, texts: Sequence[str], found: Values) -> tuple[list[str], Values]:
        """Return values and their numbers, with all values after the first `MOST_VALUES` joined."""
        occurring, first = np.unique(found, return_index=True)
        of_text = np.full(len(texts), MOST_VALUES, dtype=np.int64)
        for value in occurring[np.argsort(first)].tolist():
            number = self._values.get(texts[value], len(self._values))
            if number < MOST_VALUES:
                of_text[value] = self._values.setdefault(texts[value], number)
        return [*self._values, *[OTHER] * (MOST_VALUES + 1 - len(self._values))], of_text[found]


class Errors(NamedTuple):
    """The errors of a system's output, or of one piece of the output."""

    kind: Values  # the number of each error's kind in `ErrorKinds`, shape (errors,)
    word: Values  # the gold word, or -1 for an unaligned system word, same shape
    # of each gold sentence by kind: the changes of correct, gold, system and aligned words by the repair, and the
    # numbers of wrong words and of causes among them; the cells of `WHOLE` have the words of the sentence
    cells: Cells


def repairs(
    matches: Matches, measure: Measure, intervals: IntervalSettings, *, registry: Registry = STANDARD
) -> TreebankRepairs:
    """Return the gain from correcting each kind of error alone, the largest gain first."""
    kinds = ErrorKinds()
    cells = errors_in(matches, measure, kinds, registry=registry).cells

    def by_unit(units: Units) -> TreebankRepairs:
        found = histogram_of(cells.joined(units.of_sentence), lambda some: gain_parts(some, measure))
        return repairs_of(found, kinds, measure, matches.rules.undefined, intervals.level)

    own = by_unit(intervals.units.own())
    return own.averaged_by(by_unit(intervals.units)) if intervals.units.few else own


def repairs_of(
    found: UnitHistogram, kinds: ErrorKinds, measure: Measure, undefined: float | None, level: float
) -> TreebankRepairs:
    parts, n_units = found.of_group(WHOLE)
    before = parts[:, :2]
    totals = dict(zip(found.totals.groups.tolist(), found.totals.counts, strict=True))
    repaired = []
    for kind, number in ((kind, number) for kind, number in kinds.numbers.items() if number in totals):
        counts = totals[WHOLE][:4], totals[WHOLE][:4] + totals[number][:4]
        value, other = (score_of(Counts(*whole.reshape(4, 1)), measure, undefined).value for whole in counts)
        if value is None or other is None or other <= value:  # no gain, as for errors of precision by recall
            continue
        parts, n_affected = found.of_group(number)
        others = n_units.copy()
        np.subtract.at(others, np.searchsorted(_keys(before), _keys(parts)), n_affected)
        both = np.concatenate([before, parts[:, :2]]), np.concatenate([before, parts[:, 2:]])
        estimate = gain_estimate(*both, np.concatenate([others, n_affected]), int(n_affected.sum()), level)
        n_words, n_causes = totals[number][4:].tolist()
        causes = n_causes if kinds.compare_heads else None
        repaired.append(Repair(*kind, n_words, causes, 0.0, other, other - value, estimate))
    return TreebankRepairs(tuple(_with_shares(repaired)), gain_estimate(before, before, n_units, 0, level))


def _keys(parts: NDArray[np.float64]) -> Values:
    """A number for each numerator and denominator before a repair, in their order."""
    return parts[:, 0].astype(np.int64) << 32 | parts[:, 1].astype(np.int64)


def gain_parts(cells: Cells, measure: Measure) -> NDArray[np.float64]:
    """Return numerators and denominators of a measure in the unit of each cell, before and after the repair."""
    is_whole = cells.groups == WHOLE  # first of its unit
    wholes = cells.counts[np.maximum.accumulate(np.where(is_whole, np.arange(len(is_whole)), 0)), :4]
    repaired = wholes + np.where(is_whole[:, None], 0, cells.counts[:, :4])
    return np.concatenate([ratio_parts(wholes, measure), ratio_parts(repaired, measure)], axis=1)


def wrong_words(matches: Matches, measure: Measure, *, registry: Registry = STANDARD) -> Values:
    """Return the gold words that `repairs` would repair, int64; see `repairs` for arguments and errors."""
    words = errors_in(matches, measure, ErrorKinds(), registry=registry).word
    return words[words >= 0]


def errors_in(matches: Matches, measure: Measure, kinds: ErrorKinds, *, registry: Registry = STANDARD) -> Errors:
    """Return the errors that `repairs` would repair, first those of aligned words in the order of the file."""
    definition = check_breakable(measure, registry)
    if definition.correct is not None:
        message = f"{measure} is a function, so the kinds of its errors are unknown: use LAS"
        raise MeasureError(message, "not-broken-down")
    gold, system, right, selection = counted_words(matches, measure, definition, registry)
    gold_of_pair, system_of_pair, rows = matches.alignment.gold, matches.alignment.system, matches.gold.sentence_of_word
    in_gold, in_system = gold[gold_of_pair].astype(np.int64), system[system_of_pair].astype(np.int64)
    wrong = np.flatnonzero(~right & ((in_gold == 1) | (in_system == 1)))
    # a repaired word becomes correct if gold counts it, and the system counts it if gold does
    pairs = np.stack(np.broadcast_arrays(in_gold[wrong], 0, (in_gold - in_system)[wrong], 0, 1), axis=1)
    missed = np.setdiff1d(np.flatnonzero(gold), gold_of_pair, assume_unique=True)
    extra = np.flatnonzero((matches.gold_of_system < 0) & system)
    added, removed = np.tile([1, 0, 1, 1, 1], (len(missed), 1)), np.tile([0, 0, -1, 0, 0], (len(extra), 1))
    needs = definition.needs_for(measure.argument)
    kinds.compare_heads = bool(needs & Agree.HEAD)
    different = int(needs) & ~matches.flags[wrong].astype(np.int64)
    different[in_gold[wrong] != in_system[wrong]] |= int(Agree.RELATION)
    own_relations = selection is not None and not selection.by_gold  # a pair can differ in whether it counts
    named = _numbers(matches, wrong, needs, different, kinds, by_relation=bool(needs & _RELATIONS) or own_relations)
    kind = np.append(named, np.full(len(missed) + len(extra), kinds.numbers[NOT_ALIGNED, None, None]))
    word = np.concatenate([gold_of_pair[wrong], missed, np.full(len(extra), -1)]).astype(np.int64)
    missing = missing_words(matches, gold, system)  # they count already
    attached = np.zeros(matches.gold.n_words + 1, dtype=bool)
    attached[gold_of_pair] = matches.agree(Agree.HEAD)
    attached[-1] = True  # the root
    causes = (word >= 0) & attached[matches.gold.heads[word]]
    changes = np.column_stack([np.concatenate([pairs, added, removed]), causes]).astype(np.int64)
    changes[np.isin(word, missing), 2] -= 1
    of_errors = Cells(
        np.concatenate([rows[gold_of_pair[wrong]], rows[missed], matches.row_of_system[extra]]).astype(np.int64),
        kind,
        changes,
    )
    # correct, gold, system and aligned words of each gold sentence, and no wrong words
    words = (
        rows[gold_of_pair[right]],
        rows[gold],
        np.append(matches.row_of_system[system], rows[missing]),
        rows[gold_of_pair[gold[gold_of_pair]]],
    )
    n = len(matches.gold)
    counts = (np.bincount(of_words, minlength=n) for of_words in (*words, gold_of_pair[:0], gold_of_pair[:0]))
    whole = Cells(np.arange(n), np.full(n, WHOLE), np.stack([*counts], axis=1))
    return Errors(kind, word, summed([whole, of_errors]))


def _numbers(
    matches: Matches, pairs: Values, needs: Agree, missing: Values, kinds: ErrorKinds, *, by_relation: bool
) -> Values:
    """The number of the kind of each wrong pair of words, named by relations or by parts of speech."""
    value = universal if by_relation and not needs & Agree.FULL_RELATION else str
    buckets = buckets_by(matches, "relations" if by_relation else "upos", value)
    gold_buckets, system_buckets = (
        buckets.gold[matches.alignment.gold[pairs]],
        buckets.system[matches.alignment.system[pairs]],
    )
    compared = Agree.RELATION | Agree.FULL_RELATION if by_relation else Agree.UPOS
    system_buckets = np.where(
        missing & int(compared), system_buckets, gold_buckets
    )  # differences that the measure ignores are not errors
    texts, values = kinds.folded(buckets.names, np.stack([gold_buckets, system_buckets], axis=1).ravel())
    size = len(texts)
    of_key = []
    keys, numbers = np.unique((missing * size + values[::2]) * size + values[1::2], return_inverse=True)
    for key in keys.tolist():
        wrong = dict.fromkeys(name for flag, name in _WRONG.items() if key // size // size & int(flag))
        gold = texts[key // size % size]
        name = ", ".join(wrong), gold, texts[key % size]
        of_key.append(kinds.numbers.setdefault(name, len(kinds.numbers)))
    return np.array(of_key, dtype=np.int64)[numbers]
