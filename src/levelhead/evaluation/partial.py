"""Partial scores: every gold word counts, although the text of the output differs or its trees are broken.

They are not official scores, under which such an output is invalid, and are labeled as such.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from levelhead.errors import InputError, MalformedDeps
from levelhead.evaluation.pair import Evaluation, Input, load, parse_as, takes_apart
from levelhead.evaluation.provenance import Provenance, pair_provenance
from levelhead.evaluation.setup import Setup
from levelhead.scoring.measure import Definition, Measure
from levelhead.scoring.measure_notes import annotation_of, notes_on
from levelhead.scoring.partial_matches import PartialCounts, PartialMatches, count_partially, match_partially
from levelhead.scoring.score import Score, not_annotated, reason_of_malformed_deps, score_of
from levelhead.scoring.sentence_pairing import PairedBy
from levelhead.treebank import Treebank
from levelhead.treebank.contents import Contents, contents_of
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.lenient_reader import LenientTreebank, of_treebank, read_leniently
from levelhead.treebank.reader import read_if_valid

if TYPE_CHECKING:
    from levelhead.evaluation.leakage import Leakage
    from levelhead.treebank.training_data import Training


class PartialCoverage(NamedTuple):
    """How much of gold a system's output covers.

    Args:
        paired_by: "characters" if all agree; otherwise how sentences were paired, by "sent_id" or "text"; None
            without a readable output.
        answered: the gold sentences with a word that has a HEAD.
        sentences: the gold sentences.
        valid_trees: the gold sentences with a valid tree in the output.
        aligned: the gold words that are aligned with a word of the output.
        with_head: those whose word in the output has a HEAD.
        words: the gold words.
        extra: the sentences of the output that belong to no gold sentence; they do not count.
        unreadable: the lines of the output that could not be read.
    """

    paired_by: PairedBy | None
    answered: int
    sentences: int
    valid_trees: int
    aligned: int
    with_head: int
    words: int
    extra: int
    unreadable: int

    def __str__(self) -> str:
        """Return it in one line."""
        more = f"; {self.extra} sentences of the system belong to no gold sentence" if self.extra else ""
        lines = f"; {self.unreadable} lines cannot be read" if self.unreadable else ""
        return (
            f"partial scores, not official: {self.answered} of {self.sentences} sentences answered, {self.valid_trees}"
            f" valid trees; {self.aligned} of {self.words} words aligned, {self.with_head} with a head{more}{lines}"
        )


def no_coverage(gold: Contents) -> PartialCoverage:
    """Return the coverage of an output that is missing or of which nothing can be read.

    Args:
        gold: the sizes of gold.
    """
    return PartialCoverage(None, 0, gold.sentences, 0, 0, 0, gold.words, 0, 0)


def total_coverage(coverages: Iterable[PartialCoverage]) -> PartialCoverage:
    """Return the coverage of several outputs together.

    Args:
        coverages: that of each output; at least one.
    """
    by, *numbers = zip(*coverages)
    loosest = next((one for one in reversed(get_args(PairedBy)) if one in by), None)
    return PartialCoverage(loosest, *map(sum, numbers))


class PartialOutput(NamedTuple):
    """A system's output aligned with gold, and what is known of its file.

    Args:
        partial: the aligned words.
        contents: the sizes of the output.
        unreadable: how many lines of the file could not be read.
    """

    partial: PartialMatches
    contents: Contents
    unreadable: int

    def coverage(self) -> PartialCoverage:
        """Return how much of gold the output covers."""
        return coverage_of(self.partial)._replace(unreadable=self.unreadable)


def coverage_of(partial: PartialMatches) -> PartialCoverage:
    """Return how much of gold an output covers, of which every line was read.

    Args:
        partial: the aligned words.
    """
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
    )


def score_partially(gold: Input, system: Input, setup: Setup, training: Training | None = None) -> Evaluation:
    """Score a system's output although its text differs from gold or its trees are broken; both are read whole.

    Args:
        gold: a treebank or the path of one, which must be valid.
        system: the system treebank or its path.
        setup: the settings.
        training: what was seen in training, to report how much of gold occurs there; or None.

    Raises:
        InputError: gold is not valid, or no row of the output can be read.
        MeasureError: a measure has no weight for a relation.
    """
    ready = setup.single()
    reference = load(gold, ready.rules, ready.format_of_gold)
    reference = reference.without_multiword_tokens() if takes_apart(ready) else reference
    source = system if isinstance(system, Treebank) else read_bytes(system)
    name = None if isinstance(system, Treebank) else os.fsdecode(system)
    return partial_evaluation(match_output(reference, source, name, ready), ready, training)[0]


def match_output(gold: Treebank, output: Treebank | bytes, name: str | None, ready: Setup) -> PartialOutput:
    """Align a system's output with gold.

    Args:
        gold: the gold treebank.
        output: the system treebank, or the contents of its file.
        name: what to call the file in messages.
        ready: the settings.

    Raises:
        InputError: no row of the output can be read.
    """
    if isinstance(output, Treebank):
        read = of_treebank(output, several_roots=several_roots(ready))
    else:
        read = _read(output, name, ready)
    return PartialOutput(match_partially(gold, read, ready.rules), contents_of(read.treebank), read.unreadable)


def several_roots(setup: Setup) -> bool:
    """Return whether a tree may have several roots.

    Args:
        setup: the settings.
    """
    return setup.format == "conllx" or setup.rules.several_roots


def _read(data: bytes, name: str | None, setup: Setup) -> LenientTreebank:
    """Read a file as without partial scores, or row by row if it is refused."""
    treebank = _read_if_valid(data, name, setup)
    if treebank is None:
        return read_leniently(data, name, conllx=setup.format == "conllx", several_roots=several_roots(setup))
    return of_treebank(treebank, np.full(len(treebank), treebank.has_trees))


def _read_if_valid(data: bytes, name: str | None, setup: Setup) -> Treebank | None:
    """Read a file as without partial scores; None if it is refused."""
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
    """Return the scores of an output, and the counts of every measure that has a value.

    Args:
        output: the output, aligned with gold.
        ready: the settings, with the weights that measures name.
        training: what was seen in training, to report how much of gold occurs there; or None.

    Raises:
        MeasureError: a measure has no weight for a relation.
    """
    provenance, undefined = _provenance(output, ready, training), ready.rules.undefined
    found = {str(measure): _counts(output.partial, measure, definition, ready) for measure, definition in ready.defined}
    pairs = {str(measure): _scores(found[str(measure)], measure, undefined) for measure, _ in ready.defined}
    scores, strict = (
        {name: replace(pair[side], signature=provenance.signature) for name, pair in pairs.items()} for side in (0, 1)
    )
    counted = {name: counts for name, counts in found.items() if not isinstance(counts, str)}
    gold = output.partial.matches.gold
    leakage = None if training is None else _leakage(gold, scores, counted, training)
    sizes = contents_of(gold), output.contents
    return Evaluation(scores, *sizes, provenance, strict, output.coverage(), leakage), counted


def _provenance(output: PartialOutput, ready: Setup, training: Training | None) -> Provenance:
    matches = output.partial.matches
    sides = annotation_of(matches.gold), annotation_of(matches.system).of_analyzed_words()
    notes = notes_on(*sides, ready.defined, ready.rules, ready.registry.schemes)
    found = pair_provenance(contents_of(matches.gold), output.contents, ready, (*notes, *ready.warnings))
    return found if training is None else found.with_parts(train=training.hashes)


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


def _scores(found: PartialCounts | str, measure: Measure, undefined: float | None) -> tuple[Score, Score]:
    """The score of a measure, and that with valid trees only."""
    if isinstance(found, str):
        return (Score(measure, 0, 0, 0, None, undefined, found),) * 2
    return score_of(found.total, measure, undefined), score_of(found.valid_trees, measure, undefined)


def _leakage(
    gold: Treebank, scores: Mapping[str, Score], counted: Mapping[str, PartialCounts], training: Training
) -> Leakage:
    from levelhead.evaluation.leakage import leakage_of

    return leakage_of(gold, scores, {name: counts.sentences for name, counts in counted.items()}, training)
