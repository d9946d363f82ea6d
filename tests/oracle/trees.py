"""Shapes of trees, literally from their definitions; heads are 1-based, 0 is the root."""

from collections.abc import Sequence
from itertools import combinations

Heads = Sequence[int]


def ancestors(heads: Heads, word: int) -> list[int]:
    """Give the word, its head, that one's head ... up to 0."""
    chain = [word]
    while chain[-1]:
        chain.append(heads[chain[-1] - 1])
    return chain


def yields(heads: Heads) -> dict[int, set[int]]:
    """Give the words that each word dominates, itself included."""
    words = range(1, len(heads) + 1)
    above = {word: set(ancestors(heads, word)) for word in words}
    return {head: {word for word in words if head in above[word]} for head in words}


def depth(heads: Heads, word: int) -> int:
    """Count the arcs to the root word."""
    return len(ancestors(heads, word)) - 2


def is_nonprojective(heads: Heads, word: int) -> bool:
    """Say whether a word between a word and its head is not dominated by the head (Kuhlmann and Nivre 2006)."""
    head = heads[word - 1]
    between = range(min(word, head) + 1, max(word, head))
    return head != 0 and any(head not in ancestors(heads, other) for other in between)


def is_crossed_to_the_right(heads: Heads, word: int) -> bool:
    """Say what Callin's program counted: a head to the right, and a word between with a head outside the span."""
    head = heads[word - 1]
    return any(not word <= heads[other - 1] <= head for other in range(word + 1, head))


def gap_degree(words: set[int]) -> int:
    """Count the discontinuities of a set of words in order (Kuhlmann and Nivre 2006, definition 8)."""
    ordered = sorted(words)
    return sum(1 for left, right in zip(ordered, ordered[1:]) if right != left + 1)


def is_ill_nested(heads: Heads) -> bool:
    """Say whether two disjoint subtrees interleave: a < b < c < d with a, c in one and b, d in the other."""
    subtrees = list(yields(heads).values())
    return any(interleave(one, other) for one, other in combinations(subtrees, 2) if not one & other)


def interleave(one: set[int], other: set[int]) -> bool:
    """Say whether membership changes at least three times from left to right."""
    marks = [word in one for word in sorted(one | other)]
    return sum(1 for left, right in zip(marks, marks[1:]) if left != right) >= 3
