"""Groups of systems that do not differ significantly, as letters."""

from __future__ import annotations

from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]


def compact_letters(differ: Flags) -> list[str]:
    """Return the letters of each system: two systems share a letter if and only if they do not differ significantly.

    Source: Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons. Here each letter
    is a maximal group around a pair that shares no letter yet, so there are never more letters than pairs.
    """
    alike = ~(differ | differ.T)
    missing, letters, count = alike.copy(), [""] * len(alike), 0
    for number in range(len(alike)):
        while missing[number].any():
            group = _grown(alike, number, int(np.flatnonzero(missing[number])[-1]))
            missing[np.ix_(group, group)] = False
            for system in group:
                letters[system] += _letter(count)
            count += 1
    return letters


def _grown(alike: Flags, one: int, other: int) -> list[int]:
    """A maximal group with these two systems in which no pair differs significantly."""
    group = sorted({one, other})
    for system in range(len(alike)):
        if system not in group and alike[system, group].all():
            group.append(system)
    return sorted(group)


def _letter(number: int) -> str:
    """The next letter: from a to z, from A to Z, then a1 and so on."""
    turn, place = divmod(number, len(ascii_letters))
    return f"{ascii_letters[place]}{turn or ''}"
