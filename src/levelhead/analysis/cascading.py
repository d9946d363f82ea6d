"""Cascading errors: how often the head of a wrong arc is attached correctly (Callin, Table 5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levelhead.scoring.matches import Agree, Matches
from levelhead.scoring.measure_definitions import ATTACHED
from levelhead.treebank.schemes import Scheme


class Cascading(NamedTuple):
    """The wrong arcs of one class of relations.

    Args:
        name: the class, by the gold relation.
        labeled: whether a correct arc must also have the correct relation.
        wrong: the number of aligned words of the class that are attached incorrectly.
        parent_right: the number of these words whose system head is attached correctly.
    """

    name: str
    labeled: bool
    wrong: int
    parent_right: int

    @property
    def ratio(self) -> float | None:
        """The share of wrong arcs with a correctly attached head; low if errors cascade from errors further up."""
        return self.parent_right / self.wrong if self.wrong else None


def cascading_errors(matches: Matches, scheme: Scheme) -> tuple[Cascading, ...]:
    """Return for each class the wrong arcs, and those whose system head is attached correctly.

    A system head of 0 or an unaligned head counts as attached incorrectly.

    Args:
        matches: the aligned words.
        scheme: the classes.
    """
    members = {name: scheme.is_in(name, matches.gold.relations)[matches.alignment.gold] for name in scheme.names}
    return tuple(
        _of_class(matches, name, member, labeled=labeled)
        for name, member in members.items()
        for labeled in (True, False)
    )


def _of_class(matches: Matches, name: str, member: NDArray[np.bool_], *, labeled: bool) -> Cascading:
    right = matches.agree(ATTACHED if labeled else Agree.HEAD)
    right_word = np.zeros(matches.system.n_words + 1, dtype=bool)  # the last element is the root
    right_word[matches.alignment.system] = right
    wrong = member & ~right
    parents = matches.system.heads[matches.alignment.system[wrong]]
    return Cascading(name, labeled, int(wrong.sum()), int(right_word[parents].sum()))
