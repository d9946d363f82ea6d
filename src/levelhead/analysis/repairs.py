"""What would fix most: the points that a system would gain if each kind of error were repaired."""

from __future__ import annotations

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
from levelhead.significance.bucket_estimates import Certainty, IntervalSettings, gain_certainty, mean_gain_certainty
from levelhead.treebank.schemes import NIVRE_FANG

NOT_ALIGNED = "words not aligned"
MOST_VALUES = 100
"""How many relations or parts of speech are kept apart; all others are one, `OTHER`."""

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
"""What can be wrong in a pair of words, in the order in which it is named."""

_RELATIONS = Agree.HEAD | Agree.RELATION | Agree.FULL_RELATION | Agree.CHILDREN


class Repair(NamedTuple):
    """One kind of error.

    Args:
        error: what is wrong: "relation", "head", "head, relation", ... or "words not aligned".
        detail: gold's relation, and the system's if it is another: `obl -> nmod`; parts of speech for measures that
            compare neither heads nor relations.
        words: how many words have the error.
        share: their share of all words with an error that is listed, 0 if there are none.
        value: the value of the measure after the repair.
        gain: how much more that is.
        certainty: the confidence interval of the gain.
    """

    error: str
    detail: str
    words: int
    share: float
    value: float
    gain: float
    certainty: Certainty


class TreebankRepairs(NamedTuple):
    """What the repair of each kind of error would gain on one treebank.

    Args:
        kinds: the kinds of errors, the largest gain first.
        nothing: how certain a gain of 0 is: that of a kind of error that does not occur.
    """

    kinds: tuple[Repair, ...]
    nothing: Certainty


class AverageRepair(NamedTuple):
    """The mean gain of one kind of repair over treebanks.

    Args:
        error: what is wrong.
        detail: gold's value, and the system's if it is another.
        words: how many words of all treebanks have the error.
        share: their share of all words with an error that is listed, 0 if there are none.
        gain: the mean of the gains, 0 where the error does not occur.
        certainty: the confidence interval of the mean.
    """

    error: str
    detail: str
    words: int
    share: float
    gain: float
    certainty: Certainty


def average_repairs(treebanks: Sequence[TreebankRepairs], level: float) -> list[AverageRepair]:
    """Return the mean gain of each kind of repair, the largest first.

    Args:
        treebanks: the kinds of errors on each treebank.
        level: the confidence level.
    """
    by_kind = [{(one.error, one.detail): one for one in some.kinds} for some in treebanks]
    found = []
    for kind in dict.fromkeys(kind for some in by_kind for kind in some):
        own = [some[kind] for some in by_kind if kind in some]
        every = [
            some[kind].certainty if kind in some else treebank.nothing
            for some, treebank in zip(by_kind, treebanks, strict=True)
        ]
        n_words, gain = sum(one.words for one in own), sum(one.gain for one in own) / len(treebanks)
        found.append(AverageRepair(*kind, n_words, 0.0, gain, mean_gain_certainty(every, level)))
    n_all = sum(one.words for one in found) or 1
    return sorted((one._replace(share=one.words / n_all) for one in found), key=_largest_first)


def _largest_first(one: Repair | AverageRepair) -> tuple[float, int, str, str]:
    return -one.gain, -one.words, one.error, one.detail


class Errors(NamedTuple):
    """Every error of a measure: words of gold that are not right, and words that only the system counts.

    Args:
        names: what is wrong, and gold's value with the system's, of each kind of error, as in `Repair`.
        kind: the number of the kind of each error, int64, shape (errors,).
        word: its gold word, -1 for a system word that is not aligned, same shape.
        row: its gold sentence, same shape.
        changes: what its repair adds to correct, gold, system and aligned words, int64, shape (errors, 4).
        before: correct, gold, system and aligned words of each gold sentence, int64, shape (sentences, 4).
    """

    names: Sequence[tuple[str, str]]
    kind: NDArray[np.int64]
    word: NDArray[np.int64]
    row: NDArray[np.int64]
    changes: NDArray[np.int64]
    before: NDArray[np.int64]


