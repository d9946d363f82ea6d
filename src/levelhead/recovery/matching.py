"""Matching of rows with gold words, and the choice between several attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from levelhead.recovery.attempts import Attempt
from levelhead.recovery.rows import BEFORE_FIRST, ROOT, AnswerRow
from levelhead.scoring.form_alignment import align_forms, is_other_text


class Matched(NamedTuple):
    """An attempt matched with gold words.

    Args:
        attempt: the attempt.
        rows: the row of each gold word, or None.
        heads: the head of each gold word, as its id in the gold sentence, or None.
        n_extra: the number of rows without a gold word.
        equal: whether every gold word has a row of its form, in order, and there is no other row.
        n_matched: the number of gold words with a row of their form.
    """

    attempt: Attempt
    rows: tuple[AnswerRow | None, ...]
    heads: tuple[int | None, ...]
    n_extra: int
    equal: bool
    n_matched: int

    @property
    def is_other_text(self) -> bool:
        """Whether the attempt is about another sentence."""
        return is_other_text(self.n_matched, len(self.rows), len(self.attempt.rows))

    @property
    def n_heads(self) -> int:
        """The number of gold words with a head."""
        return sum(head is not None for head in self.heads)


def best_match(attempts: Sequence[Attempt], forms: Sequence[str]) -> Matched | None:
    """Return the last complete attempt, or otherwise the attempt with the most heads; None without any.

    An attempt is complete if every gold word has a row of its form and a head. If no attempt is complete, attempts
    about the gold sentence are preferred, then those with the correct number of rows; the last wins ties.
    """
    wanted = list(forms)
    for attempt in reversed(attempts):
        if attempt.n_rows == len(wanted) and [row.form for row in attempt.rows] == wanted:
            found = match(attempt, wanted)
            if found.n_heads == len(wanted):
                return found
    best: tuple[tuple[bool, bool, int], Matched] | None = None
    for attempt in reversed(attempts):
        found = match(attempt, wanted)
        key = (not found.is_other_text, attempt.n_rows == len(wanted), found.n_heads)
        if best is None or key > best[0]:
            best = key, found
    return best and best[1]


def match(attempt: Attempt, forms: Sequence[str]) -> Matched:
    """Match the rows of an attempt with gold words by form and edit distance, and convert heads to gold ids."""
    of_rows = [row.form for row in attempt.rows]
    equal = attempt.n_rows == len(forms) and of_rows == list(forms)
    places = range(len(forms)) if equal else align_forms(forms, of_rows)
    rows = tuple(attempt.rows[place] if place >= 0 else None for place in places)
    ids = _gold_ids(attempt.rows, places)
    heads = tuple(None if row is None or row.head is None else ids.get(row.head) for row in rows)
    n_matched = sum(row is not None and row.form == form for row, form in zip(rows, forms))
    return Matched(attempt, rows, heads, attempt.n_rows - sum(row is not None for row in rows), equal, n_matched)


def _gold_ids(rows: Sequence[AnswerRow], places: Sequence[int]) -> dict[int, int]:
    """The gold word of each number of a row; 0 is the root. A number of two rows is ambiguous and ignored."""
    uses = Counter(row.id for row in rows)
    ids = {ROOT: 0, BEFORE_FIRST if 0 in uses else 0: 0}
    for word, place in enumerate(places, 1):
        number = rows[place].id if place >= 0 else None
        if number is not None and uses[number] == 1:
            ids[number] = word
    return ids
