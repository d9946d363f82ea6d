"""Cascading errors: how often the head of a wrong arc is itself attached right (Callin, Table 5)."""

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
        labeled: whether an arc must have the right relation to be right, too.
        wrong: how many aligned words of the class are attached wrong.
        parent_right: how many of them have a system head that is attached right.
    """

    name: str
    labeled: bool
    wrong: int
    parent_right: int

    @property
    def ratio(self) -> float | None:
        """The share with a right parent: the lower, the more errors come from errors further up."""
        return self.parent_right / self.wrong if self.wrong else None


def cascading_errors(matches: Matches, scheme: Scheme) -> tuple[Cascading, ...]:
    """Count, for each class, the wrong arcs whose system head is itself attached right.

    A system head of 0 counts as attached wrong, and so does one that is not aligned.

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
    right_word = np.zeros(matches.system.n_words + 1, dtype=bool)  # the last is the root
    right_word[matches.alignment.system] = right
    wrong = member & ~right
    parents = matches.system.heads[matches.alignment.system[wrong]]
    return Cascading(name, labeled, int(wrong.sum()), int(right_word[parents].sum()))
