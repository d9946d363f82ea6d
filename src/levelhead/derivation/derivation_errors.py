"""Errors for the sentences that an oracle could not derive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from levelhead.errors import NOWHERE, Fault, InputError, Place

if TYPE_CHECKING:
    from levelhead.derivation.transition_systems import TransitionSystem
    from levelhead.treebank import Treebank

MOST_SWAPS = 50_000_000
"""The maximum number of pairs of words of a sentence in the wrong projective order."""

TOO_LONG = 3
"""The kernels' code for a sentence that would take too long."""

_FAULTS = {
    1: ("not-derivable", "{system} only derives projective trees, but this tree is not projective"),
    2: ("not-derivable", "the heads are not a tree"),
    TOO_LONG: ("derivation-too-long", "the sentence may need more than {limit} steps"),
}


def check_derived(
    failures: NDArray[np.uint8], system: TransitionSystem, treebank: Treebank | None = None, limit: int = MOST_SWAPS
) -> None:
    """Raise an error for the first sentence that was not derived."""
    faults = []
    for failure in dict.fromkeys(failures[failures != 0].tolist()):
        sentences = np.flatnonzero(failures == failure)
        slug, message = _FAULTS[failure]
        text = message.format(system=system.name, limit=limit)
        faults.append(Fault(slug, text, _place(int(sentences[0]), treebank), count=len(sentences)))
    if faults:
        raise InputError(*faults)


def _place(sentence: int, treebank: Treebank | None) -> Place:
    if treebank is None:
        return NOWHERE
    lines = treebank.source.lines
    return Place(treebank.source.path, int(lines[sentence]) if len(lines) else None, sentence + 1)
