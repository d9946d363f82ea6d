"""The settings of tests, and the seeds of test sets."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from levelhead.arguments import confidence_level, whole


class InferenceSettings(NamedTuple):
    """The settings of tests of differences.

    Args:
        resamples: the number of permutations, and of draws for runs or ranks.
        seed: the random seed.
        level: the confidence level of intervals.
        margin: the largest irrelevant difference, in points (0.5 is half a percentage point), or as a ratio above 1 for
            perplexities; None for no equivalence test.
        resample_by: the independent units: "auto", "sentence", "document" or "comment:NAME", see `units_of`.
    """

    resamples: int = 10_000
    seed: int = 0
    level: float = 0.95
    margin: float | None = None
    resample_by: str = "auto"


STANDARD = InferenceSettings()
"""10,000 permutations, 95% intervals, documents if gold marks them."""


def check_settings(settings: InferenceSettings) -> None:
    """Refuse invalid settings.

    Args:
        settings: the settings of tests.

    Raises:
        InputError: the level is not between 0 and 0.999999, there are no resamples, or the seed is negative.
    """
    confidence_level("level", settings.level)
    whole(1)("resamples", settings.resamples)
    whole(0)("seed", settings.seed)


def seeded(settings: InferenceSettings, key: str) -> np.random.SeedSequence:
    """Return the seed of one treebank's draws, which does not depend on other draws.

    Args:
        settings: the settings with the random seed.
        key: the SHA-256 of the gold contents, or the name of another group of draws.
    """
    digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
    return np.random.SeedSequence([settings.seed, int.from_bytes(digest[:8])])
