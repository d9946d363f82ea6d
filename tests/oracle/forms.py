"""Words aligned by edit distance over their forms, from the definition: every alignment is looked at."""

import math
from collections.abc import Iterator, Sequence
from functools import cache


@cache
def distance(one: str, other: str) -> int:
    """The Levenshtein distance of two forms."""
    if not one or not other:
        return len(one) + len(other)
    changed = distance(one[1:], other[1:]) + (one[0] != other[0])
    return min(changed, distance(one[1:], other) + 1, distance(one, other[1:]) + 1)


def every_alignment(n_gold: int, n_system: int, first: int = 0) -> Iterator[tuple[int, ...]]:
    """Give every alignment in order: for each gold word a system word, or -1."""
    if not n_gold:
        yield ()
        return
    for rest in every_alignment(n_gold - 1, n_system, first):
        yield (-1, *rest)
    for word in range(first, n_system):
        for rest in every_alignment(n_gold - 1, n_system, word + 1):
            yield (word, *rest)


def cost(gold: Sequence[str], system: Sequence[str], alignment: Sequence[int]) -> int:
    """What an alignment costs: the distances of pairs, and the lengths of words that are left out."""
    pairs = sum(distance(form, system[at]) if at >= 0 else len(form) for form, at in zip(gold, alignment, strict=True))
    return pairs + sum(len(form) for at, form in enumerate(system) if at not in alignment)


def aligned(gold: Sequence[str], system: Sequence[str]) -> list[int]:
    """The cheapest alignment; of several the one in which the first gold word has the leftmost system word, and so on."""
    every = list(every_alignment(len(gold), len(system)))
    least = min(cost(gold, system, one) for one in every)
    cheapest = [one for one in every if cost(gold, system, one) == least]
    return list(min(cheapest, key=lambda one: [at if at >= 0 else math.inf for at in one]))


ROOTS = ("ROOT", "_", "-", None, "0 (ROOT)", "**0**", "root", "")
"""What models write for the head 0."""


def recovered_heads(gold: Sequence[str], rows: Sequence[tuple[int, str, int | str | None, str]]) -> list[int | None]:
    """The heads of gold words by rows of (id, form, head, relation): through the alignment, where ids are clear.

    Nothing is aligned if fewer than half of the forms of gold, and of the rows, are equal.
    """
    places = aligned(gold, [row[1] for row in rows])
    ids = [row[0] for row in rows]
    n_equal = sum(at >= 0 and rows[at][1] == form for form, at in zip(gold, places, strict=True))
    if n_equal < min(len(gold), len(rows)) / 2:
        return [None] * len(gold)
    found: list[int | None] = []
    for at in places:
        _, _, head, relation = rows[at] if at >= 0 else (0, "", None, "")
        from_zero = 0 in ids
        is_root = relation == "root" and (head in ROOTS or (head == -1 and from_zero))
        if is_root or (head == 0 and not from_zero):
            found.append(0)
        elif head is not None and ids.count(head) == 1 and ids.index(head) in places:
            found.append(places.index(ids.index(head)) + 1)
        else:
            found.append(None)
    return found
