"""Alignment of two analyses of a sentence by edit distance over forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from levelhead.scoring.lcs import common_subsequence

if TYPE_CHECKING:
    from levelhead.treebank.strings import Codes

MOST_COMPARISONS = 100_000_000
"""The maximum number of pairs of characters compared for a sentence: a few tenths of a second."""


def align_forms(gold: Sequence[str], system: Sequence[str]) -> list[int]:
    """Return the position of the system word aligned with each gold word, or -1.

    The alignment keeps the order and has the lowest cost: pairing two words costs the Levenshtein distance of their
    forms, leaving out a word costs its length in characters. Ties are broken to the left: each gold word in turn gets
    the first system word that it has in any of the remaining alignments. If this would compare more than
    `MOST_COMPARISONS` pairs of characters, only equal forms are aligned, as many as possible.

    Args:
        gold: the forms of gold, not empty.
        system: the forms of the system.
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
