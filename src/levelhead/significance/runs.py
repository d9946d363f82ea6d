"""Several training runs of a system: how far the mean of a few runs may be from the mean of all possible runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from levelhead.significance.counted import Sums
from levelhead.significance.resampling import Seed

FEWEST_RUNS = 3
"""A system with fewer runs than this has no significant differences, unless single outputs are compared."""


def enough_runs(n_system: int, n_baseline: int) -> bool:
    """Return whether a difference may be called significant: both have three runs or more, or both have one output.

    Args:
        n_system: the number of runs of the system.
        n_baseline: the number of runs of the baseline.
    """
    return n_system == n_baseline == 1 or min(n_system, n_baseline) >= FEWEST_RUNS


def draw_run_errors(runs: Sequence[Sums], n_draws: int, seed: Seed) -> Sums | float:
    """Return random errors of the mean of a system's runs, or of the difference between two means.

    Each mean is off by its standard error times Student's t with k - 1 degrees of freedom for k runs, drawn
    independently for each system (Behrens 1929, Fisher 1935). The resulting test is conservative even for two runs
    (Robinson 1976). Degrees of freedom that are computed from both variances (Welch 1947) are too many when the
    smaller sample has only two or three runs. If one of two systems has a single run, its runs are assumed to vary
    as much as those of the other.

    Args:
        runs: the values of the runs of one system, or of two, each float64 of shape (runs,).
        n_draws: the number of draws.
        seed: of the draws.

    Returns:
        Float64, shape (n_draws,); 0 if there is a single run or all runs are equal.
    """
    rng = np.random.default_rng(seed)
    several = [own for own in runs if len(own) > 1]
    n_single = len(runs) - len(several)
    errors: Sums | float = 0.0
    for own in several:
        if not np.allclose(own, own[0], rtol=0, atol=1e-12):  # rounding makes equal runs differ by less
            scale = own.std(ddof=1) * np.sqrt(1 / len(own) + n_single)
            errors = errors + scale * rng.standard_t(len(own) - 1, n_draws)
    return errors
