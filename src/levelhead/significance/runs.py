"""Several training runs of a system: the error of the mean of a few runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from levelhead.significance.system_counts import Sums

FEWEST_RUNS = 3
"""The minimum number of runs for significant differences, unless single outputs are compared."""


def enough_runs(n_system: int, n_baseline: int) -> bool:
    """Return whether there are enough runs for a significant difference: at least three each, or one output each.

    Args:
        n_system: the number of runs of the system.
        n_baseline: the number of runs of the baseline.
    """
    return n_system == n_baseline == 1 or min(n_system, n_baseline) >= FEWEST_RUNS


def run_errors(runs: Sequence[Sums]) -> Iterator[tuple[float, int]]:
    """Return the variance of each mean of runs with its degrees of freedom; empty for single runs.

    If one of two systems has a single run, its variance is assumed to equal that of the other.

    Args:
        runs: the values of the runs of one system, or of two, each float64 of shape (runs,).
    """
    several = [own for own in runs if len(own) > 1]
    n_single = len(runs) - len(several)
    for own in several:
        if not np.allclose(own, own[0], rtol=0, atol=1e-12):  # smaller differences are rounding
            yield float(own.var(ddof=1)) * (1 / len(own) + n_single), len(own) - 1