def errors_of(matches: Matches, measure: Measure, *, registry: Registry = STANDARD) -> Errors:
    """Return the errors of a measure, word by word.

    Args:
        matches: the aligned words.
        measure: a measure of words.
        registry: the available measures and schemes.

    Raises:
        MeasureError: the measure is weighted or does not count words.
    """
    definition = check_breakable(measure, registry)
    selection = selection_for(matches, measure, definition, registry.schemes)
    n_gold, n_system = matches.gold.n_words, matches.system.n_words
    gold, system = matches.values(selection) if selection else (np.ones(n_gold, bool), np.ones(n_system, bool))
    needs = definition.needs_for(measure.argument)
    names, kinds = _kinds(matches, needs, gold, system)
    agree = matches.agree(needs)
    return Errors(
        names, *_changes(matches, kinds, gold, system, agree, len(names)), _counts(matches, gold, system, agree)
    )


def repairs(
    matches: Matches, measure: Measure, intervals: IntervalSettings, *, registry: Registry = STANDARD
) -> TreebankRepairs:
    """Return what each kind of error costs: the points gained if its words were as in gold, and nothing else changed.

    An aligned word is repaired by giving it what the measure compares. Words that are not aligned are repaired by
    making the system's words those of gold, all of them right. The largest gains come first.

    Args:
        matches: the aligned words.
        measure: a measure of words.
        intervals: how confidence intervals are computed.
        registry: the available measures and schemes.

    Raises:
        MeasureError: the measure is weighted or does not count words.
    """
    errors = errors_of(matches, measure, registry=registry)
    found = sorted(_repairs(errors, measure, intervals, matches.rules.undefined), key=_largest_first)
    every = sum(one.words for one in found) or 1
    kinds = tuple(one._replace(share=one.words / every) for one in found)
    parts = _parts(intervals.units.sums(errors.before.astype(np.float64)), measure)
    return TreebankRepairs(kinds, gain_certainty(parts, parts, 0, intervals.level))


def _repairs(
    errors: Errors, measure: Measure, intervals: IntervalSettings, undefined: float | None
) -> Iterator[Repair]:
    units, changes = intervals.units, errors.changes
    by_unit = units.sums(errors.before.astype(np.float64))
    value = _value(errors.before.sum(axis=0), measure, undefined)
    order = np.argsort(errors.kind, kind="stable")
    starts = np.searchsorted(errors.kind[order], np.arange(len(errors.names) + 1))
    for number, (error, detail) in enumerate(errors.names):
        own = order[starts[number] : starts[number + 1]]
        if len(own) == 0:
            continue
        after, of_unit = by_unit.copy(), units.of_sentence[errors.row[own]]
        np.add.at(after, of_unit, changes[own])
        fixed = _value(after.sum(axis=0).astype(np.int64), measure, undefined)
        if fixed is None or value is None or fixed <= value:
            continue  # as errors of precision by recall
        before_parts, after_parts = _parts(by_unit, measure), _parts(after, measure)
        certainty = gain_certainty(before_parts, after_parts, len(np.unique(of_unit)), intervals.level)
        n_words = len(own) if error != NOT_ALIGNED else int(np.count_nonzero(changes[own, 0]))
        yield Repair(error, detail, n_words, 0.0, fixed, fixed - value, certainty)


def _kinds(
    matches: Matches, needs: Agree, in_gold: NDArray[np.bool_], in_system: NDArray[np.bool_]
) -> tuple[list[tuple[str, str]], NDArray[np.int64]]:
    """The kinds of errors, and that of each pair of words; the last kind is of words that are not aligned."""
    missing = int(needs) & ~matches.flags.astype(np.int64)
    missing[in_gold[matches.alignment.gold] != in_system[matches.alignment.system]] |= int(Agree.RELATION)
    of_relations = bool(needs & _RELATIONS) or bool((missing & int(Agree.RELATION)).any())
    relation = "relation" if needs & Agree.FULL_RELATION else "deprel"
    buckets = PROPERTIES[relation].of(matches, PropertySettings(NIVRE_FANG)) if of_relations else None
    if buckets is None:
        columns = (matches.gold.upos, matches.system.upos)
        texts = list(dict.fromkeys(text for column in columns for text in column.distinct_texts))
        number = {text: i for i, text in enumerate(texts)}
        gold, system = (np.array([number[text] for text in column], dtype=np.int64) for column in columns)
    else:
        texts, gold, system = list(buckets.names), buckets.gold, buckets.system
    ours, theirs = gold[matches.alignment.gold], system[matches.alignment.system]
    compared = Agree.RELATION | Agree.FULL_RELATION if of_relations else Agree.UPOS
    theirs = np.where(missing & int(compared), theirs, ours)  # what the measure does not compare is not an error
    texts, ours, theirs = _folded(texts, ours, theirs)
    size = len(texts)
    kept, numbers = np.unique((missing * size + ours) * size + theirs, return_inverse=True)
    named = []
    for key in kept.tolist():
        flags, one, other = key // size // size, texts[key // size % size], texts[key % size]
        wrong = dict.fromkeys(name for flag, name in _WRONG.items() if flags & int(flag))
        named.append((", ".join(wrong), one if one == other else f"{one} -> {other}"))
    return [*named, (NOT_ALIGNED, "")], numbers.astype(np.int64)


