"""Partial scores: every gold word counts, even if the text of the output differs or its trees are broken.

Such an output is invalid for the official scorers; partial scores are labeled as not official.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from levelhead.errors import InputError
from levelhead.evaluation.coverage import PartialCoverage
from levelhead.evaluation.fold import Fold
from levelhead.evaluation.pair import Evaluation, Input, load_gold, parse_as
from levelhead.evaluation.setup import Setup
from levelhead.scoring.partial_matches import PartialMatches, ShiftedAnswers, match_partially
from levelhead.treebank import Treebank
from levelhead.treebank.contents import Contents, contents_of
from levelhead.treebank.input_bytes import read_bytes
from levelhead.treebank.lenient_reader import LenientTreebank, of_treebank
from levelhead.treebank.pieces import read_leniently
from levelhead.treebank.reader import read_if_valid
from levelhead.treebank.scanner import ReaderSettings

if TYPE_CHECKING:
    from levelhead.evaluation.fold import Visitor

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
        aligned=len(matches.alignment.gold),
        with_head=with_head,
        words=matches.gold.n_words,
        extra=partial.n_extra,
        unreadable=0,
        forms_matched=int(np.count_nonzero(partial.equal_forms)),
        other_text=int(np.count_nonzero(partial.other_text)),
        fits_next=shifted.n_next - before[0],
        fits_previous=shifted.n_previous - before[1],
    )


def score_partially(gold: Input, system: Input, setup: Setup, visitors: Sequence[Visitor] = ()) -> Evaluation:
    """Score a system's output even if its text differs from gold or its trees are broken; both are read whole."""
    setup = setup.single()
    reference = load_gold(gold, setup)
    source = system if isinstance(system, Treebank) else read_bytes(system)
    name = None if isinstance(system, Treebank) else os.fsdecode(system)
    return partial_evaluation(match_output(reference, source, name, setup), setup, visitors)


def match_output(gold: Treebank, output: Treebank | bytes, name: str | None, setup: Setup) -> PartialOutput:
    """Align a system's output with gold."""
    if isinstance(output, Treebank):
        read = of_treebank(output, several_roots=several_roots(setup))
    else:
        read = _read(output, name, setup)
    return PartialOutput(match_partially(gold, read, setup.rules), contents_of(read.treebank), read.unreadable)


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
        return read_if_valid(data, name, ReaderSettings(setup.format == "conllx", rules.several_roots))
    try:
        return parse_as(data, name, rules, setup.format)
    except InputError:
        return None


def partial_evaluation(output: PartialOutput, setup: Setup, visitors: Sequence[Visitor] = ()) -> Evaluation:
    """Return the scores of an output, which is a single piece."""
    fold = Fold(setup, visitors)
    fold.add(output.partial)
    return fold.evaluation(contents_of(output.partial.matches.gold), output.contents, output.coverage())
