"""Algorithm 2 as implemented in the published script (github.com/kohilin/MultiBFConv), for comparison.

The script keeps a list of each word's children on either side. If a child has meanwhile been attached to another word,
the child's current head replaces it at the end of a list; other words that were attached to the word meanwhile are not
in its lists. The first word of the left list and the last word of the right list become heads, usually the outermost
words. The script visits words that move from the left list to the right list twice, and can then write cycles; here
every word is visited once, and the result is always a tree.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from levelhead.conversion.targets import Flags
    from levelhead.treebank.strings import Codes


def lowered_as_by_the_script(heads: Codes, order: Codes, targets: Flags, fixed: Flags) -> Codes:
    """Return heads with targets moved below their children."""
    lists = _Lists(heads, fixed)
    is_target = targets.astype(bool).tolist()
    for step in order.tolist():
        word, left = (step, True) if step >= 0 else (-1 - step, False)
        lists.renew(word, left=left)
        if is_target[word]:
            lists.lower(word, left=left)
    return np.array(lists.heads, dtype=np.int32)


class _Lists:
    """The script's lists of children, and the current heads."""

    def __init__(self, heads: Codes, fixed: Flags) -> None:
        self.heads = heads.tolist()
        self.fixed = fixed.astype(bool).tolist()
        self.left: defaultdict[int, list[int]] = defaultdict(list)
        self.right: defaultdict[int, list[int]] = defaultdict(list)
        for word, head in enumerate(self.heads):
            if head >= 0:
                self._side(head, word).append(word)

    def _side(self, head: int, word: int) -> list[int]:
        return self.left[head] if word < head else self.right[head]

    def _movable(self, word: int, *, left: bool) -> list[int]:
        children = (self.left if left else self.right).get(word, ())
        return [child for child in children if not self.fixed[child]]

    def renew(self, word: int, *, left: bool) -> None:
        """Replace children that are attached to another word by that word."""
        for child in self._movable(word, left=left):
            head = self.heads[child]
            if head != word:
                self._side(word, child).remove(child)
                self._side(word, head).append(head)

    def lower(self, target: int, *, left: bool) -> None:
        """Move a target's children on one side to its head, and make one of them its head."""
        children, above = self._movable(target, left=left), self.heads[target]
        if children and above >= 0:
            for child in children:
                self.heads[child] = above
            self.heads[target] = children[0] if left else children[-1]
