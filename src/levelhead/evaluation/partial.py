"""Partial scores: every gold word counts, even if the text of the output differs or its trees are broken.

Such an output is invalid for the official scorers; partial scores are labeled as not official.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from levelhead.errors import InputError, MalformedDeps
from levelhead.evaluation.coverage import PartialCoverage
from levelhead.evaluation.pair import Evaluation, Input, load, parse_as, splits_tokens
from levelhead.evaluation.provenance import Provenance, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.scoring.measure import Definition, Measure
from levelhead.scoring.measure_notes import annotation_of, notes_on
from levelhead.scoring.partial_matches import (
    PartialCounts,
    PartialMatches,
    ShiftedAnswers,
    count_partially,
    match_partially,
)
from levelhead.scoring.score import Score, not_annotated, reason_of_malformed_deps, score_of
from levelhead.treebank import Treebank
from levelhead.treebank.contents import Contents, contents_of
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.lenient_reader import LenientTreebank, of_treebank, read_leniently
from levelhead.treebank.reader import read_if_valid

if TYPE_CHECKING:
    from levelhead.evaluation.pair import Looking
    from levelhead.treebank.training_data import Training

__all__ = ["PartialCoverage"]


class PartialOutput(NamedTuple):
    """A system's output aligned with gold.

    Args:
        partial: the aligned words.
        contents: the sizes of the output.
        unreadable: the number of lines of its file that could not be read.
    """

    partial: PartialMatches
    contents: Contents
    unreadable: int

    def coverage(self) -> PartialCoverage:
        """Return the share of gold that the output covers."""
        return coverage_of(self.partial, ShiftedAnswers())._replace(unreadable=self.unreadable)


def coverage_of(partial: PartialMatches, shifted: ShiftedAnswers) -> PartialCoverage:
    """Return the share of gold that an output covers, if all of its lines were read."""
    before = shifted.n_next, shifted.n_previous
    shifted.add(partial)
    matches = partial.matches
    with_head = int(np.count_nonzero(partial.has_head[matches.alignment.system]))
    return PartialCoverage(
        partial.by,
        answered=int(np.count_nonzero(partial.answered)),
        sentences=len(matches.gold),
        valid_trees=int(np.count_nonzero(partial.is_tree)),
        aligned=len(matches.alignment),
        with_head=with_head,
        words=matches.gold.n_words,
        extra=partial.n_extra,
        unreadable=0,
        forms_matched=int(np.count_nonzero(partial.equal_forms)),
        other_text=int(np.count_nonzero(partial.other_text)),
        fits_next=shifted.n_next - before[0],
        fits_previous=shifted.n_previous - before[1],
    )


def score_partially(
    gold: Input, system: Input, setup: Setup, training: Training | None = None, look: Looking | None = None
) -> Evaluation:
    """Score a system's output even if its text differs from gold or its trees are broken; both are read whole."""
    ready = setup.single()
    reference = load(gold, ready.rules, ready.format_of_gold)
    reference = reference.without_multiword_tokens() if splits_tokens(ready) else reference
    source = system if isinstance(system, Treebank) else read_bytes(system)
    name = None if isinstance(system, Treebank) else os.fsdecode(system)
    output = match_output(reference, source, name, ready)
    evaluation, _ = partial_evaluation(output, ready, training)
    if look is not None:
        look.start()
        look.add(output.partial.matches)
    return evaluation


def match_output(gold: Treebank, output: Treebank | bytes, name: str | None, ready: Setup) -> PartialOutput:
    """Align a system's output with gold."""
    if isinstance(output, Treebank):
        read = of_treebank(output, several_roots=several_roots(ready))
    else:
        read = _read(output, name, ready)
    return PartialOutput(match_partially(gold, read, ready.rules), contents_of(read.treebank), read.unreadable)


def several_roots(setup: Setup) -> bool:
    """Return whether a tree can have several roots."""
    return setup.format == "conllx" or setup.rules.several_roots


def _read(data: bytes, name: str | None, setup: Setup) -> LenientTreebank:
    """Read a file with the usual checks, or row by row if it is refused."""
    treebank = _read_if_valid(data, name, setup)
    if treebank is None:
        return read_leniently(data, name, conllx=setup.format == "conllx", several_roots=several_roots(setup))
    return of_treebank(treebank, np.full(len(treebank), treebank.has_trees))


def _read_if_valid(data: bytes, name: str | None, setup: Setup) -> Treebank | None:
    """Read a file with the usual checks; None if it is refused."""
    rules = setup.rules
    if rules.reading is None:
        return read_if_valid(data, name, conllx=setup.format == "conllx", several_roots=rules.several_roots)
    try:
        return parse_as(data, name, rules, setup.format)
    except InputError:
        return None


def partial_evaluation(
    output: PartialOutput, ready: Setup, training: Training | None = None
) -> tuple[Evaluation, Mapping[str, PartialCounts]]:
    """Return the scores of an output, and the counts of every measure that has a value."""
    provenance, undefined = _provenance(output, ready), ready.rules.undefined
    scores, strict, counted = {}, {}, {}
    for measure, definition in ready.defined:
        name = str(measure)
        counts = _counts(output.partial, measure, definition, ready)
        score, strict_score = _scores(counts, measure, undefined)
        scores[name] = replace(score, signature=provenance.signature)
        strict[name] = replace(strict_score, signature=provenance.signature)
        if not isinstance(counts, str):
            counted[name] = counts
    gold = output.partial.matches.gold
    evaluation = Evaluation(scores, contents_of(gold), output.contents, provenance, strict, output.coverage())
    if training is None:
        return evaluation, counted
    from levelhead.evaluation.leakage import LeakageCounts, with_leakage

    seen = LeakageCounts(training)
    seen.add(gold, {name: counts.sentences for name, counts in counted.items()})
    return with_leakage(evaluation, seen.leakage(evaluation)), counted


def _provenance(output: PartialOutput, ready: Setup) -> Provenance:
    matches = output.partial.matches
    gold, system = (annotation_of(side, ready.defined) for side in (matches.gold, matches.system))
    sides = gold, system.of_analyzed_words()
    notes = notes_on(*sides, ready.defined, ready.rules, ready.registry.schemes)
    return pair_provenance(contents_of(matches.gold), output.contents, ready, (*notes, *ready.warnings))


def _counts(partial: PartialMatches, measure: Measure, definition: Definition, ready: Setup) -> PartialCounts | str:
    """The counts of a measure, or the reason why there are none."""
    reason = not_annotated(partial.matches, measure, definition)
    if reason is not None:
        return reason
    schemes, weights = ready.registry.schemes, ready.values_of(measure)
    try:
        return count_partially(partial, measure, definition, schemes=schemes, weights=weights)
    except MalformedDeps as error:
        return reason_of_malformed_deps(error)


def _scores(counts: PartialCounts | str, measure: Measure, undefined: float | None) -> tuple[Score, Score]:
    """The score of a measure, and its score if only valid trees count."""
    if isinstance(counts, str):
        return (Score(measure, 0, 0, 0, None, undefined, counts),) * 2
    return score_of(counts.total, measure, undefined), score_of(counts.valid_trees, measure, undefined)
