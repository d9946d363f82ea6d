"""The share of gold that a system's output covers, which partial scores state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, get_args

from levelhead.errors import number_of
from levelhead.scoring.form_alignment import PairedBy, other_text_note
from levelhead.treebank.provenance import FileSummary


class PartialCoverage(NamedTuple):
    """The share of gold that a system's output covers.

    Args:
        paired_by: "characters" if all agree; otherwise how sentences were paired, by "sent_id" or "text"; None
            without a readable output.
        answered: the number of gold sentences for which the output has a word with a HEAD.
        sentences: the number of gold sentences.
        valid_trees: the number of gold sentences with a valid tree in the output.
        aligned: the number of gold words that are aligned with a word of the output.
        with_head: the number of aligned words with a HEAD in the output.
        words: the number of gold words.
        extra: the number of sentences of the output without a gold sentence; they do not count.
        unreadable: the number of lines of the output that could not be read.
        forms_matched: the number of gold words that are aligned with a word of the same form.
        other_text: the number of sentences of the output that answer another text: no word is aligned, and fewer than
            half of the forms are equal.
        fits_next: the number of these sentences that fit the next gold sentence.
        fits_previous: the number of these sentences that fit the previous gold sentence.
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
    forms_matched: int
    other_text: int
    fits_next: int
    fits_previous: int

    @property
    def other_text_note(self) -> str:
        """A sentence about the answers to another text; empty if there are none."""
        return other_text_note(self.other_text, self.fits_next, self.fits_previous) if self.other_text else ""

    def __str__(self) -> str:
        """Return the coverage in one line."""
        more = f"; {number_of(self.extra, 'sentence')} of the system without a gold sentence" if self.extra else ""
        lines = f"; {number_of(self.unreadable, 'unreadable line')}" if self.unreadable else ""
        other = f"; {self.other_text_note}" if self.other_text else ""
        words = number_of(self.words, "word")
        return (
            f"partial scores, not official: {self.answered:,} of {number_of(self.sentences, 'sentence')} answered,"
            f" {number_of(self.valid_trees, 'valid tree')}; {self.aligned:,} of {words} aligned,"
            f" {self.forms_matched:,} with the same form, {self.with_head:,} with a head{more}{lines}{other}"
        )


def no_coverage(gold: FileSummary) -> PartialCoverage:
    return PartialCoverage(None, 0, gold.sentences, 0, 0, 0, gold.words, 0, 0, 0, 0, 0, 0)


def total_coverage(coverages: Iterable[PartialCoverage]) -> PartialCoverage:
    paired_by, *numbers = zip(*coverages)
    loosest = next((way for way in reversed(get_args(PairedBy)) if way in paired_by), None)
    return PartialCoverage(loosest, *map(sum, numbers))
