"""Alignment of two analyses of a sentence by edit distance over forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from levelhead.errors import number_of
from levelhead.scoring.lcs import common_subsequence

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
    return f"{number_of(n_answers, 'answer')} to another text, not aligned: fewer than half of the forms match{end}"


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
        from levelhead.kernels.alignment import align_forms

        aligned = align_forms(*_characters(rest), *_characters(others)).tolist()
    return found + [word + shared if word >= 0 else -1 for word in aligned]


def _characters(forms: Sequence[str]) -> tuple[Codes, Codes]:
    """The characters of all forms as numbers, and where each form starts."""
    text = "".join(forms).encode("utf-32-le", "surrogatepass")
    starts = np.zeros(len(forms) + 1, dtype=np.int32)
    np.cumsum([len(form) for form in forms], out=starts[1:])
    return np.frombuffer(text, dtype=np.int32), starts
