"""Several training runs of a system: how far the mean of a few runs may be from the mean of all possible runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from levelhead.significance.system_counts import Sums

FEWEST_RUNS = 3
"""A system with fewer runs than this has no significant differences, unless single outputs are compared."""


def enough_runs(n_system: int, n_baseline: int) -> bool:
    """Return whether a difference may be called significant: both have three runs or more, or both have one output.

    Args:
        n_system: the number of runs of the system.
        n_baseline: the number of runs of the baseline.
    """
    return n_system == n_baseline == 1 or min(n_system, n_baseline) >= FEWEST_RUNS


def run_errors(runs: Sequence[Sums]) -> Iterator[tuple[float, int]]:
    """Give the variance of each mean of runs, and its degrees of freedom; nothing for a single run.

    If one of two systems has a single run, its runs are assumed to vary as much as those of the other.

    Args:
        runs: the values of the runs of one system, or of two, each float64 of shape (runs,).
    """
    several = [own for own in runs if len(own) > 1]
    n_single = len(runs) - len(several)
    for own in several:
        if not np.allclose(own, own[0], rtol=0, atol=1e-12):  # rounding makes equal runs differ by less
            yield float(own.var(ddof=1)) * (1 / len(own) + n_single), len(own) - 1
