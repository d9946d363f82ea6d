"""The result of recovering one answer: its class, its tree, and its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from levelhead.kernels import trees
from levelhead.recovery.attempts import BLANK, FENCES, LIST, LONGEST_ANSWER, PIPES, PROSE, tables_of
from levelhead.recovery.matching import Matched, best_match
from levelhead.recovery.rows import COLUMNS, IDS, REMARKS, SPACE, AnswerRow

CLASSES = (
    "as is", "unpacked", "respaced", "repaired", "words changed", "rows missing or extra", "another text", "unreadable",
    "no answer",
)  # fmt: skip
"""The repairs that an answer needs, in increasing order; the last matching class counts."""

TREES = ("tree", "several roots", "no root", "cycle", "incomplete")
"""The validity of the tree of an answer; incomplete if a gold word has no head."""

ANOTHER_TEXT = "another text"
FITS_NEXT, FITS_PREVIOUS = "fits next", "fits previous"
"""Reasons of another text: the answer belongs to the next or previous gold sentence."""

RANGES, SEVERAL, TOO_LONG = "ranges", "attempts", "too long"
STEPS = (
    FENCES, PROSE, BLANK, PIPES, LIST, REMARKS, RANGES, SEVERAL, SPACE, IDS, COLUMNS, TOO_LONG,
    FITS_NEXT, FITS_PREVIOUS,
)  # fmt: skip
"""The repairs of an answer, in the order in which they are listed, or why there are none."""

_TREE_OF_CODE = ("tree", "incomplete", "no root", "several roots", "cycle")
"""The validity of a tree by its code from `kernels.trees.bad_sentences`."""


class Recovered(NamedTuple):
    """An answer with the words of its gold sentence.

    Args:
        category: one of `CLASSES`.
        tree: one of `TREES`.
        steps: the repairs, from `STEPS`.
        rows: the row of each gold word, or None.
        heads: the head of each gold word, as an id of the gold sentence, or None.
        n_extra: the number of rows that were dropped from the attempt that counts.
        n_attempts: the number of tables of rows in the answer.
        n_matched: the number of gold words with a row of their form.
    """

    category: str
    tree: str
    steps: tuple[str, ...]
    rows: tuple[AnswerRow | None, ...]
    heads: tuple[int | None, ...]
    n_extra: int = 0
    n_attempts: int = 0
    n_matched: int = 0

    @property
    def n_words(self) -> int:
        """The number of gold words with a head."""
        return sum(head is not None for head in self.heads)


def recovered(text: str | None, forms: Sequence[str], ranges: Sequence[tuple[str, str]] = ()) -> Recovered:
    """Return an answer with the gold words."""
    nothing = (None,) * len(forms)
    if text is None:
        return Recovered("no answer", "incomplete", (), nothing, nothing)
    tables = tables_of(text, forms)
    best = best_match(tables.attempts, forms)
    if best is None or all(row.head is None for row in best.attempt.rows):
        long = (TOO_LONG,) if len(text) > LONGEST_ANSWER else ()
        return Recovered("unreadable", "incomplete", long, nothing, nothing, n_attempts=len(tables.attempts))
    n_attempts, n_matched = len(tables.attempts), best.n_matched
    if best.is_other_text:
        return Recovered(ANOTHER_TEXT, "incomplete", (), nothing, nothing, best.attempt.n_rows, n_attempts, n_matched)
    steps = {*tables.steps, *_steps_of(best, ranges)}
    if n_attempts > 1:
        steps.add(SEVERAL)
    named = tuple(step for step in STEPS if step in steps)
    category = _category(best, named)
    return Recovered(category, _tree(best.heads), named, best.rows, best.heads, best.n_extra, n_attempts, n_matched)


def fits(text: str, forms: Sequence[str]) -> bool:
    """Return whether an answer is about a sentence."""
    best = best_match(tables_of(text, forms).attempts, forms)
    return best is not None and not best.is_other_text


def _steps_of(best: Matched, ranges: Sequence[tuple[str, str]]) -> set[str]:
    """The repairs of the rows of the attempt that counts, and of its ranges if they differ from gold."""
    steps = set().union(*(row.steps for row in best.attempt.rows))
    numbers = [row.id for row in best.attempt.rows]
    if numbers != list(range(1, len(numbers) + 1)):
        steps.add(IDS)
    written = [(row.id, row.cells[1]) for row in best.attempt.ranges]
    if written != list(ranges):
        steps.add(RANGES)
    if any(len(row.cells) != 10 for row in best.attempt.ranges):
        steps.add(COLUMNS)
    return steps.union(*(row.steps for row in best.attempt.ranges))


def _category(best: Matched, steps: Sequence[str]) -> str:
    if not best.equal:
        is_paired = not best.n_extra and None not in best.rows
        return "words changed" if is_paired else "rows missing or extra"
    if IDS in steps or COLUMNS in steps:
        return "repaired"
    if SPACE in steps:
        return "respaced"
    return "unpacked" if steps else "as is"


def _tree(heads: Sequence[int | None]) -> str:
    known = [head for head in heads if head is not None]
    if len(known) < len(heads):
        return "incomplete"
    starts = np.array([0, len(heads)], dtype=np.int32)
    return _TREE_OF_CODE[trees.bad_sentences(np.array(known, dtype=np.int32), starts, False)[0]]