def _folded(
    texts: list[str], ours: NDArray[np.int64], theirs: NDArray[np.int64]
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """The same with all but the most frequent values as one."""
    if len(texts) <= MOST_VALUES:
        return texts, ours, theirs
    frequency = np.bincount(np.concatenate([ours, theirs]), minlength=len(texts))
    kept = np.argsort(-frequency, kind="stable")[:MOST_VALUES]
    number = np.full(len(texts), MOST_VALUES, dtype=np.int64)
    number[kept] = np.arange(MOST_VALUES)
    return [*(texts[i] for i in kept.tolist()), OTHER], number[ours], number[theirs]


def _changes(
    matches: Matches,
    kinds: NDArray[np.int64],
    gold: NDArray[np.bool_],
    system: NDArray[np.bool_],
    agree: NDArray[np.bool_],
    n_kinds: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Kind, gold word and sentence of each error, and what its repair adds.

    The word is right if gold counts it, and the system counts it if gold does.
    """
    ours, theirs = matches.alignment.gold, matches.alignment.system
    in_gold, in_system = gold[ours].astype(np.int64), system[theirs].astype(np.int64)
    right = agree & (in_gold == 1) & (in_system == 1)
    wrong = np.flatnonzero(~right & ((in_gold == 1) | (in_system == 1)))
    nothing = np.zeros(len(wrong), dtype=np.int64)
    pairs = np.stack([in_gold[wrong], nothing, (in_gold - in_system)[wrong], nothing], axis=1)
    alone = np.ones(len(gold), dtype=bool)
    alone[ours] = False
    missed, extra = np.flatnonzero(alone & gold), np.flatnonzero((matches.gold_of_system < 0) & system)
    added, removed = np.tile([1, 0, 1, 1], (len(missed), 1)), np.tile([0, 0, -1, 0], (len(extra), 1))
    rows = matches.gold.sentence_of_word
    return (
        np.concatenate([kinds[wrong], np.full(len(missed) + len(extra), n_kinds - 1)]).astype(np.int64),
        np.concatenate([ours[wrong], missed, np.full(len(extra), -1)]).astype(np.int64),
        np.concatenate([rows[ours[wrong]], rows[missed], matches.row_of_system[extra]]).astype(np.int64),
        np.concatenate([pairs, added, removed]).astype(np.int64),
    )


def _counts(
    matches: Matches, gold: NDArray[np.bool_], system: NDArray[np.bool_], agree: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Correct, gold, system and aligned words of each gold sentence, shape (sentences, 4)."""
    ours, theirs = matches.alignment.gold, matches.alignment.system
    rows, n = matches.gold.sentence_of_word, len(matches.gold)
    right = agree & gold[ours] & system[theirs]
    chosen = (rows[ours[right]], rows[gold], matches.row_of_system[system], rows[ours[gold[ours]]])
    return np.stack([np.bincount(one, minlength=n) for one in chosen], axis=1)


def _value(total: NDArray[np.int64], measure: Measure, undefined: float | None) -> float | None:
    return score_of(Counts(*(total[i : i + 1] for i in range(4))), measure, undefined).value


def _parts(counts: NDArray[np.float64], measure: Measure) -> NDArray[np.float64]:
    """Numerators and denominators of a measure, shape (units, 2)."""
    correct, gold, system, aligned = counts.T
    wholes = {"precision": system, "recall": gold, "aligned_accuracy": aligned}
    component = measure.component or "f1"
    if component == "f1":
        return np.stack([2 * correct, gold + system], axis=1)
    return np.stack([correct, wholes[component]], axis=1)
