"""The smallest and the largest value of each whole number, in Python and on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_MOST_TOKENS = 1_000_000_000  # larger than any treebank

LIMITS: Mapping[str, tuple[int, int | None]] = MappingProxyType(
    {
        "beam": (1, 1024),
        "chunk": (1, _MOST_TOKENS),
        "draws": (1, 1_000_000),
        "folds": (2, 1000),
        "jobs": (1, 1024),
        "least": (1, _MOST_TOKENS),
        "limit": (1, None),
        "min-tokens": (0, _MOST_TOKENS),
        "minimum-word-count": (1, None),
        "ngram": (1, 5),
        "places": (0, 15),
        "resamples": (1, 10_000_000),
        "runs": (1, _MOST_TOKENS),
        "samples": (1, 1_000_000),
        "seed": (0, None),
        "units": (1, _MOST_TOKENS),
        "window": (1, _MOST_TOKENS),
    }
)
"""The smallest and largest value by name; None if unlimited. `draws` are the resamples of ranks and tables."""
