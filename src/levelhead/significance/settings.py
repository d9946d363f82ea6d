"""How differences are tested, and where the draws of each test set begin."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from levelhead.arguments import number, whole


class InferenceSettings(NamedTuple):
    """How differences are tested.

    Args:
        resamples: the number of permutations, and of draws where runs or ranks need them.
        seed: of all draws.
        level: the confidence level of intervals.
        margin: the largest difference that does not matter, in points (0.5 is half a percentage point), or as a ratio
            above 1 for perplexities; None to test no equivalence.
        resample_by: what is left out, drawn and swapped as a whole: "auto", "sentence", "document" or "comment:NAME",
            see `units_of`.
    """

    resamples: int = 10_000
    seed: int = 0
    level: float = 0.95
    margin: float | None = None
    resample_by: str = "auto"


STANDARD = InferenceSettings()
"""10,000 permutations, intervals of 95%, documents where gold marks them."""


def check_settings(settings: InferenceSettings) -> None:
    """Refuse settings that no test can have.

    Args:
        settings: how differences are tested.

    Raises:
        InputError: the level is not between 0 and 1, there are no resamples, or the seed is negative.
    """
    number(0, 1, inside=True)("level", settings.level)
    whole(1)("resamples", settings.resamples)
    whole(0)("seed", settings.seed)


def seeded(settings: InferenceSettings, key: str) -> np.random.SeedSequence:
    """Return the seed of one treebank's draws: what is drawn elsewhere, and in which order, changes nothing.

    Args:
        settings: the seed of all draws.
        key: the SHA-256 of the gold contents, or a name for what else is drawn together.
    """
    digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
    return np.random.SeedSequence([settings.seed, int.from_bytes(digest[:8])])
