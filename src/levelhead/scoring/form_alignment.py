"""Alignment of lists that differ: by edit distance over forms, and by the longest common subsequence."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import number_of

if TYPE_CHECKING:
    from levelhead.treebank.strings import Codes

MOST_COMPARISONS = 100_000_000
"""The maximum number of pairs of characters compared for a sentence: a few tenths of a second."""


def is_other_text(n_equal: int, n_gold: int, n_system: int) -> bool:
    """Return whether two versions of a sentence have so few forms in common that they are different sentences.

    Less than half of the forms of either version are equal. A version that is cut off can be short, so the shorter one
    decides.
    """
    return 2 * n_equal < min(n_gold, n_system)


def other_text_note(n_answers: int, n_next: int, n_previous: int) -> str:
    """Return a sentence about the answers to another text."""
    near = ((n_next, "next"), (n_previous, "previous"))
    fitting = " and ".join(
        f"{n:,} of them {'fits' if n == 1 else 'fit'} the {name} gold sentence" for n, name in near if n
    )
    shifted = "the answers are shifted: " if 2 * max(n_next, n_previous) >= n_answers else ""
    end = f"; {shifted}{fitting}" if fitting else ""
    return f"{number_of(n_answers, 'answer')} to another text, not aligned: less than half of the forms match{end}"


def align_forms(gold: Sequence[str], system: Sequence[str]) -> list[int]:
    """Return the position of the system word aligned with each gold word, or -1.

    The alignment keeps the order and has the lowest cost: pairing two words costs the Levenshtein distance of their
    forms, leaving out a word costs its length in characters. Ties are broken to the left: each gold word in turn gets
    the first system word that it has in any of the remaining alignments. If this would compare more than
    `MOST_COMPARISONS` pairs of characters, only equal forms are aligned, as many as possible.
    """
    shared = 0
    for one, other in zip(gold, system):
        if one != other:
            break
        shared += 1
    rest, others = gold[shared:], system[shared:]
    found = list(range(shared))
    if not rest or not others:
        return found + [-1] * len(rest)
    if sum(map(len, rest)) * sum(map(len, others)) > MOST_COMPARISONS:
        paired = dict(common_subsequence(rest, others))
        aligned = [paired.get(word, -1) for word in range(len(rest))]
    else:
        from levelhead.kernels import edits

        aligned = edits.align(*_characters(rest), *_characters(others)).tolist()
    return found + [word + shared if word >= 0 else -1 for word in aligned]


def _characters(forms: Sequence[str]) -> tuple[Codes, Codes]:
    """The characters of all forms as numbers, and where each form starts."""
    text = "".join(forms).encode("utf-32-le", "surrogatepass")
    starts = np.zeros(len(forms) + 1, dtype=np.int32)
    np.cumsum([len(form) for form in forms], out=starts[1:])
    return np.frombuffer(text, dtype=np.int32), starts


_BLOCK = 128


def common_subsequence(gold: Sequence[Hashable], system: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return pairs of equal items of two lists: as many as possible, in order.

    From the left, equal items are paired; otherwise the gold item is skipped if that loses no pair, otherwise the
    system item (the back-trace of the CoNLL 2017 evaluation). Rows of the table are integers with one bit per system
    item (Hyyrö 2004). Only one row in 128 is kept; the others are recomputed when needed.
    """
    table = _Table(gold, system)
    pairs = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g] == system[s]:
            pairs.append((g, s))
            g += 1
            s += 1
        elif table.length(g, s) == table.length(g + 1, s):
            g += 1
        else:
            s += 1
    return pairs


class _Table:
    """The lengths of the common subsequences of all pairs of suffixes.

    A row belongs to a suffix of gold. In its integer, bit i (from the low end) belongs to the suffix of the system list
    with i + 1 items, and is 0 if that suffix has a longer common subsequence than the next shorter suffix.
    """

    def __init__(self, gold: Sequence[Hashable], system: Sequence[Hashable]) -> None:
        self._gold, self._size = gold, len(system)
        self._full = (1 << self._size) - 1
        self._where: dict[Hashable, int] = {}
        shared = set(gold)
        for bit, item in enumerate(reversed(system)):
            if item not in shared:
                continue
            self._where[item] = self._where.get(item, 0) | 1 << bit
        self._kept = {len(gold): self._full}
        row = self._full
        for g in range(len(gold) - 1, -1, -1):
            row = self._next(row, g)
            if g % _BLOCK == 0:
                self._kept[g] = row
        self._block: dict[int, int] = {}

    def _next(self, row: int, g: int) -> int:
        matches = row & self._where.get(self._gold[g], 0)
        return ((row + matches) | (row - matches)) & self._full

    def _row(self, g: int) -> int:
        if g in self._kept:
            return self._kept[g]
        if g not in self._block:
            end = min(g - g % _BLOCK + _BLOCK, len(self._gold))
            row = self._kept[end]
            self._block = {}
            for i in range(end - 1, g - 1, -1):
                row = self._block[i] = self._next(row, i)
        return self._block[g]

    def length(self, g: int, s: int) -> int:
        """The length of the longest common subsequence of gold from g on and the system list from s on."""
        n_items = self._size - s
        return n_items - (self._row(g) & ((1 << n_items) - 1)).bit_count()
