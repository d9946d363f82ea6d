"""The longest common subsequence of two lists in little memory, with ties broken as by the official scorers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

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
